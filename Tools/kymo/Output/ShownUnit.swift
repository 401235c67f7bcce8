// SPDX-License-Identifier: Apache-2.0

/// A unit as tables and messages show it, with the numbers that belong to it.
///
/// HealthKit's unit `%` means a share: 0.97. People read and write per cent: `97 %`. Every number with a unit that a
/// person reads passes through this type; JSON, CSV and exports keep the share.
struct ShownUnit {
    /// The text of the unit, without the molar mass of glucose: `mmol/L`. Empty without a unit.
    let name: String
    private let isPercent: Bool

    static let percent = "%"

    init(_ unit: String?) {
        name = Self.withoutMasses(unit ?? "")
        isPercent = unit == Self.percent
    }

    /// Returns a unit without molar masses: `mmol/L` for `mmol<180.1558800000541>/L`.
    private static func withoutMasses(_ unit: String) -> String {
        var text = ""
        var depth = 0
        for letter in unit {
            if letter == "<" { depth += 1 }
            if depth == 0 { text.append(letter) }
            if letter == ">" { depth -= 1 }
        }
        return text
    }

    /// Returns the number that a person reads for a stored value: 97 for a share of 0.97.
    func number(_ value: Double) -> Double { isPercent ? Self.shifted(value, by: 2) : value }

    func number(_ value: Double?) -> Double? { value.map { number($0) } }

    /// Returns the number that a person reads for a variance, whose unit is squared.
    func variance(_ value: Double?) -> Double? { number(number(value)) }

    /// Returns the stored value of a number that a person wrote: 0.97 for 97 in `97 %`.
    func value(_ number: Double) -> Double { isPercent ? Self.shifted(number, by: -2) : number }

    /// Returns the number with its unit: `97 %`, `72 count/min`, `3` without a unit.
    func text(_ value: Double) -> String {
        let number = NumberText.json(number(value))
        return name.isEmpty ? number : "\(number) \(name)"
    }

    /// Returns the number with its decimal point moved, so that 0.57 becomes 57 and not 56.99999999999999.
    private static func shifted(_ value: Double, by digits: Int) -> Double {
        let parts = value.description.split(separator: "e")
        guard value.isFinite, let digitsText = parts.first else { return value }
        let exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + digits
        return Double("\(digitsText)e\(exponent)") ?? value
    }
}
