// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import Testing

@Suite("Saved objects, sync identifiers and settings in the catalog")
struct SavedObjectTableTests {
    /// The expected content of the table, kept as a list.
    private struct Oracle {
        var all: [SavedObjectRow] = []

        func seen(_ type: String, _ start: ClosedRange<Int64>, by seq: Int64) -> [SavedObjectRow] {
            all.filter {
                $0.type == type && start.contains($0.start) && $0.born <= seq && ($0.died.map { $0 > seq } ?? true)
            }.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
        }
    }

    @Test("Every snapshot sees its objects, and changes are the difference of two snapshots", arguments: 1...12)
    func life(seed: Int) throws {
        let scratch = try Scratch()
        let database = try scratch.writer()
        defer { try? database.close() }
        var dice = Dice(seed: UInt64(seed) &* 977)
        var oracle = Oracle()
        try database.commit(CatalogCommit(seq: 1)) { transaction in
            try HealthCatalog.prepare(transaction)
            try HealthCatalog.insert([SourceRow(id: 1, name: "Watch")], transaction)
            try HealthCatalog.insert([ProvenanceRow(id: 1, source: 1)], transaction)
        }
        let types = ["A", "B"]
        for seq in 2...40 as ClosedRange<Int64> {
            var fresh: [SavedObjectRow] = []
            for _ in 0..<dice.below(5) {
                let start = Int64(dice.below(50)) - 25
                fresh.append(
                    SavedObjectRow(
                        id: Int64(oracle.all.count + fresh.count + 1), uuid: dice.bytes(16), kind: 1,
                        type: types[dice.below(2)], provenance: 1, metadata: Int64(dice.below(3)), start: start,
                        end: start + Int64(dice.below(9)), created: dice.below(2) == 0 ? nil : seq, born: seq,
                        body: dice.bytes(dice.below(30))))
            }
            let live = oracle.all.indices.filter { oracle.all[$0].died == nil }
            let dead = live.filter { _ in dice.below(6) == 0 }
            try database.commit(CatalogCommit(seq: seq)) { transaction in
                try HealthCatalog.insert(fresh, transaction)
                let ids = dead.map { oracle.all[$0].id }
                let count = try HealthCatalog.retire(savedObjects: ids + ids, transaction)
                #expect(count == ids.count)
            }
            for index in dead { oracle.all[index].died = seq }
            oracle.all += fresh
        }
        try database.read { transaction in
            try check(oracle, &dice, transaction)
            var all: [SavedObjectRow] = []
            try HealthCatalog.eachSavedObject(transaction) { all.append($0) }
            #expect(all == oracle.all)
            let last = try HealthSnapshot.load(transaction).lastSavedObject
            #expect(last == Int64(oracle.all.count))
            let problems = try HealthCatalog.problems(transaction)
            #expect(problems.isEmpty)
        }
    }

    private func check(_ oracle: Oracle, _ dice: inout Dice, _ transaction: CatalogTransaction) throws {
        for _ in 0..<60 {
            let type = ["A", "B"][dice.below(2)]
            let low = Int64(dice.below(60)) - 30
            let range = low...low + Int64(dice.below(30))
            let (one, two) = (Int64(dice.below(41)), Int64(dice.below(41)))
            let (since, seq) = (min(one, two), max(one, two))
            var found: [SavedObjectRow] = []
            try HealthCatalog.eachSavedObject(type: type, start: range, asOf: seq, transaction) {
                found.append($0)
                return true
            }
            #expect(found == oracle.seen(type, range, by: seq))
            var backward: [SavedObjectRow] = []
            let limit = dice.below(4)
            try HealthCatalog.eachSavedObject(type: type, start: range, asOf: seq, backward: true, transaction) {
                if backward.count < limit { backward.append($0) }
                return backward.count < limit
            }
            #expect(backward == Array(found.reversed().prefix(limit)))
            var paged: [SavedObjectRow] = []
            let instant = Int64(dice.below(60)) - 30
            var request = SavedObjectRequest(
                type: type, start: range, lastingTo: instant, backward: limit > 1, limit: 3)
            repeat {
                let page = try HealthCatalog.savedObjects(request, asOf: seq, transaction)
                paged += page
                request.after = paged.last
                if page.count < 3 { break }
            } while true
            let lasting = found.filter { $0.start >= instant || $0.end > instant }
            #expect(paged == (limit > 1 ? lasting.reversed() : lasting))
            var (added, removed): ([SavedObjectRow], [SavedObjectRow]) = ([], [])
            while true {
                let place = added.last.map { ($0.born, $0.id) } ?? (since, .max)
                let page = try HealthCatalog.savedObjects(
                    types: [type], bornAfter: place, upTo: seq, limit: 2, transaction)
                added += page
                if page.count < 2 { break }
            }
            while true {
                let place = removed.last.map { ($0.died ?? 0, $0.id) } ?? (since, .max)
                let page = try HealthCatalog.savedObjects(
                    types: [type], diedAfter: place, upTo: seq, limit: 2, transaction)
                removed += page
                if page.count < 2 { break }
            }
            let before = Set(oracle.seen(type, .min ... .max, by: since).map(\.id))
            let after = Set(oracle.seen(type, .min ... .max, by: seq).map(\.id))
            #expect(Set(added.map(\.id)) == after.subtracting(before) && added.count == Set(added.map(\.id)).count)
            #expect(Set(removed.filter { $0.born <= since }.map(\.id)) == before.subtracting(after))
            let wanted = oracle.all.filter { _ in dice.below(9) == 0 }.map(\.uuid) + [dice.bytes(16)]
            let rows = try HealthCatalog.savedObjects(uuids: wanted, asOf: seq, transaction)
            for (uuid, row) in zip(wanted, rows) {
                #expect(row == oracle.all.first { $0.uuid == uuid && $0.born <= seq && ($0.died ?? .max) > seq })
            }
        }
    }

