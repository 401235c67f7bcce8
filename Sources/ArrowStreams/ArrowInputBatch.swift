// SPDX-License-Identifier: Apache-2.0

import CKymograph

/// A batch of a caller's stream. It is released at the end of this object's life.
///
/// The lengths of a caller's buffers are unknown: the numbers of rows and offsets that the batch states are believed
/// where they are consistent.
@safe
package final class ArrowInputBatch {
    private let array: UnsafeMutablePointer<ArrowArray>
    package let fields: [(name: String, type: ArrowInputType)]
    /// The number of the batch in the stream, from 1.
    package let number: Int
    /// The number of rows.
    package let rows: Int
    /// A number of rows that no buffer holds.
    static let tooManyRows: Int64 = 1 << 40

    init(
        taking source: ArrowArray, _ fields: [(name: String, type: ArrowInputType)], number: Int
    ) throws(ArrowInputError) {
        unsafe array = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe array.initialize(to: source)
        self.fields = fields
        self.number = number
        rows = Int(clamping: unsafe source.length)
        // All properties have values here: after an error `deinit` runs, and releases the array.
        guard unsafe source.length >= 0, unsafe source.offset >= 0, rows < Self.tooManyRows else {
            throw ArrowInputError("batch \(number) has an impossible number of rows")
        }
        guard unsafe source.n_children == Int64(fields.count) else {
            throw ArrowInputError(
                "batch \(number) has \(unsafe source.n_children) columns, and the schema has \(fields.count)")
        }
        guard unsafe fields.isEmpty || source.children != nil else {
            throw ArrowInputError("batch \(number) has no list of columns")
        }
        guard unsafe source.null_count <= 0 else {
            throw ArrowInputError("batch \(number) has null rows; only single values may be null")
        }
    }

    deinit {
        if let release = unsafe array.pointee.release { unsafe release(array) }
        unsafe array.deallocate()
    }

    /// Returns the error for a row of this batch.
    package func error(_ column: Int, _ row: Int, _ text: String) -> ArrowInputError {
        ArrowInputError("column \"\(fields[column].name)\" of batch \(number), row \(row): \(text)")
    }

    func error(_ column: Int, _ text: String) -> ArrowInputError {
        ArrowInputError("column \"\(fields[column].name)\" of batch \(number): \(text)")
    }

    // MARK: Access to the buffers

    /// A column's array, checked as far as it can be.
    func child(_ column: Int, buffers: Int64) throws(ArrowInputError) -> UnsafeMutablePointer<ArrowArray> {
        guard let child = unsafe array.pointee.children[column] else { throw error(column, "it has no array") }
        // The parent's offset applies to its children, too.
        let (first, isTooFar) = unsafe child.pointee.offset.addingReportingOverflow(array.pointee.offset)
        let (end, isTooLong) = first.addingReportingOverflow(Int64(rows))
        guard unsafe child.pointee.offset >= 0, !isTooFar, !isTooLong, end < Self.tooManyRows,
            unsafe child.pointee.length >= array.pointee.offset + Int64(rows)
        else { throw error(column, "it has \(unsafe child.pointee.length) rows, fewer than the batch") }
        guard unsafe child.pointee.n_buffers >= buffers, unsafe child.pointee.buffers != nil else {
            throw error(column, "it has \(unsafe child.pointee.n_buffers) buffers; its type needs \(buffers)")
        }
        return unsafe child
    }

    func first(_ child: UnsafeMutablePointer<ArrowArray>) -> Int {
        unsafe Int(child.pointee.offset + array.pointee.offset)
    }

    func buffer(
        _ child: UnsafeMutablePointer<ArrowArray>, _ number: Int, _ column: Int
    ) throws(ArrowInputError) -> UnsafeRawPointer {
        guard let buffer = unsafe child.pointee.buffers[number] else {
            throw error(column, "buffer \(number) is missing")
        }
        return unsafe buffer
    }

    /// Returns whether each row of a column has a value; nil if all have one.
    package func validity(_ column: Int) throws(ArrowInputError) -> [Bool]? {
        let child = try unsafe child(column, buffers: 1)
        if unsafe child.pointee.null_count == 0 || rows == 0 { return nil }
        guard let bits = unsafe child.pointee.buffers[0] else { return nil }
        let first = unsafe first(child)
        var valid = [Bool]()
        valid.reserveCapacity(rows)
        for row in first..<first + rows {
            let byte = unsafe bits.load(fromByteOffset: row / 8, as: UInt8.self)
            valid.append(byte >> UInt8(row % 8) & 1 == 1)
        }
        return valid.allSatisfy { $0 } ? nil : valid
    }

    /// Calls `body` with the elements of a column of fixed width.
    func withElements<T: BitwiseCopyable, R, E: Error>(
        _ column: Int, _ type: T.Type, _ body: (Span<T>) throws(E) -> R
    ) throws -> R {
        if rows == 0 { return try body(Span()) }
        let child = try unsafe child(column, buffers: 2)
        let base = try unsafe buffer(child, 1, column)
        let size = MemoryLayout<T>.stride
        let start = unsafe base + size * first(child)
        guard Int(bitPattern: start) % MemoryLayout<T>.alignment == 0 else {
            // Slices of unaligned buffers are rare; their elements are copied.
            let copy = (0..<rows).map { unsafe start.loadUnaligned(fromByteOffset: size * $0, as: T.self) }
            return try body(copy.span)
        }
        let typed = unsafe start.assumingMemoryBound(to: T.self)
        return try body(unsafe Span(_unsafeStart: typed, count: rows))
    }

    // MARK: Columns as values

    /// Calls `body` with a column of instants or integers in nanoseconds, without a copy if it is one already.
    ///
    /// - Throws: `ArrowInputError` for nulls, for instants out of range and for other types; the errors of `body`.
    package func withNanoseconds<R>(_ column: Int, _ body: (Span<Int64>) throws -> R) throws -> R {
        try requireAll(column)
        switch fields[column].type {
        case .time(8, 1), .integer(8, true):
            return try withElements(column, Int64.self, body)
        case .time(8, let unit):
            let instants = try withElements(column, Int64.self) { try scaled($0, unit, column) }
            return try body(instants.span)
        case .time(_, let unit):
            let instants = try withElements(column, Int32.self) { try scaled($0, unit, column) }
            return try body(instants.span)
        default:
            let instants = try integers(column)
            return try body(instants.span)
        }
    }

    private func scaled(_ values: Span<some FixedWidthInteger>, _ unit: Int64, _ column: Int) throws -> [Int64] {
        var result = [Int64]()
        result.reserveCapacity(values.count)
        for i in values.indices {
            let (product, isTooLarge) = Int64(values[i]).multipliedReportingOverflow(by: unit)
            if isTooLarge { throw error(column, i, "\(values[i]) lies outside of the years 1678 to 2261") }
            result.append(product)
        }
        return result
    }

    /// Returns a column of integers.
    ///
    /// - Throws: `ArrowInputError` for nulls and other types.
    package func integers(_ column: Int) throws -> [Int64] {
        try requireAll(column)
        func all<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) throws -> [Int64] {
            try withElements(column, type) { values in
                var result = [Int64]()
                result.reserveCapacity(values.count)
                for i in values.indices {
                    guard let number = Int64(exactly: values[i]) else {
                        throw error(column, i, "\(values[i]) is larger than a signed integer of 64 bits")
                    }
                    result.append(number)
                }
                return result
            }
        }
        switch fields[column].type {
        case .integer(1, true): return try all(Int8.self)
        case .integer(1, false): return try all(UInt8.self)
        case .integer(2, true): return try all(Int16.self)
        case .integer(2, false): return try all(UInt16.self)
        case .integer(4, true): return try all(Int32.self)
        case .integer(4, false): return try all(UInt32.self)
        case .integer(8, true): return try all(Int64.self)
        case .integer(8, false): return try all(UInt64.self)
        default: throw error(column, "it must hold integers, not \(fields[column].type.name)")
        }
    }

    /// Calls `body` with a column of numbers, without a copy if they are doubles already.
    ///
    /// - Throws: `ArrowInputError` for nulls, integers that no double holds and other types; the errors of `body`.
    package func withDoubles<R>(_ column: Int, _ body: (Span<Double>) throws -> R) throws -> R {
        try requireAll(column)
        switch fields[column].type {
        case .double: return try withElements(column, Double.self, body)
        case .float:
            let copy = try withElements(column, Float.self) { values in values.indices.map { Double(values[$0]) } }
            return try body(copy.span)
        case .integer:
            var copy = [Double]()
            for (row, number) in try integers(column).enumerated() {
                guard let exact = Double(exactly: number) else {
                    throw error(column, row, "\(number) has more digits than a double holds")
                }
                copy.append(exact)
            }
            return try body(copy.span)
        default: throw error(column, "it must hold numbers, not \(fields[column].type.name)")
        }
    }

    private func requireAll(_ column: Int) throws(ArrowInputError) {
        guard let valid = try validity(column), let row = valid.firstIndex(of: false) else { return }
        throw error(column, row, "the value is null")
    }
}

extension ArrowInputType {
    /// The type in words, for messages.
    package var name: String {
        switch self {
        case .integer(let bytes, let isSigned): "\(isSigned ? "signed" : "unsigned") integers of \(8 * bytes) bits"
        case .float, .double: "floating-point numbers"
        case .time: "times"
        case .text, .dictionary: "texts"
        case .other(let format): "columns of the format \"\(format)\""
        }
    }
}
