// SPDX-License-Identifier: Apache-2.0
// FileSystemTests: the contract of `Disk` on every implementation; damaged maps; locks; the model of a faulty disk.

import FileSystem
import TestSupport
import Testing

/// The implementations that must behave alike.
enum DiskKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case realGuarded, realRead, memory, faulty

    var testDescription: String { rawValue }
}

/// A disk and an empty directory on it.
struct Bench {
    let disk: any Disk
    let root: String
    private let temporary: TemporaryDirectory?

    init(_ kind: DiskKind) throws {
        switch kind {
        case .realGuarded, .realRead:
            let directory = try TemporaryDirectory()
            disk = RealDisk(mapping: kind == .realGuarded ? .guarded : .pread)
            root = directory.path
            temporary = directory
        case .memory:
            disk = MemoryDisk(directories: ["/root"], files: [:])
            root = "/root"
            temporary = nil
        case .faulty:
            disk = try FaultyDisk(MemoryDisk(directories: ["/root"], files: [:]))
            root = "/root"
            temporary = nil
        }
    }

    func path(_ name: String) -> String { root + "/" + name }

    func make(_ name: String, _ bytes: [UInt8]) throws {
        try disk.createFile(path(name), bytes)
    }

    func content(_ name: String) throws -> [UInt8] {
        try disk.contents(of: path(name), limit: 1 << 24)
    }
}

@Suite("E-1 the disk contract")
struct DiskContractTests {
    @Test("Writes and reads at offsets; gaps read as zeros; short reads only at the end", arguments: DiskKind.allCases)
    func readWrite(kind: DiskKind) throws {
        let bench = try Bench(kind)
        let file = try bench.disk.create(bench.path("a"))
        try file.write([1, 2, 3, 4], 1..<3, at: 0)
        try file.write([9], at: 5)
        try file.write([], 0..<0, at: 100)
        #expect(try file.size() == 6)
        var buffer: [UInt8] = [7, 7]
        #expect(try file.read(at: 0, count: 6, into: &buffer, offset: 2) == 6)
        #expect(Array(buffer[..<8]) == [7, 7, 2, 3, 0, 0, 0, 9])
        #expect(try file.read(at: 4, count: 10, into: &buffer, offset: 0) == 2)
        #expect(try file.read(at: 6, count: 10, into: &buffer, offset: 0) == 0)
        #expect(try file.read(at: 1 << 40, count: 10, into: &buffer, offset: 0) == 0)
        try file.sync()
        try file.close()
        #expect(try bench.content("a") == [2, 3, 0, 0, 0, 9])
        #expect(try bench.disk.size(of: bench.path("a")) == 6)
    }

    @Test("Calls on a closed file throw, and closing twice has no effect", arguments: DiskKind.allCases)
    func closed(kind: DiskKind) throws {
        let bench = try Bench(kind)
        let file = try bench.disk.create(bench.path("a"))
        try file.close()
        try file.close()
        var buffer: [UInt8] = []
        #expect(throws: DiskError.self) { try file.write([1], at: 0) }
        #expect(throws: DiskError.self) { try file.sync() }
        #expect(throws: DiskError.self) { try file.size() }
        #expect(throws: DiskError.self) { try file.read(at: 0, count: 1, into: &buffer, offset: 0) }
    }

    @Test("A file opened for reading cannot be written", arguments: DiskKind.allCases)
    func readOnly(kind: DiskKind) throws {
        let bench = try Bench(kind)
        try bench.make("a", [1, 2])
        let file = try bench.disk.open(bench.path("a"), writable: false)
        #expect(throws: DiskError.self) { try file.write([1, 2, 3], at: 0) }
        #expect(try bench.content("a") == [1, 2])
    }

    @Test("Exclusive creation, missing names and wrong kinds throw the right errors", arguments: DiskKind.allCases)
    func names(kind: DiskKind) throws {
        let bench = try Bench(kind)
        let disk = bench.disk
        try bench.make("a", [1])
        try disk.createDirectory(bench.path("d"))
        #expect(throwing { _ = try disk.create(bench.path("a")) }?.alreadyExists == true)
        #expect(throwing { try disk.createDirectory(bench.path("d")) }?.alreadyExists == true)
        #expect(throwing { _ = try disk.open(bench.path("b"), writable: true) }?.isMissing == true)
        #expect(throwing { _ = try disk.create(bench.path("no/a")) }?.isMissing == true)
        #expect(throwing { _ = try disk.create(bench.path("a/b")) }?.isMissing == true)
        #expect(throwing { _ = try disk.open(bench.path("d"), writable: false) }?.isWrongKind == true)
        #expect(throwing { _ = try disk.map(bench.path("d"), length: 0) }?.isWrongKind == true)
        #expect(throwing { _ = try disk.size(of: bench.path("d")) }?.isWrongKind == true)
        #expect(throwing { try disk.remove(bench.path("b")) }?.isMissing == true)
        #expect(throwing { _ = try disk.list(bench.path("b")) }?.isMissing == true)
        #expect(throwing { try disk.syncDirectory(bench.path("b")) }?.isMissing == true)
        #expect(try disk.kind(of: bench.path("a")) == .file && disk.kind(of: bench.path("d")) == .directory)
        #expect(try disk.kind(of: bench.path("a/b")) == nil && disk.exists(bench.path("b")) == false)
        #expect(try disk.list(bench.root) == ["a", "d"] && disk.list(bench.path("d")) == [])
    }

