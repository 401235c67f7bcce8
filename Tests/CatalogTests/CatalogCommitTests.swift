// SPDX-License-Identifier: Apache-2.0

import Catalog
import Testing

/// The expected content of a catalog, kept in dictionaries.
private struct Model {
    var seq: Int64 = 0
    var lastOther: Int64 = 0
    var series: [Int64: SeriesRow] = [:]
    var segments: [Int64: SegmentRow] = [:]
    var tail: [Int64: [UInt8]] = [:]

    mutating func apply(_ commit: CatalogCommit) {
        seq = commit.seq
        for row in commit.series { series[row.id] = row }
        if let body = commit.tail { tail[commit.seq] = body }
        for row in commit.segments {
            if segments[row.id] == nil { segments[row.id] = row } else { segments[row.id]?.died = row.died }
        }
        for seq in commit.sealedTail { tail[seq] = nil }
        for id in commit.removedSegments { segments[id] = nil }
        for id in commit.removedSeries { series[id] = nil }
    }

    func image(after: Int64 = 0) -> CatalogImage {
        CatalogImage(
            storeID: Scratch.storeID, homeZone: "Europe/Zurich", formatVersion: CatalogDatabase.newestFormat, seq: seq,
            series: SeriesRows(series.values.sorted { $0.id < $1.id }),
            segments: segments.values.sorted { $0.id < $1.id }.map { row in
                var row = row
                if row.died != nil { row.runs = [] }
                return row
            },
            tail: tail.filter { $0.key > after }.sorted { $0.key < $1.key }.map {
                TailRow(seq: $0.key, body: $0.value)
            },
            history: CatalogHistory(horizon: 0))
    }
}

extension Dice {
    mutating func segment(_ id: Int64, born: Int64, series: [Int64]) -> SegmentRow {
        let runs = series.sorted().map { id in
            RunRow(
                series: id, rootOffset: Int64(next() >> 1), rootLength: Int64(below(1 << 30)), levels: below(256),
                blocks: Int64(next() >> 1), summary: bytes(below(300)))
        }
        return SegmentRow(
            id: id, uuid: bytes(16), bytes: Int64(next() >> 14), checksum: UInt32(truncatingIfNeeded: next()),
            born: born, runs: RunRows(runs))
    }

    /// Returns a random commit that is valid for the model.
    fileprivate mutating func commit(_ model: Model) -> CatalogCommit {
        var commit = CatalogCommit(seq: model.seq + 1)
        if below(3) > 0 { commit.tail = bytes(below(4) == 0 ? below(20_000) : below(200)) }
        if below(2) == 0 { return commit }
        let free = (1...40).map(Int64.init).filter { model.series[$0] == nil }
        for id in free.shuffled(using: &self).prefix(below(3)) {
            commit.series.append(
                SeriesRow(
                    id: id, name: "series \(id) " + text(), labels: [text(): text(), "k\(id)": text()],
                    kind: UInt8(below(256))))
        }
        if let old = model.series.keys.sorted().randomElement(using: &self), below(3) == 0 {
            commit.series.append(SeriesRow(id: old, name: "renamed \(commit.seq)", kind: 0))
        }
        let known = Array(Set(model.series.keys).union(commit.series.map(\.id))).sorted()
        for number in 0..<below(3) {
            let some = known.shuffled(using: &self).prefix(below(6))
            commit.segments.append(segment(commit.seq * 10 + Int64(number), born: commit.seq, series: Array(some)))
        }
        for row in model.segments.values.sorted(by: { $0.id < $1.id }) where row.died == nil && below(4) == 0 {
            var dead = row
            dead.died = commit.seq
            if below(2) == 0 { dead.runs = [] }
            commit.segments.append(dead)
        }
        commit.removedSegments = model.segments.values.filter { $0.died != nil && below(3) == 0 }.map(\.id)
        commit.sealedTail = model.tail.keys.filter { _ in below(2) == 0 }
        let gone = Set(commit.removedSegments)
        let used = Set(
            (commit.segments + model.segments.values.filter { !gone.contains($0.id) }).flatMap { $0.runs }
                .map(\.series))
        let rewritten = Set(commit.series.map(\.id))
        let unused = model.series.keys.filter { !used.contains($0) && !rewritten.contains($0) }.sorted()
        if below(3) == 0 { commit.removedSeries = Array(unused.prefix(1)) }
        return commit
    }
}

