// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@testable import KymographHealth

@Suite("T-5 repair of a health store: samples keep their sources and metadata, and damage costs only its rows")
struct HealthRepairTests {
    private func samples() -> [TestSample] {
        (0..<3_000).map { (i: Int) -> TestSample in
            let start: Int64 = newYear + Int64(i) * hour
            var sample = TestSample(source: "source \(i % 7)", start: start, end: start + second, value: Double(i))
            sample.version = "\(i % 3)"
            if i % 2 == 0 { sample.device = "device \(i % 5)" }
            if i % 4 == 0 { sample.note = "note number \(i) of many, so that the table has pages" }
            return sample
        }
    }

    private func repaired(
        _ change: (inout [UInt8]) -> Void
    ) throws -> (report: HealthRepairReport, left: [TestSample], store: HealthStore, keep: TestHealthStore) {
        let test = try TestHealthStore()
        try test.store.load(samples())
        test.store.close()
        let disk = RealDisk()
        let path = test.directory.file("store") + "/kymograph.sqlite"
        var bytes = try disk.contents(of: path, limit: 1 << 26)
        change(&bytes)
        try disk.remove(path)
        try disk.createFile(path, bytes)
        let target = test.directory.file("repaired")
        let report = try HealthStore.repair(from: test.directory.file("store"), to: target)
        let store = try HealthStore.open(at: target)
        let found = try store.verify()
        #expect(found.isSound, "\(found.problems) \(found.engine.problems)")
        return (report, try store.all(), store, test)
    }

    @Test("A repair of an undamaged store gives an equal store")
    func sound() throws {
        let (report, left, store, _) = try repaired { _ in }
        defer { store.close() }
        #expect(report.isComplete && report.remarks.isEmpty)
        #expect(left.counts == samples().counts)
        #expect(report.metadata == 750 && report.sources == 7)
    }

    @Test("A damaged catalog page costs only its rows: the repaired store is sound, and the report names the loss")
    func pages() throws {
        func withoutDevices(_ samples: [TestSample]) -> [TestSample] {
            samples.map { sample in
                var sample = sample
                sample.device = nil
                return sample
            }
        }
        var (lossy, withoutDevice) = (0, 0)
        for page in 1..<24 {
            let (report, left, store, _) = try repaired { bytes in
                let range = page * 4_096..<(page + 1) * 4_096
                if range.upperBound <= bytes.count { for i in range { bytes[i] ^= 0x55 } }
            }
            defer { store.close() }
            let wanted = samples()
            #expect(left.count <= wanted.count)
            #expect(left.map(\.value).allSatisfy { $0 >= 0 && $0 < 3_000 })
            if !report.losses.isEmpty, report.losses.allSatisfy({ $0.message.hasPrefix("table device") }) {
                // Versions that differ only by their device stay separate.
                withoutDevice += 1
                #expect(withoutDevices(left).counts == withoutDevices(wanted).counts)
                #expect(Set(left.compactMap(\.device)).contains { $0.contains("lost-device-") })
            }
            if left.counts != wanted.counts {
                lossy += 1
                #expect(!report.isComplete || !report.remarks.isEmpty)
            }
        }
        #expect(lossy > 0 && withoutDevice > 0)
    }

    @Test("Damage to page 1 or to an inner page of a table loses no rows", .ofPlainStores)
    func branches() throws {
        var branches = 0
        for page in 0..<64 {
            var isBranch = false
            let (report, left, store, _) = try repaired { bytes in
                let range = page * 4_096..<(page + 1) * 4_096
                guard range.upperBound <= bytes.count else { return }
                isBranch = page == 0 || bytes[range.lowerBound] == 5
                if isBranch { for i in range { bytes[i] ^= 0x55 } }
            }
            defer { store.close() }
            if !isBranch { continue }
            branches += 1
            #expect(report.isComplete, "page \(page + 1): \(report.losses) \(report.engine.losses)")
            #expect(left.counts == samples().counts)
            #expect(report.metadata == 750 && report.sources == 7)
        }
        #expect(branches > 1)
    }
}
