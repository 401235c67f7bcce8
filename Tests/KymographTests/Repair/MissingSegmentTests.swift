// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 repair with lost commits of a merge: merged samples are not reported as lost, real losses are")
struct MissingSegmentTests {
    private let test: TestStore
    private let id: SeriesID
    /// The files at the time of three segments with 1,000 samples each.
    private let earlier: StoreImage

    init() throws {
        test = try TestStore { options in
            options.compacts = false
            options.compaction.leastBytes = 1
        }
        id = try test.store.series("pulse", kind: .discrete).id
        for part in 0..<3 { try test.store.load(Self.samples(part), to: id) }
        try test.reopen()
        earlier = try StoreImage(test.path)
    }

    /// Samples of one load lie between those of the others.
    private static func samples(_ part: Int) -> [Sample] {
        (0..<1_000).map { Sample(start: Int64($0 * 3 + part) * second, value: Double($0)) }
    }

    /// Closes the store and restores its earlier catalog. The witness stays, so that commits are missing.
    private func rollBack() throws {
        test.store.close()
        var image = try StoreImage(test.path)
        image.catalog = earlier.catalog
        image.log = []
        try image.lay(test.path)
    }

    private func names() throws -> [String] { try RealDisk().list(test.path + "/segments") }

    private func repaired() throws -> (report: RepairReport, samples: Int) {
        let target = test.directory.file("repaired")
        let report = try TimeSeriesStore.repair(from: test.path, to: target)
        let store = try TimeSeriesStore.open(at: target)
        defer { store.close() }
        #expect(try store.verify().problems.isEmpty)
        return (report, store.snapshot().count(of: id))
    }

    private func lost(_ report: RepairReport) -> [RepairReport.Loss] { report.losses.filter { $0.series == id } }

    @Test("Samples of replaced segments are kept in the merged segment")
    func merged() throws {
        try test.store.compact()
        try test.reopen()
        #expect(try names().count == 1)
        try rollBack()
        let (report, samples) = try repaired()
        #expect(samples == 3_000 && report.samplesLost == 0, "\(report.losses)")
        #expect(!report.isComplete && lost(report).isEmpty)
        #expect(report.remarks.count { $0.contains("all its 1000 samples") } == 3, "\(report.remarks)")
    }

    @Test("Samples missing in the merged segment are lost and counted")
    func deleted() throws {
        try test.store.delete(from: id, startingIn: TimeRange(0, 300 * second))
        try test.store.compact()
        try test.reopen()
        #expect(try names().count == 1)
        try rollBack()
        let (report, samples) = try repaired()
        #expect(samples == 2_700 && report.samplesLost == 300, "\(report.losses)")
        #expect(lost(report).count == 3 && lost(report).allSatisfy { $0.message.contains("900 other samples") })
    }

    @Test("Later samples with the same times do not hide a loss")
    func others() throws {
        try test.store.load(Self.samples(0), to: id)
        try test.store.load(Self.samples(1), to: id)
        let gone = try #require(earlier.files.keys.filter { $0.hasPrefix("segments/") }.min())
        try rollBack()
        try RealDisk().remove(test.path + "/" + gone)
        let (report, samples) = try repaired()
        #expect(samples == 4_000 && report.samplesLost == 1_000, "\(report.losses)")
    }

    @Test("An ambiguous loss is reported, with the number that later segments may have")
    func doubtful() throws {
        try test.store.compact()
        try test.reopen()
        try rollBack()
        let merged = try #require(try names().first.flatMap(StoreLayout.uuid(ofFile:)))
        let catalog = try CatalogSalvage(
            at: test.path + "/kymograph.sqlite", keys: test.store.context.options.keys?.pages)
        defer { catalog.close() }
        var rows = catalog.engineRows()
        // Simulates a tail with samples of the first load's commit.
        rows.tail.append(TailRow(seq: rows.segments[0].born, body: []))
        var missing = LostSampleFinder(rows)
        var report = RepairReport()
        func salvage(_ uuid: [UInt8], _ row: SegmentRow?) -> SegmentSalvage {
            let path = StoreLayout(root: test.path).segment(uuid)
            return SegmentSalvage(
                path: path, uuid: uuid, store: test.store.context.storeID, row: row, test.store.context.access,
                most: 1 << 24)
        }
        for row in rows.segments {
            let one = salvage(row.uuid, row)
            missing.note(one, losses: report.losses.count)
            report.losses += one.report.losses
        }
        #expect(report.samplesLost == 3_000)
        try missing.look(salvage(merged, nil))
        missing.settle(&report)
        #expect(report.samplesLost == 1_000 && report.losses.count == 1 && report.remarks.count == 2)
        #expect(report.losses.first?.message.contains("may hold 1000 of these samples") == true, "\(report.losses)")
    }
}
