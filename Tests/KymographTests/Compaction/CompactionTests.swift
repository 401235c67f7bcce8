// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-5 E-6 E-15 compaction: steps during ingestion, compact(), snapshots, space accounting")
struct CompactionTests {
    @Test(
        "After any writes, deletions, merges and reopenings, every query equals an array's",
        arguments: 1...6)
    func random(seed: UInt64) throws {
        try DeletedLife(seed: seed, compacts: true).live(steps: 70) { life in try life.test.store.compact() }
    }

    private static let start: Int64 = 1_700_000_000 * second

    /// Half a year of hourly samples, every fifth late, in many segments, with ties.
    private func halfAYear(_ options: (inout StoreOptions) -> Void = { _ in }) throws -> (TestStore, SeriesID, Oracle) {
        let test = try TestStore { all in
            all.compaction.leastBytes = 300
            options(&all)
        }
        let id = try test.store.series("a", kind: .discrete).id
        var oracle = Oracle(kind: .discrete)
        var random = SeededGenerator(seed: 3)
        for part in 0..<20 {
            let samples = (0..<220).map { i in
                let late = random.chance(0.2) ? Int64(random.below(100 * 24)) * hour : 0
                let at = Self.start + Int64(part * 220 + i) * hour - late
                return Sample(start: at, value: Double(random.below(50)))
            }
            try test.store.append(samples, to: id)
            oracle.append(samples)
            try test.store.seal()
        }
        return (test, id, oracle)
    }

    private func sorted(_ samples: [Sample]) -> [Sample] {
        samples.sorted { ($0.start, $0.end, $0.value) < ($1.start, $1.end, $1.value) }
    }

    private func files(_ test: TestStore) throws -> Int { try test.options.disk.list(test.path + "/segments").count }

    @Test("Merging everything leaves one or two segments per month and all samples with identities and commits")
    func everything() throws {
        let (test, id, oracle) = try halfAYear()
        func rows() throws -> [SampleIdentity: (Sample, Int64)] {
            var found = [SampleIdentity: (Sample, Int64)]()
            try test.store.snapshot().scan(id, including: [.identity, .born]) { batch in
                for i in 0..<batch.count {
                    found[try #require(batch.identity(at: i))] = (batch[i], try #require(batch.born(at: i)))
                }
                return true
            }
            return found
        }
        let before = try rows()
        let weighted = try test.store.snapshot().aggregate(of: id, computing: .all)
        let report = try test.store.compact()
        #expect(report.segmentsRead >= 20 && report.samplesWritten >= 4_400 && report.samplesRemoved == 0)
        let after = try rows()
        #expect(before.count == 4_400 && after.count == 4_400)
        for (identity, row) in before { #expect(after[identity].map { $0 == row } ?? false) }
        #expect(try sorted(test.store.snapshot().all(id)) == sorted(oracle.samples))
        #expect(
            try test.store.snapshot().aggregate(of: id, computing: .all).timeWeightedAverage
                == weighted.timeWeightedAverage)
        let info = try test.store.info()
        #expect(info.segments >= 8 && info.segments <= 20 && info.retiredSegments == 0)
        #expect(try files(test) == info.segments)
        // A second compaction has nothing to do.
        #expect(try test.store.compact().steps == 0)
        try test.reopen()
        #expect(try sorted(test.store.snapshot().all(id)) == sorted(oracle.samples))
        #expect(try test.store.verify().isSound)
    }

    @Test("Deleted samples are in no file afterwards, and the freed space is accounted for")
    func bytesGo() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let secret = 0.123456789123
        try test.store.load((0..<40_000).map { Sample(start: Int64($0) * second, value: secret + Double($0)) }, to: id)
        try test.store.append([Sample(start: 5, value: secret)], to: id)
        let before = try test.store.info()
        try test.store.delete(from: id, startingIn: TimeRange(0, 30_000 * second))
        let deleted = try test.store.info()
        #expect(deleted.deletedSamples == 30_001)
        #expect(abs(Double(deleted.deletedBytes) / Double(before.segmentBytes) - 0.75) < 0.05)
        let report = try test.store.compact()
        // Includes the sample in the tail.
        #expect(report.samplesRemoved == 30_001)
        let after = try test.store.info()
        #expect(after.deletedSamples == 0 && after.deletedBytes == 0 && after.samples == 10_000)
        #expect(after.segmentBytes < before.segmentBytes / 2)
        #expect(try files(test) == 1)
        try test.store.delete(from: id)
        try test.store.compact()
        #expect(try test.store.info().segments == 0 && files(test) == 0)
        #expect(test.store.snapshot().count(of: id) == 0)
        try test.reopen()
        // The number of a segment is never reused.
        try test.store.load([Sample(start: 1, value: 1)], to: id)
        #expect(test.store.snapshot().version.segments.keys.min() ?? 0 > 2)
        #expect(try test.store.verify().isSound)
    }

