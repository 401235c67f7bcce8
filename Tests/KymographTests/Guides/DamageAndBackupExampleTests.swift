// SPDX-License-Identifier: Apache-2.0

import Kymograph
import TestSupport
import Testing

/// The example of `Docs/Operations/DamageAndBackup.md`.
@Suite("E-16 the example of the page on damage and backup")
struct DamageAndBackupExampleTests {
    @Test("a backup is sound, and the store that is restored from it answers the same")
    func backup() throws {
        let directory = try TemporaryDirectory()
        let (copy, restored) = (directory.file("copy"), directory.file("restored"))
        let store = try TimeSeriesStore.openOrCreate(at: directory.file("store"))
        defer { store.close() }
        let pulse = try store.series("pulse", kind: .discrete)
        let times = (0..<3_000).map { Int64($0) * 1_000_000_000 }
        let values = times.indices.map { Double(60 + $0 % 20) }
        try store.bulkLoad { loader in
            try loader.append(to: pulse.id, starts: times.span, values: values.span)
        }

        // example backup begins
        let report = try store.backup(to: copy) { progress in
            print(progress.bytesDone, progress.bytesTotal)
            return true  // false stops the backup
        }
        let found = try TimeSeriesStore.verifyBackup(at: copy)
        print(report.sequence, found.isSound, found.problems.count)
        try TimeSeriesStore.restore(from: copy, to: restored)
        // example backup ends

        #expect(report.sequence == store.snapshot().sequence)
        #expect(found.isSound && found.isBackup)
        let again = try TimeSeriesStore.open(at: restored)
        defer { again.close() }
        #expect(try again.snapshot().aggregate(of: pulse.id) == store.snapshot().aggregate(of: pulse.id))
    }
}
