// SPDX-License-Identifier: Apache-2.0

package import Kymograph
package import TestSupport

/// One operation on a store.
package enum StoreOperation: Sendable {
    case series(String, SeriesKind)
    case append(String, [Sample])
    /// A relaxed append that waits for its commit.
    case relaxed(String, [Sample])
    /// Samples with identities; stored ones are not changed.
    case identified(IdentifiedPlan)
    /// Appends that share a commit, like those of several threads.
    case group([(name: String, samples: [Sample])])
    case load([(name: String, samples: [Sample])])
    /// Write batches that share a commit.
    case batches([BatchPlan])
    /// A write batch with a bulk load of its samples.
    case loadedBatch(BatchPlan)
    /// Deletes the samples that start in the range; `.all` deletes everything.
    case delete(String, TimeRange)
    case deleteDivided(DividedDeletion)
    /// Deletes samples that start more than an age (nanoseconds) before a moment.
    case retain(String, age: Int64, now: Int64)
    case seal
    /// Merges everything, without deleted samples.
    case compact
    case reopen
    /// A backup to the fixed place.
    case backup
    /// A change of the keys of an encrypted store: a new generation, or a slot that is added or removed.
    case keys(Int)

    package var name: String {
        switch self {
        case .series: "series"
        case .append: "append"
        case .relaxed: "relaxed append"
        case .identified: "append with identities"
        case .group: "group"
        case .load: "load"
        case .batches: "batches"
        case .loadedBatch: "loaded batch"
        case .delete: "delete"
        case .deleteDivided(let plan): plan.byIdentity ? "delete by identity" : "delete by predicate"
        case .retain: "retain"
        case .seal: "seal"
        case .compact: "compact"
        case .reopen: "reopen"
        case .backup: "backup"
        case .keys: "change of keys"
        }
    }
}

/// The expected content of a store.
package struct StoreModel: Sendable, Equatable {
    package var kinds: [String: SeriesKind] = [:]
    package var samples: [String: [Sample]] = [:]
    /// The number of known samples in each part of a plan, by the plan's number.
    private var identified: [Int64: [Int]] = [:]

    package init() {}

    /// True if the series of an operation exist.
    package func isPossible(_ operation: StoreOperation) -> Bool {
        switch operation {
        case .series, .seal, .compact, .reopen, .backup, .keys: true
        case .append(let name, _), .relaxed(let name, _), .delete(let name, _), .retain(let name, _, _):
            kinds[name] != nil
        case .deleteDivided(let plan): kinds[plan.name] != nil
        case .load(let parts), .group(let parts): parts.allSatisfy { kinds[$0.name] != nil }
        case .identified(let plan): plan.parts.allSatisfy { kinds[$0.name] != nil }
        case .batches(let plans): plans.allSatisfy { $0.isPossible(kinds) }
        case .loadedBatch(let plan): plan.isPossible(kinds)
        }
    }

    package mutating func apply(_ operation: StoreOperation) {
        switch operation {
        case .series(let name, let kind):
            kinds[name] = kind
            samples[name] = samples[name] ?? []
        case .append(let name, let more), .relaxed(let name, let more): samples[name, default: []] += more
        case .identified(let plan):
            let known = identified[plan.number] ?? plan.parts.map { _ in 0 }
            for (part, count) in zip(plan.parts, known) {
                samples[part.name, default: []] += part.samples.dropFirst(count)
            }
            identified[plan.number] = plan.parts.map(\.samples.count)
        case .load(let parts), .group(let parts):
            for part in parts { samples[part.name, default: []] += part.samples }
        case .batches(let plans): for plan in plans { apply(plan) }
        case .loadedBatch(let plan): apply(plan)
        case .delete(let name, let range): samples[name]?.removeAll { range.contains($0.start) }
        case .deleteDivided(let plan): samples[plan.name]?.removeAll(where: plan.deletes)
        case .retain(let name, let age, let now): samples[name]?.removeAll { $0.start < now - age }
        case .seal, .compact, .reopen, .backup, .keys: break
        }
    }

    private mutating func apply(_ plan: BatchPlan) {
        if plan.fails { return }
        for (name, range) in plan.deletes { samples[name]?.removeAll { range.contains($0.start) } }
        for part in plan.adds { samples[part.name, default: []] += part.samples }
        kinds[BatchPlan.noted] = .discrete
        samples[BatchPlan.noted, default: []].append(plan.note)
    }

    /// The model's digest: equal for stores with the same samples, in any order of arrival.
    package var digest: UInt64 {
        var sum = Fingerprint()
        for name in kinds.keys.sorted() {
            sum.add(name, kinds[name]?.rawValue ?? 0)
            let sorted = (samples[name] ?? []).sorted(by: Fingerprint.precedes)
            for sample in sorted { sum.add(sample) }
        }
        return sum.value
    }
}

