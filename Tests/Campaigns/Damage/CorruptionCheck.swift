// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem
import Kymograph
import TestSupport

/// Checks the answers of a damaged store against the reference.
struct CorruptionCheck {
    private let reference: ReferenceStore
    private let mutation: StoreMutation
    private let note: String
    private(set) var result = CampaignResult(suite: "", seed: 0)
    private let simulated: SimulatedStore
    /// The units of a segment that the change touches; nil if the whole file changed.
    private let touched: [ReferenceStore.Unit]?

    init(_ reference: ReferenceStore, _ mutation: StoreMutation, _ note: String) throws {
        self.reference = reference
        self.mutation = mutation
        self.note = note
        simulated = try SimulatedStore(MemoryDisk(directories: mutation.directories, files: mutation.files))
        touched = Self.touched(reference, mutation)
    }

    /// True if the change must be found. The lock and the ballast have no content; a missing or older witness detects
    /// nothing; the end of a log may belong to commits that the database already has, or to none.
    private var mustBeFound: Bool {
        switch mutation.kind {
        case .segment: true
        // One copy of the keys suffices; verification names the other.
        case .keys: true
        // A page with a later copy in the log is not read; the next writer replaces it.
        case .database: !reference.isHot
        case .lock, .log, .ballast: false
        case .witness:
            // A witness torn or zeroed by a power cut is a remark.
            mutation.files[mutation.path].map { now in
                let isRemark = now.allSatisfy { $0 == 0 } || reference.files[mutation.path]?.starts(with: now) == true
                return now != reference.older[mutation.path] && !isRemark
            } ?? false
        }
    }

    mutating func run() throws {
        result.count("\(mutation.kind.rawValue): cases")
        var errors = 0
        do {
            try simulated.open(.readOnly)
            errors = try query()
            simulated.close()
        } catch let error as StoreError {
            expectPlace(error, "opening")
            if [.segment, .lock, .ballast, .keys].contains(mutation.kind) {
                fail("the store cannot be opened: \(error)")
            }
            result.count("\(mutation.kind.rawValue): not opened")
            errors = 1
        }
        let problems = try verify()
        let isUnnoticed = errors == 0 && problems == 0
        if isUnnoticed {
            result.count("\(mutation.kind.rawValue): unnoticed")
            if mustBeFound { fail("the damage was not detected") }
        } else {
            result.count("\(mutation.kind.rawValue): found")
        }
        if mutation.kind == .segment, problems == 0 { fail("verify reports nothing") }
        try repair()
        if isUnnoticed, mutation.kind == .database, !mustBeFound { try expectHealed() }
    }

    /// Expects that undetected damage is replaced once a writer has checkpointed the log.
    private mutating func expectHealed() throws {
        try simulated.open()
        let errors = try query()
        simulated.close()
        let problems = try verify()
        if errors > 0 || problems > 0 { fail("the damage is detected only after the checkpoint of the log") }
        result.count("database: hidden by the log, and replaced from it")
    }

    private mutating func fail(_ text: String) { result.fail("\(note): \(text)") }

    // MARK: Queries

    /// Runs all queries. Returns the number of failed ones.
    private mutating func query() throws -> Int {
        let snapshot = try simulated.opened().snapshot()
        var errors = 0
        for one in reference.series {
            let id = one.id.rawValue
            guard let there = snapshot.series(named: one.name), there == one else {
                fail("\(one.name) is missing")
                continue
            }
            do {
                let found = try ReferenceStore.all(snapshot, one.id)
                expect(found == reference.samples[id] ?? [], "a scan of \(one.name)")
            } catch let error as StoreError {
                errors += 1
                expectPlace(error, "a scan of \(one.name)", one)
                try queryRest(snapshot, one)
            }
            do {
                let found = Array(try snapshot.buckets(of: one.id, ReferenceStore.bucket))
                expect(found == reference.buckets[id] ?? [], "buckets of \(one.name)")
            } catch {
                errors += 1
                expectPlace(error, "buckets of \(one.name)", one)
            }
        }
        return errors
    }

    private mutating func expect(_ isRight: Bool, _ what: String) {
        if !isRight { fail("\(what) returned wrong numbers") }
    }

    /// Expects an error with its place; for a series also with the series and its times.
    private mutating func expectPlace(_ error: StoreError, _ what: String, _ series: Series? = nil) {
        guard error.path != nil else { return fail("\(what): an error without a path: \(error)") }
        guard mutation.kind == .segment, let series else { return }
        if error.series != series.id || error.range == nil { fail("\(what): an error without its times: \(error)") }
        // Units of an encrypted segment at other places, or of another segment, are forged.
        let isExpected = error.kind == .corrupt || TestKey.isUsed && error.kind == .forged
        if !isExpected { fail("\(what): an error of kind \(error.kind): \(error)") }
        if touched != nil, error.offset == nil { fail("\(what): an error without an offset: \(error)") }
    }

