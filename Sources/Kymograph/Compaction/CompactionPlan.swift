// SPDX-License-Identifier: Apache-2.0

import CivilTime

/// Bounds by which segments are merged. `Docs/Operations/Retention.md` has the reasons for the values.
package struct CompactionLimits: Sendable {
    /// A size class of segments: smaller than `bytes`, and in no lower tier.
    package struct Tier: Sendable {
        package var bytes: Int64
        /// Segments of one partition from which the tier is merged.
        package var count: Int
    }

    /// The tiers, ascending. Segments above the last tier are not merged by tier.
    package var tiers = [
        Tier(bytes: 256 << 10, count: 16), Tier(bytes: 4 << 20, count: 32), Tier(bytes: 64 << 20, count: 8),
    ]
    /// Maximum bytes that one step reads, unless a single segment is larger.
    package var stepBytes: Int64 = 64 << 20
    /// Maximum segments that one step reads.
    package var stepSegments = 64
    /// Approximate minimum bytes of a partition that gets a segment of its own.
    package var leastBytes: Int64 = 64 << 10

    package init() {}
}

/// Selects the segments to merge next, as a pure function of the existing segments.
struct CompactionPlan {
    /// The properties of a segment that the plan needs.
    struct Item: Sendable, Equatable {
        var id: Int64
        var bytes: Int64
        /// The partitions of its first and its last sample.
        var partitions: ClosedRange<Int>
        /// True if it holds deleted samples that must be removed now.
        var mustShed = false

        /// Its partition; nil if its samples lie in several.
        var partition: Int? { partitions.count == 1 ? partitions.lowerBound : nil }
    }

    enum Aim {
        /// All merges that are due.
        case due
        /// All possible merges.
        case everything
    }

    let limits: CompactionLimits

    /// Returns the segments to merge next, ascending; none if nothing is left to do.
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
                // A partition may keep two segments: samples in order, and late samples.
                found = key != nil ? atLeast(3, group) : atLeast(2, group.filter { $0.bytes < limits.stepBytes / 2 })
            case .due: found = tier(group) ?? (key != nil && key != latest ? fold(group) : nil)
            }
            if let found { return found.map(\.id).sorted() }
        }
        return []
    }

    /// Returns segments with samples that must be removed: several small segments together, or one segment.
    private func shedding(_ group: [Item]) -> [Int64]? {
        let due = group.filter(\.mustShed).sorted { ($0.bytes, $0.id) < ($1.bytes, $1.id) }
        guard let first = due.first else { return nil }
        return (atLeast(2, due.filter { $0.bytes < limits.stepBytes / 2 }) ?? [first]).map(\.id).sorted()
    }

    /// Returns the segments with samples that must be removed, the smallest first, each for a merge of its own. For a
    /// full disk: the smallest segment needs the least space.
    func sheddingAlone(_ items: [Item]) -> [Int64] {
        items.filter(\.mustShed).sorted { ($0.bytes, $0.id) < ($1.bytes, $1.id) }.map(\.id)
    }

    /// Returns the segments of a tier that has enough of them.
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

    /// Returns all segments of a partition that receives no more samples, if all but the two largest together have at
    /// least a quarter of the bytes of the largest: once each time the partition has grown by a quarter.
    private func fold(_ group: [Item]) -> [Item]? {
        guard group.count >= 4, let largest = group.last else { return nil }
        let all = group.reduce(Int64(0)) { $0 &+ $1.bytes }
        let small = group.dropLast(2).reduce(Int64(0)) { $0 &+ $1.bytes }
        guard all <= limits.stepBytes, small >= largest.bytes / 4 else { return nil }
        return atLeast(group.count, group)
    }

    /// Returns the first segments of the group that one step may read; nil if these are too few.
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

    /// Returns whether late samples of a merge of this many bytes get a segment of their own.
    func dividesLate(bytes: Int64) -> Bool { bytes >= 8 * limits.leastBytes }

    /// Returns the partitions that get a segment of their own, ascending; all others share one segment.
    ///
    /// - Parameters:
    ///   - samples: samples by partition.
    ///   - bytes: bytes of all partitions.
    func ownPartitions(samples: [Int: Int], bytes: Int64) -> [Int] {
        let all = samples.values.reduce(0, +)
        return samples.filter { Double($0.value) / Double(max(1, all)) * Double(bytes) >= Double(limits.leastBytes) }
            .map(\.key).sorted()
    }
}

/// The partitions of time: calendar months in UTC.
enum CompactionPartition {
    private static let day: Int64 = 86_400 * Civil.second

    /// Returns the number of the month of an instant; 0 is January of the year 0.
    static func of(_ instant: Int64) -> Int {
        let (quotient, remainder) = instant.quotientAndRemainder(dividingBy: day)
        let date = Civil.date(days: remainder < 0 ? quotient - 1 : quotient)
        return date.year * 12 + date.month - 1
    }

    /// Returns the first instant of a month, clamped to the range of instants.
    static func start(_ partition: Int) -> Int64 {
        let days = Civil.days(year: 0, month: partition + 1, day: 1)
        let (instant, overflow) = days.multipliedReportingOverflow(by: day)
        return overflow ? (days < 0 ? .min : .max) : instant
    }
}
