// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HealthModel

/// The conditions of a predicate on time, in a store's nanoseconds. Matches exactly the samples whose dates match.
///
/// All conditions must hold. Every sample matches that starts at or after `certainFrom`, in `starts`, and ends before
/// `endsBefore`.
struct TimeCondition: Equatable, Sendable {
    /// A condition that a sample extends into a window: it starts at or after the window's start, or ends after it.
    struct Overlap: Equatable, Sendable {
        /// The first nanosecond whose date is not before the window.
        let start: Int64
        /// The first nanosecond whose date is after the window's start.
        let end: Int64
    }

    /// The range of the starts of matching samples.
    private(set) var starts = TimeRange.all
    private(set) var overlaps: [Overlap] = []
    /// The earliest end of matching samples.
    private(set) var endsFrom = Int64.min
    /// The bound before which matching samples end.
    private(set) var endsBefore = Int64.max

    /// The start from which samples match if they fulfil `starts` and `endsBefore`.
    var certainFrom: Int64 { max(starts.start, endsFrom, overlaps.map(\.start).max() ?? .min) }

    /// Whether no sample can match.
    var isEmpty: Bool { starts.isEmpty || endsFrom >= endsBefore }

    /// Restricts the starts of matching samples.
    mutating func restrictStarts(to range: TimeRange) {
        starts = TimeRange(max(starts.start, range.start), min(starts.end, range.end))
    }

    /// Adds a window of time, like `HKQueryOptions.matches`.
    mutating func add(_ start: Date?, _ end: Date?, _ options: HKQueryOptions) {
        let from = start?.timeIntervalSinceReferenceDate ?? -.infinity
        let to = end?.timeIntervalSinceReferenceDate ?? .infinity
        guard from < to else {
            starts = TimeRange(0, 0)
            return
        }
        let first = Self.first { StoredTime.date($0).timeIntervalSinceReferenceDate >= from }
        let last = to == .infinity ? Int64.max : Self.first { StoredTime.date($0).timeIntervalSinceReferenceDate >= to }
        func isReached(_ time: Double) -> Int64 {
            Self.first { StoredTime.endDate($0).timeIntervalSinceReferenceDate >= time }
        }
        if options.isDisjoint(with: [.strictStartDate, .strictEndDate]) {
            starts = TimeRange(starts.start, min(starts.end, last))
            if from > -.infinity {
                let after = Self.first { StoredTime.endDate($0).timeIntervalSinceReferenceDate > from }
                overlaps.append(Overlap(start: first, end: after))
            }
            return
        }
        if options.contains(.strictStartDate) {
            starts = TimeRange(max(starts.start, first), min(starts.end, last))
        }
        if options.contains(.strictEndDate) {
            if from > -.infinity { endsFrom = max(endsFrom, isReached(from)) }
            if to < .infinity { endsBefore = min(endsBefore, isReached(to)) }
            // A sample that ends before an instant also starts before it.
            starts.end = min(starts.end, endsBefore)
        }
    }

    func matches(_ start: Int64, _ end: Int64) -> Bool {
        starts.contains(start) && end >= endsFrom && end < endsBefore
            && overlaps.allSatisfy { start >= $0.start || end >= $0.end }
    }

    /// Returns the first nanosecond of the storable range for which `holds` is true; the one after the last if there is
    /// none.
    ///
    /// - Requires: `holds` is monotonic.
    private static func first(_ holds: (Int64) -> Bool) -> Int64 {
        (TimeLimits.earliest..<TimeLimits.latest + 1).partitioningIndex(where: holds)
    }
}

/// A predicate divided into conditions for summaries and conditions for each sample.
struct StatisticsCondition: Sendable {
    private(set) var time = TimeCondition()
    /// The conditions on sources only.
    private var origins: [SamplePredicate] = []
    /// All other conditions; nil if there are none.
    private(set) var rest: SamplePredicate?

    init(_ predicate: SamplePredicate) {
        var others = [SamplePredicate]()
        add(predicate, &others)
        if !others.isEmpty { rest = others.count == 1 ? others[0] : .and(others) }
    }

    private mutating func add(_ predicate: SamplePredicate, _ others: inout [SamplePredicate]) {
        switch predicate {
        case .and(let parts): for part in parts { add(part, &others) }
        case .time(let start, let end, let options): time.add(start, end, options)
        case .identities:
            time.restrictStarts(to: SearchWindow(predicate).range)
            others.append(predicate)
        default: if predicate.isOfSource { origins.append(predicate) } else { others.append(predicate) }
        }
    }

    /// Returns whether samples of a source may match.
    func admits(_ source: HKSource) -> Bool { origins.allSatisfy { $0.holds(of: source) } }
}

extension SamplePredicate {
    /// Whether it tests only the source.
    fileprivate var isOfSource: Bool {
        switch self {
        case .always, .sources: true
        case .and(let parts), .or(let parts): parts.allSatisfy(\.isOfSource)
        case .not(let part): part.isOfSource
        default: false
        }
    }

    /// Returns whether objects of a source match.
    ///
    /// - Requires: a predicate that tests only the source.
    fileprivate func holds(of source: HKSource) -> Bool {
        switch self {
        case .always(let all): all
        case .sources(let sources): sources.contains(source)
        case .and(let parts): parts.allSatisfy { $0.holds(of: source) }
        case .or(let parts): parts.contains { $0.holds(of: source) }
        case .not(let part): !part.holds(of: source)
        default: false
        }
    }
}
