// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthModel

/// A sample of a few properties in stored form: its content as fields and, for an imported sample, its element.
/// `Docs/Format/Catalog.md` describes the bytes.
struct FieldsRecord: Sendable, Equatable {
    var fields: HealthFields
    /// The imported element; nil for a sample saved by a program.
    var element: CorrelationBody.Element?

    init(_ fields: HealthFields, element: CorrelationBody.Element? = nil) {
        self.fields = fields
        self.element = element
    }

    private static let version: UInt8 = 1
    /// The maximum depth of fields in fields.
    private static let deepest = 8

    /// The kinds of values on disk.
    private enum Kind {
        static let integer: UInt8 = 1
        static let real: UInt8 = 2
        static let text: UInt8 = 3
        static let quantity: UInt8 = 4
        static let date: UInt8 = 5
        static let data: UInt8 = 6
        static let fields: UInt8 = 7
    }

    /// The bytes of the body.
    var body: [UInt8] {
        var plain = ByteWriter(capacity: 128)
        plain.put(Self.version)
        plain.put(element == nil ? 0 : 1 as UInt8)
        if let element {
            plain.put(element.object)
            plain.put(element.digest)
        }
        Self.put(fields, into: &plain)
        return ObjectCompressor(level: 6, dictionary: false).encode(plain.bytes)
    }

    /// Returns the uncompressed bytes of fields, which are equal for equal fields.
    static func plain(_ fields: HealthFields) -> [UInt8] {
        var plain = ByteWriter(capacity: 128)
        put(fields, into: &plain)
        return plain.bytes
    }

    private static func put(_ fields: HealthFields, into plain: inout ByteWriter) {
        plain.put(varint: UInt64(fields.all.count))
        for field in fields.all {
            plain.put(varint: UInt64(UInt(bitPattern: field.number)))
            switch field.value {
            case .integer(let number):
                plain.put(Kind.integer)
                plain.put(zigzag: number)
            case .real(let number):
                plain.put(Kind.real)
                plain.put(double: number)
            case .text(let text):
                plain.put(Kind.text)
                plain.put(string: text)
            case .quantity(let quantity):
                plain.put(Kind.quantity)
                plain.put(string: quantity.unit.unitString)
                plain.put(double: quantity.value)
            case .date(let date):
                plain.put(Kind.date)
                plain.put(double: date.timeIntervalSinceReferenceDate)
            case .data(let data):
                plain.put(Kind.data)
                plain.put(varint: UInt64(data.count))
                plain.put(bytes: Array(data))
            case .fields(let fields):
                plain.put(Kind.fields)
                put(fields, into: &plain)
            }
        }
    }

    /// Parses the bytes of `body`.
    ///
    /// - Throws: `newerFormat`, `corrupt`.
    init(_ body: [UInt8]) throws(HealthStoreError) {
        var reader = ByteReader(try ObjectExpander.decode(body))
        do throws(ByteError) {
            guard try reader.u8() == Self.version else { throw ByteError(offset: 0, what: HealthMetadata.unknownPart) }
            if try reader.u8() == 1 {
                element = CorrelationBody.Element(object: try reader.i64(), digest: try reader.i64())
            }
            fields = try Self.fields(&reader, depth: 1)
        } catch {
            throw HealthStoreError(error, in: "a sample")
        }
    }

    private static func fields(_ reader: inout ByteReader, depth: Int) throws(ByteError) -> HealthFields {
        guard depth <= deepest else { throw ByteError(offset: reader.offset, what: "more than \(deepest) levels") }
        let count = try reader.varint()
        guard count <= UInt64(reader.remaining) else {
            throw ByteError(offset: reader.offset, what: "\(count) fields exceed the bytes")
        }
        var found: [HealthFields.Field] = []
        for _ in 0..<count {
            let number = try reader.varint()
            guard number <= UInt64(UInt16.max) else {
                throw ByteError(offset: reader.offset, what: "no field has the number \(number)")
            }
            found.append(HealthFields.Field(Int(number), try value(&reader, depth: depth)))
        }
        return HealthFields(found)
    }

    private static func value(_ reader: inout ByteReader, depth: Int) throws(ByteError) -> HealthFields.Value {
        switch try reader.u8() {
        case Kind.integer: return .integer(try reader.zigzag())
        case Kind.real: return .real(try reader.double())
        case Kind.text: return .text(try reader.string())
        case Kind.quantity:
            let text = try reader.string()
            guard let unit = try? HKUnit(parsing: text) else {
                throw ByteError(offset: reader.offset, what: "unknown unit '\(text.prefix(40))'")
            }
            return .quantity(HKQuantity(unit: unit, doubleValue: try reader.double()))
        case Kind.date: return .date(Date(timeIntervalSinceReferenceDate: try reader.double()))
        case Kind.data:
            let count = try reader.varint()
            guard count <= UInt64(reader.remaining) else {
                throw ByteError(offset: reader.offset, what: "data exceeds the bytes")
            }
            return .data(Data(try reader.bytes(Int(count))))
        case Kind.fields: return .fields(try fields(&reader, depth: depth + 1))
        default: throw ByteError(offset: reader.offset, what: HealthMetadata.unknownPart)
        }
    }
}

extension HealthStoreError {
    /// Creates the error of a stored sample whose fields are not those of its type.
    init(_ fault: HealthFields.Fault, in sample: String) {
        self.init(fault.isNewer ? .newerFormat : .corrupt, "\(sample) cannot be read: \(fault.reason)")
    }
}