    /// If only blocks are damaged, reads everything between them.
    private mutating func queryRest(_ snapshot: Snapshot, _ series: Series) throws {
        guard let touched, touched.allSatisfy({ $0.kind == .block }) else { return }
        let lost = touched.filter { $0.series == series.id.rawValue }.map(\.times).sorted {
            $0.lowerBound < $1.lowerBound
        }
        var from = Int64.min
        for times in lost + [Int64.max...Int64.max] {
            let range = TimeRange(from, times.lowerBound)
            from = times.upperBound == .max ? .max : max(from, times.upperBound + 1)
            if range.isEmpty { continue }
            do {
                let wanted = (reference.samples[series.id.rawValue] ?? []).filter { range.contains($0.start) }
                expect(try ReferenceStore.all(snapshot, series.id, over: range) == wanted, "a scan around the damage")
                result.count("samples read beside damage", wanted.count)
            } catch {
                fail("\(range) of \(series.name) cannot be read although its blocks are intact: \(error)")
            }
        }
    }

    // MARK: Verify

    private mutating func verify() throws -> Int {
        do {
            let report = try TimeSeriesStore.verify(at: SimulatedStore.path, options: simulated.options)
            for problem in report.problems where mutation.kind == .segment {
                if !problem.path.hasSuffix(mutation.path) { fail("verify names \(problem.path): \(problem.message)") }
            }
            return report.problems.count
        } catch {
            expectPlace(error, "verify")
            return 1
        }
    }

    /// Returns the units of a segment whose bytes differ; nil if the file differs as a whole or in length.
    private static func touched(_ reference: ReferenceStore, _ mutation: StoreMutation) -> [ReferenceStore.Unit]? {
        guard let units = reference.units[mutation.path], let now = mutation.files[mutation.path],
            let was = reference.files[mutation.path], now.count == was.count
        else { return nil }
        return units.filter { now[$0.range] != was[$0.range] }
    }

    // MARK: Repair

    private mutating func repair() throws {
        let report: RepairReport
        do {
            report = try TimeSeriesStore.repair(from: SimulatedStore.path, to: "/new", options: simulated.options)
        } catch {
            return fail("repair: \(error)")
        }
        let store: TimeSeriesStore
        do {
            store = try TimeSeriesStore.open(at: "/new", options: simulated.options)
        } catch {
            return fail("the repaired store cannot be opened: \(error)")
        }
        defer { store.close() }
        if let first = try store.verify().problems.first { fail("the repaired store: \(first.path): \(first.message)") }
        result.count("repairs")
        result.count("repairs without a loss", report.isComplete ? 1 : 0)
        try compare(store.snapshot(), report)
        try comparePast(store, report)
    }

    /// Expects that the repaired store has a subset of the reference, and that the missing samples are listed.
    private mutating func compare(_ snapshot: Snapshot, _ report: RepairReport) throws {
        var missing = 0
        for one in reference.series {
            let there = snapshot.series.first { $0.id == one.id }
            let found = try there.map { try ReferenceStore.all(snapshot, $0.id).sorted(by: Fingerprint.precedes) } ?? []
            var next = 0
            var more: [Sample] = []
            for sample in reference.ordered[one.id.rawValue] ?? [] {
                while next < found.count, Fingerprint.precedes(found[next], sample) {
                    more.append(found[next])
                    next += 1
                }
                if next < found.count, found[next] == sample {
                    next += 1
                    continue
                }
                missing += 1
                let isReported = report.losses.contains { loss in
                    loss.concernsSamples && loss.series ?? one.id == one.id
                        && loss.range?.contains(sample.start) ?? true
                }
                if !isReported { return fail("\(one.name) at \(sample.start) was lost by the repair, unreported") }
            }
            more += found[next...]
            // If deletions are lost, which the report says, the deleted samples may reappear.
            let mayBeBack = report.isComplete ? [] : reference.deleted[one.id.rawValue] ?? []
            if !Self.areAll(more, among: mayBeBack) { return fail("the repair invented samples of \(one.name)") }
        }
        // For damaged blocks the report counts all their samples.
        let deleted = reference.deleted.values.reduce(0) { $0 + $1.count }
        if mutation.kind == .segment, !(missing...missing + deleted).contains(report.samplesLost) {
            fail("\(missing) samples are missing, the report says \(report.samplesLost)")
        }
        result.count("samples lost", missing)
        result.count("samples kept", report.samples)
    }

    /// Expects that the history of the repaired store equals the old one, or begins with it.
    private mutating func comparePast(_ store: TimeSeriesStore, _ report: RepairReport) throws {
        let oldest = try store.info().oldestCommit
        if oldest == store.snapshot().sequence { return result.count("repairs that end the past") }
        // The end of a log may be lost unnoticed, including a merge.
        guard report.isComplete, mutation.kind == .log || oldest == reference.oldestCommit else {
            return fail("the repaired store is readable as of commit \(oldest)")
        }
        if oldest > reference.oldestCommit || store.snapshot().sequence < reference.lastCommit { return }
        result.count("repairs that keep the past")
        let snapshot = try store.snapshot(asOf: reference.oldestCommit)
        for one in reference.series {
            let found = try ReferenceStore.all(snapshot, one.id).sorted(by: Fingerprint.precedes)
            expect(found == reference.past[one.id.rawValue] ?? [], "\(one.name) as of commit \(reference.oldestCommit)")
        }
    }

    /// True if samples are a subset of others; both in the order of `Fingerprint`.
    private static func areAll(_ some: [Sample], among others: [Sample]) -> Bool {
        var next = 0
        for other in others where next < some.count && some[next] == other { next += 1 }
        return next == some.count
    }
}
