// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

/// A closed store with segments and a tail, its samples, and functions that damage its files.
private struct Patient {
    let test: TestStore
    var samples: [String: [Sample]] = [:]
    let target: String

    init(tail: Bool = true) throws {
        test = try TestStore()
        target = test.directory.file("repaired")
        for (i, name) in ["pulse", "steps", "weight"].enumerated() {
            let id = try test.store.series(name, labels: ["place": "\(i)"], kind: i == 1 ? .cumulative : .discrete).id
            let all = (0..<6_000).map {
                Sample(start: Int64($0) * 60 * second, end: Int64($0 * 60 + i) * second, value: Double($0 % 50 + i))
            }
            try test.store.load(all, to: id)
            samples[name] = all
            if !tail { continue }
            let late = (0..<20).map { Sample(start: Int64($0) * hour, value: 1e6 + Double($0)) }
            try test.store.append(late, to: id)
            samples[name]? += late
        }
        test.store.close()
    }

    func segments() throws -> [String] {
        try RealDisk().list(test.path + "/segments").map { test.path + "/segments/" + $0 }
    }

    func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try RealDisk().contents(of: path, limit: 1 << 26)
        body(&bytes)
        try RealDisk().remove(path)
        try RealDisk().createFile(path, bytes)
    }

    /// Repairs, verifies the result and returns the remaining samples of each series.
    func repaired() throws -> (report: RepairReport, left: [String: [Sample]]) {
        let report = try TimeSeriesStore.repair(from: test.path, to: target)
        let store = try TimeSeriesStore.open(at: target)
        defer { store.close() }
        #expect(try store.verify().problems.isEmpty)
        var left: [String: [Sample]] = [:]
        for series in store.snapshot().series { left[series.name] = try store.snapshot().all(series.id) }
        return (report, left)
    }

    /// Expects that all missing samples lie in ranges of the report and are counted.
    func expectReported(_ report: RepairReport, _ left: [String: [Sample]]) {
        var missing = 0
        for (name, all) in samples {
            var rest = Dictionary(grouping: left[name] ?? []) { $0 }.mapValues(\.count)
            for sample in all {
                if let count = rest[sample], count > 0 {
                    rest[sample] = count - 1
                    continue
                }
                missing += 1
                let isReported = report.losses.contains {
                    $0.seriesName == name && $0.range?.contains(sample.start) ?? true
                }
                #expect(isReported, "\(name) at \(sample.start) is missing and not reported")
            }
            #expect(rest.values.allSatisfy { $0 == 0 }, "\(name) has samples that were never stored")
        }
        #expect(missing == report.samplesLost)
    }
}

@Suite("E-16 repair: a new store of everything intact, and a list of the exact losses")
struct RepairTests {
    @Test("Repair of an intact store gives an equal one: series, samples, identities, tail, commit and segment bytes")
    func sound() throws {
        let patient = try Patient()
        let (report, left) = try patient.repaired()
        #expect(report.isComplete && report.remarks.isEmpty)
        #expect(report.segmentsRewritten == 0 && report.segmentsLost == 0)
        patient.expectReported(report, left)
        let names = try RealDisk().list(patient.test.path + "/segments")
        #expect(try RealDisk().list(patient.target + "/segments") == names)
        for name in names {
            let old = try RealDisk().contents(of: patient.test.path + "/segments/" + name, limit: 1 << 26)
            #expect(try RealDisk().contents(of: patient.target + "/segments/" + name, limit: 1 << 26) == old)
        }
        try patient.test.reopen()
        let new = try TimeSeriesStore.open(at: patient.target, mode: .readOnly)
        let (was, now) = (try patient.test.store.info(), try new.info())
        #expect(was.sequence == now.sequence && was.storeID == now.storeID && was.tailSamples == now.tailSamples)
        #expect(patient.test.store.snapshot().series.map(\.labels) == new.snapshot().series.map(\.labels))
        #expect(patient.test.store.snapshot().series.map(\.kind) == new.snapshot().series.map(\.kind))
    }

    @Test(
        "Damage to a segment loses the samples it hits, and the report names exactly those", arguments: 1...40)
    func damage(seed: Int) throws {
        let patient = try Patient(tail: seed % 2 == 0)
        var random = SeededGenerator(seed: UInt64(seed))
        let path = random.pick(try patient.segments())
        try patient.change(path) { bytes in
            let at = random.below(bytes.count)
            switch seed % 4 {
            case 0: for i in at..<min(bytes.count, at + 4_096) { bytes[i] = 0 }
            case 1: bytes.removeLast(bytes.count - at)
            default: bytes[at] ^= UInt8(1 << random.below(8))
            }
        }
        let (report, left) = try patient.repaired()
        patient.expectReported(report, left)
        #expect(report.losses.allSatisfy { $0.path == path })
        #expect(report.segmentsRewritten + report.segmentsCopied + report.segmentsLost == 3)
    }