private struct Refusal: Error, Equatable { var number: Int }

@Suite("E-4 commits of the catalog")
struct CatalogCommitTests {
    @Test("Random commits leave the content that a model of dictionaries predicts", arguments: [1, 2, 3] as [UInt64])
    func model(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let scratch = try Scratch()
        var writer = try scratch.writer()
        let reader = try scratch.reader()
        var model = Model()
        for step in 0..<150 {
            let commit = dice.commit(model)
            if dice.below(5) == 0 {
                // The same commit, rejected at its end, must leave no trace.
                expect(.closure) { try writer.commit(commit) { _ in throw Refusal(number: step) } }
                try #require(try writer.load() == model.image(), "seed \(seed) step \(step)")
            }
            try writer.commit(commit)
            model.apply(commit)
            if dice.below(8) == 0 {
                let after = Int64(dice.below(Int(model.seq) + 2))
                try #require(try reader.load(tailAfter: after) == model.image(after: after), "seed \(seed)")
            }
            if dice.below(20) == 0 {
                try writer.close()
                writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
            }
            if dice.below(20) == 0 { try writer.checkpoint(truncate: dice.below(2) == 0) }
        }
        #expect(try writer.load() == model.image(), "seed \(seed)")
        #expect(try writer.integrityProblems().isEmpty)
        try reader.close()
        try writer.close()
    }

