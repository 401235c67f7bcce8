// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

/// Each test that provokes SIGBUS runs in its own process, so that a failing guard kills only that process.
@Suite("E-16 damaged maps throw errors and raise no signals")
struct MappedDamageTests {
    @Test("A file truncated again and again under several readers throws errors, with guarded maps")
    func cutShortGuarded() async {
        await #expect(processExitsWith: .success) { try Victim.cutShort(.guarded) }
    }

    @Test("A file truncated again and again under several readers throws errors, with reads")
    func cutShortRead() async {
        await #expect(processExitsWith: .success) { try Victim.cutShort(.pread) }
    }

    @Test("Without the guard the same access kills the process, so the tests above can fail")
    func unguarded() async {
        await #expect(processExitsWith: .signal(SIGBUS)) { try Victim.touchMissingPage() }
    }

    @Test("With the guard installed, a SIGBUS elsewhere still kills the process")
    func foreignDefault() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            RealDisk.installGuard()
            try Victim.touchMissingPage()
        }
    }

    @Test("With the guard installed, a SIGBUS sent by another process still kills")
    func sentSignal() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            RealDisk.installGuard()
            raise(SIGBUS)
        }
    }

    @Test("An earlier handler receives every SIGBUS of other code")
    func chained() async {
        await #expect(processExitsWith: .exitCode(77)) {
            signal(SIGBUS) { _ in _exit(77) }
            try Victim.cutShortOnce()
            try Victim.touchMissingPage()
        }
    }

    @Test("An earlier handler that ignores sent signals still ignores them")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            signal(SIGBUS, SIG_IGN)
            try Victim.cutShortOnce()
            raise(SIGBUS)
            try Victim.cutShortOnce()
        }
    }

    @Test("If the host replaces the handler, new maps read instead")
    func replaced() async {
        await #expect(processExitsWith: .success) {
            try Victim.cutShortOnce()
            signal(SIGBUS, SIG_DFL)
            if RealDisk.guardIsActive { throw Victim.Failure(what: "the guard reports that it is active") }
            try Victim.cutShortOnce()
        }
    }
}

/// The work of the child processes.
enum Victim {
    struct Failure: Error {
        let what: String
    }

    /// Copies from maps on several threads while the file is truncated and refilled. Every copy must be right or throw
    /// an error.
    static func cutShort(_ mapping: RealDisk.Mapping) throws {
        let directory = try TemporaryDirectory()
        let size = 64 * 4096
        let disk = RealDisk(mapping: mapping)
        try disk.createFile(directory.file("a"), [UInt8](repeating: 0xA5, count: size))
        let path = directory.file("a")
        let map = try disk.map(path, length: size)
        let results = onThreads(5) { index in
            if index < 4 { return read(map, size, UInt64(index)) }
            for round in 0..<400 {
                cut(path, (round % 7) * 4096)
                cut(path, size)
            }
            cut(path, 8192)
            return (1, 1, 0)
        }
        if let wrong = results.first(where: { $0.wrong > 0 }) { throw Failure(what: "\(wrong)") }
        // The file ends after two pages: reads before that succeed, reads behind it always fail.
        var out: [UInt8] = []
        try map.copy(0..<8192, into: &out)
        for _ in 0..<100 {
            do throws(DiskError) {
                try map.copy(8000..<9000, into: &out)
            } catch {
                if error.isDamage { continue }
            }
            throw Failure(what: "a copy behind the end succeeded, or threw the wrong error")
        }
    }

    private static func read(_ map: any MappedFile, _ size: Int, _ seed: UInt64) -> (good: Int, failed: Int, wrong: Int)
    {
        var random = SeededGenerator(seed: seed)
        var result = (good: 0, failed: 0, wrong: 0)
        var out: [UInt8] = []
        for _ in 0..<4000 {
            let start = random.below(size - 9000)
            let range = start..<start + random.below(9000)
            do throws(DiskError) {
                try map.copy(range, into: &out)
                // A refilled hole reads as zeros.
                let isRight = out[..<range.count].allSatisfy { $0 == 0xA5 || $0 == 0 }
                if isRight { result.good += 1 } else { result.wrong += 1 }
            } catch {
                if error.isDamage { result.failed += 1 } else { result.wrong += 1 }
            }
        }
        return result
    }

    /// Maps a file, truncates it once, and expects one error.
    static func cutShortOnce() throws {
        let directory = try TemporaryDirectory()
        let disk = RealDisk(mapping: .guarded)
        try disk.createFile(directory.file("a"), [UInt8](repeating: 1, count: 16_384))
        let map = try disk.map(directory.file("a"), length: 16_384)
        cut(directory.file("a"), 4096)
        var out: [UInt8] = []
        do throws(DiskError) {
            try map.copy(8192..<9000, into: &out)
        } catch {
            if error.isDamage { return }
        }
        throw Failure(what: "no error")
    }

    /// Reads a mapped page behind the end of its file, without the guard.
    static func touchMissingPage() throws {
        let directory = try TemporaryDirectory()
        try RealDisk().createFile(directory.file("a"), [UInt8](repeating: 1, count: 16_384))
        let descriptor = unsafe Foundation.open(directory.file("a"), O_RDONLY)
        let memory = unsafe mmap(nil, 16_384, PROT_READ, MAP_SHARED, descriptor, 0)
        cut(directory.file("a"), 4096)
        // The access ends this process, so the directory is removed first; the mapping stays valid without the name.
        TemporaryDirectory.removeTree(directory.path, RealDisk())
        guard let memory = unsafe memory else { return }
        let byte = unsafe memory.load(fromByteOffset: 8192, as: UInt8.self)
        throw Failure(what: "read \(byte)")
    }

    private static func cut(_ path: String, _ size: Int) {
        _ = unsafe truncate(path, size)
    }
}
