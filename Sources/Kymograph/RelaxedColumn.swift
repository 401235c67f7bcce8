// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Synchronization

/// Samples of one series that wait for a commit in the background.
final class RelaxedColumn: Sendable {
    fileprivate struct State {
        var rows = SampleRows()
        /// The commit that will have the rows.
        var generation: Int64
        /// Samples whose bytes were counted.
        var counted = 0
    }

    let id: SeriesID
    private let state: Mutex<State>

    /// A column whose first rows commit `generation` will have.
    init(_ id: SeriesID, _ generation: Int64) {
        self.id = id
        state = Mutex(State(generation: generation))
    }

    /// Takes a sample; the commit that will have it, and how many wait for that one now.
    func append(_ start: Int64, _ end: Int64, _ value: Double) -> (generation: Int64, count: Int) {
        state.withLock { state in
            if end != start || !state.rows.ends.isEmpty { state.take(end: end) }
            state.rows.starts.append(start)
            state.rows.values.append(value)
            let count = state.rows.starts.count
            if count % RelaxedAppender.stride == 0 { state.counted += RelaxedAppender.stride }
            return (state.generation, count)
        }
    }

    /// Takes samples of one call; the commit that will have them, and for how many strides bytes are to be counted.
    func append(_ rows: SampleRows) -> (generation: Int64, strides: Int) {
        state.withLock { state in
            state.rows.append(rows)
            let strides = (state.rows.count - state.counted) / RelaxedAppender.stride
            state.counted += strides * RelaxedAppender.stride
            return (state.generation, strides)
        }
    }

    /// The rows of commit `generation`, and the bytes that were counted for them. What comes later is of the next one.
    func take(_ generation: Int64) -> (rows: SampleRows, bytes: Int) {
        state.withLock { state in
            let found = (state.rows, state.counted * RelaxedAppender.sampleBytes)
            let count = state.rows.count
            state = State(generation: generation + 1)
            state.rows.starts.reserveCapacity(count)
            state.rows.values.reserveCapacity(count)
            return found
        }
    }
}

extension RelaxedColumn.State {
    /// Appends an end, and those of the points before it if it is the first.
    fileprivate mutating func take(end: Int64) {
        if rows.ends.isEmpty { rows.ends = rows.starts }
        rows.ends.append(end)
    }
}
