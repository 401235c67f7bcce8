// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@Suite("E-1 locks")
struct LockTests {
    @Test("Exclusive and shared locks conflict inside one process, byte by byte", arguments: DiskKind.allCases)
    func conflicts(kind: DiskKind) throws {
        let bench = try Bench(kind)
        let other: any Disk = kind == .realGuarded ? RealDisk() : bench.disk
        try bench.make("LOCK", [])
        let path = bench.path("LOCK")
        let writer = try #require(try bench.disk.lock(path, exclusive: true, byte: 0))
        #expect(try other.lock(path, exclusive: true, byte: 0) == nil)
        #expect(try other.lock(path, exclusive: false, byte: 0) == nil)
        let reader = try #require(try other.lock(path, exclusive: false, byte: 7))
        let second = try #require(try bench.disk.lock(path, exclusive: false, byte: 7))
        #expect(try other.lock(path, exclusive: true, byte: 7) == nil)
        #expect(try other.firstLockedByte(path, in: 0..<100) == 0)
        #expect(try other.firstLockedByte(path, in: 1..<100) == 7)
        #expect(try other.firstLockedByte(path, in: 8..<100) == nil)
        #expect(try other.firstLockedByte(path, in: 7..<7) == nil)
        writer.release()
        writer.release()
        #expect(try other.firstLockedByte(path, in: 0..<7) == nil)
        let next = try #require(try other.lock(path, exclusive: true, byte: 0))
        reader.release()
        #expect(try other.lock(path, exclusive: true, byte: 7) == nil)
        second.release()
        #expect(try other.lock(path, exclusive: true, byte: 7) != nil)
        next.release()
    }

    @Test("Lock holders are reported with byte and process")
    func holders() throws {
        let directory = try TemporaryDirectory()
        let (disk, path) = (RealDisk(), directory.file("LOCK"))
        try disk.createFile(path, [])
        #expect(LockHolders.of(path).isEmpty)
        let locks = try [5, 1 << 33].map { try disk.lock(path, exclusive: false, byte: $0) }
        let found = LockHolders.of(path)
        #expect(found.map(\.byte).sorted() == [5, 1 << 33])
        #expect(found.allSatisfy { $0.process == Environment.processIdentifier })
        for lock in locks { lock?.release() }
        #expect(LockHolders.of(path).isEmpty)
        #expect(LockHolders.of(directory.file("none")).isEmpty)
    }

    @Test("Releasing the object releases its lock", arguments: DiskKind.allCases)
    func scope(kind: DiskKind) throws {
        let bench = try Bench(kind)
        try bench.make("LOCK", [])
        let path = bench.path("LOCK")
        do {
            let lock = try bench.disk.lock(path, exclusive: true, byte: 1)
            #expect(lock != nil)
        }
        #expect(try bench.disk.lock(path, exclusive: true, byte: 1) != nil)
        #expect(throws: DiskError.self) { try bench.disk.lock(bench.path("none"), exclusive: true, byte: 0) }
    }

    @Test("The lowest of many locked bytes is found", arguments: DiskKind.allCases)
    func lowest(kind: DiskKind) throws {
        let bench = try Bench(kind)
        try bench.make("LOCK", [])
        var random = SeededGenerator(seed: 8)
        var held: [Int64: any DiskLock] = [:]
        for round in 0..<200 {
            let byte = random.number(in: 2...60)
            if held.removeValue(forKey: byte) == nil {
                held[byte] = try bench.disk.lock(bench.path("LOCK"), exclusive: random.chance(0.3), byte: byte)
            }
            let low = random.number(in: 0...60)
            let expected = held.keys.filter { $0 >= low && $0 < 50 }.min()
            let found = try bench.disk.firstLockedByte(bench.path("LOCK"), in: low..<max(low, 50))
            #expect(found == expected, "round \(round), seed \(random.seed)")
        }
    }

    @Test("Closing another descriptor of the file keeps the lock, unlike a process-owned lock")
    func unrelatedClose() throws {
        let bench = try Bench(.realGuarded)
        try bench.make("LOCK", [1])
        let lock = try bench.disk.lock(bench.path("LOCK"), exclusive: true, byte: 0)
        _ = try bench.content("LOCK")
        #expect(try RealDisk().lock(bench.path("LOCK"), exclusive: true, byte: 0) == nil)
        lock?.release()
    }

    @Test("Another process sees the lock, and its death releases it")
    func otherProcess() throws {
        let bench = try Bench(.realGuarded)
        try bench.make("LOCK", [])
        let path = bench.path("LOCK")
        let child = Process()
        let output = Pipe()
        let input = Pipe()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = """
            import fcntl, struct, sys
            f = open(sys.argv[1], "r+b")
            fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 3, 1, 0))
            print("locked", flush=True)
            sys.stdin.read()
            """
        child.arguments = ["python3", "-c", script, path]
        child.standardOutput = output
        child.standardInput = input
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") else { return }
        try child.run()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("locked"))
        #expect(try bench.disk.lock(path, exclusive: false, byte: 3) == nil)
        #expect(try bench.disk.lock(path, exclusive: true, byte: 2) != nil)
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        #expect(try bench.disk.lock(path, exclusive: true, byte: 3) != nil)
    }
}
