// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("Encrypted temporary files")
struct EncryptedTemporaryFileTests {
    @Test("the written bytes are encrypted on the disk and equal when read", arguments: [0, 1, 65_536, 200_000])
    func temporaryFiles(size: Int) throws {
        let test = try EncryptedScratch()
        _ = try test.fill(1)
        let store = try TimeSeriesStore.open(at: test.path, options: test.options())
        defer { store.close() }
        let path = test.directory.file("file")
        let inner = try store.disk.create(path)
        let file = try EncryptedTemporaryFile(inner, path: path)
        var random = SeededGenerator(seed: UInt64(size))
        let bytes = Array("canarycontent".utf8) + random.bytes(size)
        var at = 0
        while at < bytes.count {
            let next = min(bytes.count, at + 1 + random.below(70_000))
            try file.write(bytes, at..<next, at: UInt64(at))
            at = next
        }
        #expect(throws: (any Error).self) { try file.write(bytes, 0..<1, at: 0) }
        #expect(try file.size() == UInt64(bytes.count))
        for _ in 0..<50 {
            let (start, count) = (random.below(bytes.count + 2), random.below(100_000))
            var buffer = [UInt8]()
            let found = try file.read(at: UInt64(start), count: count, into: &buffer, offset: 3)
            let wanted = bytes.dropFirst(start).prefix(count)
            #expect(found == wanted.count && (found == 0 || buffer[3..<3 + found] == wanted[...]))
        }
        try file.close()
        try EncryptedScratch.expectNoCanary(test.directory.path)
    }

    @Test("after a failed write nothing more is written, so that no unit is encrypted twice")
    func failedWrite() throws {
        let disk = try FaultyDisk()
        let file = try EncryptedTemporaryFile(TimeSeriesStore.createTemporaryFile("/file", on: disk), path: "/file")
        let unit = [UInt8](repeating: 7, count: 65_536)
        try file.write(unit, 0..<unit.count, at: 0)
        disk.inject(DiskFault([.write], errno: DiskError.noSpace, effect: .part))
        #expect { try file.write(unit, 0..<unit.count, at: 65_536) } throws: { ($0 as? DiskError)?.isFull == true }
        disk.clearFaults()
        let writes = disk.trace.count { $0.kind == .write }
        #expect { try file.write(unit, 0..<unit.count, at: 65_536) } throws: { ($0 as? DiskError)?.isFull == true }
        #expect(disk.trace.count { $0.kind == .write } == writes)
        var buffer: [UInt8] = []
        #expect(try file.read(at: 0, count: 65_536, into: &buffer, offset: 0) == 65_536)
        #expect(buffer == unit)
    }

    @Test("a read that fails, or of a changed file, is an error", arguments: ["fails", "is changed"])
    func failedRead(how: String) throws {
        let disk = try FaultyDisk()
        let inner = try disk.create("/file")
        let file = try EncryptedTemporaryFile(inner, path: "/file")
        let units = [UInt8](repeating: 7, count: 3 * 65_536)
        try file.write(units, 0..<units.count, at: 0)
        switch how {
        case "fails": disk.inject(DiskFault([.read]))
        default: try inner.write([0], 0..<1, at: 70_000)
        }
        var buffer: [UInt8] = []
        #expect(throws: DiskError.self) { _ = try file.read(at: 65_536, count: 9, into: &buffer, offset: 0) }
    }

    @Test("a call that fails while the file is made is an error", arguments: [DiskCallKind.create, .remove, .kind])
    func failedCreation(kind: DiskCallKind) throws {
        let disk = try FaultyDisk()
        disk.inject(DiskFault([kind]))
        #expect(throws: StoreError.self) { _ = try TimeSeriesStore.createTemporaryFile("/file", on: disk) }
    }
}
