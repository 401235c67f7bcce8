// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The definition of a message type: its fields and their places.
struct FITDefinition {
    struct Field {
        let number: UInt8
        let size: Int
        /// The number of the base type: the low five bits of its byte.
        let type: UInt8
        let offset: Int
    }

    /// The number of the message in the profile.
    let message: UInt16
    let isBigEndian: Bool
    private(set) var fields: [Field] = []
    /// The number of bytes of a message, including developer fields.
    private(set) var size = 0

    init(message: UInt16, isBigEndian: Bool) {
        self.message = message
        self.isBigEndian = isBigEndian
    }

    mutating func add(number: UInt8, size: Int, type: UInt8) {
        fields.append(Field(number: number, size: size, type: type & 0x1F, offset: self.size))
        self.size += size
    }

    /// Adds a developer field, which is not read.
    mutating func skip(_ size: Int) { self.size += size }
}

/// The fields of one message. A field that is missing or invalid is nil.
struct FITMessage {
    let definition: FITDefinition
    let bytes: [UInt8]

    /// The size of each base type in bytes, by number; 0 for texts and unknown types.
    private static let sizes = [1, 1, 1, 2, 2, 4, 4, 0, 4, 8, 1, 2, 4, 1, 8, 8, 8]

    /// The field with a number.
    private func field(_ number: UInt8) -> FITDefinition.Field? {
        definition.fields.first { $0.number == number }
    }

    /// Returns the bytes of a field; nil if all are 0xFF.
    func raw(_ number: UInt8) -> ArraySlice<UInt8>? {
        guard let field = field(number), field.size > 0 else { return nil }
        let slice = bytes[field.offset..<field.offset + field.size]
        return slice.allSatisfy { $0 == 0xFF } ? nil : slice
    }

    /// Returns the values of a field in order. An invalid value is nil.
    func list(_ number: UInt8) -> [Double?] {
        guard let field = field(number), Int(field.type) < Self.sizes.count else { return [] }
        let size = Self.sizes[Int(field.type)]
        guard size > 0, field.size >= size else { return [] }
        return stride(from: 0, through: field.size - size, by: size).map { place in
            Self.value(bits(field.offset + place, size), field.type)
        }
    }

    /// Returns the first value of a field.
    func number(_ number: UInt8) -> Double? { list(number).first ?? nil }

    /// Returns the first value of a field with a scale: `value / scale - offset`.
    func number(_ number: UInt8, scale: Double, offset: Double = 0) -> Double? {
        self.number(number).map { $0 / scale - offset }
    }

    /// Returns an enumeration or a small number.
    func code(_ number: UInt8) -> Int? { self.number(number).flatMap { Int(exactly: $0) } }

    private func bits(_ place: Int, _ size: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<size {
            let byte = bytes[place + (definition.isBigEndian ? index : size - 1 - index)]
            value = value << 8 | UInt64(byte)
        }
        return value
    }

    /// Returns a number of a base type; nil for the number that marks an invalid value of the type.
    private static func value(_ bits: UInt64, _ type: UInt8) -> Double? {
        switch type {
        case 0, 2, 13: bits == 0xFF ? nil : Double(bits)
        case 1: bits == 0x7F ? nil : Double(Int8(truncatingIfNeeded: bits))
        case 3: bits == 0x7FFF ? nil : Double(Int16(truncatingIfNeeded: bits))
        case 4: bits == 0xFFFF ? nil : Double(bits)
        case 5: bits == 0x7FFF_FFFF ? nil : Double(Int32(truncatingIfNeeded: bits))
        case 6: bits == 0xFFFF_FFFF ? nil : Double(bits)
        case 8: finite(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case 9: finite(Double(bitPattern: bits))
        case 10, 11, 12, 16: bits == 0 ? nil : Double(bits)
        case 14: bits == 0x7FFF_FFFF_FFFF_FFFF ? nil : Double(Int64(bitPattern: bits))
        case 15: bits == .max ? nil : Double(bits)
        default: nil
        }
    }

    private static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
}