    @Test("Invalid objects are refused")
    func refuses() throws {
        let scratch = try Scratch()
        let database = try scratch.writer()
        defer { try? database.close() }
        try database.commit(CatalogCommit(seq: 1)) { transaction in
            try HealthCatalog.prepare(transaction)
            try HealthCatalog.insert([SourceRow(id: 1, name: "Watch")], transaction)
            try HealthCatalog.insert([ProvenanceRow(id: 1, source: 1)], transaction)
        }
        let sound = SavedObjectRow(
            id: 1, uuid: Array(repeating: 7, count: 16), kind: 1, type: "A", provenance: 1, start: 1, end: 2, body: [])
        var wrong = [sound, sound, sound, sound, sound, sound, sound]
        wrong[0].id = 0
        wrong[1].kind = 0
        wrong[2].uuid = [1]
        wrong[3].end = 0
        wrong[4].metadata = -1
        wrong[5].provenance = 2
        wrong[6].type = "a\0"
        for row in wrong {
            let kind: CatalogError.Kind = row.type == "A" ? .other : .unstorableText
            expect(kind) { try database.commit(CatalogCommit(seq: 2)) { try HealthCatalog.insert([row], $0) } }
        }
        try database.commit(CatalogCommit(seq: 2)) { try HealthCatalog.insert([sound], $0) }
        var twin = sound
        twin.id = 2
        try database.commit(CatalogCommit(seq: 3)) { try HealthCatalog.insert([twin], $0) }
        #expect(try database.read { try HealthCatalog.problems($0) }.count == 1)
    }

    @Test("A sync identifier names the last object set; settings can be set and removed")
    func names() throws {
        let scratch = try Scratch()
        let database = try scratch.writer()
        defer { try? database.close() }
        #expect(try database.read { try HealthCatalog.sync(type: "A", source: 1, identifier: "x", $0) } == nil)
        var row = SyncRow(
            type: "A", source: 1, identifier: "d’x", version: 2, uuid: Array(repeating: 1, count: 16), start: 5)
        try database.commit(CatalogCommit(seq: 1)) { transaction in
            try HealthCatalog.prepare(transaction)
            try HealthCatalog.insert([SourceRow(id: 1, name: "Watch")], transaction)
            try HealthCatalog.set(row, transaction)
            try HealthCatalog.set(setting: "unit.A", to: "kg", transaction)
            try HealthCatalog.set(setting: "unit.B", to: "m", transaction)
        }
        row.version = 2.5
        row.start = -5
        try database.commit(CatalogCommit(seq: 2)) { transaction in
            try HealthCatalog.set(row, transaction)
            try HealthCatalog.set(setting: "unit.A", to: "lb", transaction)
            try HealthCatalog.set(setting: "unit.B", to: nil, transaction)
        }
        let names = [("A", "d’x"), ("A", "x"), ("B", "d’x")]
        let found = try database.read { transaction in
            try names.map { try HealthCatalog.sync(type: $0, source: 1, identifier: $1, transaction) }
        }
        #expect(found == [row, nil, nil])
        #expect(try database.read { try HealthSnapshot.load($0) }.settings == ["unit.A": "lb"])
        row.version = .nan
        expect(.other) { try database.commit(CatalogCommit(seq: 3)) { try HealthCatalog.set(row, $0) } }
    }

