// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Bounds by which segments are merged. `Docs/Operations/Retention.md` says why they are what they are.
package struct CompactionLimits: Sendable {
    /// A tier of segments: those with fewer bytes than this that are in no lower one.
    package struct Tier: Sendable {
        package var bytes: Int64
        /// Segments of it, in one partition, from which they are merged.
        package var count: Int

        package init(bytes: Int64, count: Int) {
            self.bytes = bytes
            self.count = count
        }
    }

    /// Ascending. What is larger than the last one's is left alone.
    package var tiers = [
        Tier(bytes: 256 << 10, count: 16), Tier(bytes: 4 << 20, count: 32), Tier(bytes: 64 << 20, count: 8),
    ]
    /// The most bytes that one step reads, unless a single segment has more.
    package var stepBytes: Int64 = 64 << 20
    /// The most segments that one step reads.
    package var stepSegments = 64
    /// The least bytes of a partition, about, that get a segment of their own.
    package var leastBytes: Int64 = 64 << 10

    package init() {}
}

/// Decides what is merged next: a function of what is there, and of nothing else.
struct CompactionPlan {
    /// A segment, as far as it matters here.
    struct Item: Sendable, Equatable {
        var id: Int64
        var bytes: Int64
        /// The partitions of its first and its last sample.
        var partitions: ClosedRange<Int>
        /// Whether it holds samples that are deleted and must go now.
        var mustShed = false

        /// Its partition; nil if its samples lie in several.
        var partition: Int? { partitions.count == 1 ? partitions.lowerBound : nil }
    }

    enum Aim {
        /// What is due by itself.
        case due
        /// Everything that can be merged.
        case everything
    }

    let limits: CompactionLimits

    /// The segments to merge next, ascending; none if nothing is left to do.
    func next(_ items: [Item], _ aim: Aim) -> [Int64] {
        var groups = [Int?: [Item]]()
        for item in items { groups[item.partition, default: []].append(item) }
        let order = groups.keys.sorted { ($0 ?? .min) < ($1 ?? .min) }
        let latest = order.last ?? nil
        for key in order {
            if let found = shedding(groups[key] ?? []) { return found }
        }
        for key in order {
            let group = (groups[key] ?? []).sorted { ($0.bytes, $0.id) < ($1.bytes, $1.id) }
            let found: [Item]?
            switch aim {
            case .everything:
                // A partition may have two: what came in order, and what was late.
                found = key != nil ? atLeast(3, group) : atLeast(2, group.filter { $0.bytes < limits.stepBytes / 2 })
            case .due: found = tier(group) ?? (key != nil && key != latest ? fold(group) : nil)
            }
            if let found { return found.map(\.id).sorted() }
        }
        return []
    }

    /// Segments with samples that must go: several small ones together, or one.
    private func shedding(_ group: [Item]) -> [Int64]? {
        let due = group.filter(\.mustShed).sorted { ($0.bytes, $0.id) < ($1.bytes, $1.id) }
        guard let first = due.first else { return nil }
        return (atLeast(2, due.filter { $0.bytes < limits.stepBytes / 2 }) ?? [first]).map(\.id).sorted()
    }

    /// The segments with samples that must go, each for a merge of its own: on a full disk, for which together is too
    /// much. The smallest first, which need the least room.
    func sheddingAlone(_ items: [Item]) -> [Int64] {
        items.filter(\.mustShed).sorted { ($0.bytes, $0.id) < ($1.bytes, $1.id) }.map(\.id)
    }

    /// The segments of a tier that has enough of them.
    private func tier(_ group: [Item]) -> [Item]? {
        var least: Int64 = 0
        for tier in limits.tiers {
            let mine = group.filter { $0.bytes >= least && $0.bytes < tier.bytes }
            if mine.count >= tier.count, let found = atLeast(min(tier.count, limits.tiers.last?.count ?? 2), mine) {
                return found
            }
            least = tier.bytes
        }
        return nil
    }

    /// All segments of a partition into which nothing is written any more, if those beside the largest two are worth
    /// it: each time the partition has grown by a quarter.
    private func fold(_ group: [Item]) -> [Item]? {
        guard group.count >= 4, let largest = group.last else { return nil }
        let all = group.reduce(Int64(0)) { $0 &+ $1.bytes }
        let small = group.dropLast(2).reduce(Int64(0)) { $0 &+ $1.bytes }
        guard all <= limits.stepBytes, small >= largest.bytes / 4 else { return nil }
        return atLeast(group.count, group)
    }

    /// As many of the segments, the smallest first, as one step may read, if these are enough.
    private func atLeast(_ count: Int, _ group: [Item]) -> [Item]? {
        var bytes: Int64 = 0
        var taken = [Item]()
        for item in group.prefix(limits.stepSegments) {
            bytes += item.bytes
            if bytes > limits.stepBytes { break }
            taken.append(item)
        }
        return taken.count >= max(2, min(count, limits.stepSegments)) ? taken : nil
    }

    /// Whether late samples of so many bytes are worth a segment of their own.
    func dividesLate(bytes: Int64) -> Bool { bytes >= 8 * limits.leastBytes }

    /// The partitions that get a segment of their own, ascending; everything else comes together in one. `samples` are
    /// those of each partition, `bytes` the bytes of all.
    func ownPartitions(samples: [Int: Int], bytes: Int64) -> [Int] {
        let all = samples.values.reduce(0, +)
        return samples.filter { Double($0.value) / Double(max(1, all)) * Double(bytes) >= Double(limits.leastBytes) }
            .map(\.key).sorted()
    }
}

/// The partitions of time: months, in UTC.
enum CompactionPartition {
    private static let day: Int64 = 86_400 * Civil.second

    /// The number of the month of an instant, 0 for January of the year 0.
    static func of(_ instant: Int64) -> Int {
        let (quotient, remainder) = instant.quotientAndRemainder(dividingBy: day)
        let date = Civil.date(days: remainder < 0 ? quotient - 1 : quotient)
        return date.year * 12 + date.month - 1
    }

    /// The first instant of a month, or the nearest there is.
    static func start(_ partition: Int) -> Int64 {
        let days = Civil.days(year: 0, month: partition + 1, day: 1)
        let (instant, overflow) = days.multipliedReportingOverflow(by: day)
        return overflow ? (days < 0 ? .min : .max) : instant
    }
}
