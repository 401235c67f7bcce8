// SPDX-License-Identifier: Apache-2.0

public import ChunkFormat
import Kernels

/// Columns of equal length with samples of one series, before they are encoded into blocks.
package struct SampleRows: Sendable {
    package var starts: [Int64] = []
    /// Empty if all samples are points.
    package var ends: [Int64] = []
    package var values: [Double] = []
    package var created: IntColumn = .absent
    package var provenance: IntColumn = .absent
    package var metadata: IntColumn = .absent
    package var identityHigh: IntColumn = .absent
    package var identityLow: IntColumn = .absent
    package var born: IntColumn = .absent
    /// Whether blocks of these rows are cut by count, and not on the calendar grid.
    package var isCutByCount = false

    package init() {}

    package var count: Int { starts.count }

    /// Returns the start and the end of a row.
    func times(of row: Int) -> (start: Int64, end: Int64) {
        (starts[row], ends.isEmpty ? starts[row] : ends[row])
    }

    /// Whether the rows are in the order of a run: by start, then by end.
    package var isSorted: Bool {
        guard Kernel.isAscending(starts, 0..<starts.count) else { return false }
        if ends.isEmpty { return true }
        for i in 1..<max(1, starts.count) where starts[i] == starts[i - 1] && ends[i] < ends[i - 1] { return false }
        return true
    }

    /// Sorts the rows into the order of a run. The sort is stable.
    package mutating func sort() { if !isSorted { rearrange() } }

    /// Sorts the rows into the order of a run; rows with equal start and end are sorted by commit.
    /// - Requires: `born` has the commit of every row.
    mutating func sortByCommit() {
        if isSorted, isInOrderOfCommits { return }
        let order = (0..<count).sorted { a, b in
            let (x, y) = (times(of: a), times(of: b))
            if x != y { return x < y }
            let (first, second) = (born.at(a), born.at(b))
            return first != second ? first < second : a < b
        }
        self = rows(order)
    }

    /// Whether successive rows with equal start and end are in the order of their commits.
    private var isInOrderOfCommits: Bool {
        guard case .values(let commits) = born else { return true }
        return !(1..<max(1, count)).contains { i in
            starts[i] == starts[i - 1] && commits[i] < commits[i - 1] && times(of: i) == times(of: i - 1)
        }
    }

    private mutating func rearrange() {
        var order = Array(0..<count)
        if ends.isEmpty {
            order.sort { starts[$0] != starts[$1] ? starts[$0] < starts[$1] : $0 < $1 }
        } else {
            order.sort {
                if starts[$0] != starts[$1] { return starts[$0] < starts[$1] }
                return ends[$0] != ends[$1] ? ends[$0] < ends[$1] : $0 < $1
            }
        }
        self = rows(order)
    }

    /// Copies the rows of `range` into a block buffer.
    package func fill(_ block: BlockBuffer, _ range: Range<Int>) {
        block.reserve(range.count)
        block.count = range.count
        Kernel.copy(starts.span, range, into: &block.starts)
        block.hasEnds = !ends.isEmpty
        if !ends.isEmpty { Kernel.copy(ends.span, range, into: &block.ends) }
        Kernel.copy(values.span, range, into: &block.values)
        fillSides(block, range)
    }

    /// Copies the side columns of `range` into a block buffer.
    func fillSides(_ block: BlockBuffer, _ range: Range<Int>) {
        block.grid = isCutByCount ? .count : .none
        block.created = created.slice(range)
        block.provenance = provenance.slice(range)
        block.metadata = metadata.slice(range)
        block.identityHigh = identityHigh.slice(range)
        block.identityLow = identityLow.slice(range)
        block.born = born.slice(range)
    }

    /// Appends the rows of a decoded block.
    package mutating func append(_ block: BlockBuffer) {
        if block.grid == .count { isCutByCount = true }
        let old = count
        let range = 0..<block.count
        if block.hasEnds, ends.isEmpty { ends = starts }
        starts.append(contentsOf: block.starts[range])
        if block.hasEnds {
            ends.append(contentsOf: block.ends[range])
        } else if !ends.isEmpty {
            ends.append(contentsOf: block.starts[range])
        }
        values.append(contentsOf: block.values[range])
        created.append(block.created, old: old, added: block.count)
        provenance.append(block.provenance, old: old, added: block.count)
        metadata.append(block.metadata, old: old, added: block.count)
        identityHigh.append(block.identityHigh, old: old, added: block.count)
        identityLow.append(block.identityLow, old: old, added: block.count)
        born.append(block.born, old: old, added: block.count)
    }

    /// Appends some rows of a decoded block. Rows without a commit of their own get `commit`.
    mutating func append(_ block: BlockBuffer, _ range: Range<Int>, born commit: Int64) {
        if block.grid == .count { isCutByCount = true }
        let old = count
        let (blockStarts, blockValues) = (block.starts, block.values)
        if block.hasEnds, ends.isEmpty { ends = starts }
        if block.hasEnds || !ends.isEmpty {
            let blockEnds = block.hasEnds ? block.ends : blockStarts
            Kernel.append(blockEnds.span, range, to: &ends)
        }
        Kernel.append(blockStarts.span, range, to: &starts)
        Kernel.append(blockValues.span, range, to: &values)
        created.append(block.created, range, old: old)
        provenance.append(block.provenance, range, old: old)
        metadata.append(block.metadata, range, old: old)
        identityHigh.append(block.identityHigh, range, old: old)
        identityLow.append(block.identityLow, range, old: old)
        born.append(block.born.isAbsent ? .constant(commit) : block.born, range, old: old)
    }

    /// Returns some of the rows.
    func part(_ range: Range<Int>) -> SampleRows {
        if range == 0..<count { return self }
        var result = sides(range)
        result.starts = Array(starts[range])
        if !ends.isEmpty { result.ends = Array(ends[range]) }
        result.values = Array(values[range])
        return result
    }

    /// Returns the rows with the given numbers, in that order.
    package func rows(_ order: [Int]) -> SampleRows {
        var result = SampleRows()
        result.starts = order.map { starts[$0] }
        if !ends.isEmpty { result.ends = order.map { ends[$0] } }
        result.values = order.map { values[$0] }
        result.isCutByCount = isCutByCount
        result.created = created.permuted(order)
        result.provenance = provenance.permuted(order)
        result.metadata = metadata.permuted(order)
        result.identityHigh = identityHigh.permuted(order)
        result.identityLow = identityLow.permuted(order)
        result.born = born.permuted(order)
        return result
    }

    /// Returns the side columns of some of the rows.
    func sides(_ range: Range<Int>) -> SampleRows {
        var result = SampleRows()
        result.isCutByCount = isCutByCount
        result.created = created.slice(range)
        result.provenance = provenance.slice(range)
        result.metadata = metadata.slice(range)
        result.identityHigh = identityHigh.slice(range)
        result.identityLow = identityLow.slice(range)
        result.born = born.slice(range)
        return result
    }

    /// Appends the caller's samples without side columns; without ends, they are points.
    mutating func append(_ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>, _ range: Range<Int>) {
        if !ends.isEmpty, self.ends.isEmpty { self.ends = self.starts }
        if !ends.isEmpty || !self.ends.isEmpty {
            Kernel.append(ends.isEmpty ? starts : ends, range, to: &self.ends)
        }
        Kernel.append(starts, range, to: &self.starts)
        Kernel.append(values, range, to: &self.values)
    }

    /// Appends rows of the same series.
    mutating func append(_ other: SampleRows) {
        if count == 0 {
            self = other
            return
        }
        if other.isCutByCount { isCutByCount = true }
        let old = count
        if !other.ends.isEmpty, ends.isEmpty { ends = starts }
        if !ends.isEmpty { ends.append(contentsOf: other.ends.isEmpty ? other.starts : other.ends) }
        starts.append(contentsOf: other.starts)
        values.append(contentsOf: other.values)
        created.append(other.created, old: old, added: other.count)
        provenance.append(other.provenance, old: old, added: other.count)
        metadata.append(other.metadata, old: old, added: other.count)
        identityHigh.append(other.identityHigh, old: old, added: other.count)
        identityLow.append(other.identityLow, old: old, added: other.count)
        born.append(other.born, old: old, added: other.count)
    }
}

