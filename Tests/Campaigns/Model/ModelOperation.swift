// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport

/// One change or query of the model campaign. Series are numbers, taken modulo the number of series, so that a
/// shortened list is still valid.
enum ModelOperation: Sendable {
    case series
    case append(Int, [Sample])
    case refused(Int, [Sample])
    /// Appends that share a commit, like those of several threads.
    case group([(series: Int, samples: [Sample])])
    /// An append with identities that derive from its number, and, unless the disk is full, the same append again.
    case identified(Int, [Sample], number: Int64)
    case load([(series: Int, samples: [Sample])])
    /// A write batch: its deletions, then its samples; nothing if its closure fails.
    case batch([(series: Int, samples: [Sample])], deletes: [(series: Int, range: TimeRange)], fails: Bool)
    case abortedLoad([(series: Int, samples: [Sample])])
    case deleteRange(Int, TimeRange)
    /// Deletes samples that start in the range, at a second divisible by a number.
    case deleteMatching(Int, TimeRange, every: Int64, byIdentity: Bool)
    /// Deletes all but approximately the newest.
    case retain(Int, count: Int)
    /// Deletes samples that start more than an age (nanoseconds) before a moment.
    case retainAge(Int, age: Int64, now: Int64)
    case seal
    /// A change of the keys of an encrypted store.
    case keys(Int)
    /// Merges everything, without deleted samples; or cancels before a merge.
    case compact(steps: Int)
    case reopen
    case crash(CrashModel, seed: UInt64)
    case openReader
    case refreshReader
    case holdSnapshot
    case compareHeld
    case scan(Int, TimeRange, ScanOrder, limit: Int)
    case read(Int, TimeRange)
    case aggregate(Int, TimeRange)
    case fixedBuckets(Int, width: Int64, anchor: Int64, TimeRange)
    case dailyBuckets(Int, TimeRange)
    case totals(Int)
    /// Queries a series as of a number of commits ago.
    case asOf(Int, back: Int)
    case info
    case usage
    case verify
    /// Limits the free space of the disk to a number of bytes, for some operations.
    case fillDisk(room: UInt64, operations: Int)
}

/// Generates the operations of a seed.
struct ModelGenerator {
    static let length = 200
    private static let second: Int64 = 1_000_000_000
    /// Near the clock change in Zurich on 2021-03-28.
    private static let spring: Int64 = 1_616_900_000 * second
    private var random: SeededGenerator
    /// The number of operations made, from which an advancing clock and unique numbers are derived.
    private var made: Int64 = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func operations() -> [ModelOperation] {
        [.series, .series] + (2..<Self.length).map { _ in operation() }
    }

    private mutating func operation() -> ModelOperation {
        let series = random.below(8)
        made += 1
        switch random.below(TestKey.isUsed ? 142 : 139) {
        case 0...2: return .series
        case 3...26: return .append(series, samples(1 + random.below(60)))
        case 27...30: return .refused(series, refusedSamples())
        case 31...35: return .load(parts())
        case 36...38: return .abortedLoad(parts())
        case 39...42: return .seal
        case 43...45: return .reopen
        case 46...50: return .crash(random.pick([.any, .any, .keepAll, .loseAll]), seed: random.next())
        case 51...53: return .openReader
        case 54...57: return .refreshReader
        case 58...60: return .holdSnapshot
        case 61...64: return .compareHeld
        case 65...72:
            let limit = random.chance(0.5) ? Int.max : random.below(80)
            return .scan(series, range(), random.chance(0.5) ? .forward : .backward, limit: limit)
        case 73...76: return .read(series, range())
        case 77...81: return .aggregate(series, range())
        case 82...85:
            let width = random.number(in: 1...40) * 3_600 * Self.second + random.number(in: 0...1)
            let start = Self.spring + random.number(in: -200...200) * 3_600 * Self.second
            return .fixedBuckets(
                series, width: width, anchor: random.number(in: -9...9), TimeRange(start, start + width * 24))
        case 86...88:
            let start = Self.spring + random.number(in: -700...300) * 3_600 * Self.second
            return .dailyBuckets(series, TimeRange(start, start + random.number(in: 1...700) * 3_600 * Self.second))
        case 89...91: return .totals(series)
        case 92, 93: return .info
        case 94, 95: return .usage
        case 96, 97: return .verify
        case 98, 99: return .deleteRange(series, .all)
        case 100, 101, 138: return .deleteRange(series, range())
        case 102...105:
            let every = random.number(in: 2...9)
            return .deleteMatching(series, range(), every: every, byIdentity: random.chance(0.5))
        case 106, 107: return .retain(series, count: random.below(300))
        case 124...126:
            let age = random.number(in: 0...2_500_000) * Self.second
            return .retainAge(series, age: age, now: Self.spring + (1_000_000 + 3_600 * made) * Self.second)
        case 127...130: return .group(parts())
        case 131...135:
            return .identified(series, samples(1 + random.below(random.chance(0.2) ? 600 : 60)), number: made)
        case 108...111: return .compact(steps: random.chance(0.6) ? .max : random.below(3))
        case 118...123, 136, 137:
            let deletes = (0..<random.below(3)).map { _ in (series: random.below(8), range: range()) }
            return .batch(parts(), deletes: deletes, fails: random.chance(0.33))
        case 112...115: return .asOf(series, back: random.chance(0.7) ? random.below(20) : random.below(400))
        case 139...141: return .keys(random.below(6))
        default: return .fillDisk(room: UInt64(random.below(40_000)), operations: 1 + random.below(8))
        }
    }

