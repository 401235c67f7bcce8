// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Checks of all pages beside a writer")
struct ScanBesideWriterTests {
    @Test("a writer that restarts the log again and again leaves no page that looks damaged", arguments: [false, true])
    func restarts(isEncrypted: Bool) throws {
        let scratch = try EncryptedScratch()
        let keys = isEncrypted ? scratch.keys : nil
        try CatalogDatabase.create(
            at: scratch.catalog, storeID: Scratch.storeID, homeZone: "UTC", formatVersion: CatalogDatabase.newestFormat,
            keys: keys)
        let writer = try CatalogDatabase.open(at: scratch.catalog, readOnly: false, keys: keys)
        let reader = try CatalogDatabase.open(at: scratch.catalog, readOnly: true, keys: keys)
        let isOver = Atomic(false)
        let failure = Mutex<String?>(nil)
        // A thread of its own: this test does not give way to tasks.
        Thread.detachNewThread {
            defer { isOver.store(true, ordering: .releasing) }
            do { try Self.write(writer, commits: 1_500) } catch { failure.withLock { $0 = "\(error)" } }
        }
        while !isOver.load(ordering: .acquiring) {
            let problems = try reader.integrityProblems()
            if !problems.isEmpty { Issue.record("\(problems)") }
        }
        #expect(failure.withLock { $0 } == nil)
        try reader.close()
        try writer.close()
    }

    /// Commits small and large rows. A log whose pages are all in the database restarts with the next commit.
    private static func write(_ writer: CatalogDatabase, commits: Int64) throws {
        for sequence in 1...commits {
            let count = sequence % 7 == 0 ? 60_000 : 3_000
            var commit = tail(sequence, EncryptedScratch.body(sequence, count: count))
            if sequence % 40 == 0 { commit.sealedTail = Array(max(1, sequence - 40)..<sequence) }
            try writer.commit(commit)
            if sequence % 2 == 0 { try writer.checkpoint(truncate: false) }
        }
    }
}