    @Test("A missing segment is reported by name, range and number of samples; other segments are kept")
    func missing() throws {
        let patient = try Patient()
        try RealDisk().remove(try patient.segments()[0])
        let (report, left) = try patient.repaired()
        patient.expectReported(report, left)
        #expect(report.segmentsLost == 1 && report.samplesLost == 6_000)
    }

    @Test("Without a catalog the segments' samples are kept under generated names")
    func noCatalog() throws {
        let patient = try Patient()
        try RealDisk().remove(patient.test.path + "/kymograph.sqlite")
        #expect(throws: StoreError.self) { try TimeSeriesStore.open(at: patient.test.path) }
        #expect(try TimeSeriesStore.verify(at: patient.test.path).problems.count >= 2)
        let (report, left) = try patient.repaired()
        #expect(!report.isComplete)
        let all = left.values.map(\.count).sorted()
        #expect(all == [6_000, 6_000, 6_000])
        #expect(Set(left.keys) == ["lost-name-1", "lost-name-2", "lost-name-3"])
    }

    @Test("A catalog with a damaged page gives the rows of its other pages", arguments: 1...12)
    func damagedPage(page: Int) throws {
        let patient = try Patient()
        let path = patient.test.path + "/kymograph.sqlite"
        let count = try RealDisk().size(of: path) / 4_096
        guard UInt64(page) < count else { return }
        try patient.change(path) { for i in page * 4_096..<(page + 1) * 4_096 { $0[i] = 0xA5 } }
        let (report, left) = try patient.repaired()
        #expect(left.values.reduce(0) { $0 + $1.count } >= 18_000)
        for (name, found) in left where !name.hasPrefix("lost-name") {
            #expect(Set(found).isSubset(of: Set(patient.samples[name] ?? [])))
        }
        if left.values.reduce(0, { $0 + $1.count }) < 18_060 { #expect(!report.isComplete) }
    }

    @Test("Without segments and with the catalog's meta row damaged, the tail is kept and the witness gives the id")
    func noSegments() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        let samples = (0..<4).map { Sample(start: Int64($0) * hour, value: Double($0)) }
        for sample in samples { try test.store.append([sample], to: id) }
        let (wanted, last) = (test.store.context.storeID, test.store.snapshot().sequence)
        test.store.close()
        let path = test.path + "/kymograph.sqlite"
        var bytes = try RealDisk().contents(of: path, limit: 1 << 26)
        // The second page belongs to the table `meta`.
        bytes[4_096 + 2_000] ^= 1
        try RealDisk().remove(path)
        try RealDisk().createFile(path, bytes)
        let target = test.directory.file("repaired")
        let report = try TimeSeriesStore.repair(from: test.path, to: target)
        #expect(report.samples == 4 && report.losses.isEmpty)
        #expect(!report.remarks.contains { $0.contains("witness cannot be read") })
        let store = try TimeSeriesStore.open(at: target)
        defer { store.close() }
        #expect(try store.snapshot().all(id) == samples)
        #expect(store.context.storeID == wanted && store.snapshot().sequence >= last)
    }

    @Test("Lost rows of the tail are reported by their commits, and unknown details as unknown")
    func lostTail() throws {
        for count in 1...2 {
            let test = try TestStore()
            let ids = try (0..<count).map { try test.store.series("s\($0)", kind: .discrete).id }
            for i in 0..<400 {
                let samples = (0..<8).map { Sample(start: Int64(i * 8 + $0) * hour, value: Double($0) * 0.37) }
                try test.store.append(samples, to: ids[i % count])
            }
            let last = test.store.snapshot().sequence
            test.store.close()
            let path = test.path + "/kymograph.sqlite"
            var bytes = try RealDisk().contents(of: path, limit: 1 << 26)
            // The leaves of the tail are the last pages filled.
            let page = bytes.count / 4_096 - 4
            for i in page * 4_096..<(page + 1) * 4_096 { bytes[i] = 0xA5 }
            try RealDisk().remove(path)
            try RealDisk().createFile(path, bytes)
            let target = test.directory.file("repaired")
            let report = try TimeSeriesStore.repair(from: test.path, to: target)
            let store = try TimeSeriesStore.open(at: target)
            defer { store.close() }
            let left = try ids.reduce(0) { try $0 + store.snapshot().all($1).count }
            #expect(left < 3_200 && left > 2_000, "\(left)")
            let losses = report.losses.filter(\.concernsSamples)
            #expect(!losses.isEmpty)
            var reported = 0
            for loss in losses {
                #expect(loss.range == nil && loss.message.contains("unknown"), "\(loss.message)")
                #expect(loss.series == (count == 1 ? ids[0] : nil), "\(loss.message)")
                let numbers = loss.message.split { !$0.isNumber }.compactMap { Int64($0) }
                let isOne = loss.message.contains("of commit ")
                let commits = try #require(numbers.first)...(isOne ? numbers[0] : numbers[1])
                #expect(commits.upperBound <= last, "\(loss.message)")
                reported += commits.count * 8
            }
            // With eight samples per commit, the report names exactly the missing commits.
            #expect(reported == 3_200 - left, "\(losses.map(\.message))")
        }
    }

