// SPDX-License-Identifier: Apache-2.0

import Kernels
import Synchronization

/// Space at the end of two arrays of a caller, for samples that are written in place. Any thread may fill any rows in
/// any order.
///
/// - Invariant: each row is filled exactly once.
@safe
@usableFromInline
package final class SampleSink: @unchecked Sendable {
    /// Adjoining rows of a sink, which one call fills.
    @frozen
    @usableFromInline
    package struct Rows {
        @usableFromInline let sink: SampleSink
        @usableFromInline let first: Int
        @usableFromInline let count: Int

        @inlinable
        init(sink: SampleSink, first: Int, count: Int) {
            self.sink = sink
            self.first = first
            self.count = count
        }
    }

    /// Number of rows.
    package let room: Int
    private let starts: UnsafeMutableBufferPointer<Int64>
    private let values: UnsafeMutableBufferPointer<Double>
    private let filled = Atomic(0)
    private let isOpen = Atomic(true)

    private init(
        _ starts: UnsafeMutableBufferPointer<Int64>, _ values: UnsafeMutableBufferPointer<Double>, room: Int
    ) {
        unsafe self.starts = starts
        unsafe self.values = values
        self.room = room
    }

    /// Extends both arrays by up to `room` rows without initialising them first.
    ///
    /// `body` fills rows from 0 on, each once, and returns their number; these rows are appended. If it throws, both
    /// arrays are unchanged.
    ///
    /// - Requires: `body` does not keep the sink.
    /// - Parameters:
    ///   - capacity: the capacity, at least `room`, for an empty array that must grow.
    ///   - prepare: called before `body` with address and size in bytes of the new space of each array.
    package static func append<E: Error>(
        _ room: Int, reserving capacity: Int = 0, to starts: inout [Int64], _ values: inout [Double],
        preparing prepare: (_ address: UInt, _ count: Int) -> Void = { _, _ in },
        _ body: (SampleSink) throws(E) -> Int
    ) throws(E) {
        let room = max(0, room)
        let startRoom = Self.room(room, capacity, starts)
        let valueRoom = Self.room(room, capacity, values)
        try starts.append(addingCapacity: startRoom) { (newStarts: inout OutputSpan<Int64>) throws(E) in
            try values.append(addingCapacity: valueRoom) { (newValues: inout OutputSpan<Double>) throws(E) in
                try fill(room, &newStarts, &newValues, preparing: prepare, body)
            }
        }
    }

    /// Fills up to `room` rows of the caller's memory, as `append` does.
    ///
    /// - Requires: both spans are empty and have space for `room` elements; `body` does not keep the sink.
    /// - Returns: the number of rows.
    @discardableResult
    package static func fill<E: Error>(
        _ room: Int, _ newStarts: inout OutputSpan<Int64>, _ newValues: inout OutputSpan<Double>,
        preparing prepare: (_ address: UInt, _ count: Int) -> Void = { _, _ in },
        _ body: (SampleSink) throws(E) -> Int
    ) throws(E) -> Int {
        try unsafe newStarts.withUnsafeMutableBufferPointer { (starts, startCount) throws(E) in
            try unsafe newValues.withUnsafeMutableBufferPointer { (values, valueCount) throws(E) in
                precondition(startCount == 0 && valueCount == 0, "the memory of a sink has rows already")
                precondition(starts.count >= room && values.count >= room, "less space than rows of the sink")
                prepare(UInt(bitPattern: starts.baseAddress), 8 * starts.count)
                prepare(UInt(bitPattern: values.baseAddress), 8 * values.count)
                let sink = unsafe SampleSink(starts, values, room: room)
                defer { sink.isOpen.store(false, ordering: .releasing) }
                let rows = try body(sink)
                let filled = sink.filled.load(ordering: .acquiring)
                precondition(rows == filled && rows <= room, "each row of a sink must be filled exactly once")
                startCount = rows
                valueCount = rows
                return rows
            }
        }
    }

    /// Returns the number of rows to reserve in an array; an array with sufficient capacity keeps its memory.
    private static func room<T>(_ room: Int, _ capacity: Int, _ array: [T]) -> Int {
        array.isEmpty && array.capacity < room ? max(room, capacity) : room
    }

    /// Returns `count` rows from `first` on.
    @inlinable
    package func rows(from first: Int, _ count: Int) -> Rows { Rows(sink: self, first: first, count: count) }

    /// Calls `body` to fill rows.
    ///
    /// - Requires: the rows lie in the sink, and no two calls share a row.
    func fill<E: Error>(
        _ row: Int, _ count: Int, _ body: (inout MutableSpan<Int64>, inout MutableSpan<Double>) throws(E) -> Void
    ) throws(E) {
        precondition(row >= 0 && count >= 0 && row <= room && count <= room - row, "rows outside of the sink")
        precondition(isOpen.load(ordering: .acquiring), "the sink is closed")
        if count == 0 { return }
        var startSpan = unsafe MutableSpan(_unsafeElements: starts.extracting(row..<row + count))
        var valueSpan = unsafe MutableSpan(_unsafeElements: values.extracting(row..<row + count))
        try body(&startSpan, &valueSpan)
        filled.add(count, ordering: .relaxed)
    }

    /// Copies samples of a decoded block into rows from `row` on.
    ///
    /// - Requires: the rows lie in the sink.
    package func put(_ block: BlockBuffer, _ samples: Range<Int>, row: Int) {
        fill(row, samples.count) { (starts, values) in
            Kernel.copy(block.starts, samples, to: &starts)
            Kernel.copy(block.values, samples, to: &values)
        }
    }
}
