// SPDX-License-Identifier: Apache-2.0

import Foundation

// Metadata in an archive: a number of entries, and for each a key, a kind and a text. Only strings are decoded, because
// a coder ends the process for a value of another class.
extension NSCoder {
    /// Writes metadata under keys that begin with a name; nothing for nil.
    func encode(_ values: HealthMetadataValues?, named name: String) {
        guard let values else { return }
        encode(values.count, forKey: name)
        for (place, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
            let (kind, text, unit) = entry.value.archived
            encode(NSString(string: entry.key), forKey: "\(name).\(place).key")
            encode(NSString(string: kind), forKey: "\(name).\(place).kind")
            encode(NSString(string: text), forKey: "\(name).\(place).text")
            if let unit { encode(NSString(string: unit), forKey: "\(name).\(place).unit") }
        }
    }

    /// Reads metadata; nil if there is none, or if an entry cannot be read.
    func decodeMetadata(named name: String) -> HealthMetadataValues? {
        guard containsValue(forKey: name) else { return nil }
        let count = decodeInteger(forKey: name)
        guard (0...HealthSaveRules.maximumTextBytes).contains(count) else { return nil }
        var values = HealthMetadataValues()
        for place in 0..<count {
            guard let key = decodeText("\(name).\(place).key"), let kind = decodeText("\(name).\(place).kind"),
                let text = decodeText("\(name).\(place).text"),
                let value = HealthMetadataValue(kind: kind, text: text, unit: decodeText("\(name).\(place).unit"))
            else { return nil }
            values[key] = value
        }
        return values
    }

    private func decodeText(_ key: String) -> String? {
        guard containsValue(forKey: key) else { return nil }
        return decodeObject(of: NSString.self, forKey: key)?.description
    }
}

extension HealthMetadataValue {
    /// The kind, the text and the unit of the value in an archive. Numbers keep all bits.
    fileprivate var archived: (kind: String, text: String, unit: String?) {
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

    fileprivate init?(kind: String, text: String, unit: String?) {
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
