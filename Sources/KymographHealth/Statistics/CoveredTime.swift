// SPDX-License-Identifier: Apache-2.0

/// Adds up the time covered by samples per interval, counting each moment once.
///
/// Keeps only the latest end of the samples.
/// - Requires: samples sorted by start.
struct CoveredTime {
    private let grid: StatisticsGrid
    private var reached = Int64.min
    private var place = 0

    init(_ grid: StatisticsGrid) { self.grid = grid }

    /// Adds a sample. Complexity: O(newly covered intervals).
    mutating func add(_ start: Int64, _ end: Int64, to cells: inout [StatisticsCell]) {
        var from = max(start, reached)
        while from < end {
            place = grid.place(of: from, hint: place)
            let to = place == grid.count - 1 ? end : min(end, grid.edges[place + 1])
            cells[place].covered &+= UInt64(bitPattern: to &- from)
            cells[place].isReached = true
            from = to
        }
        reached = max(reached, end)
    }
}
