// SPDX-License-Identifier: Apache-2.0

import Kernels
import Synchronization

/// Room for samples at the end of two arrays of a caller, to be filled in place: any rows in any order, by any thread,
/// each row by one of them.
@safe package final class SampleSink: @unchecked Sendable {
    /// Rows that may be filled.
    package let room: Int
    private let starts: UnsafeMutablePointer<Int64>?
    private let values: UnsafeMutablePointer<Double>?
    private let filled = Atomic(0)
    private let isOpen = Atomic(true)

    private init(_ starts: UnsafeMutablePointer<Int64>?, _ values: UnsafeMutablePointer<Double>?, room: Int) {
        unsafe self.starts = starts
        unsafe self.values = values
        self.room = room
    }

    /// Grows both arrays by up to `room` rows, without setting them first.
    ///
    /// `body` fills rows from 0 on, each once, and returns how many; these are appended. If it throws, both arrays are
    /// as before. The sink means nothing afterwards.
    package static func append<E: Error>(
        _ room: Int, to starts: inout [Int64], _ values: inout [Double],
        _ body: (SampleSink) throws(E) -> Int
    ) throws(E) {
        let room = max(0, room)
        try starts.append(addingCapacity: room) { (newStarts: inout OutputSpan<Int64>) throws(E) in
            try values.append(addingCapacity: room) { (newValues: inout OutputSpan<Double>) throws(E) in
                try unsafe newStarts.withUnsafeMutableBufferPointer { (first, startCount) throws(E) in
                    try unsafe newValues.withUnsafeMutableBufferPointer { (second, valueCount) throws(E) in
                        let sink = unsafe SampleSink(first.baseAddress, second.baseAddress, room: room)
                        defer { sink.isOpen.store(false, ordering: .releasing) }
                        let rows = try body(sink)
                        let filled = sink.filled.load(ordering: .acquiring)
                        precondition(rows == filled && rows <= room, "rows of a sink that were not filled once each")
                        startCount = rows
                        valueCount = rows
                    }
                }
            }
        }
    }

    /// Lets `body` fill rows. They must lie in the room, and no two calls may have a row in common.
    func fill<E: Error>(
        _ row: Int, _ count: Int, _ body: (inout MutableSpan<Int64>, inout MutableSpan<Double>) throws(E) -> Void
    ) throws(E) {
        precondition(row >= 0 && count >= 0 && row <= room && count <= room - row, "rows outside of the sink")
        precondition(isOpen.load(ordering: .acquiring), "a sink that was closed")
        guard let starts = unsafe starts, let values = unsafe values, count > 0 else { return }
        var startSpan = unsafe MutableSpan(_unsafeStart: starts + row, count: count)
        var valueSpan = unsafe MutableSpan(_unsafeStart: values + row, count: count)
        try body(&startSpan, &valueSpan)
        filled.add(count, ordering: .relaxed)
    }

    /// Copies the samples of a decoded block into rows from `row` on, past the cache: for arrays that are larger than
    /// it. The rows must be there. The thread calls `Kernel.fenceCopies` when it has put its last block.
    package func putPastCache(_ block: BlockBuffer, row: Int) {
        fill(row, block.count) { (starts, values) in
            Kernel.copyPastCache(block.starts, to: &starts)
            Kernel.copyPastCache(block.values, to: &values)
        }
    }
}