    @Test("Every kind of commit must follow the last one")
    func sequence() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        for wrong in [0, -1, 2, 3, Int64.max, Int64.min] {
            expect(.sequence) { try writer.commit(tail(wrong, [1])) }
            expect(.sequence) { try writer.commit(CatalogCommit(seq: wrong)) }
        }
        try writer.commit(tail(1, [1]))
        try writer.commit(CatalogCommit(seq: 2))
        try writer.commit(tail(3, [3]))
        expect(.sequence) { try writer.commit(tail(3, [1])) }
        expect(.sequence) { try writer.commit(tail(2, [1])) }
        expect(.sequence) { try writer.commit(CatalogCommit(seq: 3)) }
        // After its tail is sealed, the catalog still knows its last commit.
        try writer.commit(CatalogCommit(seq: 4, sealedTail: [3, 1, 99]))
        #expect(try writer.load().seq == 4)
        #expect(try writer.load().tail.isEmpty)
        expect(.sequence) { try writer.commit(tail(4, [1])) }
        try writer.commit(tail(5, []))
        #expect(try writer.load().tail == [TailRow(seq: 5, body: [])])
        try writer.close()
    }

    @Test("A tail commit writes one page to the log")
    func tailCommitIsSmall() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        try writer.commit(tail(1, [UInt8](repeating: 1, count: 100)))
        let before = try scratch.log().count
        try writer.commit(tail(2, [UInt8](repeating: 2, count: 100)))
        #expect(try scratch.log().count - before == 4096 + 24)
        try writer.close()
    }

    @Test("An error of the caller's closure is reported, and nothing is stored")
    func closureErrors() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        try writer.commit(CatalogCommit(seq: 1, series: [SeriesRow(id: 1, name: "a", kind: 1)]))
        do {
            try writer.commit(tail(2, [1])) { transaction in
                #expect(transaction.seq == 2 && transaction.isWritable)
                try transaction.run("DELETE FROM series")
                throw Refusal(number: 5)
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.kind == .closure && error.underlying as? Refusal == Refusal(number: 5))
        }
        expect(.other) { try writer.commit(tail(2, [1])) { try $0.run("no SQL") } }
        #expect(try writer.load().seq == 1)
        #expect(try writer.load().series.count == 1)
        try writer.commit(tail(2, [1]))
        expect(.outcomeUnknown) { try writer.commit(tail(3, [1])) { try $0.run("COMMIT") } }
        expect(.failed) { try writer.commit(tail(4, [1])) }
        try writer.close()
    }

    @Test("A commit with invalid content is refused as a whole")
    func refusals() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        let a = SeriesRow(id: 1, name: "a", labels: ["x": "1"], kind: 0)
        try writer.commit(CatalogCommit(seq: 1, series: [a]))
        var dice = Dice(seed: 4)
        let good = dice.segment(1, born: 2, series: [1])
        func refuse(_ kind: CatalogError.Kind = .other, _ change: (inout CatalogCommit) -> Void) {
            var commit = CatalogCommit(seq: 2, tail: [1])
            change(&commit)
            expect(kind) { try writer.commit(commit) }
        }
        refuse { $0.series = [SeriesRow(id: 2, name: "a", labels: ["x": "1"], kind: 9)] }
        refuse { $0.series = [SeriesRow(id: 0, name: "zero", kind: 0)] }
        refuse(.unstorableText) { $0.series = [SeriesRow(id: 2, name: "nul\0", kind: 0)] }
        refuse { $0.segments = [SegmentRow(id: 1, uuid: [1], bytes: 1, checksum: 1, born: 2, runs: [])] }
        refuse { $0.segments = [good, good] }
        refuse { commit in
            var stray = good
            stray.runs[0].series = 77
            commit.segments = [stray]
        }
        #expect(try writer.load().seq == 1)
        try writer.commit(CatalogCommit(seq: 2, segments: [good]))
        // Published segment rows are immutable.
        var other = good
        other.uuid[0] ^= 1
        expect(.other) { try writer.commit(CatalogCommit(seq: 3, segments: [other])) }
        expect(.other) { try writer.commit(CatalogCommit(seq: 3, segments: [good])) }
        expect(.other) { try writer.commit(CatalogCommit(seq: 3, removedSeries: [1])) }
        #expect(try writer.load().segments == [good])
        // A segment dies only once.
        var dead = good
        dead.died = 3
        try writer.commit(CatalogCommit(seq: 3, segments: [dead]))
        dead.died = 4
        expect(.other) { try writer.commit(CatalogCommit(seq: 4, segments: [dead])) }
        try writer.commit(CatalogCommit(seq: 4, removedSegments: [1], removedSeries: [1]))
        #expect(try writer.load().series.isEmpty)
        try writer.close()
    }

    @Test("Labels keep every text, and equal labels are equal in any order")
    func labels() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        var dice = Dice(seed: 99)
        var rows: [SeriesRow] = []
        for id in 1...200 {
            var labels: [String: String] = [:]
            for _ in 0..<dice.below(6) { labels[dice.text()] = dice.text() }
            if id % 7 == 0 { labels["nul\0"] = "\0" }
            rows.append(SeriesRow(id: Int64(id), name: "\(id)", labels: labels, kind: 1))
        }
        try writer.commit(CatalogCommit(seq: 1, series: SeriesRows(rows)))
        #expect(try Array(writer.load().series) == rows)
        var texts: [String] = []
        try writer.read { transaction in
            try transaction.scan("SELECT labels FROM series WHERE json_valid(labels)") { texts.append(try $0.text(0)) }
        }
        #expect(texts.count == rows.count)

        let one = SeriesRow(id: 300, name: "n", labels: ["a": "1", "b": "2", "c": "3"], kind: 0)
        let two = SeriesRow(id: 301, name: "n", labels: ["c": "3", "b": "2", "a": "1"], kind: 0)
        try writer.commit(CatalogCommit(seq: 2, series: [one]))
        expect(.other) { try writer.commit(CatalogCommit(seq: 3, series: [two])) }
        try writer.close()
    }

    @Test("Writes in a read transaction are rolled back")
    func readsDoNotWrite() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        try writer.commit(tail(1, [1]))
        try writer.read { transaction in
            #expect(!transaction.isWritable && transaction.seq == 1)
            try transaction.run("DELETE FROM tail")
        }
        #expect(try writer.load().tail.count == 1)
        let reader = try scratch.reader()
        expect(.readOnly) { try reader.read { _ = try $0.run("DELETE FROM tail") } }
        expect(.readOnly) { try reader.commit(tail(2, [1])) }
        expect(.readOnly) { try reader.checkpoint(truncate: false) }
        try reader.close()
        try writer.close()
    }

    @Test("Many threads can use one connection")
    func threads() async throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        let total = await withTaskGroup(of: Int.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var done = 0
                    while done < 50 {
                        // All tasks try the next sequence; one succeeds.
                        guard let next = try? writer.load(tailAfter: .max).seq + 1 else { break }
                        if (try? writer.commit(tail(next, [UInt8(task)]))) != nil { done += 1 }
                    }
                    return done
                }
            }
            return await group.reduce(0, +)
        }
        #expect(total == 200)
        #expect(try writer.load().seq == 200)
        #expect(try writer.load().tail.map(\.seq) == Array(1...200))
        try writer.close()
    }
}
