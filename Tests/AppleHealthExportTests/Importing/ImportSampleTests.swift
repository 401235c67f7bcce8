// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

/// The generator's description of its export.
private struct Manifest: Decodable {
    var count: [String: Int]
    var sum: [String: Double]
    var records: Int
    var workouts: Int
    var naive_steps: Double
}

@Suite("T-1 import of the sample export")
struct ImportSampleTests {
    private let zip = repositoryFile("Docs/Samples/sample-export.zip")

    private func manifest() throws -> Manifest {
        let path = repositoryFile("Docs/Samples/sample-export.json")
        return try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("counts and sums equal the generator's, and a second import adds nothing")
    func manifestAgrees() throws {
        let manifest = try manifest()
        let bench = try ImportBench()
        var calls = 0
        var last: ImportProgress?
        let outcome = try bench.importFile(zip) { progress in
            calls += 1
            last = progress
            return true
        }
        #expect(calls >= 10)
        #expect(last?.records == manifest.records)
        #expect(last?.bytesRead == last?.bytesTotal)
        #expect(outcome.records == manifest.records && outcome.added == manifest.records && outcome.unchanged == 0)
        #expect(outcome.complete && outcome.committed && outcome.issues.isEmpty && outcome.seconds > 0)
        #expect(outcome.documentsAdded == 5)
        #expect(Dictionary(uniqueKeysWithValues: outcome.types.map { ($0.type, $0.added) }) == manifest.count)
        for overview in try bench.store.types() {
            let identifier = overview.type.identifier
            #expect(overview.samples == manifest.count[identifier])
            let row = try bench.store.statistics(StatisticsRequest(overview.type, merging: .union)).rows[0]
            #expect(row.count == manifest.count[identifier])
            if let sum = manifest.sum[identifier] {
                // The manifest's sums are rounded once per record.
                #expect(abs((row.sum ?? 0) - sum) <= 1e-12 * abs(sum) * 10, "\(identifier)")
            }
        }
        #expect(try bench.store.objectCounts()[.workout] == manifest.workouts)
        try check(bench, manifest)
        try again(bench, manifest)
    }

    private func check(_ bench: ImportBench, _ manifest: Manifest) throws {
        let steps = HealthTypes.type(for: .stepCount)
        let union = try bench.store.statistics(StatisticsRequest(steps, merging: .union))
        #expect(union.rows[0].sum == manifest.naive_steps)
        let bySource = try bench.store.statistics(StatisticsRequest(steps, bySource: true)).rows
        #expect(bySource.count == 2)
        #expect(bySource.reduce(0) { $0 + ($1.sum ?? 0) } == manifest.naive_steps)
        #expect(try bench.store.characteristics()["HKCharacteristicTypeIdentifierBiologicalSex"] != nil)
        let log = try bench.store.imports()
        #expect(log.map(\.file) == ["sample-export.zip"] && log.map(\.added) == [manifest.records])
        #expect(log[0].note.contains("locale="))
        let verified = try bench.store.verify()
        #expect(verified.isSound, "\(verified.problems) \(verified.engine.problems)")
        #expect(verified.documents == 5 && verified.metadata > 0 && verified.objects > 0)
    }

    private func again(_ bench: ImportBench, _ manifest: Manifest) throws {
        let before = try bench.store.info()
        let outcome = try bench.importFile(zip, capacity: 4_000)
        #expect(outcome.added == 0 && outcome.unchanged == manifest.records && !outcome.committed)
        #expect(outcome.objectsAdded == 0 && outcome.documentsAdded == 0 && outcome.documentsUnchanged == 5)
        let after = try bench.store.info()
        #expect(after.sequence == before.sequence && after.segmentBytes == before.segmentBytes)
        #expect(try bench.store.imports().count == 1)
    }

    @Test("routes and the electrocardiogram are returned byte for byte")
    func documents() throws {
        let bench = try ImportBench()
        try bench.importFile(zip)
        let documents = try bench.store.documents()
        #expect(documents.filter { $0.path.hasPrefix("/workout-routes/") }.count == 4)
        let reader = Process()
        reader.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        for document in documents {
            let bytes = try #require(try bench.store.documentBytes(document.id))
            #expect(bytes.count == document.bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("<?xml") || text.hasPrefix("Name,"), "\(document.path)")
        }
    }

    @Test("the store is small: less than 26 bytes per record")
    func size() throws {
        let bench = try ImportBench()
        let outcome = try bench.importFile(zip)
        var documents = 0
        for document in try bench.store.documents() { documents += document.bytes }
        bench.store.close()
        // The files of routes compress to less than a fifth; the rest is for records, objects and the points of routes.
        let store = try HealthStore.open(at: bench.store.path)
        let bytes = Int(try store.info().bytes) - documents / 5
        #expect(bytes < outcome.records * 26, "\(bytes) bytes for \(outcome.records) records")
        store.close()
    }
}
