// SPDX-License-Identifier: Apache-2.0

import CKymograph

extension ArrowInputBatch {
    /// Returns a column of texts as numbers into a list; -1 is null.
    ///
    /// - Throws: `ArrowInputError` for invalid UTF-8, offsets and numbers, and for other types.
    package func texts(_ column: Int) throws -> (numbers: [Int], list: [String]) {
        let valid = try validity(column)
        switch fields[column].type {
        case .text(let layout):
            let child = try unsafe child(column, buffers: 2)
            var known = [String: Int]()
            var list = [String]()
            var numbers = [Int]()
            numbers.reserveCapacity(rows)
            var previous = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            for row in 0..<rows {
                if valid?[row] == false {
                    numbers.append(-1)
                    continue
                }
                // Most rows have the text of the row before.
                let bytes = try unsafe textBytes(child, layout, first(child) + row, column, row)
                if let last = numbers.last, last >= 0, unsafe previous.elementsEqual(bytes) {
                    numbers.append(last)
                    continue
                }
                unsafe previous = bytes
                let text = try unsafe text(bytes, column, row)
                if let number = known[text] {
                    numbers.append(number)
                } else {
                    known[text] = list.count
                    numbers.append(list.count)
                    list.append(text)
                }
            }
            return (numbers, list)
        case .dictionary(_, _, let layout): return try dictionary(column, layout, valid)
        default: throw error(column, "it must hold texts, not \(fields[column].type.name)")
        }
    }

    private func dictionary(
        _ column: Int, _ layout: ArrowTextLayout, _ valid: [Bool]?
    ) throws -> (numbers: [Int], list: [String]) {
        let child = try unsafe child(column, buffers: 2)
        guard let values = unsafe child.pointee.dictionary else { throw error(column, "its dictionary is missing") }
        let count = unsafe values.pointee.length
        let offset = unsafe values.pointee.offset
        guard count >= 0, count <= 1 << 31, offset >= 0, offset < Self.tooManyRows,
            unsafe values.pointee.n_buffers >= 2, unsafe values.pointee.buffers != nil
        else { throw error(column, "its dictionary has an impossible length or offset") }
        var list = [String]()
        for i in 0..<Int(count) {
            let bytes = try unsafe textBytes(values, layout, Int(offset) + i, column, i)
            list.append(try unsafe text(bytes, column, i))
        }
        var numbers = [Int]()
        numbers.reserveCapacity(rows)
        func take<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) throws {
            try withElements(column, type) { codes in
                for row in codes.indices {
                    if valid?[row] == false {
                        numbers.append(-1)
                        continue
                    }
                    guard let code = Int(exactly: codes[row]), code >= 0, code < list.count else {
                        throw error(column, row, "number \(codes[row]) is not in the dictionary of \(list.count) texts")
                    }
                    numbers.append(code)
                }
            }
        }
        switch fields[column].type {
        case .dictionary(1, true, _): try take(Int8.self)
        case .dictionary(1, false, _): try take(UInt8.self)
        case .dictionary(2, true, _): try take(Int16.self)
        case .dictionary(2, false, _): try take(UInt16.self)
        case .dictionary(4, true, _): try take(Int32.self)
        case .dictionary(4, false, _): try take(UInt32.self)
        case .dictionary(8, true, _): try take(Int64.self)
        default: try take(UInt64.self)
        }
        return (numbers, list)
    }

    /// Returns the bytes of the text at an index of an array of texts.
    private func textBytes(
        _ values: UnsafeMutablePointer<ArrowArray>, _ layout: ArrowTextLayout, _ index: Int, _ column: Int, _ row: Int
    ) throws(ArrowInputError) -> UnsafeRawBufferPointer {
        let (start, count): (UnsafeRawPointer?, Int)
        switch layout {
        case .offsets(let bytes):
            guard unsafe values.pointee.n_buffers >= 3 else { throw error(column, "it has no buffer of texts") }
            let offsets = try unsafe buffer(values, 1, column)
            func offset(_ i: Int) -> Int64 {
                bytes == 4
                    ? Int64(unsafe offsets.loadUnaligned(fromByteOffset: 4 * i, as: Int32.self))
                    : unsafe offsets.loadUnaligned(fromByteOffset: 8 * i, as: Int64.self)
            }
            let (from, to) = (offset(index), offset(index + 1))
            guard from >= 0, to >= from, to - from <= 1 << 31 else {
                throw error(column, row, "the offsets \(from) and \(to) of its text do not ascend")
            }
            count = Int(to - from)
            unsafe start = values.pointee.buffers[2].map { unsafe $0 + Int(from) }
        case .views:
            let view = try unsafe buffer(values, 1, column) + 16 * index
            let length = unsafe view.loadUnaligned(as: Int32.self)
            guard length >= 0 else { throw error(column, row, "the length \(length) of its text is negative") }
            count = Int(length)
            if count <= 12 {
                unsafe start = view + 4
            } else {
                let number = unsafe view.loadUnaligned(fromByteOffset: 8, as: Int32.self)
                let from = unsafe view.loadUnaligned(fromByteOffset: 12, as: Int32.self)
                // The last buffer holds the sizes of the buffers of texts.
                let buffers = unsafe values.pointee.n_buffers - 3
                guard number >= 0, Int64(number) < buffers, from >= 0 else {
                    throw error(column, row, "its text lies in buffer \(number) of \(buffers)")
                }
                let sizes = try unsafe buffer(values, Int(buffers) + 2, column)
                let size = unsafe sizes.loadUnaligned(fromByteOffset: 8 * Int(number), as: Int64.self)
                guard Int64(from) + Int64(count) <= size else {
                    throw error(column, row, "its text ends after the \(size) bytes of its buffer")
                }
                unsafe start = values.pointee.buffers[2 + Int(number)].map { unsafe $0 + Int(from) }
            }
        }
        guard let start = unsafe start else {
            if count == 0 { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
            throw error(column, row, "its text is missing")
        }
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }

    private func text(
        _ bytes: UnsafeRawBufferPointer, _ column: Int, _ row: Int
    ) throws(ArrowInputError) -> String {
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
            throw error(column, row, "its text is not valid UTF-8")
        }
        return text
    }
}
