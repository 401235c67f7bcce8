// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport

/// The endless life of a store that is killed again and again. Parent and child know it by its seed: what operation `k`
/// is depends on nothing else.
struct KillScript: Sendable {
    let seed: UInt64

    /// Series that are there from the beginning.
    private static let series = ["pulse", "steps", "energy", "wave"]

    func operation(_ k: Int) -> StoreOperation {
        let names = Self.series
        if k < names.count { return .series(names[k], k % 2 == 0 ? .discrete : .cumulative) }
        var random = SeededGenerator(seed: seed ^ UInt64(k) &* 0x9E37_79B9_7F4A_7C15)
        switch random.below(26) {
        case 0: return .series("late \(k)", .discrete)
        case 1, 2: return .seal
        case 22: return .compact
        case 20, 21:
            let parts = (0..<2 + random.below(6)).map { _ in
                (name: random.pick(names), samples: StoreScript.samples(&random, 1 + random.below(60)))
            }
            return .group(parts)
        case 23...25:
            var plans = StoreScript.batches(&random, names, 1 + random.below(4), after: k)
            // A script that is killed deletes whole series.
            for place in plans.indices where !plans[place].deletes.isEmpty { plans[place].deletes[0].range = .all }
            return random.chance(0.2) ? .loadedBatch(plans[0]) : .batches(plans)
        case 5: return .delete(random.pick(names), .all)
        case 3, 4:
            let parts = names.prefix(1 + random.below(names.count)).map {
                (name: $0, samples: StoreScript.samples(&random, 100 + random.below(600)))
            }
            return .load(parts)
        default: return .append(random.pick(names), StoreScript.samples(&random, 1 + random.below(200)))
        }
    }
}

/// What a store holds, as a sum that does not depend on any order: cheap to carry on from one operation to the next.
struct ContentSum: Sendable {
    private(set) var sum: UInt64 = 0
    private(set) var samples = 0
    private(set) var series = 0
    /// What each series adds, so that one can be emptied. Not part of what is compared.
    private var parts: [String: (sum: UInt64, samples: Int)] = [:]

    init() {}

    /// From the words that `text` wrote.
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
        var one = Fingerprint()
        for byte in name.utf8 { one.add(UInt64(byte)) }
        one.add(sample)
        sum &+= one.value
        samples += 1
        let part = parts[name] ?? (0, 0)
        parts[name] = (part.sum &+ one.value, part.samples + 1)
    }

    /// Forgets all samples of a series.
    private mutating func empty(_ name: String) {
        guard let part = parts.removeValue(forKey: name) else { return }
        sum &-= part.sum
        samples -= part.samples
    }

    mutating func apply(_ operation: StoreOperation) {
        switch operation {
        case .series(let name, let kind): add(series: name, kind)
        case .append(let name, let samples): for sample in samples { add(sample, in: name) }
        case .load(let parts), .group(let parts):
            for part in parts { for sample in part.samples { add(sample, in: part.name) } }
        case .batches(let plans): for plan in plans where !plan.fails { apply(plan) }
        case .loadedBatch(let plan): if !plan.fails { apply(plan) }
        // A script that is killed deletes whole series.
        case .delete(let name, _): empty(name)
        case .seal, .compact, .reopen, .backup: break
        }
    }

    private mutating func apply(_ plan: BatchPlan) {
        for (name, _) in plan.deletes { empty(name) }
        for part in plan.adds { for sample in part.samples { add(sample, in: part.name) } }
        if parts[BatchPlan.noted] == nil { add(series: BatchPlan.noted, .discrete) }
        add(plan.note, in: BatchPlan.noted)
    }

    /// Of all that a snapshot shows, read by scans.
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
