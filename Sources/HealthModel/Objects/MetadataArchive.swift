// SPDX-License-Identifier: Apache-2.0

import Foundation

extension HealthMetadataValue {
    /// The kind, the text and the unit of the value in an archive. Numbers keep all bits.
    var archived: (kind: String, text: String, unit: String?) {
        switch self {
        case .string(let text): ("string", text, nil)
        case .boolean(let flag): ("boolean", flag ? "1" : "0", nil)
        case .integer(let number): ("integer", String(number), nil)
        case .unsigned(let number): ("unsigned", String(number), nil)
        case .real(let number): ("real", String(number.bitPattern), nil)
        case .date(let date): ("date", String(date.timeIntervalSinceReferenceDate.bitPattern), nil)
        case .quantity(let quantity):
            ("quantity", String(quantity.value.bitPattern), quantity.unit.unitString)
        case .data(let data): ("data", data.base64EncodedString(), nil)
        case .unsupported(let text): ("unsupported", text, nil)
        }
    }

    /// Creates the value of an archived kind, text and unit; nil if they are not the parts of a value.
    init?(kind: String, text: String, unit: String?) {
        let bits = UInt64(text).map { Double(bitPattern: $0) }
        var value: HealthMetadataValue?
        switch kind {
        case "string": value = .string(text)
        case "boolean": value = .boolean(text == "1")
        case "integer": value = Int(text).map { .integer($0) }
        case "unsigned": value = UInt(text).map { .unsigned($0) }
        case "real": value = bits.map { .real($0) }
        case "date": value = bits.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case "quantity":
            if let bits, let unit, let parsed = try? HKUnit(parsing: unit) {
                value = .quantity(HKQuantity(unit: parsed, doubleValue: bits))
            }
        case "unsupported": value = .unsupported(text)
        case "data": value = Data(base64Encoded: text).map { .data($0) }
        default: break
        }
        guard let value else { return nil }
        self = value
    }
}