    private mutating func range() -> TimeRange {
        if random.chance(0.25) { return .all }
        let start = Self.spring + random.number(in: -2_000_000...2_000_000) * Self.second
        return TimeRange(start, start + random.number(in: -10...3_000_000) * Self.second)
    }

    private mutating func parts() -> [(series: Int, samples: [Sample])] {
        (0..<1 + random.below(3)).map { _ in (random.below(8), samples(1 + random.below(300))) }
    }

    /// Returns sorted or unsorted samples near the clock change; some at the ends of the time range, some duplicates.
    private mutating func samples(_ count: Int) -> [Sample] {
        let isLate = random.chance(0.35)
        let areIntervals = random.chance(0.4)
        let shape = random.below(12)
        var start = Self.spring + random.number(in: -1_500_000...1_500_000) * Self.second
        var result: [Sample] = (0..<count).map { _ in
            start += random.number(in: isLate ? -3_000...4_000 : 0...600) * Self.second
            let length = areIntervals ? random.number(in: 0...900) * Self.second : 0
            return Sample(start: start, end: start + length, value: value(shape))
        }
        if random.chance(0.12) { result.append(random.pick(result)) }
        if random.chance(0.08) {
            result.append(Sample(start: TimeLimits.earliest, value: 1))
            result.append(Sample(start: TimeLimits.latest, value: 2))
        }
        return result
    }

    private mutating func value(_ shape: Int) -> Double {
        switch shape {
        case 0...3: Double(60 + random.below(80))
        case 4...6: Double(random.below(100_000)) / 100
        case 7, 8: random.fraction() * 1e6 - 5e5
        case 9: random.chance(0.3) ? -0.0 : 0.25
        case 10: random.chance(0.3) ? Double.leastNonzeroMagnitude * Double(random.below(1_000)) : 1
        default: random.chance(0.1) ? random.pick([1, -1]) * Double.greatestFiniteMagnitude : random.fraction()
        }
    }

    /// Returns samples of which one is invalid.
    private mutating func refusedSamples() -> [Sample] {
        var some = samples(1 + random.below(20))
        let at = random.below(some.count)
        switch random.below(5) {
        case 0, 1: some[at].value = .nan
        case 2, 3: some[at].value = random.chance(0.5) ? .infinity : -.infinity
        default: some[at].end = some[at].start - 1
        }
        return some
    }
}

extension ModelOperation {
    /// Returns the series of a deletion, and a function that selects the deleted samples.
    func deletion(of samples: (Int) -> [Sample]) -> (series: Int, isDeleted: (Sample) -> Bool)? {
        switch self {
        case .deleteRange(let series, let range): return (series, { range.contains($0.start) })
        case .deleteMatching(let series, let range, let every, _):
            return (series, { range.contains($0.start) && Self.isDivided($0, every) })
        case .retain(let series, let count):
            let starts = samples(series).map(\.start).sorted()
            if count >= starts.count { return (series, { _ in false }) }
            if count == 0 { return (series, { _ in true }) }
            return (series, { $0.start < starts[starts.count - count] })
        case .retainAge(let series, let age, let now): return (series, { $0.start < now - age })
        default: return nil
        }
    }

    static func isDivided(_ sample: Sample, _ every: Int64) -> Bool { sample.start / 1_000_000_000 % every == 0 }

