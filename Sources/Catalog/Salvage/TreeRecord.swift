// SPDX-License-Identifier: Apache-2.0

/// A value of a row in SQLite's storage classes.
enum TreeValue: Hashable {
    case null
    case int(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
}

/// SQLite's record format: a header with the type of each value, then the values.
enum TreeRecord {
    /// Returns the types of a record's values; nil if the header is invalid.
    ///
    /// - Parameter bytes: the record, or at least its header.
    static func types(_ bytes: ArraySlice<UInt8>) -> [Int64]? {
        let all = Array(bytes)
        var at = 0
        guard let header = TreePage.varint(all, &at, all.count), header >= Int64(at), header <= Int64(all.count) else {
            return nil
        }
        let end = Int(header)
        var types: [Int64] = []
        while at < end {
            guard let type = TreePage.varint(all, &at, end), type >= 0, type != 10, type != 11 else { return nil }
            types.append(type)
        }
        return types
    }

    /// Returns the values of a complete record; nil if the header does not match its length.
    static func values(_ bytes: [UInt8]) -> [TreeValue]? {
        var start = 0
        guard let types = types(bytes[...]), let header = TreePage.varint(bytes, &start, bytes.count) else {
            return nil
        }
        var at = Int(header)
        var values: [TreeValue] = []
        for type in types {
            guard let count = length(type), count <= bytes.count - at else { return nil }
            values.append(value(type, bytes[at..<at + count]))
            at += count
        }
        return at == bytes.count ? values : nil
    }

    /// Returns the size of a value of a type in bytes.
    private static func length(_ type: Int64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        default: Int(exactly: (type - 12) / 2)
        }
    }

    private static func value(_ type: Int64, _ bytes: ArraySlice<UInt8>) -> TreeValue {
        switch type {
        case 0: return .null
        case 8, 9: return .int(type - 8)
        case 1...7:
            var bits: UInt64 = type < 7 && bytes.first ?? 0 >= 0x80 ? .max : 0
            for byte in bytes { bits = bits << 8 | UInt64(byte) }
            return type == 7 ? .real(Double(bitPattern: bits)) : .int(Int64(bitPattern: bits))
        default: return type % 2 == 0 ? .blob(Array(bytes)) : .text(Array(bytes))
        }
    }
}
