// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport

/// The endless script of a store that is killed repeatedly. Parent and child derive it from the seed: operation `k`
/// depends only on the seed and `k`.
struct KillScript: Sendable {
    let seed: UInt64

    /// The series created at the beginning.
    private static let series = ["canary pulse", "canary steps", "canary energy", "canary wave"]

    func operation(_ k: Int) -> StoreOperation {
        let names = Self.series
        if k < names.count { return .series(names[k], k % 2 == 0 ? .discrete : .cumulative) }
        var random = SeededGenerator(seed: seed ^ UInt64(k) &* 0x9E37_79B9_7F4A_7C15)
        switch random.below(34) {
        case 0: return .series("canary late \(k)", .discrete)
        case 1, 2: return .seal
        case 22: return .compact
        case 20, 21:
            let parts = (0..<2 + random.below(6)).map { _ in
                (name: random.pick(names), samples: StoreScript.samples(&random, 1 + random.below(60)))
            }
            return .group(parts)
        case 23...25:
            let plans = StoreScript.batches(&random, names, 1 + random.below(4), after: k)
            return random.chance(0.2) ? .loadedBatch(plans[0]) : .batches(plans)
        case 5: return .delete(random.pick(names), .all)
        case 30, 31: return .delete(random.pick(names), StoreScript.range(&random))
        case 32: return .deleteDivided(StoreScript.divided(&random, names))
        case 33: return StoreScript.retention(&random, names, after: k)
        case 26, 27: return .identified(StoreScript.identified(&random, names, number: k))
        case 28, 29: return .relaxed(random.pick(names), StoreScript.samples(&random, 1 + random.below(200)))
        case 3, 4:
            let parts = names.prefix(1 + random.below(names.count)).map {
                (name: $0, samples: StoreScript.samples(&random, 100 + random.below(600)))
            }
            return .load(parts)
        default: return .append(random.pick(names), StoreScript.samples(&random, 1 + random.below(200)))
        }
    }
}

/// The content of a store as an order-independent sum that can be updated per operation.
struct ContentSum: Sendable {
    private(set) var sum: UInt64 = 0
    private(set) var samples = 0
    private(set) var series = 0

    init() {}

    /// Parses the words that `text` writes.
    init?(_ words: ArraySlice<Substring>) {
        guard words.count == 3 else { return nil }
        let numbers = words.compactMap { UInt64($0) }
        guard numbers.count == 3 else { return nil }
        (sum, samples, series) = (numbers[0], Int(numbers[1]), Int(numbers[2]))
    }

    var text: String { "\(sum) \(samples) \(series)" }

    mutating func add(series name: String, _ kind: SeriesKind) {
        var one = Fingerprint()
        one.add(name, kind.rawValue)
        sum &+= one.value
        series += 1
    }

    mutating func add(_ sample: Sample, in name: String) {
        sum &+= Self.worth(sample, name)
        samples += 1
    }

    private static func worth(_ sample: Sample, _ name: String) -> UInt64 {
        var one = Fingerprint()
        for byte in name.utf8 { one.add(UInt64(byte)) }
        one.add(sample)
        return one.value
    }

    private mutating func add(_ parts: [(name: String, samples: [Sample])]) {
        for part in parts { for sample in part.samples { add(sample, in: part.name) } }
    }

    private mutating func remove(_ name: String, _ model: StoreModel, where isDeleted: (Sample) -> Bool) {
        for sample in model.samples[name] ?? [] where isDeleted(sample) {
            sum &-= Self.worth(sample, name)
            samples -= 1
        }
    }

    /// - Parameter model: the content before the operation.
    mutating func apply(_ operation: StoreOperation, to model: StoreModel) {
        switch operation {
        case .series(let name, let kind): add(series: name, kind)
        case .append(let name, let samples), .relaxed(let name, let samples): add([(name, samples)])
        case .identified(let plan): add(plan.parts)
        case .load(let parts), .group(let parts): add(parts)
        case .batches(let plans):
            var hasNoted = model.kinds[BatchPlan.noted] != nil
            for plan in plans { apply(plan, to: model, &hasNoted) }
        case .loadedBatch(let plan):
            var hasNoted = model.kinds[BatchPlan.noted] != nil
            apply(plan, to: model, &hasNoted)
        case .delete(let name, let range): remove(name, model) { range.contains($0.start) }
        case .deleteDivided(let plan): remove(plan.name, model, where: plan.deletes)
        case .retain(let name, let age, let now): remove(name, model) { $0.start < now - age }
        case .seal, .compact, .reopen, .backup, .keys: break
        }
    }

    /// In batches that share a commit, none deletes samples that another adds.
    private mutating func apply(_ plan: BatchPlan, to model: StoreModel, _ hasNoted: inout Bool) {
        if plan.fails { return }
        for (name, range) in plan.deletes { remove(name, model) { range.contains($0.start) } }
        add(plan.adds)
        if !hasNoted { add(series: BatchPlan.noted, .discrete) }
        hasNoted = true
        add(plan.note, in: BatchPlan.noted)
    }

    /// Sums all samples of a snapshot, read by scans.
    init(_ snapshot: Snapshot) throws {
        for series in snapshot.series {
            add(series: series.name, series.kind)
            try snapshot.scan(series.id) { batch in
                for i in 0..<batch.count { add(batch[i], in: series.name) }
                return true
            }
        }
    }
}

extension ContentSum: Hashable {
    static func == (a: ContentSum, b: ContentSum) -> Bool {
        (a.sum, a.samples, a.series) == (b.sum, b.samples, b.series)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(sum) }
}
