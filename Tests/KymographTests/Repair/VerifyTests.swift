// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("T-5 verify: damage is found and named, and never gives a wrong number")
struct VerifyTests {
    private func damaged(
        _ change: (inout [UInt8], inout SeededGenerator) -> Void, seed: UInt64
    ) throws -> (TestStore, SeriesID, [Sample]) {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        let samples = (0..<6_000).map { Sample(start: Int64($0) * second, value: Double($0 % 50)) }
        try test.store.load(samples, to: id)
        test.store.close()
        let disk = RealDisk()
        let name = try #require(try disk.list(test.path + "/segments").first)
        let path = test.path + "/segments/" + name
        var bytes = try disk.contents(of: path, limit: 1 << 24)
        var random = SeededGenerator(seed: seed)
        change(&bytes, &random)
        try disk.remove(path)
        try disk.createFile(path, bytes)
        try test.reopen()
        return (test, id, samples)
    }

    @Test(
        "A flipped bit in a segment is named by verify, and queries give the right answer or an error",
        arguments: 1...60)
    func flips(seed: Int) throws {
        let (test, id, samples) = try damaged(
            { bytes, random in bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8)) }, seed: UInt64(seed))
        let report = try test.store.verify()
        #expect(!report.problems.isEmpty)
        #expect(report.problems.allSatisfy { !$0.message.isEmpty && $0.path.hasSuffix(".kseg") })
        let snapshot = test.store.snapshot()
        do { #expect(try snapshot.all(id) == samples) } catch { #expect(error.kind == .corrupt) }
        do {
            let minutes = try snapshot.buckets(
                of: id, .fixed(nanoseconds: 60 * second), over: TimeRange(0, 6_000 * second))
            #expect(minutes.allSatisfy { $0.count == 60 })
        } catch { #expect(error.kind == .corrupt || error.kind == .newerFormat) }
    }

    @Test("Files that are unreadable for lack of descriptors or rights are not damage, and repair refuses to run")
    func refusals() throws {
        for errno in [DiskError.tooManyFiles, DiskError.denied] {
            for (kind, suffix) in [
                (DiskCallKind.open, ".kseg"), (.map, ".kseg"), (.open, "WITNESS"), (.list, "segments"),
            ] {
                let disk = try FaultyDisk()
                let simulated = try SimulatedStore(disk)
                try simulated.create()
                try simulated.perform(.series("pulse", .discrete))
                try simulated.perform(.load([("pulse", (0..<300).map { Sample(start: Int64($0) * second, value: 1) })]))
                simulated.close()
                let options = simulated.options
                disk.inject(DiskFault([kind], pathSuffix: suffix, forever: true, errno: errno))
                do throws(StoreError) {
                    let report = try TimeSeriesStore.verify(at: SimulatedStore.path, options: options)
                    #expect(report.problems.isEmpty, "\(errno) \(kind): \(report.problems)")
                    // Segments are mapped, and the witness is opened before the store.
                    #expect(report.isSound == (kind == .open), "\(errno) \(kind) \(suffix)")
                } catch {
                    #expect(error.kind == .inputOutput && error.isRefusal, "\(errno) \(kind): \(error)")
                }
                // A repair reads segments without a map.
                if kind != .map {
                    let error = #expect(throws: StoreError.self, "\(errno) \(kind) \(suffix)") {
                        try TimeSeriesStore.repair(from: SimulatedStore.path, to: "/repaired", options: options)
                    }
                    #expect(error?.kind == .inputOutput, "\(errno) \(kind): \(String(describing: error))")
                }
                disk.clearFaults()
                let after = try TimeSeriesStore.verify(at: SimulatedStore.path, options: options)
                #expect(after.isSound && after.samples == 300)
            }
        }
    }

    @Test(
        "Failures to open, lock or stat a file are not reported as damage",
        arguments: [
            (DiskCallKind.kind, "WITNESS"), (.sizeOf, "WITNESS"), (.open, "WITNESS"), (.lock, "LOCK"),
            (.list, "segments"),
            (.kind, ".kseg"), (.sizeOf, ".kseg"), (.map, ".kseg"),
        ])
    func unanswered(_ kind: DiskCallKind, _ suffix: String) throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        try simulated.perform(.load([("pulse", (0..<300).map { Sample(start: Int64($0) * second, value: 1) })]))
        simulated.close()
        for errno in [DiskError.inputOutput, DiskError.tooManyFiles]
        where kind != .map || errno != DiskError.inputOutput {
            disk.inject(DiskFault([kind], pathSuffix: suffix, forever: true, errno: errno))
            do throws(StoreError) {
                let report = try TimeSeriesStore.verify(at: SimulatedStore.path, options: simulated.options)
                #expect(report.problems.isEmpty && !report.isSound, "\(errno): \(report)")
            } catch {
                #expect(error.kind == .inputOutput && !error.mayBeDamage, "\(errno): \(error)")
            }
            disk.clearFaults()
        }
        #expect(try TimeSeriesStore.verify(at: SimulatedStore.path, options: simulated.options).isSound)
    }

    @Test(
        "An unreadable stray file is reported, and everything else is verified",
        arguments: [DiskCallKind.open, .read], [DiskError.inputOutput, DiskError.denied])
    func strayFile(_ kind: DiskCallKind, _ errno: Int32) throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        try simulated.perform(.series("pulse", .discrete))
        try simulated.perform(.load([("pulse", (0..<300).map { Sample(start: Int64($0) * second, value: 1) })]))
        try simulated.perform(.append("pulse", [Sample(start: 900 * second, value: 1)]))
        simulated.close()
        let stray = "00000000-0000-8000-8000-000000000000.kseg"
        try disk.createFile(SimulatedStore.path + "/segments/" + stray, [UInt8](repeating: 1, count: 4_096))
        disk.inject(DiskFault([kind], pathSuffix: stray, forever: true, errno: errno))
        let report = try TimeSeriesStore.verify(at: SimulatedStore.path, options: simulated.options)
        #expect(report.segments == 1 && report.samples == 301)
        #expect((report.unread + report.problems).map(\.path).map { $0.hasSuffix(stray) } == [true], "\(report)")
        #expect(report.isSound == false)
    }

    @Test("Sums that overflow are infinite, and not damage", arguments: [1e200, 1.5e308, -1.5e308])
    func overflowing(value: Double) throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        let samples = (0..<6_000).map { Sample(start: Int64($0) * second, value: $0 % 3 == 0 ? value : value / 2) }
        try test.store.load(samples, to: id)
        #expect(try test.store.verify().problems == [])
        let total = try test.store.snapshot().aggregate(of: id, over: TimeRange(0, 6_000 * second))
        let edges = TimeRange(0, 6_000 * second)
        let whole = try test.store.snapshot().buckets(of: id, .fixed(nanoseconds: 6_000 * second), over: edges)
        let wanted = samples.reduce(0) { $0 + $1.value }
        if wanted.isInfinite { #expect(total.sum == wanted && whole.first?.sum == wanted) }
        #expect(total.max == samples.map(\.value).max() && total.sum?.isNaN == false)
    }

    @Test("A truncated, missing or foreign segment is an error, and the rest can be read")
    func wrongFiles() throws {
        for change in 0..<3 {
            let (test, id, _) = try damaged(
                { bytes, _ in if change == 0 { bytes.removeLast(1_000) } }, seed: 1)
            let other = try test.store.series("other", kind: .discrete).id
            try test.store.append(to: other, [Sample(start: 1, value: 1)])
            let disk = RealDisk()
            let name = try #require(try disk.list(test.path + "/segments").first)
            let path = test.path + "/segments/" + name
            if change == 1 { try disk.remove(path) }
            if change == 2 {
                let second = try TestStore()
                let series = try second.store.series("pulse", kind: .discrete)
                try second.store.load(
                    (0..<6_000).map { Sample(start: Int64($0), value: Double($0 % 50)) }, to: series.id)
                let theirs = try #require(try disk.list(second.path + "/segments").first)
                let bytes = try disk.contents(of: second.path + "/segments/" + theirs, limit: 1 << 24)
                try disk.remove(path)
                try disk.createFile(path, bytes)
            }
            try test.reopen()
            #expect(throws: StoreError.self) { try test.store.snapshot().all(id) }
            #expect(try test.store.snapshot().all(other).count == 1)
            #expect(try !test.store.verify().problems.isEmpty)
        }
    }

    @Test("A segment truncated under a reader is an error, not a signal")
    func truncatedUnderReader() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.load((0..<500_000).map { Sample(start: Int64($0) * second, value: Double($0)) }, to: id)
        let snapshot = test.store.snapshot()
        #expect(try snapshot.all(id, limit: 10).count == 10)
        let name = try #require(try RealDisk().list(test.path + "/segments").first)
        try TruncatedFile.truncate(test.path + "/segments/" + name, to: 8_192)
        do {
            _ = try snapshot.all(id)
            Issue.record("read past the end")
        } catch { #expect(error.kind == .corrupt) }
    }
}
