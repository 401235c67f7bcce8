// SPDX-License-Identifier: Apache-2.0

/// The rows of one column of a batch, appended one after another.
package final class ArrowColumn {
    package let type: ArrowType
    /// The rows; for texts, the offsets of their ends.
    package let values: ArrowMemory
    /// The bytes of texts.
    let bytes: ArrowMemory?
    /// The list of texts of a dictionary.
    let dictionary: ArrowTexts?
    /// One bit for each row, set if it has a value; nil while no row is null.
    private(set) var validity: ArrowMemory?
    private(set) var nullCount = 0

    init(_ type: ArrowType, rows: Int, dictionary: ArrowTexts? = nil) {
        self.type = type
        self.dictionary = dictionary
        if type == .text {
            values = ArrowMemory(4 * (rows + 1))
            values.append(Int32(0))
            bytes = ArrowMemory(8 * rows)
        } else {
            values = ArrowMemory(type.width * rows)
            bytes = nil
        }
    }

    /// The number of rows.
    package var count: Int { type == .text ? values.count / 4 - 1 : values.count / type.width }

    /// The bytes of texts that a column may hold, since offsets have 32 bits.
    package static let mostTextBytes = Int(Int32.max)

    /// Appends a text; nil is null.
    ///
    /// - Requires: the column then has at most `mostTextBytes` bytes of texts.
    package func append(text: String?) {
        if let text { bytes?.append(text.utf8) }
        values.append(Int32(bytes?.count ?? 0))
        if validity != nil || text == nil { note(isValid: text != nil) }
    }

    /// Appends a number; nil is null.
    package func append<T: BitwiseCopyable & AdditiveArithmetic>(_ value: T?) {
        values.append(value ?? .zero)
        if validity != nil || value == nil { note(isValid: value != nil) }
    }

    /// Appends one number `count` times; nil is null.
    package func append<T: BitwiseCopyable & AdditiveArithmetic>(repeating value: T?, _ count: Int) {
        if validity == nil, let value { return values.append(repeating: value, count) }
        for _ in 0..<count { append(value) }
    }

    /// Appends the 16 bytes of a UUID, from two numbers in big-endian order; nil is null.
    package func append(uuid: (high: Int64, low: Int64)?) {
        values.append((uuid?.high ?? 0).bigEndian)
        values.append((uuid?.low ?? 0).bigEndian)
        if validity != nil || uuid == nil { note(isValid: uuid != nil) }
    }

    /// Records whether the last row has a value.
    private func note(isValid: Bool) {
        let row = count - 1
        let bitmap: ArrowMemory
        if let validity {
            bitmap = validity
        } else {
            // All rows before have values. Bits after the last row are unspecified.
            bitmap = ArrowMemory(row / 8 + 64)
            bitmap.append(repeating: UInt8.max, row / 8)
            if row % 8 != 0 { bitmap.append(UInt8.max) }
            validity = bitmap
        }
        if row / 8 == bitmap.count { bitmap.append(UInt8(0)) }
        let old = bitmap.element(UInt8.self, row / 8)
        let bit = UInt8(1) << UInt8(row % 8)
        bitmap.set(isValid ? old | bit : old & ~bit, row / 8)
        if !isValid { nullCount += 1 }
    }
}

/// Texts that the batches of a stream share as a dictionary.
package final class ArrowTexts {
    let column: ArrowColumn

    /// - Parameter texts: the texts, without repetition, of at most `ArrowColumn.mostTextBytes` bytes.
    package init(_ texts: [String]) {
        column = ArrowColumn(.text, rows: texts.count)
        for text in texts { column.append(text: text) }
    }
}
