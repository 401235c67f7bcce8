// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

/// Compares random calls on a store with a dictionary from identities to samples.
@Suite("E-4 E-5 E-6 appends with identities, compared with a dictionary")
struct IdentityLifeTests {
    private struct Stored: Equatable {
        let series: SeriesID
        var sample: Sample
    }

    private struct Life {
        let test: TestStore
        let series: [SeriesID]
        var random: SeededGenerator
        var model: [SampleIdentity: Stored] = [:]
        /// All identities ever used.
        var used: [SampleIdentity] = []

        init(seed: UInt64) throws {
            let test = try TestStore {
                $0.compacts = false
                $0.sealSamples = 150
                $0.sealBatches = 12
                $0.segmentBytes = 30_000
            }
            self.test = test
            series = try (0..<3).map { try test.store.series("s\($0)", kind: .discrete).id }
            random = SeededGenerator(seed: seed)
        }

        mutating func fresh() -> SampleIdentity {
            // Some identities are consecutive, as those assigned by another store.
            if let last = used.last, random.chance(0.5), last.low < .max {
                let next = SampleIdentity(high: last.high, low: last.low + 1)
                if !used.contains(next) { return next }
            }
            return SampleIdentity(high: Int64(bitPattern: random.next()), low: Int64(bitPattern: random.next()))
        }

        mutating func sample() -> Sample {
            let start = Int64(random.below(400)) * second
            return Sample(start: start, end: start + Int64(random.below(3)), value: Double(random.below(5)) - 2)
        }

        /// Appends new samples, repeated ones, deleted ones and occasionally an invalid one.
        mutating func append() throws {
            var batches = series.map { IdentifiedSamples(series: $0, samples: [], identities: []) }
            var after = model
            var isTaken = false
            for _ in 0..<1 + random.below(25) {
                let place = random.below(3)
                var one = Stored(series: series[place], sample: sample())
                var identity = fresh()
                if random.chance(0.4), let known = used.isEmpty ? nil : random.pick(used) {
                    identity = known
                    if let stored = after[known], !random.chance(0.02) { one = stored }
                }
                if let stored = after[identity], stored != one { isTaken = true }
                after[identity] = one
                used.append(identity)
                let at = series.firstIndex(of: one.series) ?? 0
                batches[at].samples.append(one.sample)
                batches[at].identities.append(identity)
            }
            let count = batches.reduce(0) { $0 + $1.samples.count }
            let order = batches.shuffled(using: &random)
            switch Result(catching: { () throws(StoreError) in try test.store.append(order) }) {
            case .success(let receipt):
                #expect(!isTaken && receipt.added == after.count - model.count)
                #expect(receipt.known == count - receipt.added)
                model = after
            case .failure(let error): #expect(isTaken && error.kind == .identityTaken, "\(error)")
            }
        }

        mutating func delete() throws {
            let place = random.pick(series)
            if random.chance(0.5) {
                let some = Set((0..<5).compactMap { _ in used.isEmpty ? nil : random.pick(used) })
                let gone = some.filter { model[$0]?.series == place }
                let receipt = try test.store.delete(Array(some), from: place)
                #expect(receipt.count == gone.count)
                for one in gone { model[one] = nil }
            } else {
                let start = Int64(random.below(400)) * second
                let range = TimeRange(start, start + 20 * second)
                try test.store.delete(from: place, startingIn: range)
                model = model.filter {
                    $0.value.series != place || !(range.start..<range.end).contains($0.value.sample.start)
                }
            }
        }

        func check() throws {
            var found: [SampleIdentity: Stored] = [:]
            var count = 0
            for one in series {
                try test.store.snapshot().scan(one, including: .identity) { batch in
                    for row in 0..<batch.count {
                        guard let identity = batch.identity(at: row) else { continue }
                        found[identity] = Stored(series: one, sample: batch[row])
                        count += 1
                    }
                    return true
                }
            }
            #expect(found == model && count == model.count)
        }
    }

    @Test("Stored samples, refusals and counts equal those of the dictionary", arguments: 1...6)
    func life(_ seed: Int) throws {
        var life = try Life(seed: UInt64(seed))
        for step in 0..<120 {
            switch life.random.below(20) {
            case 0: try life.test.store.seal()
            case 1: try life.test.store.compact()
            case 2: try life.test.reopen()
            case 3..<6: try life.delete()
            default: try life.append()
            }
            if step % 10 == 9 { try life.check() }
        }
        try life.check()
        #expect(try life.test.store.verify().isSound)
    }
}