    @Test("Rename replaces, remove removes, and open files stay readable", arguments: DiskKind.allCases)
    func renameRemove(kind: DiskKind) throws {
        let bench = try Bench(kind)
        let disk = bench.disk
        try bench.make("a", [1])
        try bench.make("b", [2])
        try disk.createDirectory(bench.path("d"))
        let old = try disk.open(bench.path("b"), writable: false)
        let map = try disk.map(bench.path("b"), length: 1)
        try disk.rename(bench.path("a"), to: bench.path("b"))
        #expect(try bench.content("b") == [1] && disk.list(bench.root) == ["b", "d"])
        var buffer: [UInt8] = []
        #expect(try old.read(at: 0, count: 1, into: &buffer, offset: 0) == 1 && buffer[0] == 2)
        try map.copy(0..<1, into: &buffer)
        #expect(buffer[0] == 2)
        try disk.rename(bench.path("b"), to: bench.path("d/c"))
        #expect(throws: DiskError.self) { try disk.remove(bench.path("d")) }
        try disk.rename(bench.path("d"), to: bench.path("e"))
        #expect(try bench.content("e/c") == [1])
        try disk.rename(bench.path("e/c"), to: bench.path("e/c"))
        try disk.remove(bench.path("e/c"))
        try disk.remove(bench.path("e"))
        try disk.syncDirectory(bench.root)
        #expect(try disk.list(bench.root) == [])
        #expect(throws: DiskError.self) { try disk.rename(bench.path("x"), to: bench.path("y")) }
    }

    @Test("Maps have their exact length, copy with room at the end, and check ranges", arguments: DiskKind.allCases)
    func maps(kind: DiskKind) throws {
        let bench = try Bench(kind)
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try bench.make("a", bytes)
        #expect(throwing { _ = try bench.disk.map(bench.path("a"), length: 10_001) }?.isDamage == true)
        #expect(throws: DiskError.self) { try bench.disk.map(bench.path("a"), length: -1) }
        let map = try bench.disk.map(bench.path("a"), length: 9000)
        #expect(map.count == 9000)
        var out: [UInt8] = []
        for range in [0..<9000, 4000..<4001, 8999..<9000, 9000..<9000, 17..<4113] {
            try map.copy(range, into: &out)
            #expect(Array(out[..<range.count]) == Array(bytes[range]) && out.count >= range.count + 64)
        }
        let size = out.count
        try map.copy(0..<10, into: &out, at: 5)
        #expect(out.count == size && Array(out[5..<15]) == Array(bytes[..<10]) && out[4] == bytes[21])
        var small: [UInt8] = [1, 2, 3]
        try map.copy(0..<3, into: &small, at: 3)
        #expect(Array(small[..<6]) == [1, 2, 3] + bytes[..<3] && small.count >= 70)
        #expect(throws: DiskError.self) { try map.copy(0..<9001, into: &out) }
        #expect(throws: DiskError.self) { try map.copy(-1..<4, into: &out) }
        #expect(throws: DiskError.self) { try map.copy(0..<1, into: &out, at: -1) }
        #expect(throws: DiskError.self) { try map.copy(0..<1, into: &out, at: .max) }
        for access in [MappedAccess.normal, .sequential, .willNeed, .random] {
            for range in [0..<map.count, 5000..<5001, -7..<20_000, 9000..<9001, 3..<3] { map.advise(access, range) }
        }
        try map.copy(5000..<5001, into: &out)
        #expect(out[0] == bytes[5000])
        let empty = try bench.disk.map(bench.path("a"), length: 0)
        try empty.copy(0..<0, into: &out)
        #expect(empty.count == 0)
    }

    @Test("Invalid offsets and ranges are errors", arguments: DiskKind.allCases)
    func nonsense(kind: DiskKind) throws {
        let bench = try Bench(kind)
        let file = try bench.disk.create(bench.path("a"))
        var buffer: [UInt8] = []
        #expect(throws: DiskError.self) { try file.write([1], 0..<2, at: 0) }
        #expect(throws: DiskError.self) { try file.write([1], -1..<1, at: 0) }
        #expect(throws: DiskError.self) { try file.write([1], at: .max) }
        #expect(throws: DiskError.self) { try file.read(at: .max, count: 1, into: &buffer, offset: 0) }
        #expect(throws: DiskError.self) { try file.read(at: 0, count: -1, into: &buffer, offset: 0) }
        #expect(throws: DiskError.self) { try file.read(at: 0, count: 1, into: &buffer, offset: -1) }
        #expect(throws: DiskError.self) { try file.read(at: 0, count: .max, into: &buffer, offset: .max) }
        #expect(throws: DiskError.self) { try bench.disk.lock(bench.path("a"), exclusive: true, byte: -1) }
        #expect(try file.size() == 0)
    }

    @Test("Reading a whole file respects the limit", arguments: DiskKind.allCases)
    func contents(kind: DiskKind) throws {
        let bench = try Bench(kind)
        try bench.make("a", [1, 2, 3])
        try bench.make("empty", [])
        #expect(try bench.disk.contents(of: bench.path("a"), limit: 3) == [1, 2, 3])
        #expect(try bench.content("empty") == [])
        #expect(throws: DiskError.self) { try bench.disk.contents(of: bench.path("a"), limit: 2) }
        #expect(try bench.disk.freeSpace(at: bench.root) > 0)
    }

    private func throwing(_ body: () throws -> Void) -> DiskError? {
        do {
            try body()
            return nil
        } catch {
            return error as? DiskError
        }
    }
}
