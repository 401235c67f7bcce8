// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

@Suite("E-4 E-5 appends with the caller's identities: repeats are ignored, conflicts are errors")
struct IdentityTests {
    private func identity(_ i: Int) -> SampleIdentity {
        var random = SeededGenerator(seed: UInt64(i) &* 977)
        return SampleIdentity(
            high: Int64(bitPattern: random.next()), low: Int64(bitPattern: random.next()))
    }

    private func samples(_ range: Range<Int>) -> [Sample] {
        range.map { Sample(start: Int64($0) * second, end: Int64($0) * second + Int64($0 % 3), value: Double($0)) }
    }

    private func expectTaken(_ one: SampleIdentity, _ body: () throws -> Void) {
        let error = #expect(throws: StoreError.self) { try body() }
        #expect(error?.kind == .identityTaken && error?.identity == one)
        #expect(error?.message.contains(one.description) == true)
    }

    /// Moves the samples of a store to each possible place: tail, segment, merged segment, after reopening.
    private static let places: [(String, @Sendable (TestStore) throws -> Void)] = [
        ("tail", { _ in }),
        ("sealed", { try $0.store.seal() }),
        (
            "merged",
            {
                try $0.store.seal()
                try $0.store.compact()
            }
        ),
        ("reopened", { try $0.reopen() }),
        (
            "sealed and reopened",
            {
                try $0.store.seal()
                try $0.reopen()
            }
        ),
    ]

    @Test("In any place a repeated sample makes no commit, and a conflict names the identity", arguments: 0..<5)
    func again(_ place: Int) throws {
        let test = try TestStore { $0.compacts = false }
        let a = try test.store.series("a", kind: .discrete).id
        let b = try test.store.series("b", kind: .cumulative).id
        let ids = (0..<50).map { identity($0) }
        let first = try test.store.append(to: a, samples(0..<50), identities: ids)
        #expect(first.added == 50 && first.known == 0 && first.sequence == test.store.snapshot().sequence)
        try Self.places[place].1(test)
        let store = test.store
        let last = store.snapshot().sequence
        let again = try store.append(to: a, samples(0..<50), identities: ids)
        #expect(again == IdentifiedReceipt(sequence: last, added: 0, known: 50))
        #expect(store.snapshot().sequence == last)
        let new = (100..<102).map { identity($0) }
        var changed = [samples(7..<8)[0], samples(7..<8)[0], samples(7..<8)[0]]
        changed[0].value = -changed[0].value
        changed[1].end += 1
        changed[2].start -= 1
        for other in changed {
            expectTaken(ids[7]) { try store.append(to: a, samples(60..<61) + [other], identities: [new[0], ids[7]]) }
        }
        // At another time, and in another series.
        expectTaken(ids[9]) { try store.append(to: a, samples(5_000..<5_001), identities: [ids[9]]) }
        expectTaken(ids[3]) { try store.append(to: b, samples(3..<4), identities: [ids[3]]) }
        #expect(store.snapshot().count(of: a) == 50 && store.snapshot().count(of: b) == 0)
        #expect(store.snapshot().sequence == last)
        let both = try store.append([
            IdentifiedSamples(series: b, samples: samples(60..<62), identities: new),
            IdentifiedSamples(series: a, samples: samples(3..<5), identities: Array(ids[3..<5])),
        ])
        #expect(both == IdentifiedReceipt(sequence: last + 1, added: 2, known: 2))
        #expect(try store.snapshot().all(a) == samples(0..<50) && store.snapshot().all(b) == samples(60..<62))
    }

