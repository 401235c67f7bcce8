// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import TestSupport
import Testing

/// The code that runs in a child process.
private enum Child {
    /// Returns 0, or the number of the step that failed.
    static func commitWithoutRoom(_ path: String) throws -> Int32 {
        // The limit allows the frames of the log, but not the growth by a whole step.
        _ = signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = 40_000
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        let writer = try CatalogDatabase.open(at: path, readOnly: false)
        for seq in 1...5 as ClosedRange<Int64> { try writer.commit(CatalogCommit(seq: seq, tail: [1])) }
        let log = Array(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
        guard log.count == LogFrames.trimmed(log).count else { return 2 }
        guard try writer.load().seq == 5 else { return 3 }
        try writer.close()
        return 0
    }
}

@Suite("E-4 preallocated space of the log")
struct LogRoomTests {
    @Test("The log's file grows by zeros ahead of its frames in few steps, and keeps its length when it restarts")
    func steps() throws {
        let scratch = try Scratch()
        let writer = try scratch.writer()
        var lengths: [Int] = []
        for seq in 1...400 as ClosedRange<Int64> {
            try writer.commit(tail(seq, [UInt8](repeating: 1, count: 3_000)))
            let (file, frames) = (try scratch.bytes("-wal"), try scratch.log())
            #expect(frames.count <= file.count && file[frames.count...].allSatisfy { $0 == 0 })
            if lengths.last != file.count { lengths.append(file.count) }
        }
        // 64 KiB after the header, then doubling, with steps of at most 512 KiB.
        #expect(lengths.first == 65_568 && lengths.count < 12, "\(lengths)")
        #expect(zip(lengths, lengths.dropFirst()).allSatisfy { $1 == $0 + min($0, 524_288) }, "\(lengths)")
        try writer.checkpoint(truncate: false)
        try writer.commit(tail(401, [1]))
        #expect(try scratch.bytes("-wal").count == lengths.last, "a restarted log keeps its length")
        try writer.close()
        #expect(!scratch.exists("-wal"))
    }

    @Test("Bytes after the last frame have no effect", arguments: [true, false])
    func behind(readOnly: Bool) throws {
        let scratch = try Scratch()
        let writer = try scratch.filled()
        let (database, log, frames) = (try scratch.bytes(), try scratch.bytes("-wal"), try scratch.log())
        #expect(log.count > frames.count)
        var dice = Dice(seed: 7)
        let cases = [
            frames, log, Array(log.prefix(frames.count + 1)), Array(log.prefix(frames.count + 4_120)),
            frames + dice.bytes(9_000), frames + [0, 0, 0, 1] + dice.bytes(8_000),
        ]
        for (i, log) in cases.enumerated() {
            let place = try Scratch()
            try Data(database).write(to: URL(fileURLWithPath: place.catalog))
            try Data(log).write(to: URL(fileURLWithPath: place.catalog + "-wal"))
            let opened = try CatalogDatabase.open(at: place.catalog, readOnly: readOnly)
            #expect(try opened.load() == writer.load(), "case \(i)")
            #expect(try opened.damagedPages().isEmpty, "case \(i)")
            try opened.close()
        }
        try writer.close()
    }

    @Test("Without space to preallocate, the log has only its frames and accepts commits")
    func noRoom() async throws {
        let scratch = try Scratch()
        try scratch.create()
        let path = scratch.catalog
        await #expect(processExitsWith: .success) { [path = path as String] in
            let code = try Child.commitWithoutRoom(path)
            if code != 0 { exit(code) }
        }
        let reader = try scratch.reader()
        #expect(try reader.load().seq == 5)
        try reader.close()
    }
}
