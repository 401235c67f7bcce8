// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@Suite("E-1 the faulty disk: injected failures")
struct FaultyDiskFaultTests {
    private func disk() throws -> FaultyDisk {
        try FaultyDisk(MemoryDisk(directories: ["s"], files: ["s/a": [1, 2, 3, 4]]))
    }

    /// Runs calls of every kind, as a store would.
    private func errand(_ disk: FaultyDisk) throws {
        try disk.createDirectory("s/d")
        let file = try disk.create("s/d/tmp")
        try file.write([UInt8](repeating: 9, count: 2000), at: 0)
        try file.sync()
        _ = try file.size()
        try (file as? any ResizableFile)?.truncate(to: 2000)
        try file.close()
        try disk.rename("s/d/tmp", to: "s/d/new")
        try disk.syncDirectory("s/d")
        try disk.syncDirectory("s")
        _ = try disk.list("s/d")
        let old = try disk.open("s/a", writable: false)
        var buffer: [UInt8] = []
        _ = try old.read(at: 0, count: 4, into: &buffer, offset: 0)
        let map = try disk.map("s/d/new", length: 2000)
        try map.copy(0..<2000, into: &buffer)
        try disk.remove("s/a")
        _ = try disk.lock("s/d/new", exclusive: true, byte: 0)
        _ = try disk.kind(of: "s")
        _ = try disk.size(of: "s/d/new")
        _ = try disk.freeSpace(at: "s")
    }

