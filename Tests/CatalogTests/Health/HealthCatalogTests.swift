// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import Testing

@Suite("The health layer's tables")
struct HealthCatalogTests {
    /// Returns a catalog with the tables, at commit 1.
    func prepared() throws -> (scratch: Scratch, database: CatalogDatabase) {
        let scratch = try Scratch()
        let database = try scratch.writer()
        try database.commit(CatalogCommit(seq: 1)) { try HealthCatalog.prepare($0) }
        return (scratch, database)
    }

    @Test("A setting and a row that are too large are refused with that reason")
    func tooLarge() throws {
        let (scratch, database) = try prepared()
        defer { withExtendedLifetime(scratch) {} }
        expect(.tooLarge) {
            try database.commit(CatalogCommit(seq: 2)) { transaction in
                try HealthCatalog.set(setting: "a", to: String(repeating: "x", count: 4 << 20), transaction)
            }
        }
        expect(.tooLarge) {
            try database.commit(CatalogCommit(seq: 2)) { transaction in
                let row = MetadataRow(id: 1, body: [UInt8](repeating: 1, count: 257 << 20))
                try HealthCatalog.insert([row], transaction)
            }
        }
        try database.commit(CatalogCommit(seq: 2)) { transaction in
            try HealthCatalog.set(setting: "a", to: String(repeating: "x", count: (4 << 20) - 1), transaction)
        }
        #expect(try database.integrityProblems().isEmpty)
    }

    @Test("The tables are created on first use, once, and rolled back with the commit")
    func prepares() throws {
        let scratch = try Scratch()
        let database = try scratch.writer()
        #expect(try database.read { try HealthCatalog.isPrepared($0) } == false)
        #expect(try database.read { try HealthSnapshot.load($0) }.isPrepared == false)
        expect(.closure) {
            try database.commit(CatalogCommit(seq: 1)) { transaction in
                try HealthCatalog.prepare(transaction)
                throw CancellationError()
            }
        }
        #expect(try database.read { try HealthCatalog.isPrepared($0) } == false)
        for seq in 1...3 as ClosedRange<Int64> {
            try database.commit(CatalogCommit(seq: seq)) { transaction in
                try HealthCatalog.prepare(transaction)
                try HealthCatalog.prepare(transaction)
            }
        }
        let snapshot = try database.read { try HealthSnapshot.load($0) }
        #expect(snapshot.isPrepared && snapshot.sources.isEmpty && snapshot.lastMetadata == 0)
        #expect(try database.read { try HealthCatalog.problems($0) }.isEmpty)
        try database.close()
        // About two dozen tables and their indexes take one page each, plus the schema.
        #expect(database.fileBytes <= 40 * 4096)
    }

    @Test("Tables of another definition are refused")
    func strangeTables() throws {
        for sql in ["ALTER TABLE object ADD COLUMN more INTEGER", "DROP TABLE document", "DROP INDEX object_time"] {
            let (scratch, database) = try prepared()
            defer { withExtendedLifetime(scratch) {} }
            try database.commit(CatalogCommit(seq: 2)) { try $0.run(sql) }
            expect(.corrupt) { _ = try database.read { try HealthSnapshot.load($0) } }
            expect(.corrupt) { try database.commit(CatalogCommit(seq: 3)) { try HealthCatalog.prepare($0) } }
            try database.close()
        }
    }

    @Test("Sources, devices, provenances and series round-trip")
    func snapshot() throws {
        let (scratch, database) = try prepared()
        let sources = [
            SourceRow(id: 1, name: "Watch", bundle: "com.apple.health.1"), SourceRow(id: 2, name: "Handy"),
            SourceRow(id: 3, name: "Handy", bundle: ""), SourceRow(id: 9, name: "d’Ärzte \"x\" 日", bundle: "b"),
        ]
        let devices = [DeviceRow(id: 1, text: "<<HKDevice: >, name:Watch>"), DeviceRow(id: 2, text: "")]
        let provenances = [
            ProvenanceRow(id: 0, source: 1), ProvenanceRow(id: 1, source: 1, version: "9.1", device: 1),
            ProvenanceRow(id: 2, source: 1, version: ""), ProvenanceRow(id: 3, source: 1, version: "9.1", device: 2),
            ProvenanceRow(id: 4, source: 9, device: 1),
            ProvenanceRow(id: 5, source: 9, device: 1, product: "iPhone15,2"),
            ProvenanceRow(id: 6, source: 9, device: 1, product: "iPhone15,2", system: "17.0"),
            ProvenanceRow(id: 7, source: 9, device: 1, product: "", system: "17.0"),
        ]
        let series = [
            HealthSeriesRow(series: 1, type: "HKQuantityTypeIdentifierStepCount", source: 1, unit: "count"),
            HealthSeriesRow(series: 2, type: "HKCategoryTypeIdentifierSleepAnalysis", source: 2),
        ]
        let rows: SeriesRows = [SeriesRow(id: 1, name: "a", kind: 1), SeriesRow(id: 2, name: "b", kind: 1)]
        try database.commit(CatalogCommit(seq: 2, series: rows)) { transaction in
            try HealthCatalog.insert(sources, transaction)
            try HealthCatalog.insert(devices, transaction)
            try HealthCatalog.insert(provenances, transaction)
            try HealthCatalog.insert(series, transaction)
            try HealthCatalog.set(characteristic: "bloodType", to: "HKBloodTypeONegative", transaction)
            try HealthCatalog.set(characteristic: "sex", to: "x", transaction)
        }
        try database.commit(CatalogCommit(seq: 3)) { transaction in
            try HealthCatalog.set(characteristic: "sex", to: nil, transaction)
            try HealthCatalog.set(characteristic: "bloodType", to: "HKBloodTypeAPositive", transaction)
        }
        let reader = try scratch.reader()
        let snapshot = try reader.read { try HealthSnapshot.load($0) }
        #expect(snapshot.sources == sources)
        #expect(snapshot.devices == devices)
        #expect(snapshot.provenances == provenances)
        #expect(snapshot.series == series)
        #expect(snapshot.characteristics == ["bloodType": "HKBloodTypeAPositive"])
        try reader.close()

        // Inserting the same provenance under another number is an error of the caller.
        for (number, row) in provenances.enumerated() {
            var again = row
            again.id = 100 + Int64(number)
            expect(.other) {
                try database.commit(CatalogCommit(seq: 4)) { try HealthCatalog.insert([again], $0) }
            }
        }
        expect(.other) {
            let again = [DeviceRow(id: 7, text: devices[0].text)]
            try database.commit(CatalogCommit(seq: 4)) { try HealthCatalog.insert(again, $0) }
        }
        expect(.other) {
            let stray = [ProvenanceRow(id: 8, source: 77)]
            try database.commit(CatalogCommit(seq: 4)) { try HealthCatalog.insert(stray, $0) }
        }
        expect(.unstorableText) {
            let cut = [SourceRow(id: 7, name: "a\0b")]
            try database.commit(CatalogCommit(seq: 4)) { try HealthCatalog.insert(cut, $0) }
        }
        expect(.other) { try database.commit(CatalogCommit(seq: 4, removedSeries: [1])) }
        try database.commit(CatalogCommit(seq: 4, removedSeries: [1])) {
            try $0.run("DELETE FROM health_series WHERE series=1")
        }
        #expect(try database.read { try HealthSnapshot.load($0) }.series == [series[1]])
        #expect(try database.integrityProblems().isEmpty)
        try database.close()
    }

