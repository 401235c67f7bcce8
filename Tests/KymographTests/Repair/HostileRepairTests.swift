// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Catalog
@testable import Kymograph

@Suite("E-16 repair of forged files: impossible numbers and lengths without content")
struct HostileRepairTests {
    /// A closed store with one segment of 3,000 samples.
    private struct Patient {
        let test: TestStore
        let id: SeriesID
        let store: [UInt8]
        let segment: String

        init() throws {
            test = try TestStore()
            id = try test.store.series("pulse", kind: .discrete).id
            try test.store.load((0..<3_000).map { Sample(start: Int64($0) * second, value: 1) }, to: id)
            store = test.store.context.storeID
            test.store.close()
            segment = try #require(try RealDisk().list(test.path + "/segments").first)
        }

        var layout: StoreLayout { StoreLayout(root: test.path) }

        func loseCatalog() throws { try RealDisk().remove(layout.catalog) }

        /// Creates an uncommitted segment of the store, with ten samples.
        func forge(_ last: UInt8, series: Int64, commit: Int64, _ change: (inout SampleRows) -> Void = { _ in }) throws
        {
            let uuid = [UInt8](repeating: 9, count: 15) + [last]
            let target = SegmentWriter.Target(
                layout: layout, access: test.store.context.access, store: store, uuid: uuid,
                zone: test.store.context.zone)
            let writer = try SegmentWriter(target, after: commit, threads: 1)
            var rows = try SampleRows((0..<10).map { Sample(start: Int64($0) * hour, value: 2) })
            change(&rows)
            try writer.append([RunPart(rows, series: series)])
            _ = try writer.finish()
        }

        /// Verifies and repairs the store, and opens the result.
        func repaired() throws -> (report: RepairReport, store: TimeSeriesStore) {
            #expect(try !TimeSeriesStore.verify(at: test.path).problems.isEmpty)
            let target = test.directory.file("repaired")
            let report = try TimeSeriesStore.repair(from: test.path, to: target)
            let made = try TimeSeriesStore.open(at: target)
            #expect(try made.verify().problems.isEmpty)
            return (report, made)
        }
    }

    @Test("An impossible commit number is damage of the header; the samples are kept, and the new store works")
    func commits() throws {
        let patient = try Patient()
        for (place, commit) in [Int64.max, Int64.max - 1, Int64.max / 2 + 1].enumerated() {
            try patient.forge(UInt8(place), series: 7, commit: commit)
        }
        // A header alone, with the greatest number.
        let uuid = [UInt8](repeating: 8, count: 16)
        var builder = SegmentBuilder(store: patient.store, segment: uuid, commit: .max)
        try builder.begin()
        try RealDisk().createFile(patient.layout.segment(uuid), builder.takePending())
        try patient.loseCatalog()
        let (report, store) = try patient.repaired()
        defer { store.close() }
        #expect(report.samples == 3_030 && store.snapshot().sequence < 100)
        try store.append([Sample(start: 0, value: 3)], to: patient.id)
    }

    @Test("Impossible numbers of a series and of the witness's commit are not used by the new store")
    func numbers() throws {
        let patient = try Patient()
        try patient.forge(1, series: .max, commit: 1)
        try patient.forge(2, series: 5, commit: 1) { $0.metadata = .constant(.max) }
        let witness = try Witness(
            patient.layout.witness, store: patient.store, disk: RealDisk(),
            keys: patient.test.store.context.options.keys)
        try witness.note(.max)
        try witness.close()
        try patient.loseCatalog()
        let (report, store) = try patient.repaired()
        defer { store.close() }
        #expect(report.samples == 3_010 && store.snapshot().series.count == 2)
        try store.append([Sample(start: 0, value: 3)], to: patient.id)
    }

    @Test("Lost rows of the tail after the greatest number are reported")
    func tail() {
        var report = RepairReport()
        let gap = CatalogGap(table: "tail", after: .max, before: nil, message: "damaged")
        report.loseTail(gap, of: SalvagedCatalog(), seq: 5, "catalog")
        report.lose("a", samples: .max, "one")
        report.lose("b", samples: .max, "two")
        #expect(report.losses.count == 3 && report.samplesLost == .max && !gap.text.isEmpty)
    }

    private func lengthen(_ path: String) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 500 << 30)
        try file.close()
    }

    @Test("A segment extended to 500 GB keeps everything that the catalog names")
    func longNamed() throws {
        let patient = try Patient()
        try lengthen(patient.test.path + "/segments/" + patient.segment)
        let (report, store) = try patient.repaired()
        defer { store.close() }
        #expect(report.isComplete && report.samples == 3_000 && report.segmentsCopied == 1)
        #expect(report.remarks.contains { $0.contains("were ignored") }, "\(report.remarks)")
        #expect(store.snapshot().count(of: patient.id) == 3_000)
    }

    @Test("An unnamed file of 500 GB is not read, and reported as lost")
    func longOrphan() throws {
        let patient = try Patient()
        let path = patient.layout.segment([UInt8](repeating: 7, count: 16))
        try RealDisk().createFile(path, [])
        try lengthen(path)
        try patient.loseCatalog()
        let (report, store) = try patient.repaired()
        defer { store.close() }
        #expect(report.samples == 3_000 && report.segmentsLost == 1)
        let loss = report.losses.first { $0.path == path }
        #expect(loss?.message.contains("more than any segment") == true, "\(report.losses)")
    }

    @Test("A row with a smaller length than its segment does not lose the segment", .ofPlainStores)
    func shortRow() throws {
        let patient = try Patient()
        let path = patient.test.path + "/segments/" + patient.segment
        let bytes = try RealDisk().contents(of: path, limit: 1 << 24)
        let uuid = try #require(StoreLayout.uuid(ofFile: patient.segment))
        let row = SegmentRow(id: 1, uuid: uuid, bytes: 100, checksum: 0, born: 1, died: nil, runs: [])
        let whole = SegmentSalvage(
            path: path, uuid: uuid, store: patient.store, row: row, patient.test.store.context.access,
            most: UInt64(bytes.count))
        #expect(whole.samples == 3_000)
        // Reading is limited to the length of a segment.
        let part = SegmentSalvage(
            path: path, uuid: uuid, store: patient.store, row: row, patient.test.store.context.access,
            most: UInt64(bytes.count) - 1)
        #expect(part.bytes.count == 100)
    }
}