    /// The definitions of the health layer's tables before format 5.
    private static let old = [
        "CREATE TABLE source(id INTEGER PRIMARY KEY,name TEXT NOT NULL,bundle TEXT)STRICT",
        "CREATE TABLE device(id INTEGER PRIMARY KEY,text TEXT NOT NULL UNIQUE)STRICT",
        "CREATE TABLE provenance(id INTEGER PRIMARY KEY,source INTEGER NOT NULL REFERENCES source(id),version TEXT,"
            + "device INTEGER REFERENCES device(id))STRICT",
        "CREATE UNIQUE INDEX provenance_key ON provenance(source,ifnull(version,x''),ifnull(device,0))",
        "CREATE TABLE metadata(id INTEGER PRIMARY KEY,hash INTEGER NOT NULL,body BLOB NOT NULL)STRICT",
        "CREATE INDEX metadata_hash ON metadata(hash)",
        "CREATE TABLE object(id INTEGER PRIMARY KEY,kind INTEGER NOT NULL,start INTEGER,\"end\" INTEGER,"
            + "digest INTEGER NOT NULL,born INTEGER NOT NULL,died INTEGER,body BLOB NOT NULL)STRICT",
        "CREATE INDEX object_time ON object(kind,start)",
        "CREATE TABLE document(id INTEGER PRIMARY KEY,path TEXT NOT NULL,digest INTEGER NOT NULL,"
            + "bytes INTEGER NOT NULL,body BLOB NOT NULL)STRICT",
        "CREATE TABLE characteristic(key TEXT PRIMARY KEY,value TEXT NOT NULL)STRICT,WITHOUT ROWID",
        "CREATE TABLE import_log(id INTEGER PRIMARY KEY,file TEXT NOT NULL,digest BLOB NOT NULL,at INTEGER NOT NULL,"
            + "records INTEGER NOT NULL,added INTEGER NOT NULL,skipped INTEGER NOT NULL,repaired INTEGER NOT NULL,"
            + "note TEXT NOT NULL)STRICT",
        "CREATE TABLE health_series(series INTEGER PRIMARY KEY REFERENCES series(id)DEFERRABLE INITIALLY DEFERRED,"
            + "type TEXT NOT NULL,source INTEGER NOT NULL REFERENCES source(id),unit TEXT)STRICT",
    ]

    @Test(
        "E-18 tables of an earlier format are readable as they are, and a commit upgrades them", arguments: 2...4)
    func upgrades(format: Int) throws {
        let scratch = try Scratch()
        try scratch.create(format: format)
        let database = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        defer { try? database.close() }
        try database.commit(CatalogCommit(seq: 1)) { transaction in
            for sql in Self.old { try transaction.run(sql) }
            try HealthCatalog.insert([SourceRow(id: 1, name: "Watch"), SourceRow(id: 2, name: "b")], transaction)
            try HealthCatalog.insert([DeviceRow(id: 1, text: "d")], transaction)
            for values in ["1,1,NULL,NULL", "2,1,'9',1", "7,2,'',NULL"] {
                try transaction.run("INSERT INTO provenance(id,source,version,device)VALUES(\(values))")
            }
        }
        let rows = [
            ProvenanceRow(id: 1, source: 1), ProvenanceRow(id: 2, source: 1, version: "9", device: 1),
            ProvenanceRow(id: 7, source: 2, version: ""),
        ]
        #expect(try database.read { try HealthSnapshot.load($0) }.provenances == rows)
        #expect(try database.read { try HealthCatalog.hasObjects($0) } == false)
        #expect(try database.read { try HealthCatalog.problems($0) }.isEmpty)
        #expect(try database.read { try HealthCatalog.settings($0) }.isEmpty)
        #expect(try database.read { try HealthCatalog.savedObjects(uuids: [[1]], $0) } == [nil])
        // Rolling back the commit also rolls back the format.
        expect(.closure) {
            try database.commit(CatalogCommit(seq: 2)) { transaction in
                try HealthCatalog.prepare(transaction)
                throw CancellationError()
            }
        }
        #expect(try database.load().formatVersion == format)
        let more = ProvenanceRow(id: 8, source: 2, version: "", product: "P", system: "1")
        try database.commit(CatalogCommit(seq: 2)) { transaction in
            try HealthCatalog.prepare(transaction)
            try HealthCatalog.insert([more], transaction)
        }
        #expect(try database.load().formatVersion == CatalogTransaction.objectFormat)
        #expect(try database.read { try HealthSnapshot.load($0) }.provenances == rows + [more])
        #expect(try database.read { try HealthCatalog.hasObjects($0) })
        #expect(try database.read { try HealthCatalog.problems($0) }.isEmpty)
        #expect(try database.integrityProblems().isEmpty)
    }
}