    /// The features to count, which show that the generator still produces all kinds.
    var features: [String] {
        switch self {
        case .series: ["series"]
        case .append(_, let samples): ["append"] + Self.features(of: samples)
        case .group: ["group commit"]
        case .identified: ["append with identities, repeated"]
        case .refused(_, let samples):
            samples.contains { $0.value.isNaN }
                ? ["refused: no number"]
                : samples.contains { $0.value.isInfinite } ? ["refused: infinite"] : ["refused in all"]
        case .load(let parts): ["load"] + Set(parts.flatMap { Self.features(of: $0.samples) })
        case .batch(_, let deletes, let fails):
            [fails ? "batch failed" : deletes.isEmpty ? "batch" : "batch with deletions"]
        case .abortedLoad: ["load aborted"]
        case .deleteRange(_, let range): [range == .all ? "deletion of everything" : "deletion of a range"]
        case .deleteMatching(_, _, _, let byIdentity):
            [byIdentity ? "deletion by identity" : "deletion by a predicate"]
        case .retain: ["retention by count"]
        case .retainAge: ["retention by age"]
        case .seal: ["seal"]
        case .keys: ["change of keys"]
        case .compact(let steps): [steps == .max ? "compaction" : "compaction stopped"]
        case .reopen: ["reopen"]
        case .crash: ["crash and reopen"]
        case .openReader: ["reader opened"]
        case .refreshReader: ["reader refreshed"]
        case .holdSnapshot: ["snapshot held"]
        case .compareHeld: ["snapshot compared"]
        case .scan(_, let range, let order, let limit):
            [order == .forward ? "scan forward" : "scan backward"] + (limit < .max ? ["scan with limit"] : [])
                + (range == .all ? ["scan of everything"] : ["scan of a range"])
        case .read: ["read"]
        case .aggregate: ["aggregate"]
        case .fixedBuckets: ["buckets, fixed"]
        case .dailyBuckets: ["buckets, civil days"]
        case .totals: ["count, extent, most recent"]
        case .asOf: ["as of an earlier commit"]
        case .info: ["info"]
        case .usage: ["usage"]
        case .verify: ["verify"]
        case .fillDisk: ["disk filled"]
        }
    }

    static let allFeatures =
        [
            "series", "append", "in order", "out of order", "intervals", "duplicates", "extreme times", "negative zero",
            "denormals", "largest finite", "refused: no number", "refused: infinite", "load",
            "batch", "batch with deletions", "batch failed", "load aborted", "seal",
            "compaction", "compaction stopped", "reopen", "crash and reopen", "reader opened", "reader refreshed",
            "snapshot held", "snapshot compared",
            "scan forward", "scan backward", "scan with limit", "scan of everything", "scan of a range", "read",
            "aggregate", "buckets, fixed", "buckets, civil days", "count, extent, most recent", "info", "usage",
            "verify",
            "disk filled", "deletion of everything", "deletion of a range", "deletion by identity",
            "deletion by a predicate", "retention by count", "retention by age", "group commit",
            "append with identities, repeated", "as of an earlier commit",
        ] + (TestKey.isUsed ? ["change of keys"] : [])

    private static func features(of samples: [Sample]) -> [String] {
        var found: [String] = []
        let isOrdered = zip(samples, samples.dropFirst()).allSatisfy { $0.start <= $1.start }
        found.append(isOrdered ? "in order" : "out of order")
        if samples.contains(where: { $0.end > $0.start }) { found.append("intervals") }
        if Set(samples).count < samples.count { found.append("duplicates") }
        if samples.contains(where: { $0.start == TimeLimits.latest }) { found.append("extreme times") }
        if samples.contains(where: { $0.value == 0 && $0.value.sign == .minus }) { found.append("negative zero") }
        if samples.contains(where: { $0.value.isSubnormal }) { found.append("denormals") }
        if samples.contains(where: { $0.value.magnitude == .greatestFiniteMagnitude }) {
            found.append("largest finite")
        }
        return found
    }

    /// A line for a report.
    var text: String {
        switch self {
        case .append(let series, let samples): "append(\(series), \(samples.count) samples\(Self.brief(samples)))"
        case .refused(let series, let samples): "refused(\(series), \(samples.count) samples)"
        case .identified(let series, let samples, let number):
            "identified(\(series), \(samples.count) samples\(Self.brief(samples)), \(number))"
        case .group(let parts): "group(\(parts.map { "\($0.series): \($0.samples.count)\(Self.brief($0.samples))" }))"
        case .load(let parts): "load(\(parts.map { "\($0.series): \($0.samples.count)\(Self.brief($0.samples))" }))"
        case .batch(let parts, let deletes, let fails):
            "batch(\(parts.map { "\($0.series): \($0.samples.count)\(Self.brief($0.samples))" }), \(deletes), \(fails))"
        case .abortedLoad(let parts): "abortedLoad(\(parts.map { "\($0.series): \($0.samples.count)" }))"
        default: "\(self)"
        }
    }

    private static func brief(_ samples: [Sample]) -> String {
        samples.count > 4 ? "" : samples.map { " \($0.start)..\($0.end)=\($0.value)" }.joined(separator: ",")
    }
}