    @Test("Every kind of call is counted and can fail once or always")
    func everyKind() throws {
        let calm = try disk()
        try errand(calm)
        let kinds = Set(calm.trace.map(\.kind))
        #expect(kinds == Set(DiskCallKind.allCases))
        #expect(calm.trace.map(\.number) == Array(1...calm.callCount))
        for kind in DiskCallKind.allCases {
            let disk = try disk()
            disk.inject(DiskFault([kind], errno: 99))
            let error = #expect(throws: DiskError.self, "\(kind)") { try errand(disk) }
            #expect(error?.errno == 99 && disk.trace.last?.kind == kind && disk.trace.last?.errno == 99)
        }
        let forever = try disk()
        forever.inject(DiskFault([.kind], nth: 3, forever: true))
        for attempt in 1...6 { #expect((try? forever.kind(of: "s")) == (attempt < 3 ? .directory : nil)) }
        let once = try disk()
        once.inject(DiskFault([.kind], nth: 3))
        for attempt in 1...6 { #expect((try? once.kind(of: "s")) == (attempt == 3 ? nil : .directory)) }
        once.inject(DiskFault([.kind], pathSuffix: "/a"))
        #expect(try once.kind(of: "s") == .directory)
        once.clearFaults()
        #expect(try once.kind(of: "s/a") == .file)
    }

    @Test("Failing one call after the other reaches every call of a sequence")
    func nthCall() throws {
        let calm = try disk()
        try errand(calm)
        var nth = 1
        while true {
            let disk = try disk()
            disk.inject(DiskFault(Set(DiskCallKind.allCases), nth: nth))
            if (try? errand(disk)) != nil { break }
            #expect(disk.trace.last?.number == nth)
            nth += 1
        }
        #expect(nth == calm.callCount + 1)
    }

    @Test("Partial effects: half a write, a short read, a rename that happened but reported an error")
    func partial() throws {
        let disk = try disk()
        let file = try disk.open("s/a", writable: true)
        disk.inject(DiskFault([.write], errno: DiskError.noSpace, effect: .part))
        let error = #expect(throws: DiskError.self) { try file.write([5, 6, 7, 8], at: 4) }
        #expect(error?.isFull == true)
        #expect(try file.size() == 6)
        disk.inject(DiskFault([.read], effect: .part))
        var buffer: [UInt8] = []
        #expect(try file.read(at: 0, count: 6, into: &buffer, offset: 0) == 3)
        disk.inject(DiskFault([.rename], effect: .everything))
        #expect(throws: DiskError.self) { try disk.rename("s/a", to: "s/b") }
        #expect(try disk.contents(of: "s/b", limit: 100) == [1, 2, 3, 4, 5, 6])
        let reader = try disk.open("s/b", writable: false)
        #expect(throws: DiskError.self) { try reader.write([1], at: 90) }
        #expect(try disk.crash(seed: 0, .keepAll).files["s/b"]?.count == 6)
    }

    @Test("On a full disk a write is cut off, and removing a file frees space")
    func capacity() throws {
        let disk = try disk()
        disk.setCapacity(1004)
        let file = try disk.create("s/b")
        #expect(try disk.freeSpace(at: "s") == 1000)
        let error = #expect(throws: DiskError.self) { try file.write([UInt8](repeating: 1, count: 1500), at: 0) }
        #expect(error?.isFull == true)
        #expect(try file.size() == 1000 && disk.freeSpace(at: "s") == 0 && disk.usedBytes == 1004)
        try file.write([2, 2], at: 10)
        #expect(throws: DiskError.self) { try file.write([2], at: 1000) }
        try disk.remove("s/a")
        try file.write([2], at: 1000)
        try disk.remove("s/b")
        #expect(try disk.freeSpace(at: "s") == 1004)
        disk.setCapacity(nil)
        try disk.createFile("s/c", [UInt8](repeating: 1, count: 5000))
    }

    @Test("A stopped disk executes no more calls")
    func stopped() throws {
        let calm = try disk()
        try errand(calm)
        for count in 0...calm.mutationCount {
            let disk = try disk()
            disk.stop(afterMutations: count)
            let finished = (try? errand(disk)) != nil
            // After its last change the sequence only reads, which a stopped disk refuses too.
            #expect(!finished && disk.mutationCount == count)
            let image = try disk.crash(seed: 1, .keepAll)
            #expect((image.files["s/a"] == nil) == (count == calm.mutationCount))
        }
        calm.resetTrace(keep: false)
        _ = try calm.kind(of: "s")
        #expect(calm.trace.isEmpty && calm.callCount > 0)
    }
}

@Suite("E-1 the faulty disk: states after a crash")
struct FaultyDiskCrashTests {
    private let seeds: Range<UInt64> = 0..<400

    @Test("Synced names and content survive every crash")
    func durable() throws {
        let disk = try FaultyDisk()
        try disk.createDirectory("s")
        try disk.createFile("s/a", [UInt8](repeating: 7, count: 3000))
        try disk.createFile("s/gone", [1])
        try disk.remove("s/gone")
        try disk.createFile("s/tmp", [3])
        try disk.rename("s/tmp", to: "s/b")
        try disk.syncDirectory("s")
        try disk.syncDirectory("")
        for seed in seeds {
            let files = try disk.crash(seed: seed).files
            #expect(files == ["s/a": [UInt8](repeating: 7, count: 3000), "s/b": [3]])
        }
    }

    @Test("Without a sync of the directory the name may be missing; without one of its parent, the directory")
    func names() throws {
        let disk = try FaultyDisk(MemoryDisk(directories: ["s"], files: ["s/old": [1]]))
        try disk.createFile("s/new", [2])
        try disk.remove("s/old")
        var seen: Set<[String]> = []
        for seed in seeds { seen.insert(try disk.crash(seed: seed).list("s")) }
        #expect(seen == [[], ["new"], ["old"], ["new", "old"]])
        #expect(try disk.crash(seed: 0, .loseAll).files == ["s/old": [1]])
        #expect(try disk.crash(seed: 0, .keepAll).files == ["s/new": [2]])
        try disk.createDirectory("s/d")
        try disk.createFile("s/d/x", [4])
        try disk.syncDirectory("s/d")
        let found = Set(try seeds.map { try disk.crash(seed: $0).files["s/d/x"] != nil })
        #expect(found == [true, false])
    }

    @Test("A rename is one change: a crash leaves both names changed or neither")
    func rename() throws {
        let disk = try FaultyDisk(MemoryDisk(directories: [], files: ["a": [1], "b": [2]]))
        try disk.rename("a", to: "b")
        let seen = Set(try seeds.map { try disk.crash(seed: $0).files })
        let before: [String: [UInt8]] = ["a": [1], "b": [2]]
        let after: [String: [UInt8]] = ["b": [1]]
        #expect(seen == [before, after])
        try disk.createDirectory("d")
        try disk.syncDirectory("")
        try disk.rename("b", to: "d/b")
        let across = Set(try seeds.map { try disk.crash(seed: $0).files.keys.sorted() })
        #expect(across == [["b"], ["d/b"], ["b", "d/b"], []])
    }

    @Test("Renaming before the content is synced can leave an empty or wrong file under the new name")
    func renameUnsynced() throws {
        let disk = try FaultyDisk(MemoryDisk(directories: [], files: ["a": [1, 1, 1]]))
        let file = try disk.create("tmp")
        try file.write([2, 2, 2], at: 0)
        try disk.rename("tmp", to: "a")
        try disk.syncDirectory("")
        let seen = Set(try seeds.map { try disk.crash(seed: $0).files["a"] ?? [9] })
        for possible: [UInt8] in [[], [2, 2, 2], [0, 0, 0]] { #expect(seen.contains(possible)) }
        #expect(!seen.contains([1, 1, 1]))
    }

    @Test("Unsynced pieces and sizes are kept, lost, zero, torn or garbage in any combination")
    func pieces() throws {
        let old = [UInt8](repeating: 1, count: 2048)
        let disk = try FaultyDisk(MemoryDisk(directories: [], files: ["a": old]))
        let file = try disk.open("a", writable: true)
        try file.write([UInt8](repeating: 2, count: 1536), at: 512)
        try file.write([UInt8](repeating: 3, count: 2048), at: 1024)
        var kinds: Set<String> = []
        var sizes: Set<Int> = []
        for seed in seeds {
            let bytes = try #require(try disk.crash(seed: seed).files["a"])
            sizes.insert(bytes.count)
            #expect(Array(bytes[..<512]) == Array(old[..<512]), "bytes that were not written are unchanged")
            for start in stride(from: 512, to: bytes.count, by: 512) {
                let piece = Set(bytes[start..<min(start + 512, bytes.count)])
                kinds.insert("\(start / 512): " + (piece.count > 4 ? "garbage" : "\(piece.sorted())"))
            }
        }
        for expected in [
            "1: [1]", "1: [2]", "1: [0]", "1: [1, 2]", "1: garbage", "2: [1]", "2: [2]", "2: [3]",
            "2: [1, 3]", "4: [0]", "4: [3]", "4: [0, 3]",
        ] {
            #expect(kinds.contains(expected), "\(expected) in \(kinds.sorted())")
        }
        #expect(sizes.contains(2048) && sizes.contains(3072) && sizes.count > 4)
        #expect(sizes.allSatisfy { (2048...3072).contains($0) })
        try file.sync()
        for seed in seeds { #expect(try disk.crash(seed: seed).files["a"]?.count == 3072) }
        #expect(try disk.crash(seed: 5, .any).files == disk.crash(seed: 6, .loseAll).files)
    }

    @Test("After a failed sync a later successful sync does not make the data durable; rewriting does")
    func failedSync() throws {
        let disk = try FaultyDisk(MemoryDisk(directories: [], files: ["a": [UInt8](repeating: 1, count: 1024)]))
        let file = try disk.open("a", writable: true)
        try file.write([UInt8](repeating: 2, count: 1024), at: 0)
        disk.inject(DiskFault([.sync]))
        #expect(throws: DiskError.self) { try file.sync() }
        try file.sync()
        #expect(try disk.contents(of: "a", limit: 9999) == [UInt8](repeating: 2, count: 1024), "the cache still has it")
        #expect(try disk.crash(seed: 0, .loseAll).files["a"] == [UInt8](repeating: 1, count: 1024))
        try file.write([3], at: 0)
        try file.sync()
        var expected = [UInt8](repeating: 1, count: 1024)
        expected.replaceSubrange(0..<512, with: [3] + [UInt8](repeating: 2, count: 511))
        #expect(try disk.crash(seed: 0, .loseAll).files["a"] == expected)
        try file.write([UInt8](repeating: 4, count: 1024), at: 0)
        disk.inject(DiskFault([.sync], effect: .everything))
        #expect(throws: DiskError.self) { try file.sync() }
        #expect(try disk.crash(seed: 0, .loseAll).files["a"] == [UInt8](repeating: 4, count: 1024))
    }

    @Test("A sync that fails in part leaves some pieces durable and the others never durable")
    func partialSync() throws {
        var seen: Set<Int> = []
        for round in 0..<20 {
            let disk = try FaultyDisk(MemoryDisk(directories: [], files: ["a": [UInt8](repeating: 1, count: 8192)]))
            let file = try disk.open("a", writable: true)
            for _ in 0...round { try? file.sync() }
            try file.write([UInt8](repeating: 2, count: 8192), at: 0)
            disk.inject(DiskFault([.sync], effect: .part))
            #expect(throws: DiskError.self) { try file.sync() }
            try file.sync()
            let bytes = try #require(try disk.crash(seed: 0, .loseAll).files["a"])
            seen.insert(bytes.count(where: { $0 == 2 }) / 512)
        }
        #expect(seen.allSatisfy { (1...15).contains($0) })
    }

    @Test("The same calls and the same seed give the same image, over a chain of crashes")
    func deterministic() throws {
        func run() throws -> [[String: [UInt8]]] {
            var random = SeededGenerator(seed: 71)
            var disk = try FaultyDisk()
            var images: [[String: [UInt8]]] = []
            for round in 0..<12 {
                for _ in 0..<40 { try Self.step(disk, &random) }
                let image = try disk.crash(seed: UInt64(round))
                images.append(image.files)
                disk = try FaultyDisk(image)
            }
            return images
        }
        let first = try run()
        #expect(try first == run())
        #expect(Set(first).count > 6)
    }

    private static func step(_ disk: FaultyDisk, _ random: inout SeededGenerator) throws {
        let name = random.pick(["a", "b", "c", "d/a", "d/b"])
        switch random.below(7) {
        case 0: try? disk.createDirectory("d")
        case 1: _ = try? disk.create(name)
        case 2: try? disk.remove(name)
        case 3: try? disk.rename(name, to: random.pick(["a", "b", "d/c"]))
        case 4: try? disk.syncDirectory(random.pick(["", "d"]))
        default:
            guard let file = try? disk.open(name, writable: true) else { return }
            try file.write(random.bytes(1 + random.below(2000)), at: UInt64(random.below(3000)))
            if random.chance(0.5) { try file.sync() }
        }
    }
}
