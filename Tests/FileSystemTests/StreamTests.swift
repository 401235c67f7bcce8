// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@Suite("T-9 streams of command line tools")
struct StreamTests {
    @Test("A file is read from beginning to end in pieces of any size")
    func file() throws {
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 61)
        let bytes = random.bytes(300_000)
        try RealDisk().createFile(directory.file("a"), bytes)
        let reader = try FileReader(directory.file("a"))
        #expect(reader.size == 300_000)
        var buffer: [UInt8] = []
        var all: [UInt8] = []
        while true {
            let wanted = 1 + random.below(70_000)
            let count = try reader.read(into: &buffer, offset: 3, count: wanted)
            all += buffer[3..<3 + count]
            #expect(reader.position == UInt64(all.count))
            if count < wanted { break }
        }
        #expect(all == bytes)
        #expect(try reader.read(into: &buffer, count: 10) == 0)
        #expect(throws: DiskError.self) { try reader.read(into: &buffer, offset: -1, count: 10) }
        #expect(throws: DiskError.self) { try FileReader(directory.path) }
        #expect(throws: DiskError.self) { try FileReader(directory.file("none")) }
    }

    @Test("A pipe is read to its end in pieces of any size")
    func pipe() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("pipe")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let results = onThreads(2) { index -> [UInt8] in
            if index == 0 {
                guard let handle = FileHandle(forWritingAtPath: path) else { return [] }
                for piece in 0..<200 { handle.write(Data(repeating: UInt8(piece), count: 1 + piece * 13)) }
                try? handle.close()
                return []
            }
            guard let reader = try? FileReader(path), reader.size == nil else { return [] }
            var buffer: [UInt8] = []
            let count = (try? reader.read(into: &buffer, count: 1 << 20)) ?? -1
            return Array(buffer[..<max(0, count)])
        }
        var expected: [UInt8] = []
        for piece in 0..<200 { expected += [UInt8](repeating: UInt8(piece), count: 1 + piece * 13) }
        #expect(results[1] == expected)
    }

    @Test("A wait for a pipe ends when the caller ends it, with an error that says so")
    func cancelled() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("pipe")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        // The handle holds the pipe open, so that it does not end.
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        handle.write(Data([1, 2, 3]))
        let reader = try FileReader(path)
        var calls = 0
        reader.keepsWaiting = {
            calls += 1
            return calls < 3
        }
        var buffer: [UInt8] = []
        #expect(try reader.read(into: &buffer, count: 3) == 3)
        #expect(calls == 0)
        do {
            _ = try reader.read(into: &buffer, count: 1)
            Issue.record("the read returned")
        } catch {
            #expect(error.isCancelled && calls == 3)
        }
        try handle.close()
    }

    @Test("Output is written in order, and a writer whose reader has closed discards the rest silently")
    func output() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let descriptor = unsafe open(directory.file("out"), O_RDWR | O_CREAT, 0o600)
            dup2(descriptor, 1)
            let writer = OutputWriter(.output, capacity: 100)
            for line in 0..<1000 { try writer.write("line \(line)\n") }
            try writer.write([65, 66, 10])
            try writer.flush()
            writer.look()
            if writer.isClosed { exit(6) }
            let expected = (0..<1000).map { "line \($0)\n" }.joined() + "AB\n"
            if try RealDisk().contents(of: directory.file("out"), limit: 1 << 20) != Array(expected.utf8) { exit(2) }

            var ends: [Int32] = [0, 0]
            if unsafe Foundation.pipe(&ends) != 0 { exit(3) }
            dup2(ends[1], 1)
            close(ends[1])
            let idle = OutputWriter(.output)
            idle.look()
            if idle.isClosed { exit(7) }
            close(ends[0])
            idle.look()
            if !idle.isClosed { exit(8) }
            Terminal.reportFailedWrites()
            for _ in 0..<1000 where !writer.isClosed { try writer.write("nobody reads this\n") }
            try writer.write("nor this")
            try writer.flush()
            if !writer.isClosed { exit(4) }
            let other = OutputWriter(.error)
            close(2)
            try other.write("x")
            do throws(DiskError) {
                try other.flush()
                exit(5)
            } catch {}
        }
    }
}