    @Test("A pipe in place of the catalog is reported as damage, without waiting for its other end")
    func pipe() throws {
        let test = try TestStore()
        try test.store.append([Sample(start: 0, value: 1)], to: test.store.series("pulse", kind: .discrete).id)
        test.store.close()
        let catalog = test.path + "/kymograph.sqlite"
        try RealDisk().remove(catalog)
        try #require(unsafe mkfifo(catalog, 0o600) == 0)
        let (path, target) = (test.path, test.directory.file("repaired"))
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            #expect(throws: StoreError.self) { try TimeSeriesStore.open(at: path) }
            #expect(((try? TimeSeriesStore.verify(at: path))?.problems.count ?? 0) > 0)
            #expect((try? TimeSeriesStore.repair(from: path, to: target))?.isComplete != true)
            done.signal()
        }
        thread.start()
        let isOver = done.wait(timeout: .now() + 30) == .success
        #expect(isOver, "a call blocks")
        // Unblocks the call.
        if !isOver { _ = try? FileHandle(forUpdating: URL(fileURLWithPath: catalog)).close() }
    }

    @Test("A truncated, overwritten or missing catalog is damage, never a missing store")
    func traces() throws {
        for damage in 0..<3 {
            let test = try TestStore()
            try test.store.append([Sample(start: 0, value: 1)], to: test.store.series("pulse", kind: .discrete).id)
            test.store.close()
            let path = test.path + "/kymograph.sqlite"
            let bytes = try RealDisk().contents(of: path, limit: 1 << 26)
            try RealDisk().remove(path)
            if damage == 0 { try RealDisk().createFile(path, Array(bytes.prefix(2_000))) }
            if damage == 1 { try RealDisk().createFile(path, [UInt8](repeating: 7, count: bytes.count)) }
            do {
                _ = try TimeSeriesStore.open(at: test.path)
                Issue.record("opened")
            } catch { #expect(error.kind == .corrupt, "\(damage): \(error)") }
            let found = try TimeSeriesStore.verify(at: test.path)
            #expect(!found.problems.isEmpty)
            let report = try TimeSeriesStore.repair(from: test.path, to: test.directory.file("repaired"))
            #expect(!report.isComplete)
        }
    }

    @Test("A target with files is refused, and so is a source without a store")
    func refusals() throws {
        let patient = try Patient()
        #expect(throws: StoreError.self) { try TimeSeriesStore.repair(from: patient.test.path, to: patient.test.path) }
        #expect(throws: StoreError.self) { try TimeSeriesStore.repair(from: patient.target, to: patient.target + "2") }
        do {
            try TimeSeriesStore.repair(from: patient.test.path, to: patient.test.path + "/repaired")
            Issue.record("wrote into the damaged store")
        } catch { #expect(error.kind == .invalidArgument) }
        try RealDisk().createDirectory(patient.target)
        #expect(throws: StoreError.self) { try TimeSeriesStore.repair(from: patient.target, to: patient.target + "2") }
        try TimeSeriesStore.repair(from: patient.test.path, to: patient.target)
        do {
            try TimeSeriesStore.repair(from: patient.test.path, to: patient.target)
            Issue.record("wrote over a store")
        } catch { #expect(error.kind == .alreadyExists) }
    }

    @Test("A query error names file, byte, series and times; other times and series can be read")
    func named() throws {
        let patient = try Patient(tail: false)
        let paths = try patient.segments()
        let header = TestKey.isUsed ? SegmentHeader.encryptedSize : SegmentHeader.size
        for path in paths { try patient.change(path) { $0[header + 36] ^= 1 } }
        try patient.test.reopen()
        let snapshot = patient.test.store.snapshot()
        for series in snapshot.series {
            let all = try #require(patient.samples[series.name])
            var starts: [Int64] = []
            var values: [Double] = []
            let queries: [() throws -> Void] = [
                { _ = try snapshot.all(series.id) },
                { try snapshot.read(series.id, starts: &starts, values: &values) },
                { _ = try snapshot.aggregate(of: series.id, over: TimeRange(second, 90 * second)) },
                { _ = try snapshot.buckets(of: series.id, .fixed(nanoseconds: 61 * second)) },
            ]
            for query in queries {
                do {
                    try query()
                    Issue.record("a damaged block was read")
                } catch let error as StoreError {
                    #expect(error.kind == .corrupt && error.series == series.id)
                    #expect(error.path.map(paths.contains) ?? false && error.offset == UInt64(header))
                    let range = try #require(error.range)
                    #expect(range.contains(all[0].start) && !range.contains(all[5_999].start))
                    #expect(error.description.contains("1970-01-01T00:00:00"))
                    // All samples after the block can be read.
                    let rest = all.filter { $0.start >= range.end }
                    #expect(try snapshot.all(series.id, over: TimeRange(range.end, .max)) == rest)
                }
            }
        }
    }
}

@Suite("E-16 repair: an interrupted repair leaves no store that appears complete")
struct InterruptedRepairTests {
    @Test("After a stop at any change, the target is not a store or is complete")
    func stopped() throws {
        let source = try FaultyDisk()
        let layer = try SimulatedLayer(source)
        let options = layer.options
        let store = try TimeSeriesStore.create(at: "/old", options: options)
        let id = try store.series("pulse", kind: .discrete).id
        try store.load((0..<3_000).map { Sample(start: Int64($0), value: Double($0)) }, to: id)
        store.close()
        var mutations = 0
        while true {
            let disk = try FaultyDisk(source.crash(seed: 1, .keepAll))
            disk.stop(afterMutations: mutations)
            let working = try SimulatedLayer(disk)
            var report: RepairReport?
            do throws(StoreError) {
                report = try TimeSeriesStore.repair(from: "/old", to: "/new", options: working.options)
            } catch {
                #expect(mutations < 400, "the repair never succeeds: \(error)")
                if mutations >= 400 { break }
            }
            let left = try SimulatedLayer(disk.crash(seed: UInt64(mutations), mutations % 2 == 0 ? .keepAll : .any))
            do {
                let found = try TimeSeriesStore.open(at: "/new", options: left.options)
                defer { found.close() }
                #expect(found.snapshot().count(of: id) == 3_000)
                #expect(try found.verify().problems.isEmpty)
            } catch {
                #expect(error.kind == .notAStore && report == nil, "\(error)")
            }
            if report != nil { break }
            // A retry into the same target is complete, or refused because the store exists.
            do throws(StoreError) {
                let again = try TimeSeriesStore.repair(from: "/old", to: "/new", options: left.options)
                #expect(again.isComplete && again.samples == 3_000)
            } catch { #expect(error.kind == .alreadyExists, "\(error)") }
            mutations += 1
        }
        #expect(mutations > 10)
    }

    @Test("After an error the target is unchanged; files of a killed repair are not a store and are replaced")
    func left() throws {
        let patient = try Patient()
        let disk = RealDisk()
        // The failing layer above runs last.
        for isThere in [false, true] {
            if isThere { try disk.createDirectory(patient.target) }
            #expect(throws: StoreError.self) {
                try TimeSeriesStore.repair(from: patient.test.path, to: patient.target, options: StoreOptions()) {
                    _, _ in throw StoreError(.cancelled, "enough")
                }
            }
            #expect(try disk.exists(patient.target) == isThere)
            if isThere { #expect(try disk.list(patient.target).isEmpty) }
        }
        try disk.createFile(patient.target + "/REPAIR", [])
        try disk.createFile(patient.target + "/LOCK", [])
        try disk.createDirectory(patient.target + "/segments")
        try disk.createFile(patient.target + "/segments/00000000-0000-8000-8000-000000000000.kseg", [1])
        try disk.createFile(patient.target + "/kymograph.sqlite.new", [1])
        for refused in [
            { _ = try TimeSeriesStore.open(at: patient.target) },
            { _ = try TimeSeriesStore.openOrCreate(at: patient.target) },
            { _ = try TimeSeriesStore.verify(at: patient.target) },
            { _ = try TimeSeriesStore.repair(from: patient.target, to: patient.target + "-2") },
        ] {
            #expect { try refused() } throws: { ($0 as? StoreError)?.kind == .notAStore }
        }
        let running = try #require(try disk.lock(patient.target + "/LOCK", exclusive: true, byte: 0))
        #expect { try patient.repaired() } throws: { ($0 as? StoreError)?.kind == .locked }
        running.release()
        let (report, left) = try patient.repaired()
        #expect(report.isComplete)
        #expect(left.mapValues(\.count) == patient.samples.mapValues(\.count))
        #expect(try !disk.exists(patient.target + "/REPAIR"))
    }
}
