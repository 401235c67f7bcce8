// SPDX-License-Identifier: Apache-2.0

import HealthModel
import KymographHealth

/// The values of category types as people write them: `asleepCore`, and for sleep also `core`.
enum CategoryValueText {
    /// Returns the number of a value.
    ///
    /// - Parameter name: the name of the type in messages.
    /// - Throws: a usage `Failure` with similar names, or all names, for a text that means no value of the type.
    static func number(_ text: String, of type: HKCategoryTypeIdentifier, named name: String) throws -> Int {
        if let number = HealthCategoryValues.rawValue(of: text, for: type),
            HealthCategoryValues.isValid(number, for: type)
        {
            return number
        }
        // A stage of sleep: core, deep, rem.
        if type == .sleepAnalysis, let number = HealthCategoryValues.rawValue(of: stage + text, for: type) {
            return number
        }
        let names = shortNames(of: type)
        let nearest = Spelling.nearest(text, names)
        let similar = nearest.isEmpty ? names.filter { $0.lowercased().contains(text.lowercased()) } : nearest
        let advice = Spelling.question(similar) ?? "use one of \(names.joined(separator: ", "))"
        throw Failure.usage("\"\(text)\" is not a value of \(name); \(advice)")
    }

    /// Returns the short name of a value: `asleepREM`; the number without a name.
    static func short(_ number: Int, of type: HKCategoryTypeIdentifier) -> String {
        HealthCategoryValues.shortNames(of: type).first {
            HealthCategoryValues.rawValue(of: $0, for: type) == number
        } ?? String(number)
    }

    private static let stage = "asleep"

    /// Returns a name for each value of a type.
    private static func shortNames(of type: HKCategoryTypeIdentifier) -> [String] {
        var seen: Set<Int> = []
        return HealthCategoryValues.shortNames(of: type).filter { name in
            guard let number = HealthCategoryValues.rawValue(of: name, for: type) else { return false }
            return HealthCategoryValues.isValid(number, for: type) && seen.insert(number).inserted
        }
    }
}
