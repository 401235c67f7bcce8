// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import Kernels

/// The result of a deletion.
public struct DeletionReceipt: Hashable, Sendable {
    /// The commit of the deletion, or the last commit if there was nothing to delete. A snapshot with this or a greater
    /// sequence does not show the samples.
    public let sequence: Int64
    /// Samples that were deleted.
    public let count: Int
    /// Identities that were not found.
    public let unknown: [SampleIdentity]

    package init(sequence: Int64, count: Int, unknown: [SampleIdentity]) {
        self.sequence = sequence
        self.count = count
        self.unknown = unknown
    }
}

/// A stored sample, as a deletion's predicate receives it.
public struct StoredSample: Hashable, Sendable {
    /// Start, end and value.
    public let sample: Sample
    /// Its identity.
    public let identity: SampleIdentity
    /// The commit that stored the sample.
    public let born: Int64
    /// The number of its provenance; 0 for none.
    public let provenance: Int64
    /// The number of its metadata set; 0 for none.
    public let metadata: Int64
    /// The creation time, in nanoseconds since 1970-01-01 UTC; nil if unknown.
    public let created: Int64?

    init(_ block: BlockBuffer, _ row: Int, runBorn: Int64) {
        sample = Sample(start: block.starts[row], end: block.end(at: row), value: block.values[row])
        identity = SampleIdentity(block, row)
        born = block.born.isAbsent ? runBorn : block.born.at(row)
        provenance = block.provenance.at(row)
        metadata = block.metadata.at(row)
        created = block.created.isAbsent ? nil : block.created.at(row)
    }
}

/// A rule that selects old samples to delete.
public enum Retention: Hashable, Sendable {
    /// Keeps samples that start at `now - nanoseconds` or later. `now` is in nanoseconds since 1970-01-01 UTC.
    case age(nanoseconds: Int64, now: Int64)
    /// Keeps this many samples with the latest starts, and all samples that start together with the first of these.
    case count(Int)
}

/// The samples of a series to delete.
package enum Deletion {
    /// Samples that start in a range.
    case range(TimeRange)
    /// Samples with these identities that start in a range.
    case identities([SampleIdentity], TimeRange)
    /// Samples that start in a range and match the closure.
    case matching(TimeRange, (StoredSample) throws(StoreError) -> Bool)
    /// All samples except this many with the latest starts.
    case allBut(Int)
    /// Samples that start before an instant, as history that the store no longer keeps. Followers of the changes get no
    /// deletion, and the bytes may be erased at once.
    case history(before: Int64)
}

/// The samples that a deletion hides, found in one version.
struct ResolvedDeletion {
    /// Ranges; a range that is not hidden as a whole has a list of its hidden samples.
    var pieces: [(range: TimeRange, listed: ListedSamples?, count: Int)] = []
    var unknown: [SampleIdentity] = []

    var count: Int { pieces.reduce(0) { $0 + $1.count } }

    /// Maximum samples of a tombstone's list.
    private static let longest = 262_144

    init(_ range: TimeRange, count: Int) {
        if count > 0 { pieces = [(range, nil, count)] }
    }

    init(_ all: ListedSamples) {
        var at = 0
        while at < all.count {
            var end = min(all.count, at + Self.longest)
            // Equal entries stand for equal samples; one list hides all of these.
            while end < all.count, all.starts[end] == all.starts[end - 1], all.identity(end) == all.identity(end - 1) {
                end += 1
            }
            let (behind, isLast) = all.starts[end - 1].addingReportingOverflow(1)
            pieces.append((TimeRange(all.starts[at], isLast ? .max : behind), all[at..<end], end - at))
            at = end
        }
    }
}

/// The resolved deletions of one batch, in their order.
final class ResolvedDeletions {
    private var all: [ResolvedDeletion] = []

    subscript(place: Int) -> ResolvedDeletion? { place < all.count ? all[place] : nil }

    func append(_ one: ResolvedDeletion) { all.append(one) }
}

extension Snapshot {
    /// Returns the samples that a deletion would hide.
    func resolve(_ deletion: Deletion, of id: SeriesID) throws(StoreError) -> ResolvedDeletion {
        try known(id)
        switch deletion {
        case .range(var range):
            // No sample starts so early; the start would mark the deletion as a pruning of history.
            if range.start == Tombstone.pruningStart { range.start = .min }
            return ResolvedDeletion(range, count: try aggregate(of: id, over: range).count)
        case .history(let instant):
            let range = TimeRange(Tombstone.pruningStart, instant)
            return ResolvedDeletion(range, count: try aggregate(of: id, over: range).count)
        case .allBut(let kept):
            guard let range = try rangeBefore(id, newest: kept) else { return ResolvedDeletion(.all, count: 0) }
            return ResolvedDeletion(range, count: try aggregate(of: id, over: range).count)
        case .identities(let identities, let range):
            let wanted = Set(identities)
            var left = wanted
            let found = try listed(id, range, [.starts, .identity]) { block, row, _ throws(StoreError) in
                let one = SampleIdentity(block, row)
                guard wanted.contains(one), !block.identityHigh.isAbsent else { return false }
                left.remove(one)
                return true
            }
            var result = ResolvedDeletion(found)
            result.unknown = left.sorted()
            return result
        case .matching(let range, let predicate):
            let found = try listed(id, range, .all) { block, row, born throws(StoreError) in
                guard try predicate(StoredSample(block, row, runBorn: born)) else { return false }
                if block.identityHigh.isAbsent {
                    throw StoreError(
                        .invalidArgument, "a sample at \(block.starts[row]) has no identity; delete it by its time")
                }
                return true
            }
            return ResolvedDeletion(found)
        }
    }

    /// Returns the samples that start in a range and match a closure. The closure receives the block, the row, and the
    /// birth of the run.
    private func listed(
        _ id: SeriesID, _ range: TimeRange, _ columns: ColumnSet,
        _ body: (BlockBuffer, Int, Int64) throws(StoreError) -> Bool
    ) throws(StoreError) -> ListedSamples {
        var found = [(start: Int64, identity: SampleIdentity)]()
        if range.isEmpty { return ListedSamples() }
        let scratch = QueryScratch(nil)
        for one in try blocks(of: [id], startingIn: range, nil) {
            try one.load(columns, scratch)
            let block = scratch.block
            let low = Kernel.lowerBound(block.starts, 0..<block.count, range.start)
            for row in low..<Kernel.lowerBound(block.starts, low..<block.count, range.end)
            where try body(block, row, one.born) {
                found.append((block.starts[row], SampleIdentity(block, row)))
            }
        }
        return ListedSamples(sorting: found)
    }

    /// Returns the range before the `kept` samples with the latest starts; nil if the series has no other samples.
    private func rangeBefore(_ id: SeriesID, newest kept: Int) throws(StoreError) -> TimeRange? {
        guard count(of: id) > kept, let all = try extent(of: id), let last = try mostRecent(of: id) else { return nil }
        if kept <= 0 { return .all }
        // The latest instant from which on there are at least `kept` samples.
        guard all.start < last.start else { return TimeRange(.min, all.start) }
        let edge = try (all.start..<last.start).partitioningIndex { instant throws(StoreError) in
            try aggregate(of: id, over: TimeRange(instant + 1, .max)).count < kept
        }
        return TimeRange(.min, edge)
    }
}