    @Test("Metadata is found by its bytes, even for equal hashes")
    func metadata() throws {
        let (scratch, database) = try prepared()
        defer { withExtendedLifetime(scratch) {} }
        // Searches for two bodies with the same hash.
        var seen: [Int64: [UInt8]] = [:]
        var twins: ([UInt8], [UInt8])?
        for number in 0..<400_000 as Range<UInt32> where twins == nil {
            let body = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            if let other = seen.updateValue(body, forKey: HealthCatalog.metadataHash(body)) { twins = (other, body) }
        }
        let (one, two) = try #require(twins)
        var dice = Dice(seed: 21)
        var bodies = [[], one, two]
        for _ in 0..<500 { bodies.append(dice.bytes(3 + dice.below(100))) }
        let rows = bodies.enumerated().map { MetadataRow(id: Int64($0.offset) + 1, body: $0.element) }
        try database.commit(CatalogCommit(seq: 2)) { try HealthCatalog.insert(rows, $0) }
        try database.read { transaction in
            let wanted = bodies.shuffled(using: &dice) + [[9, 9], [9, 9, 9, 9]]
            let ids = try HealthCatalog.metadataIDs(bodies: wanted, transaction)
            for (id, body) in zip(ids, wanted) {
                #expect(id.map { bodies[Int($0) - 1] } == (bodies.contains(body) ? body : nil))
            }
            #expect(Set(ids.compactMap { $0 }).count == bodies.count)
            let found = try HealthCatalog.metadataBodies(ids: [3, 1, 2, 3, 9999], transaction)
            #expect(found == [1: [], 2: one, 3: two])
            var all: [MetadataRow] = []
            try HealthCatalog.eachMetadata(transaction) { all.append($0) }
            #expect(all == rows)
            let last = try HealthSnapshot.load(transaction).lastMetadata
            #expect(last == Int64(rows.count))
        }
        try database.close()
    }

    @Test("Documents and the log of imports round-trip")
    func documents() throws {
        let (scratch, database) = try prepared()
        defer { withExtendedLifetime(scratch) {} }
        var dice = Dice(seed: 31)
        let bodies = [dice.bytes(100_000), [], dice.bytes(10)]
        let rows = bodies.enumerated().map { number, body in
            DocumentRow(
                id: Int64(number) + 1, path: "workout-routes/\(number) ü.gpx", digest: HealthCatalog.digest(body),
                bytes: 1 << 40)
        }
        let log = ImportRow(
            file: "export.zip", digest: [1, 2, 3], at: 5, records: 10, added: 7, skipped: 2, repaired: 1, note: "n")
        try database.commit(CatalogCommit(seq: 2)) { transaction in
            for (row, body) in zip(rows, bodies) { try HealthCatalog.insert(row, body: body, transaction) }
            try HealthCatalog.append(log, transaction)
            try HealthCatalog.append(log, transaction)
        }
        try database.read { transaction in
            let found = try HealthCatalog.documents(transaction)
            #expect(found == rows)
            for (row, body) in zip(rows, bodies) {
                let stored = try HealthCatalog.documentBody(id: row.id, transaction)
                #expect(stored == body)
            }
            let missing = try HealthCatalog.documentBody(id: 99, transaction)
            #expect(missing == nil)
            var expected = [log, log]
            expected[0].id = 1
            expected[1].id = 2
            let imports = try HealthCatalog.imports(transaction)
            #expect(imports == expected)
        }
        try database.close()
    }
}