    @Test("Within a call equal samples count once, conflicts are errors, and sample rules are checked first")
    func withinACall() throws {
        let test = try TestStore()
        let a = try test.store.series("a", kind: .discrete).id
        let one = identity(1)
        let twice = try test.store.append(to: a, samples(4..<5) + samples(4..<5), identities: [one, one])
        #expect(twice.added == 1 && twice.known == 1 && test.store.snapshot().count(of: a) == 1)
        let two = identity(2)
        expectTaken(two) { try test.store.append(to: a, samples(5..<7), identities: [two, two]) }
        let zeros = [Sample(start: 0, value: 0.0), Sample(start: 0, value: -0.0)]
        expectTaken(two) { try test.store.append(to: a, zeros, identities: [two, two]) }
        for (kind, body) in [
            (StoreError.Kind.invalidSample, { try test.store.append(to: a, samples(5..<7), identities: [two]) }),
            (.invalidSample, { try test.store.append(to: a, [Sample(start: 0, value: .nan)], identities: [two]) }),
            (
                .unknownSeries,
                {
                    try test.store.append(to: SeriesID(rawValue: 99), samples(5..<6), identities: [two])
                }
            ),
        ] as [(StoreError.Kind, () throws -> IdentifiedReceipt)] {
            let error = #expect(throws: StoreError.self) { _ = try body() }
            #expect(error?.kind == kind)
        }
        #expect(try test.store.append(to: a, [], identities: []).added == 0)
        #expect(test.store.snapshot().count(of: a) == 1)
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly)
        defer { reader.close() }
        let error = #expect(throws: StoreError.self) { try reader.append(to: a, samples(5..<6), identities: [two]) }
        #expect(error?.kind == .readOnly)
    }

    @Test("A deleted sample may be appended again as a new one; the deleted one stays deleted")
    func deleted() throws {
        let test = try TestStore { $0.compacts = false }
        let a = try test.store.series("a", kind: .discrete).id
        let ids = (0..<20).map { identity($0) }
        for isSealed in [false, true] {
            try test.store.append(to: a, samples(0..<20), identities: ids)
            if isSealed { try test.store.seal() }
            let before = test.store.snapshot()
            try test.store.delete([ids[3]], from: a)
            try test.store.delete(from: a, startingIn: TimeRange(10 * second, 15 * second))
            let again = try test.store.append(to: a, samples(0..<20), identities: ids)
            #expect(again.added == 6 && again.known == 14)
            // At another time too.
            try test.store.delete([ids[4]], from: a)
            let moved = try test.store.append(to: a, samples(800..<801), identities: [ids[4]])
            #expect(moved.added == 1)
            expectTaken(ids[4]) { try test.store.append(to: a, samples(4..<5), identities: [ids[4]]) }
            #expect(before.count(of: a) == 20 && test.store.snapshot().count(of: a) == 20)
            try test.store.compact()
            try test.reopen()
            #expect(
                try test.store.snapshot().all(a).map(\.start)
                    == (samples(0..<20) + samples(800..<801))
                    .map(\.start).filter { $0 != 4 * second })
            #expect(try test.store.verify().isSound)
            try test.store.delete(from: a)
        }
    }

    @Test("Identities assigned by the store are checked too, and it assigns none that a caller has used")
    func minted() throws {
        let test = try TestStore()
        let a = try test.store.series("a", kind: .discrete).id
        try test.store.append(samples(0..<10), to: a)
        var own = [SampleIdentity]()
        try test.store.snapshot().scan(a, including: .identity) { batch in
            own += (0..<batch.count).compactMap { batch.identity(at: $0) }
            return true
        }
        #expect(own.count == 10)
        #expect(try test.store.append(to: a, samples(0..<10), identities: own).known == 10)
        let next = SampleIdentity(high: own[9].high, low: own[9].low + 3)
        try test.store.append(to: a, samples(20..<21), identities: [next])
        try test.store.append(samples(30..<40), to: a)
        var all = Set<SampleIdentity>()
        try test.store.snapshot().scan(a, including: .identity) { batch in
            all.formUnion((0..<batch.count).compactMap { batch.identity(at: $0) })
            return true
        }
        #expect(all.count == 21)
    }

    @Test("A large append becomes a segment, in one commit")
    func many() throws {
        let test = try TestStore { $0.compacts = false }
        let a = try test.store.series("a", kind: .discrete).id
        let ids = (0..<40_000).map { SampleIdentity(high: Int64($0) &* 0x5DEECE66D, low: Int64($0 % 1_000)) }
        let first = try test.store.append(to: a, samples(0..<40_000), identities: ids)
        #expect(first.added == 40_000 && first.sequence == test.store.snapshot().sequence)
        #expect(try test.store.info().segments == 1 && test.store.info().tailSamples == 0)
        try test.reopen()
        #expect(try test.store.append(to: a, samples(0..<40_000), identities: ids).known == 40_000)
        #expect(try test.store.snapshot().all(a) == samples(0..<40_000))
        var other = samples(0..<40_000)
        other[39_999].value = 0.5
        expectTaken(ids[39_999]) { try test.store.append(to: a, other, identities: ids) }
        #expect(try test.store.verify().isSound && test.store.info().segments == 1)
    }

    @Test("Threads that append overlapping samples concurrently store each sample once")
    func threads() throws {
        let test = try TestStore { $0.sealSamples = 300 }
        let a = try test.store.series("a", kind: .discrete).id
        let store = test.store
        let ids = (0..<200).map { identity($0) }
        let added = onThreads(6) { thread -> Int in
            var added = 0
            for i in 0..<20 {
                let range = i * 10..<i * 10 + 10
                if thread == 5 {
                    _ = try? store.append([Sample(start: Int64(i), value: -1)], to: a)
                } else {
                    added +=
                        (try? store.append(
                            to: a, samples(range), identities: Array(ids[range])
                        ).added) ?? 10_000
                }
            }
            return added
        }
        #expect(added.reduce(0, +) == 200)
        #expect(try store.snapshot().all(a).filter { $0.value >= 0 } == samples(0..<200))
        #expect(store.snapshot().count(of: a) == 220)
    }

    @Test("Openings that share a store see each other's identities")
    func shared() throws {
        let test = try TestStore()
        let a = try test.store.series("a", kind: .discrete).id
        test.store.close()
        var options = StoreOptions()
        options.writerIdle = .milliseconds(1)
        options.writerWait = .seconds(60)
        let both = try (0..<2).map { _ in try TimeSeriesStore.open(at: test.path, mode: .shared, options: options) }
        defer { for one in both { one.close() } }
        let ids = (0..<40).map { identity($0) }
        for i in 0..<8 {
            let range = i * 4..<i * 4 + 8
            let some = try both[i % 2].append(to: a, samples(range), identities: Array(ids[range]))
            #expect(some.added == (i == 0 ? 8 : 4))
        }
        expectTaken(ids[35]) { try both[1].append(to: a, samples(0..<1), identities: [ids[35]]) }
        try both[0].refresh()
        #expect(both[0].snapshot().count(of: a) == 36)
    }
}
