// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

/// Each test that provokes SIGBUS runs in a process of its own, so that a guard that fails kills only that one.
@Suite("E-16 damaged maps give errors, not signals")
struct MappedDamageTests {
    @Test("A file cut short under several readers, again and again, guarded")
    func cutShortGuarded() async {
        await #expect(processExitsWith: .success) { try Victim.cutShort(.guarded) }
    }

    @Test("A file cut short under several readers, again and again, by reading")
    func cutShortRead() async {
        await #expect(processExitsWith: .success) { try Victim.cutShort(.pread) }
    }

    @Test("Without the guard the same access kills: the tests above can fail")
    func unguarded() async {
        await #expect(processExitsWith: .signal(SIGBUS)) { try Victim.touchMissingPage() }
    }

    @Test("After installing the guard a SIGBUS elsewhere still kills as before")
    func foreignDefault() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            RealDisk.installGuard()
            try Victim.touchMissingPage()
        }
    }

    @Test("A SIGBUS that somebody sent still kills as before")
    func sentSignal() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            RealDisk.installGuard()
            raise(SIGBUS)
        }
    }

    @Test("An older handler gets every SIGBUS that is not ours")
    func chained() async {
        await #expect(processExitsWith: .exitCode(77)) {
            signal(SIGBUS) { _ in _exit(77) }
            try Victim.cutShortOnce()
            try Victim.touchMissingPage()
        }
    }

    @Test("An older handler that ignores sent signals goes on ignoring them")
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
            if RealDisk.guardIsActive { throw Victim.Failure(what: "the guard believes to be in place") }
            try Victim.cutShortOnce()
        }
    }
}

/// What the child processes do.
enum Victim {
    struct Failure: Error {
        let what: String
    }

    /// Readers copy from maps whose file is cut and refilled; every copy is right or an error.
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
        // The file ends two pages in: before that there is data, behind it an error, for ever.
        var out: [UInt8] = []
        try map.copy(0..<8192, into: &out)
        for _ in 0..<100 {
            do throws(DiskError) {
                try map.copy(8000..<9000, into: &out)
            } catch {
                if error.isDamage { continue }
            }
            throw Failure(what: "a copy behind the end succeeded, or with the wrong error")
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

    /// One map, one cut, one error.
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

    /// Reads, as no code of ours does, a mapped page that its file no longer has.
    static func touchMissingPage() throws {
        let directory = try TemporaryDirectory()
        try RealDisk().createFile(directory.file("a"), [UInt8](repeating: 1, count: 16_384))
        let descriptor = unsafe Foundation.open(directory.file("a"), O_RDONLY)
        let memory = unsafe mmap(nil, 16_384, PROT_READ, MAP_SHARED, descriptor, 0)
        cut(directory.file("a"), 4096)
        // The touch is the end of this process, so clean up now; the mapping lives on without the name.
        TemporaryDirectory.removeTree(directory.path, RealDisk())
        guard let memory = unsafe memory else { return }
        let byte = unsafe memory.load(fromByteOffset: 8192, as: UInt8.self)
        throw Failure(what: "read \(byte)")
    }

    private static func cut(_ path: String, _ size: Int) {
        _ = unsafe truncate(path, size)
    }
}
