// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KymographHealth

@Suite("T-1 a load stores only new samples and objects")
struct HealthLoaderTests {
    /// Returns random samples with many duplicates: every property has few possible values.
    private func samples(_ count: Int, _ random: inout SeededGenerator) -> [TestSample] {
        (0..<count).map { _ in
            let start = newYear + Int64(random.below(count / 3 + 1)) * second
            return TestSample(
                type: random.pick(["HKQuantityTypeIdentifierStepCount", "HKQuantityTypeIdentifierHeartRate"]),
                source: random.pick(["Phone", "Watch"]), version: random.pick([nil, "", "9.1"]),
                device: random.pick([nil, "<<HKDevice: >, name:A>"]), unit: random.pick(["count", "km", nil]),
                start: start, end: start + Int64(random.below(2)) * second, value: random.pick([0, -0.0, 1, 2.5]),
                created: random.pick([nil, start, start + second]), note: random.pick([nil, nil, "a", "b"]))
        }
    }

    @Test("the store holds each sample as often as the load with the most copies", arguments: [1, 2, 3] as [UInt64])
    func multiset(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let test = try TestHealthStore()
        var expected: [TestSample: Int] = [:]
        var loaded: [TestSample] = []
        for round in 0..<4 {
            // Some of the stored samples in another order, and new ones.
            var some = loaded.filter { _ in random.chance(0.6) } + samples(250, &random)
            some.shuffle(using: &random)
            let added = try test.store.load(some, batch: random.pick([97, 1_000, .max]))
            let counts = some.counts
            let before = expected.values.reduce(0, +)
            for (sample, count) in counts { expected[sample] = max(expected[sample] ?? 0, count) }
            #expect(added == expected.values.reduce(0, +) - before, "seed \(seed), round \(round)")
            loaded += some
            if round == 2 { try test.reopen() }
            #expect(try test.store.all().counts == expected, "seed \(seed), round \(round)")
        }
        #expect(try test.store.verify().isSound)
    }

    @Test("a second load of the same samples makes no commit")
    func nothingNew() throws {
        var random = SeededGenerator(seed: 5)
        let test = try TestHealthStore()
        let some = samples(500, &random)
        #expect(try test.store.load(some) == 500)
        let before = try test.store.info()
        #expect(try test.store.load(some, batch: 50) == 0)
        let after = try test.store.info()
        #expect(after.sequence == before.sequence)
        #expect(after.segments == before.segments)
    }

    @Test("a second load finds each of many samples with the same start, and adds only extra copies")
    func crowd() throws {
        let test = try TestHealthStore()
        var random = SeededGenerator(seed: 6)
        let crowd = (0..<1_500).map { _ in
            TestSample(end: newYear + Int64(random.below(50)), value: Double(random.below(100)))
        }
        #expect(try test.store.load(crowd) == crowd.count)
        #expect(try test.store.load(crowd.reversed(), batch: 1_000) == 0)
        #expect(try test.store.load(crowd + crowd.prefix(7)) == 7)
    }

    @Test("a load that throws stores nothing")
    func failure() throws {
        struct Failure: Error {}
        let test = try TestHealthStore()
        #expect(throws: Failure.self) {
            _ = try test.store.load { loader in
                let (provenance, source) = loader.provenance(source: "S", version: nil, device: nil)
                var rows = HealthRows()
                (rows.starts, rows.ends, rows.values) = ([0], [0], [1])
                (rows.created, rows.provenance, rows.metadata) = ([0], [provenance], [0])
                try loader.write(
                    rows,
                    to: try loader.series(type: "HKQuantityTypeIdentifierStepCount", source: source, unit: "count"))
                try loader.add(kind: .workout, start: nil, end: nil, [1, 2, 3])
                throw Failure()
            }
        }
        #expect(try test.store.types().isEmpty)
        #expect(try test.store.objectCounts().isEmpty)
        #expect(try test.store.info().sequence == 0)
        try test.reopen()
        #expect(try test.store.verify().isSound)
    }

    @Test("objects and documents are stored as often as the load with the most copies, and read back byte for byte")
    func objects() throws {
        let test = try TestHealthStore()
        let one = Array(#"<Workout device="HKDevice: 0x12" a="1"/>"#.utf8)
        let same = Array(#"<Workout device="HKDevice: 0x99" a="1"/>"#.utf8)
        let other = Array(#"<Workout device="HKDevice: 0x12" a="2"/>"#.utf8)
        func add(_ list: [[UInt8]], documents: [(String, [UInt8])] = []) throws -> Int {
            var added = 0
            _ = try test.store.load { loader in
                for bytes in list { added += try loader.add(kind: .workout, start: newYear, end: nil, bytes) ? 1 : 0 }
                for (path, bytes) in documents { added += try loader.add(document: path, bytes) ? 1 : 0 }
            }
            return added
        }
        #expect(try add([one, one, other], documents: [("/a.gpx", [1, 2]), ("/b.gpx", [1, 2])]) == 5)
        #expect(try add([same, other, same], documents: [("/a.gpx", [1, 2])]) == 0)
        #expect(try add([same, same, same], documents: [("/a.gpx", [1, 3])]) == 2)
        try test.reopen()
        var found = [[UInt8]]()
        try test.store.objects(.workout) { object in
            #expect(object.start == newYear)
            found.append(object.xml)
            return true
        }
        #expect(found == [one, one, other, same])
        #expect(try test.store.objectCounts() == [.workout: 4])
        let documents = try test.store.documents()
        #expect(documents.map(\.path) == ["/a.gpx", "/b.gpx", "/a.gpx"])
        #expect(try documents.map { try test.store.documentBytes($0.id) } == [[1, 2], [1, 2], [1, 3]])
        #expect(try test.store.documentBytes(99) == nil)
        #expect(try test.store.verify().isSound)
    }

    @Test("a document that is given as a deflate stream reads back byte for byte")
    func deflatedDocuments() throws {
        let test = try TestHealthStore()
        let bytes = Array(String(repeating: "<trkpt lat=\"1\"/>", count: 5_000).utf8)
        // The stored form is a byte, a varint of three bytes for this length, and the stream.
        let stream = Array(ObjectCompressor(level: 9, dictionary: false).encode(bytes).dropFirst(4))
        var added: [Bool] = []
        _ = try test.store.load { added.append(try $0.add(document: "/a.gpx", bytes, deflated: stream)) }
        _ = try test.store.load { loader in
            for path in ["/a.gpx", "/b.gpx"] { added.append(try loader.add(document: path, bytes)) }
        }
        #expect(added == [true, false, true])
        try test.reopen()
        let documents = try test.store.documents()
        #expect(try documents.map { try test.store.documentBytes($0.id) } == [bytes, bytes])
        #expect(try test.store.verify().isSound)
    }

    @Test("source names that look alike but differ in their bytes are different sources")
    func normalization() throws {
        let test = try TestHealthStore()
        try test.store.load([TestSample(source: "Caf\u{E9}"), TestSample(source: "Cafe\u{301}")])
        #expect(try test.store.sources().count == 2)
    }

    @Test("loads of several threads run one after the other")
    func concurrent() throws {
        let test = try TestHealthStore()
        let store = test.store
        let failures = onThreads(4) { thread in
            let some = (0..<200).map {
                TestSample(source: "S\(thread % 2)", start: newYear + Int64($0), end: newYear + day)
            }
            return (try? store.load(some, batch: 50)) == nil
        }
        #expect(failures == [false, false, false, false])
        #expect(try test.store.all().count == 400)
        #expect(throws: HealthStoreError.self) { try HealthStore.open(at: store.path) }
    }
}
