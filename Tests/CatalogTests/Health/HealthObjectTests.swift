// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import Testing

@Suite("Imported elements of the health layer")
struct HealthObjectTests {
    /// Returns the elements that a commit sees, by filtering an array.
    private func oracle(
        _ rows: [ElementRow], kind: Int64, start: Range<Int64>?, bornAfter: Int64, asOf seq: Int64
    ) -> [ElementRow] {
        rows.filter { row in
            row.kind == kind && row.born <= seq && row.born > bornAfter && (row.died.map { $0 > seq } ?? true)
                && (start.map { range in row.start.map { range.contains($0) } ?? false } ?? true)
        }
        .sorted { ($0.start ?? Int64.min, $0.id) < ($1.start ?? Int64.min, $1.id) }
    }

    @Test("Elements by kind, time and snapshot equal those of an array", arguments: [41, 42] as [UInt64])
    func queries(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let scratch = try Scratch()
        let database = try scratch.writer()
        try database.commit(CatalogCommit(seq: 1)) { try HealthCatalog.prepare($0) }
        var rows: [ElementRow] = []
        for seq in 2...25 as ClosedRange<Int64> {
            var added: [ElementRow] = []
            for _ in 0..<dice.below(12) {
                let start = dice.below(5) == 0 ? nil : Int64(dice.below(100)) - 50
                let body = dice.bytes(dice.below(20) == 0 ? 9000 : dice.below(40))
                added.append(
                    ElementRow(
                        id: Int64(rows.count + added.count) + 1, kind: Int64(1 + dice.below(3)), start: start,
                        end: start.map { $0 + Int64(dice.below(9)) }, digest: Int64(dice.below(30)) - 15, born: seq,
                        body: body))
            }
            let gone = rows.filter { _ in dice.below(15) == 0 }.map(\.id)
            let live = rows.filter { gone.contains($0.id) && $0.died == nil }.count
            try database.commit(CatalogCommit(seq: seq)) { transaction in
                try HealthCatalog.insert(added, transaction)
                let retired = try HealthCatalog.retire(objects: gone, transaction)
                #expect(retired == live)
            }
            for index in rows.indices where gone.contains(rows[index].id) && rows[index].died == nil {
                rows[index].died = seq
            }
            rows += added
        }
        let reader = try scratch.reader()
        try reader.read { transaction in
            for _ in 0..<300 {
                let kind = Int64(1 + dice.below(4))
                let low = Int64(dice.below(100)) - 50
                let start = dice.below(2) == 0 ? nil : low..<(low + Int64(dice.below(60)))
                let after = dice.below(2) == 0 ? 0 : Int64(dice.below(26))
                let seq = dice.below(2) == 0 ? nil : Int64(dice.below(27))
                var found: [ElementRow] = []
                try HealthCatalog.eachElement(
                    kind: kind, start: start, bornAfter: after, asOf: seq, transaction
                ) { found.append($0) }
                // A row that dies after the snapshot still has its time of death.
                let expected = oracle(rows, kind: kind, start: start, bornAfter: after, asOf: seq ?? 25)
                try #require(found == expected, "seed \(seed)")
            }
            let ids: [Int64] = [3, 1, 3, 99_999]
            let some = try HealthCatalog.objects(ids: ids, transaction)
            #expect(some == [rows[2], rows[0], rows[2]])
            for kind in [nil, 1, 2, 3, 4] as [Int64?] {
                var counts: [Int64: Int] = [:]
                for row in rows where row.died == nil && (kind == nil || row.kind == kind) {
                    counts[row.digest, default: 0] += 1
                }
                let found = try HealthCatalog.elementDigestCounts(kind: kind, transaction)
                #expect(found == counts)
            }
            let byKind = try HealthCatalog.objectCounts(transaction)
            #expect(byKind == Dictionary(grouping: rows.filter { $0.died == nil }, by: \.kind).mapValues(\.count))
            let last = try HealthSnapshot.load(transaction).lastObject
            #expect(last == Int64(rows.count))
        }
        try reader.close()

        let dead = rows.filter { ($0.died ?? .max) <= 20 }.count
        try database.commit(CatalogCommit(seq: 26)) { transaction in
            let removed = try HealthCatalog.removeElements(diedUpTo: 20, transaction)
            #expect(removed == dead)
        }
        #expect(try database.read { try HealthCatalog.problems($0) }.isEmpty)
        #expect(try database.integrityProblems().isEmpty)
        try database.close()
    }

    @Test("An element needs a number and a kind")
    func refusals() throws {
        let scratch = try Scratch()
        let database = try scratch.writer()
        try database.commit(CatalogCommit(seq: 1)) { try HealthCatalog.prepare($0) }
        for (id, kind) in [(0, 1), (1, 0), (-1, 1), (1, -1)] as [(Int64, Int64)] {
            let row = ElementRow(id: id, kind: kind, start: nil, end: nil, digest: 0, body: [])
            expect(.other) { try database.commit(CatalogCommit(seq: 2)) { try HealthCatalog.insert([row], $0) } }
        }
        let row = ElementRow(id: 1, kind: 1, start: .min, end: .max, digest: .min, born: 77, died: 78, body: [])
        try database.commit(CatalogCommit(seq: 2)) { try HealthCatalog.insert([row], $0) }
        let found = try database.read { try HealthCatalog.objects(ids: [1], $0) }
        #expect(found.first?.born == 2 && found.first?.died == nil, "the catalog sets the birth")
        #expect(found.first?.start == .min && found.first?.end == .max && found.first?.digest == .min)
        expect(.other) { try database.commit(CatalogCommit(seq: 3)) { try HealthCatalog.insert([row], $0) } }
        try database.close()
    }

    @Test("Digests distinguish bytes")
    func digests() {
        var seen = Set<Int64>()
        var dice = Dice(seed: 51)
        for length in 0..<300 {
            var body = dice.bytes(length)
            #expect(seen.insert(HealthCatalog.digest(body)).inserted)
            if length > 8 {
                body[dice.below(length)] ^= UInt8(1 << dice.below(8))
                #expect(seen.insert(HealthCatalog.digest(body)).inserted)
            }
        }
        // Digests are stored in files, so the function never changes.
        #expect(HealthCatalog.digest([]) == -162_702_791_582_339_457)
        #expect(HealthCatalog.digest(Array("kymograph".utf8)) == 2_763_527_155_643_802_485)
        for length in [0, 1, 300] {
            let body = dice.bytes(length)
            var digest = HealthCatalog.TwoDigests()
            digest.add(body)
            let two = digest.digests
            #expect(two.first == HealthCatalog.digest([1] + body) && two.second == HealthCatalog.digest([2] + body))
        }
        var (numbers, bytes) = (HealthCatalog.TwoDigests(), HealthCatalog.TwoDigests())
        numbers.add([1, Int64.min])
        numbers.add([-0.0, 0.1])
        for pattern in [1, 1 << 63, (-0.0).bitPattern, 0.1.bitPattern] {
            bytes.add((0..<8).map { UInt8(truncatingIfNeeded: pattern >> UInt64(8 * $0)) })
        }
        #expect(numbers.digests == bytes.digests)
    }
}