extension IntColumn {
    /// Returns the value of row `i`; 0 if the column is absent.
    @inlinable
    package func at(_ i: Int) -> Int64 {
        switch self {
        case .absent: 0
        case .constant(let x): x
        case .sequence(let first): first &+ Int64(i)
        case .values(let array): array[i]
        }
    }

    func slice(_ range: Range<Int>) -> IntColumn {
        switch self {
        case .absent, .constant: self
        case .sequence(let first): .sequence(first: first &+ Int64(range.lowerBound))
        case .values(let array): .values(Array(array[range]))
        }
    }

    func permuted(_ order: [Int]) -> IntColumn {
        switch self {
        case .absent, .constant: self
        case .sequence, .values: .values(order.map { at($0) })
        }
    }

    /// Appends `added` rows of another column after `old` rows; an absent column counts as zeros.
    mutating func append(_ other: IntColumn, old: Int, added: Int) {
        if old == 0 {
            self = other.trimmed(added)
            return
        }
        switch (self, other) {
        case (.absent, .absent): return
        case (.constant(let a), .constant(let b)) where a == b: return
        case (.sequence(let a), .sequence(let b)) where a &+ Int64(old) == b: return
        default: break
        }
        var array = [Int64]()
        if case .values(let own) = self {
            array = own
            self = .absent  // so that the array is not copied
        } else {
            array.reserveCapacity(2 * (old + added))
            append(old, to: &array)
        }
        other.append(added, to: &array)
        self = .values(array)
    }

    /// Appends the first `count` rows to an array.
    private func append(_ count: Int, to array: inout [Int64]) {
        switch self {
        case .absent: array.append(contentsOf: repeatElement(0, count: count))
        case .constant(let x): array.append(contentsOf: repeatElement(x, count: count))
        case .sequence(let first): for i in 0..<count { array.append(first &+ Int64(i)) }
        case .values(let own): array.append(contentsOf: own[..<count])
        }
    }

    /// Appends some rows of another column after `old` rows; an absent column counts as zeros.
    mutating func append(_ other: IntColumn, _ range: Range<Int>, old: Int) {
        if old > 0, case .values(var array) = self, case .values(let more) = other {
            self = .absent  // so that the array is not copied
            array.append(contentsOf: more[range])
            self = .values(array)
        } else {
            append(other.slice(range), old: old, added: range.count)
        }
    }

    private func trimmed(_ count: Int) -> IntColumn {
        if case .values(let array) = self, array.count > count { return .values(Array(array[0..<count])) }
        return self
    }
}
