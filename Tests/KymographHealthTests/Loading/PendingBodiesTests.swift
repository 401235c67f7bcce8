// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport
import Testing

@testable import KymographHealth

@Suite("Bodies that wait for a commit")
struct PendingBodiesTests {
    private func bodies(on disk: any Disk, limit: Int) -> PendingBodies {
        let path = "/store/import.tmp"
        return PendingBodies(path, limit: limit) { () throws(StoreError) in
            try TimeSeriesStore.createTemporaryFile(path, on: disk)
        }
    }

    @Test("bodies in memory and in the file read back; the file has no name in the directory")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 21)
        let disk = MemoryDisk()
        try disk.createDirectory("/store")
        _ = try disk.create("/store/import.tmp")
        let bodies = self.bodies(on: disk, limit: 1_000)
        let all = (0..<200).map { _ in random.bytes(random.below(300)) }
        let places = try all.map { try bodies.append($0) }
        #expect(try disk.list("/store").isEmpty)
        #expect(try places.map { try bodies.bytes($0) } == all)
    }

    @Test("a truncated body in the file is an error, not a shorter body")
    func cut() throws {
        let disk = MemoryDisk()
        try disk.createDirectory("/store")
        let bodies = self.bodies(on: disk, limit: 0)
        _ = try bodies.append([1, 2, 3])
        do {
            _ = try bodies.bytes(PendingBodies.Place(file: true, at: 1, count: 3))
            Issue.record("the truncated body was read without an error")
        } catch {
            #expect(error.kind == .engine(.inputOutput) && error.message.contains("byte 4"))
        }
    }

    @Test("an import with large documents leaves no temporary file")
    func large() throws {
        let test = try TestHealthStore()
        var random = SeededGenerator(seed: 22)
        let documents = (0..<5).map { _ in random.bytes(3 << 20) }
        _ = try test.store.load { loader in
            for (place, bytes) in documents.enumerated() { try loader.add(document: "/\(place)", bytes) }
        }
        try test.reopen()
        #expect(try test.store.documents().map { try test.store.documentBytes($0.id) } == documents)
        #expect(try !RealDisk().list(test.store.path).contains("import.tmp"))
    }

    @Test("a full disk is an error, and nothing is stored")
    func full() throws {
        let disk = try FaultyDisk()
        try disk.createDirectory("/store")
        disk.inject(DiskFault([.write], errno: DiskError.noSpace))
        let bodies = self.bodies(on: disk, limit: 0)
        do {
            _ = try bodies.append([1])
            Issue.record("the load on a full disk succeeded")
        } catch {
            #expect(error.kind == .engine(.diskFull))
        }
    }
}