    @Test("A held snapshot keeps its content through merges, closing and reopening")
    func snapshots() throws {
        let (test, id, oracle) = try halfAYear()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
        let (held, seen) = (test.store.snapshot(), reader.snapshot())
        try test.store.delete(from: id, startingIn: TimeRange(.min, Self.start))
        try test.store.compact()
        let info = try test.store.info()
        #expect(
            info.retiredSegments >= 20 && info.retiredBytes > 0 && info.bytes > info.segmentBytes + info.retiredBytes)
        #expect(try sorted(held.all(id)) == sorted(oracle.samples))
        try test.reopen()
        #expect(try test.store.info().retiredSegments == info.retiredSegments, "a reader may need them")
        #expect(try sorted(held.all(id)) == sorted(oracle.samples))
        #expect(try sorted(seen.all(id)) == sorted(oracle.samples))
        try reader.refresh()
        #expect(reader.snapshot().count(of: id) == test.store.snapshot().count(of: id))
        #expect(try sorted(seen.all(id)) == sorted(oracle.samples))
        reader.close()
        #expect(try test.store.verify().isSound)
    }

    @Test("Files are removed with the last snapshot, and rows with the next commit")
    func release() throws {
        let (test, id, _) = try halfAYear()
        var held: Snapshot? = test.store.snapshot()
        try test.store.compact()
        #expect(try test.store.info().retiredSegments >= 20)
        #expect(held?.count(of: id) == 4_400)
        held = nil
        try test.store.append([Sample(start: 1, value: 1)], to: id)
        try test.store.seal()
        #expect(try test.store.info().retiredSegments == 0)
        #expect(try files(test) == test.store.info().segments)
        try test.store.append([Sample(start: 1, value: 1)], to: id)
        try test.store.seal()
        #expect(test.store.snapshot().version.retired.isEmpty)
    }

    @Test("Segments retired by another opening are removed at an opening without readers")
    func opening() throws {
        let (test, id, _) = try halfAYear()
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
        try test.store.compact()
        try test.reopen()
        #expect(try files(test) > test.store.info().segments)
        _ = consume reader
        try test.reopen()
        #expect(try files(test) == test.store.info().segments)
        #expect(test.store.snapshot().count(of: id) == 4_400)
    }

    @Test("A deletion during a merge also hides samples in the merged segments")
    func meanwhile() throws {
        let (test, id, oracle) = try halfAYear()
        var oracle2 = oracle
        var isDone = false
        try test.store.compact { _ in
            if isDone { return true }
            isDone = true
            do {
                let range = TimeRange(Self.start + 500 * hour, Self.start + 900 * hour)
                try test.store.delete(from: id, startingIn: range)
                oracle2.remove { range.contains($0.start) }
                let sample = Sample(start: Self.start + 600 * hour, value: 7)
                try test.store.append([sample], to: id)
                oracle2.append([sample])
                return true
            } catch {
                Issue.record(error)
                return false
            }
        }
        #expect(isDone)
        #expect(try sorted(test.store.snapshot().all(id)) == sorted(oracle2.samples))
        #expect(test.store.snapshot().count(of: id) == oracle2.samples.count)
        #expect(try test.store.verify().isSound)
        try test.store.compact()
        #expect(try sorted(test.store.snapshot().all(id)) == sorted(oracle2.samples))
        #expect(try test.store.info().deletedSamples == 0)
        try test.reopen()
        #expect(try test.store.verify().isSound)
    }

    @Test("A cancelled compaction keeps its finished merges, leaves no partial file, and a later one completes")
    func stops() throws {
        let (test, id, oracle) = try halfAYear { $0.compaction.stepSegments = 6 }
        let names = try test.options.disk.list(test.path + "/segments")
        let error = #expect(throws: StoreError.self) { try test.store.compact { _ in false } }
        #expect(error?.kind == .cancelled)
        #expect(try test.options.disk.list(test.path + "/segments") == names)
        var calls = 0
        _ = #expect(throws: StoreError.self) {
            try test.store.compact { state in
                calls += 1
                return state.steps < 1
            }
        }
        #expect(calls > 1 && test.store.counters.compaction.steps == 1)
        #expect(try files(test) == test.store.info().segments)
        #expect(try sorted(test.store.snapshot().all(id)) == sorted(oracle.samples))
        #expect(try test.store.verify().isSound)
        test.store.close()
        #expect(throws: StoreError.self) { try test.store.compact() }
        let reader = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options)
        #expect(#expect(throws: StoreError.self) { try reader.compact() }?.kind == .readOnly)
        reader.close()
    }

    @Test("A damaged segment is named, and the other segments are unchanged")
    func damage() throws {
        let (test, id, _) = try halfAYear()
        let name = try #require(test.options.disk.list(test.path + "/segments").first)
        let path = test.path + "/segments/" + name
        test.store.close()
        let file = try test.options.disk.open(path, writable: true)
        try file.write([1, 2, 3, 4], at: 200)
        try file.close()
        try test.reopen()
        let names = try test.options.disk.list(test.path + "/segments")
        let error = #expect(throws: StoreError.self) { try test.store.compact() }
        #expect(error?.kind == .corrupt && error?.path == path)
        #expect(try test.options.disk.list(test.path + "/segments") == names)
        try test.store.append([Sample(start: 1, value: 1)], to: id)
    }

    @Test(
        "Repair without a catalog duplicates no sample and restores none that a merge dropped", arguments: [1, 6, 64])
    func repair(segments: Int) throws {
        let (test, id, oracle) = try halfAYear { $0.compaction.stepSegments = max(2, segments) }
        let held = test.store.snapshot()
        var left = oracle
        let range = TimeRange(Self.start + 500 * hour, Self.start + 900 * hour)
        try test.store.delete(from: id, startingIn: range)
        left.remove { range.contains($0.start) }
        if segments == 1 {
            // Rewrites only the segments with deleted samples, most of them alone.
            var done = CompactionReport()
            _ = try test.store.compactor.mergeOnce(.everything, among: nil, nil, &done)
        } else {
            try test.store.compact()
        }
        #expect(try test.store.info().retiredSegments > 0 && held.count(of: id) == 4_400)
        test.store.close()
        try test.options.disk.remove(test.path + "/kymograph.sqlite")
        let to = test.directory.file("repaired")
        let report = try TimeSeriesStore.repair(from: test.path, to: to, options: test.options)
        #expect(report.remarks.contains { $0.contains("replaced it") })
        let store = try TimeSeriesStore.open(at: to, options: test.options)
        defer { store.close() }
        let found = try store.snapshot().all(store.snapshot().series[0].id)
        if segments == 1 {
            // The deletion itself is lost with the catalog.
            #expect(Set(found).count <= oracle.samples.count && found.count <= oracle.samples.count)
        } else {
            #expect(sorted(found) == sorted(left.samples))
        }
    }
}
