// SPDX-License-Identifier: Apache-2.0

import Bytes
import Glibc
import Kernels

@testable import ColumnCodec

/// Decodes columns as the rooms do and compares with the naive decoder. One decoder serves an input and its variants,
/// as it serves many columns in a store.
struct ColumnChecker {
    private var decoder = ColumnDecoder()

    /// The output of decodings. A column ends at the end of the allocation, so that a write past the end is detected.
    nonisolated(unsafe) private static let out = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 8 * Encoding.maximumCount, alignment: 64)

    /// Checks an input on every level and with every way to pass bytes, and a variant with one, chosen by `choice`.
    mutating func check(_ column: ColumnInput, reals: Bool, isInput: Bool, choice: UInt64) {
        defer { Kernel.force(level: -1) }
        if !isInput {
            let level = Int(choice >> 8 & 0xFF) % (Kernel.highestLevel + 1)
            Kernel.force(level: level)
            check(column, column.bytes, reals, level)
            if choice >> 16 & 31 == 0 { describe(column) }
            return
        }
        let padded = Exact.copy(of: column.bytes, 0..<column.end, spare: Encoding.spare)
        for level in 0...Kernel.highestLevel {
            Kernel.force(level: level)
            if level == 0 { check(column, column.bytes, reals, level) }
            check(column, padded, reals, level)
        }
        describe(column)
    }

    private mutating func check(_ column: ColumnInput, _ bytes: [UInt8], _ reals: Bool, _ level: Int) {
        func place() -> String {
            "level \(level), \(column.count) values of \(Self.hex(column.bytes.prefix(column.end)))"
        }
        let end: Int
        do throws(ByteError) {
            end = try decode(bytes, column.end, column.count, reals)
        } catch {
            require(error.offset >= 0 && error.offset <= column.end, "an error outside the bytes: \(error)")
            if case .success? = column.expected, !NaiveLZ4.isRefusal(error.what) {
                finding("refused a column that the format allows (\(error)): \(place())")
            }
            return
        }
        switch column.expected {
        case nil: finding("LZ4 that the naive decoder refuses: \(place())")
        case .failure(let error): finding("decoded a column that the format refuses (\(error)): \(place())")
        case .success(let outcome):
            require(end == outcome.end, "ends at \(end), not \(outcome.end): \(place())")
            require(outcome.values.count == column.count, "wrong number of values: \(place())")
            let found = unsafe UnsafeRawBufferPointer(Self.place(of: column.count))
            let difference = unsafe outcome.values.withBytes { wanted in
                guard let left = wanted.baseAddress, let right = found.baseAddress else { return Int32(0) }
                return unsafe memcmp(left, right, wanted.count)
            }
            if difference == 0 { return }
            for index in 0..<column.count {
                let value = unsafe found.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
                require(
                    value == outcome.values[index],
                    "value \(index) is \(value), not \(outcome.values[index]): \(place())"
                )
            }
        }
    }

    private static func place(of count: Int) -> UnsafeMutableRawBufferPointer {
        let all = unsafe Self.out
        return unsafe UnsafeMutableRawBufferPointer(rebasing: all[(all.count - 8 * count)...])
    }

    /// Decodes into memory for exactly this many values, filled with a pattern first.
    private mutating func decode(
        _ bytes: [UInt8], _ end: Int, _ count: Int, _ reals: Bool
    ) throws(ByteError) -> Int {
        let place = unsafe Self.place(of: count)
        if let start = place.baseAddress { unsafe memset(start, 0x5E, place.count) }
        let outcome: ColumnDecoder.Outcome
        if reals {
            let values = unsafe place.bindMemory(to: Double.self)
            var span = unsafe MutableSpan(_unsafeElements: values)
            outcome = try decoder.reals(bytes, at: 0, end: end, count: count, into: &span)
            if outcome.isProven { require(unsafe values.allSatisfy(\.isFinite), "reported as finite, but is not") }
        } else {
            let values = unsafe place.bindMemory(to: Int64.self)
            var span = unsafe MutableSpan(_unsafeElements: values)
            outcome = try decoder.integers(bytes, at: 0, end: end, count: count, into: &span)
            if outcome.isProven {
                for index in values.indices.dropFirst() {
                    require(unsafe values[index - 1] <= values[index], "reported as ascending, but is not")
                }
            }
        }
        return outcome.end
    }

    /// Checks the two other functions that read a column: describe and skip.
    private func describe(_ column: ColumnInput) {
        let (bytes, end) = (column.bytes, column.end)
        let notes = ColumnDecoder.describe(bytes, at: 0, end: end, count: column.count)
        guard case .success(let outcome)? = column.expected else { return }
        let next = try? ColumnDecoder.skip(bytes, at: 0, end: end)
        require(next == outcome.end, "skip ends at \(String(describing: next)), decoding at \(outcome.end)")
        let failed = notes.contains { $0.name == "error" && !NaiveLZ4.isRefusal($0.meaning) }
        if column.count > 0 { require(!failed, "a valid column is described as damaged") }
    }

    private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
