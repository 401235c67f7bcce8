// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport
import Testing

/// The example of `Docs/Operations/Retention.md`.
@Suite("E-6 X-4 the example of the page on retention")
struct RetentionExampleTests {
    @Test("samples are deleted, seen as of the commit before, and erased by a compaction")
    func retention() throws {
        let directory = try TemporaryDirectory()
        let store = try TimeSeriesStore.openOrCreate(at: directory.file("store"))
        defer { store.close() }
        let pulse = try store.series("pulse", kind: .discrete)
        let times = (0..<2_000).map { Int64($0) * 1_000_000_000 }
        let values = times.indices.map { $0 == 1_500 ? 300 : Double(60 + $0 % 20) }
        try store.append(to: pulse.id, starts: times.span, values: values.span)
        let (from, to) = (times[0], times[500])

        // example retention begins
        let deletion = try store.delete(from: pulse.id, startingIn: TimeRange(from, to))
        print(deletion.count, "samples are deleted by commit", deletion.sequence)
        try store.delete(from: pulse.id) { $0.sample.value > 250 }  // by a predicate
        try store.retain(.count(1_000), in: pulse.id)  // all but the newest 1,000

        let before = try store.snapshot(asOf: deletion.sequence - 1)
        print(try before.aggregate(of: pulse.id).count, "samples were there before")
        try store.compact()  // erases the bytes, and with them the view of earlier commits
        print("commit", try store.info().oldestCommit, "is now the oldest")
        // example retention ends

        #expect(deletion.count == 500)
        #expect(try before.aggregate(of: pulse.id).count == 2_000)
        let left = try store.snapshot().aggregate(of: pulse.id)
        #expect(left.count == 1_000)
        #expect(left.max == 79)
        #expect(try store.info().oldestCommit > deletion.sequence)
        #expect(try store.info().deletedSamples == 0)
        let error = #expect(throws: StoreError.self) { try store.snapshot(asOf: deletion.sequence - 1) }
        #expect(error?.kind == .notRetained)
    }
}
