// SPDX-License-Identifier: Apache-2.0

/// Amounts as a person reads them: about three digits, counts whole.
enum AmountText {
    /// Returns an amount without its unit; shares are in per cent.
    static func text(_ value: Double, _ unit: String?) -> String {
        let number = ShownUnit(unit).number(value)
        if unit == "count" || abs(number) >= 1_000 { return whole(number) }
        let text = NumberText.fixed(number, decimals: abs(number) >= 10 ? 1 : 2)
        guard text.contains("."), !text.contains("e") else { return text }
        let short = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(short.reversed())
    }

    /// Returns a whole number with thousands separators.
    static func whole(_ value: Double) -> String {
        abs(value) < 9e15 ? NumberText.grouped(Int(value.rounded())) : NumberText.json(value)
    }
}
