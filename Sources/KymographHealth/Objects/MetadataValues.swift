// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
package import HealthModel

/// The kinds of a typed metadata value: its second byte. `Docs/Guide/Import.md` has the table.
private enum ValueKind {
    static let string: UInt8 = 1
    static let boolean: UInt8 = 2
    static let integer: UInt8 = 3
    static let unsigned: UInt8 = 4
    static let real: UInt8 = 5
    static let date: UInt8 = 6
    static let quantity: UInt8 = 7
    static let data: UInt8 = 8
}

extension MetadataWriter {
    /// Writes the metadata of an object saved by a program; unsupported values are omitted.
    ///
    /// Entries are sorted by the bytes of their keys, so that equal metadata has equal bytes.
    mutating func write(_ values: HealthMetadataValues) {
        begin()
        if values.count == 1, let (key, value) = values.first { return entry(Array(key.utf8), value) }
        let entries = values.map { (key: Array($0.key.utf8), value: $0.value) }
        for (key, value) in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) { entry(key, value) }
    }

    private mutating func entry(_ key: [UInt8], _ value: HealthMetadataValue) {
        if case .unsupported = value { return }
        put(MetadataPart.typed)
        if let code = MetadataKeyCode.code(key, 0..<key.count) {
            put(UInt64(code + 1))
        } else {
            put(UInt64(0))
            put(key)
        }
        switch value {
        case .string(let text):
            put(ValueKind.string)
            put(Array(text.utf8))
        case .boolean(let flag):
            put(ValueKind.boolean)
            put(UInt8(flag ? 1 : 0))
        case .integer(let number):
            put(ValueKind.integer)
            put(Zigzag.encode(Int64(number)))
        case .unsigned(let number):
            put(ValueKind.unsigned)
            put(UInt64(number))
        case .real(let number):
            put(ValueKind.real)
            put(bits: number.bitPattern)
        case .date(let date):
            put(ValueKind.date)
            put(bits: date.timeIntervalSinceReferenceDate.bitPattern)
        case .quantity(let quantity):
            put(ValueKind.quantity)
            put(bits: quantity.value.bitPattern)
            put(Array(quantity.unit.unitString.utf8))
        case .data(let data):
            put(ValueKind.data)
            put(Array(data))
        case .unsupported: break
        }
    }
}

extension HealthMetadataValue {
    /// Reads the value after a key.
    static func read(_ reader: inout ByteReader) throws(ByteError) -> HealthMetadataValue {
        let at = reader.offset
        switch try reader.u8() {
        case ValueKind.string: return .string(try reader.string())
        case ValueKind.boolean: return .boolean(try reader.u8() != 0)
        case ValueKind.integer: return .integer(Int(Zigzag.decode(try reader.varint())))
        case ValueKind.unsigned: return .unsigned(UInt(try reader.varint()))
        case ValueKind.real: return .real(Double(bitPattern: try reader.u64()))
        case ValueKind.date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.u64())))
        case ValueKind.quantity:
            let value = Double(bitPattern: try reader.u64())
            let text = try reader.string()
            guard let unit = try? HKUnit(parsing: text) else { throw ByteError(offset: at, what: "bad unit \(text)") }
            return .quantity(HKQuantity(unit: unit, doubleValue: value))
        case ValueKind.data:
            let count = try reader.varint()
            guard count <= UInt64(reader.remaining) else { throw ByteError(offset: at, what: "data exceeds the bytes") }
            return .data(Data(try reader.bytes(Int(count))))
        default: throw ByteError(offset: at, what: HealthMetadata.unknownPart)
        }
    }

    /// The value in the text form of an export.
    package var exportText: String {
        switch self {
        case .string(let text): text
        case .boolean(let flag): flag ? "1" : "0"
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): NumberText.shortest(number)
        case .date(let date): ExportDate.text(date)
        case .quantity(let quantity): quantity.exportText
        case .data(let data): data.base64EncodedString()
        case .unsupported: ""
        }
    }

    /// Creates a value from the text of an export. The kind of a predefined key determines the kind of the value if the
    /// text matches it; any other text remains a string.
    package init(exportText text: String, of key: String) {
        let number = Double(text).flatMap { $0.isFinite ? $0 : nil }
        switch HealthMetadataKeys.predefined(key)?.valueKind {
        case .boolean where text == "0" || text == "1": self = .boolean(text == "1")
        case .number, .boolean, .enumeration:
            self = Int(text).map { .integer($0) } ?? number.map { .real($0) } ?? .string(text)
        case .date: self = ExportDate.date(text).map { .date($0) } ?? .string(text)
        case .quantity: self = HKQuantity(exportText: text).map { .quantity($0) } ?? .string(text)
        case .string, nil: self = .string(text)
        }
    }
}

extension HKQuantity {
    /// The quantity in the text form of metadata in an export: `418 cm`; percentages are multiplied by 100.
    fileprivate var exportText: String {
        let unit = unit.unitString
        return NumberText.shortest(unit == "%" ? value * 100 : value) + " " + unit
    }

    /// Parses a quantity such as `418 cm`.
    fileprivate convenience init?(exportText text: String) {
        guard let space = text.firstIndex(of: " "), let number = Double(text[..<space]), number.isFinite,
            let unit = try? HKUnit(parsing: String(text[text.index(after: space)...]))
        else { return nil }
        self.init(unit: unit, doubleValue: unit.unitString == "%" ? number / 100 : number)
    }
}

/// Dates in the text form of an export: `2022-01-02 22:18:47 +0200`, written in UTC.
private enum ExportDate {
    /// Returns the text of a date. A date beyond any calendar is written as seconds since 2001.
    static func text(_ date: Date) -> String {
        guard date.timeIntervalSinceReferenceDate.magnitude < 1e11 else {
            return NumberText.shortest(date.timeIntervalSinceReferenceDate)
        }
        let parts = date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false))
        return parts.replacing("T", with: " ").replacing("Z", with: "") + " +0000"
    }

    static func date(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 3, parts[2].count == 5 else { return nil }
        let zone = parts[2].prefix(3) + ":" + parts[2].suffix(2)
        return try? Date("\(parts[0])T\(parts[1])\(zone)", strategy: .iso8601)
    }
}