/// Folds samples into 64 bits.
package struct Fingerprint: Sendable {
    package private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    package init() {}

    package mutating func add(_ number: UInt64) {
        var x = value ^ number
        x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
        x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
        value = (x ^ (x >> 31)) &+ 0x9E37_79B9_7F4A_7C15
    }

    package mutating func add(_ name: String, _ kind: UInt8) {
        for byte in name.utf8 { add(UInt64(byte)) }
        add(UInt64(kind) << 32)
    }

    package mutating func add(_ sample: Sample) {
        add(UInt64(bitPattern: sample.start))
        add(UInt64(bitPattern: sample.end))
        add(sample.value.bitPattern)
    }

    /// An order in which equal sets of samples are equal sequences.
    package static func precedes(_ a: Sample, _ b: Sample) -> Bool {
        (a.start, a.end, a.value.bitPattern) < (b.start, b.end, b.value.bitPattern)
    }
}

/// A script of operations made from a seed: a few series, small and large saves in any order of time, seals,
/// reopenings.
package struct StoreScript: Sendable {
    package let seed: UInt64
    package let operations: [StoreOperation]
    /// The model's digests before the first operation and after each.
    package let digests: [UInt64]

    /// - Parameter batchesMeet: true if several batches share a commit, which a full disk may split.
    package init(seed: UInt64, length: Int = 10, batchesMeet: Bool = true) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        var operations: [StoreOperation] = [.series("canary pulse", .discrete)]
        var names = ["canary pulse"]
        while operations.count < length {
            switch random.below(TestKey.isUsed ? 35 : 33) {
            case 0 where names.count < 4:
                let name = "canary \(names.count)"
                names.append(name)
                operations.append(.series(name, random.chance(0.5) ? .cumulative : .discrete))
            case 0...5:
                operations.append(.append(random.pick(names), Self.samples(&random, 1 + random.below(120))))
            case 6, 7:
                let count = 200 + random.below(1_500)
                let parts = names.prefix(1 + random.below(names.count)).map {
                    (name: $0, samples: Self.samples(&random, count))
                }
                operations.append(.load(parts))
            case 16, 17:
                let parts = (0..<2 + random.below(4)).map { _ in
                    (name: random.pick(names), samples: Self.samples(&random, 1 + random.below(60)))
                }
                operations.append(.group(parts))
            case 20...22:
                let count = batchesMeet ? 1 + random.below(4) : 1
                operations.append(.batches(Self.batches(&random, names, count, after: operations.count)))
            case 23:
                operations.append(.loadedBatch(Self.batches(&random, names, 1, after: operations.count)[0]))
            case 8, 9: operations.append(.seal)
            case 18, 19: operations.append(.compact)
            case 10: operations.append(.reopen)
            case 11, 12: operations.append(.backup)
            case 13: operations.append(.delete(random.pick(names), .all))
            case 14, 15:
                operations.append(.delete(random.pick(names), Self.range(&random)))
            case 25...27:
                let plan = Self.identified(&random, names, number: operations.count)
                operations.append(.identified(plan))
                guard random.chance(0.6) else { continue }
                // A repetition, often with additional samples.
                let more = plan.parts.map { _ in Self.samples(&random, random.pick([0, 0, 1, 40])) }
                operations.append(.identified(plan.extended(by: more)))
            case 28, 29:
                operations.append(.deleteDivided(Self.divided(&random, names)))
            case 30: operations.append(Self.retention(&random, names, after: operations.count))
            case 31, 32:
                operations.append(.relaxed(random.pick(names), Self.samples(&random, 1 + random.below(200))))
            case 33, 34: operations.append(.keys(random.below(6)))
            default: operations.append(.append(random.pick(names), []))
            }
        }
        self.operations = operations
        var model = StoreModel()
        var digests = [model.digest]
        for operation in operations {
            model.apply(operation)
            digests.append(model.digest)
        }
        self.digests = digests
    }

    static func range(_ random: inout SeededGenerator) -> TimeRange {
        let start = earliest + random.number(in: 0...10_000_000) * second
        return TimeRange(start, start + random.number(in: 0...2_000_000) * second)
    }

    static func divided(_ random: inout SeededGenerator, _ names: [String]) -> DividedDeletion {
        DividedDeletion(
            name: random.pick(names), range: random.chance(0.3) ? .all : range(&random),
            every: random.number(in: 1...6), byIdentity: random.chance(0.5))
    }

    /// By a clock that advances with the operations.
    static func retention(_ random: inout SeededGenerator, _ names: [String], after number: Int) -> StoreOperation {
        let now = earliest + (10_000_000 + 600 * Int64(number)) * second
        return .retain(random.pick(names), age: random.number(in: 0...12_000_000) * second, now: now)
    }

    /// Returns an append with identities unique to the plan, sometimes large enough for a segment.
    static func identified(_ random: inout SeededGenerator, _ names: [String], number: Int) -> IdentifiedPlan {
        let most = random.chance(0.3) ? 400 : 60
        let parts = (0..<1 + random.below(2)).map { _ in
            (name: random.pick(names), samples: samples(&random, 1 + random.below(most)))
        }
        return IdentifiedPlan(number: -1 - Int64(number), parts: parts)
    }

    /// Returns the digests that a backup may have after a number of operations: of the last backup, and of the next
    /// operation if it is one. Empty before the first.
    package func backups(done: Int) -> [UInt64?] {
        var last: UInt64?
        for (index, operation) in operations.prefix(done).enumerated() {
            if case .backup = operation { last = digests[index] }
        }
        if done < operations.count, case .backup = operations[done] { return [last, digests[done]] }
        return [last]
    }

    /// Returns batches that are one commit and independent of their order: only the last one deletes, and nothing that
    /// the others add; only a single batch may be large enough for a segment.
    static func batches(
        _ random: inout SeededGenerator, _ names: [String], _ count: Int, after number: Int
    ) -> [BatchPlan] {
        let most = count == 1 && random.chance(0.4) ? 500 : 60
        var plans = (0..<count).map { place in
            let parts = (0..<1 + random.below(3)).map { _ in
                (name: random.pick(names), samples: samples(&random, 1 + random.below(most)))
            }
            return BatchPlan(number: Int64(10 * number + place), adds: parts, fails: random.chance(0.15))
        }
        let others = Set(plans.dropLast().flatMap(\.adds).map(\.name))
        let free = names.filter { !others.contains($0) }
        if random.chance(0.6), !free.isEmpty {
            let start = earliest + random.number(in: 0...10_000_000) * second
            let range = TimeRange(start, start + random.number(in: 0...4_000_000) * second)
            plans[count - 1].deletes = [(random.pick(free), random.chance(0.3) ? .all : range)]
        }
        return plans
    }

    private static let second: Int64 = 1_000_000_000
    /// The approximate first start of samples.
    private static let earliest = 1_600_000_000 * second

    /// Returns sorted or unsorted samples, points or intervals, with values of several shapes.
    package static func samples(_ random: inout SeededGenerator, _ count: Int) -> [Sample] {
        let isLate = random.chance(0.3)
        let areIntervals = random.chance(0.4)
        let shape = random.below(4)
        var start = earliest + random.number(in: 0...10_000_000) * second
        return (0..<count).map { i in
            start = isLate ? start + random.number(in: -400...500) * second : start + random.number(in: 0...90) * second
            let end = areIntervals ? start + random.number(in: 0...200) * second : start
            let value: Double =
                switch shape {
                case 0: Double(60 + random.below(80))
                case 1: Double(random.below(100_000)) / 100
                case 2: random.fraction() * 1e6 - 5e5
                default: random.chance(0.1) ? -0.0 : Double(bitPattern: random.next() & 0xBFEF_FFFF_FFFF_FFFF)
                }
            return Sample(start: start, end: end, value: value)
        }
    }
}
