// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HealthModel
import KymographHealth

/// The unit of values.
struct UnitOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Unit of the values, such as km, miles or bpm. Default: the stored unit.", valueName: "unit"),
        completion: Completions.units)
    var unit: String?

    /// Returns the unit; nil if the option is not given. Throws if the type cannot have this unit.
    func resolved(_ type: HealthType) throws -> HKUnit? {
        try unit.map { try Self.unit($0, of: type) }
    }

    /// Returns the unit of a string. Throws if the type cannot have this unit.
    static func unit(_ text: String, of type: HealthType) throws -> HKUnit {
        if type.kind == .category {
            throw Failure.usage("\(type.shortName) is a category and has no unit; omit --unit")
        }
        let written = Result { try HKUnit(parsing: text) }
        let meant = UnitName.meaning(of: text).flatMap { try? HKUnit(parsing: $0) }
        let units = [try? written.get(), meant].compactMap { $0 }
        if let unit = units.first(where: { type.isCompatible(with: $0) }) { return unit }
        let usual = UnitName.usual(of: type)
        guard units.isEmpty else {
            let advice = usual.map { ", such as \($0)" } ?? ""
            throw Failure.usage("\(text) does not fit \(type.shortName); use a compatible unit\(advice)")
        }
        if let question = Spelling.question(Spelling.nearest(text, UnitName.words(of: type))) {
            throw Failure.usage("no unit \"\(text)\"; \(question)")
        }
        // The parser knows the right spelling of some units, such as mcg for ug.
        if case .failure(HKUnitError.unparsable(_, _, let reason)) = written, !reason.contains(";"), let usual {
            throw Failure.usage("no unit \"\(text)\"; \(type.shortName) has units such as \(usual)")
        }
        return try written.get()
    }
}
