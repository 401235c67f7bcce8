// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Synchronization

/// Samples of one series that wait for a background commit.
final class RelaxedColumn: Sendable {
    fileprivate struct State {
        var rows = SampleRows()
        /// The commit that takes the rows.
        var generation: Int64
        /// Samples whose bytes were counted.
        var counted = 0
        /// Single samples whose bytes are not counted, fewer than a stride.
        var uncounted = 0
    }

    let id: SeriesID
    private let state: Mutex<State>

    /// Creates a column whose first rows belong to commit `generation`.
    init(_ id: SeriesID, _ generation: Int64) {
        self.id = id
        state = Mutex(State(generation: generation))
    }

    /// Adds a sample. Returns its commit, and whether the bytes of a stride must be counted now.
    func append(_ start: Int64, _ end: Int64, _ value: Double) -> (generation: Int64, isStride: Bool) {
        state.withLock { state in
            if end != start || !state.rows.ends.isEmpty { state.take(end: end) }
            state.rows.starts.append(start)
            state.rows.values.append(value)
            state.uncounted += 1
            guard state.uncounted == RelaxedAppender.stride else { return (state.generation, false) }
            state.uncounted = 0
            state.counted += RelaxedAppender.stride
            return (state.generation, true)
        }
    }

    /// Adds samples of one call, whose bytes are counted. Returns their commit.
    func append(_ rows: SampleRows) -> Int64 {
        state.withLock { state in
            state.rows.append(rows)
            state.counted += rows.count
            return state.generation
        }
    }

    /// Removes and returns the rows of commit `generation`, and their counted bytes. Later rows belong to the next
    /// commit.
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
    /// Appends an end. The first end also adds the ends of the points before it.
    fileprivate mutating func take(end: Int64) {
        if rows.ends.isEmpty { rows.ends = rows.starts }
        rows.ends.append(end)
    }
}
