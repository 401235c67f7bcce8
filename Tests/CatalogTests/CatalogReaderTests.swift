// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import Testing

@Suite("E-12 several connections to one catalog")
struct CatalogReaderTests {
    @Test("A reader sees committed content only, and only when it loads again")
    func seesCommits() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        let reader = try scratch.reader()
        #expect(try reader.load().seq == 0)
        var version = try reader.dataVersion()
        for seq in 1...20 as ClosedRange<Int64> {
            let commit =
                seq % 2 == 0
                ? tail(seq, [UInt8(seq)])
                : CatalogCommit(seq: seq, series: [SeriesRow(id: seq, name: "\(seq)", kind: 0)])
            try writer.commit(commit) { _ in
                // A load during the commit.
                let seen = try (reader.load().seq, reader.dataVersion())
                #expect(seen == (seq - 1, version))
            }
            let next = try reader.dataVersion()
            #expect(next != version, "a commit of another connection changes the data version")
            version = next
            #expect(try reader.load().seq == seq)
            #expect(try reader.dataVersion() == version, "loading changes nothing")
            expect(.closure) { try writer.commit(tail(seq + 1, [0])) { _ in throw CancellationError() } }
            #expect(try reader.dataVersion() == version, "a failed commit does not change the data version")
        }
        let own = try writer.dataVersion()
        try writer.commit(tail(21, []))
        #expect(try writer.dataVersion() == own, "its own commits do not change the data version")
        try reader.close()
        try writer.close()
    }

    @Test("Of two writers of one catalog, the second gets an error, and its sequence is checked")
    func twoWriters() throws {
        let scratch = try Scratch()
        let one = try scratch.writer()
        let two = try CatalogDatabase.open(at: scratch.catalog, readOnly: false)
        try one.commit(tail(1, [1]))
        expect(.sequence) { try two.commit(tail(1, [2])) }
        try two.commit(CatalogCommit(seq: 2))
        expect(.sequence) { try one.commit(tail(2, [1])) }
        // Another connection has written to the log.
        expect(.corrupt) { try one.commit(tail(3, [3])) }
        try two.commit(tail(3, [3])) { _ in expect(.busy) { try one.commit(tail(3, [4])) } }
        #expect(try two.load().tail == [TailRow(seq: 1, body: [1]), TailRow(seq: 3, body: [3])])
        try one.close()
        #expect(scratch.exists("-wal"), "the log stays while another connection is open")
        try two.close()
        #expect(!scratch.exists("-wal"))
    }

    @Test("Readers read a log without a writer and do not change it")
    func logWithoutWriter() throws {
        let scratch = try Scratch()
        do {
            let writer = try scratch.writer()
            for seq in 1...50 as ClosedRange<Int64> { try writer.commit(tail(seq, [UInt8](repeating: 9, count: 500))) }
            // Released without closing.
        }
        let before = (try scratch.bytes(), try scratch.bytes("-wal"))
        for _ in 0..<3 {
            let reader = try scratch.reader()
            #expect(try reader.load().seq == 50)
            try reader.close()
        }
        #expect(try scratch.bytes() == before.0)
        #expect(try scratch.bytes("-wal") == before.1)

        // The same without the log's index, as after a restart of the machine.
        try FileManager.default.removeItem(atPath: scratch.catalog + "-shm")
        let reader = try scratch.reader()
        #expect(try reader.load().seq == 50)
        try reader.close()
        #expect(try scratch.bytes("-wal") == before.1)
    }

    @Test("A reader in another process works while a writer is open and after the writer closes")
    func otherProcess() async throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        for seq in 1...10 as ClosedRange<Int64> { try writer.commit(tail(seq, [UInt8(seq)])) }
        let path = scratch.catalog
        await #expect(processExitsWith: .success) { [path = path as String] in
            let reader = try CatalogDatabase.open(at: path, readOnly: true)
            guard try reader.load().tail.map(\.seq) == Array(1...10) else { exit(2) }
            try reader.close()
        }
        try writer.commit(tail(11, [11]))
        try writer.close()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let reader = try CatalogDatabase.open(at: path, readOnly: true)
            guard try reader.load().seq == 11 else { exit(2) }
            let writer = try CatalogDatabase.open(at: path, readOnly: false)
            try writer.commit(CatalogCommit(seq: 12, tail: [12]))
            guard try reader.load().seq == 12 else { exit(3) }
            try writer.close()
            try reader.close()
        }
        let reader = try scratch.reader()
        #expect(try reader.load().seq == 12)
        try reader.close()
    }

    @Test("The log stays bounded, and readers do not keep it from being reset")
    func logStaysSmall() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        let reader = try scratch.reader()
        let body = [UInt8](repeating: 3, count: 20_000)
        for seq in 1...1000 as ClosedRange<Int64> {
            try writer.commit(CatalogCommit(seq: seq, tail: body, sealedTail: seq > 4 ? [seq - 4] : []))
            if seq % 50 == 0 { _ = try reader.load() }
        }
        let size = try FileManager.default.attributesOfItem(atPath: scratch.catalog + "-wal")[.size] as? Int ?? 0
        #expect(size > 0 && size < 3 * 1000 * 4120)
        try writer.checkpoint(truncate: true)
        #expect(try FileManager.default.attributesOfItem(atPath: scratch.catalog + "-wal")[.size] as? Int == 0)
        #expect(try reader.load().seq == 1000)
        try reader.close()
        try writer.close()
    }

    @Test("Deleted samples leave no bytes in the files")
    func deletedBytesGo() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        let secret = Array("this was measured and shall be forgotten".utf8)
        try writer.commit(tail(1, secret))
        try writer.commit(tail(2, secret + [UInt8](repeating: 1, count: 30_000) + secret))
        try writer.checkpoint(truncate: true)
        func found() throws -> Bool {
            try Data(scratch.bytes()).range(of: Data(secret)) != nil
        }
        #expect(try found())
        try writer.commit(CatalogCommit(seq: 3, sealedTail: [1, 2]))
        try writer.checkpoint(truncate: true)
        #expect(try !found())
        try writer.close()
    }
}
