// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// One bit that is flipped during an open writer. Checks the answers of the writer and a reader after the flip, after
/// another append, and after the next opening. Each answer must be right or a typed error.
struct LiveFlip {
    private let reference: ReferenceStore
    private let simulated: SimulatedStore
    private let path: String
    private let byte: Int
    private let note: String
    private(set) var result = CampaignResult(suite: "", seed: 0)
    /// The sample appended afterwards, and whether it was acknowledged; nil before the append.
    private var more: (sample: Sample, series: SeriesID, isThere: Bool?)?

    init(_ reference: ReferenceStore, _ path: String, _ byte: Int, _ note: String) throws {
        self.reference = reference
        self.path = path
        self.byte = byte
        self.note = note + ", during a writer"
        simulated = try SimulatedStore(MemoryDisk(directories: reference.directories, files: reference.files))
    }

    mutating func run(bit: Int) throws {
        try simulated.open()
        guard try flip(bit) else { return result.count("under a writer: the file is shorter by now") }
        result.count("under a writer: cases")
        try askBoth("after the flip")
        try append()
        try askBoth("after an append")
        simulated.close()
        do throws(StoreError) {
            try simulated.open(.readOnly)
            ask(try simulated.opened(), "after closing")
        } catch {
            expect(error, "opening again")
        }
        simulated.close()
    }

    private func flip(_ bit: Int) throws -> Bool {
        guard try simulated.disk.exists(path), try simulated.disk.size(of: path) > UInt64(byte) else { return false }
        let file = try simulated.disk.open(path, writable: true)
        defer { try? file.close() }
        var bytes: [UInt8] = [0]
        _ = try file.read(at: UInt64(byte), count: 1, into: &bytes, offset: 0)
        bytes[0] ^= 1 << UInt8(bit)
        try file.write(bytes, 0..<1, at: UInt64(byte))
        return true
    }

    /// Appends one more sample at the end of a series.
    private mutating func append() throws {
        guard let series = reference.series.first, let last = reference.samples[series.id.rawValue]?.map(\.start).max()
        else { return }
        let sample = Sample(start: last + 1_000_000_000, value: 1)
        do throws(StoreError) {
            try simulated.opened().append(to: series.id, [sample])
            more = (sample, series.id, true)
            result.count("under a writer: appends")
        } catch {
            expect(error, "an append")
            more = (sample, series.id, error.kind == .outcomeUnknown ? nil : false)
            result.count("under a writer: appends refused")
        }
    }

    private mutating func askBoth(_ when: String) throws {
        ask(try simulated.opened(), "the writer " + when)
        do throws(StoreError) {
            let reader = try TimeSeriesStore.open(
                at: SimulatedStore.path, mode: .readOnly, options: simulated.options)
            defer { reader.close() }
            ask(reader, "a reader " + when)
        } catch {
            expect(error, "opening to read " + when)
        }
    }

    private mutating func ask(_ store: TimeSeriesStore, _ who: String) {
        let snapshot = store.snapshot()
        for one in reference.series {
            let old = reference.samples[one.id.rawValue] ?? []
            var right = [old]
            if let more, more.series == one.id {
                let new = old + [more.sample]
                right = more.isThere.map { [$0 ? new : old] } ?? [old, new]
            }
            do {
                let found = try ReferenceStore.all(snapshot, one.id)
                if !right.contains(found) {
                    result.fail("\(note): \(who): \(found.count) samples of \(one.name), not \(right.map(\.count))")
                }
                result.count("under a writer: answers")
            } catch {
                expect(error, "\(who), a scan of \(one.name)")
            }
            guard right == [old] else { continue }
            do throws(StoreError) {
                let found = Array(try snapshot.buckets(of: one.id, ReferenceStore.bucket))
                if found != reference.buckets[one.id.rawValue] {
                    result.fail("\(note): \(who): buckets of \(one.name) are wrong")
                }
            } catch {
                expect(error, "\(who), buckets of \(one.name)")
            }
        }
    }

    /// The kinds of errors that damage may cause.
    private static let kinds: Set<StoreError.Kind> = [
        .corrupt, .rolledBack, .outcomeUnknown, .writerFailed, .inputOutput, .readOnly, .newerFormat, .forged,
        .needsKey,
    ]

    private mutating func expect(_ error: any Error, _ what: String) {
        result.count("under a writer: errors")
        guard let error = error as? StoreError, Self.kinds.contains(error.kind) else {
            return result.fail("\(note): \(what): \(error)")
        }
        if error.kind != .writerFailed, error.path == nil {
            result.fail("\(note): \(what): an error without a path: \(error)")
        }
    }
}
