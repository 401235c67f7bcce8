// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 repair of a store whose catalog is unreadable for SQLite")
struct CatalogRepairTests {
    /// A closed store with many series, a tail of several pages and deletions, with or without segments.
    private struct Patient {
        let test: TestStore
        let catalog: String
        let sound: [UInt8]
        var samples: [String: [Sample]] = [:]
        let info: StoreInfo

        var pages: Int { sound.count / 4_096 }

        init(segments: Bool) throws {
            test = try TestStore { options in
                (options.sealSamples, options.sealBatches) = (1 << 20, 1 << 20)
            }
            for i in 0..<60 {
                let name = "a series with the number \(i)"
                let id = try test.store.series(name, labels: ["place": "\(i)"], kind: .discrete).id
                if segments, i < 3 {
                    let all = (0..<2_000).map { Sample(start: Int64($0) * second, value: Double($0 % 50 + i)) }
                    try test.store.load(all, to: id)
                    samples[name] = all
                }
                for part in 0..<8 {
                    let late = (0..<20).map { (k: Int) -> Sample in
                        let value = Double((k + part) * 7_919 * (i + 7) % 100_003) / 7
                        return Sample(start: Int64(k + part * 20) * hour, value: value)
                    }
                    try test.store.append(late, to: id)
                    samples[name, default: []] += late
                }
                if i % 10 == 0 {
                    let range = TimeRange(5 * hour, 9 * hour)
                    try test.store.delete(from: id, startingIn: range)
                    samples[name]?.removeAll { range.contains($0.start) }
                }
            }
            info = try test.store.info()
            test.store.close()
            catalog = test.path + "/kymograph.sqlite"
            sound = try RealDisk().contents(of: catalog, limit: 1 << 26)
        }

        /// Repairs the store with some pages damaged. Returns the remaining samples of each series by name.
        func repaired(
            _ damaged: Set<Int>, zeros: Bool = false
        ) throws -> (report: RepairReport, left: [String: [Sample]], info: StoreInfo) {
            var bytes = sound
            for page in damaged {
                for i in (page - 1) * 4_096..<page * 4_096 { bytes[i] = zeros ? 0 : bytes[i] ^ 0x5A }
            }
            try RealDisk().remove(catalog)
            try RealDisk().createFile(catalog, bytes)
            let target = test.directory.file("repaired-\(damaged.sorted())-\(zeros)")
            let report = try TimeSeriesStore.repair(from: test.path, to: target)
            let store = try TimeSeriesStore.open(at: target)
            defer { store.close() }
            #expect(try store.verify().problems.isEmpty)
            var left: [String: [Sample]] = [:]
            for series in store.snapshot().series { left[series.name] = try store.snapshot().all(series.id) }
            return (report, left, try store.info())
        }
    }

    @Test("Damage to page 1 alone loses nothing, with segments or with only a tail", arguments: [false, true])
    func firstPage(segments: Bool) throws {
        let patient = try Patient(segments: segments)
        #expect(patient.pages > 12, "\(patient.pages) pages")
        #expect(patient.info.segments == (segments ? 3 : 0))
        for zeros in [false, true] {
            let (report, left, info) = try patient.repaired([1], zeros: zeros)
            #expect(report.isComplete, "\(report.losses.map(\.message))")
            #expect(report.remarks.count == 1 && report.remarks[0].contains("read page by page"))
            for (name, all) in patient.samples {
                #expect(left[name]?.sorted { $0.start < $1.start } == all.sorted { $0.start < $1.start }, "\(name)")
            }
            #expect(info.storeID == patient.info.storeID && info.sequence == patient.info.sequence)
            #expect(info.deletedSamples == patient.info.deletedSamples)
            #expect(info.oldestCommit == patient.info.oldestCommit)
        }
    }

    @Test("Damage to any page, alone or with page 1, invents no sample and reports losses", arguments: [false, true])
    func anyPage(withFirst: Bool) throws {
        let patient = try Patient(segments: false)
        var complete = 0
        for page in 2...patient.pages {
            let (report, left, _) = try patient.repaired(withFirst ? [1, page] : [page])
            if report.isComplete { complete += 1 }
            let isBack = report.losses.contains { $0.message.contains("may be visible again") }
            for (name, all) in patient.samples {
                let wanted = Set(all)
                let found = left[name] ?? []
                if !isBack {
                    #expect(Set(found).isSubset(of: wanted), "page \(page): \(name) has invented samples")
                }
                if Set(found).isSuperset(of: wanted) { continue }
                #expect(!report.isComplete, "page \(page): lost samples of \(name) are not reported")
            }
        }
        // Indexes and inner pages.
        #expect(complete >= (withFirst ? 0 : 2))
    }
}
