// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 repair: stores behind links, and logs with a copy")
struct RepairPlaceTests {
    private static func link(_ path: String, to place: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: place)
    }

    @Test("A link to a store is repaired as the store; nothing is made inside it, whatever leads there")
    func links() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append((0..<50).map { Sample(start: Int64($0), value: 1) }, to: id)
        test.store.close()
        let link = test.directory.file("link")
        let inner = test.directory.file("inner")
        try Self.link(link, to: test.path)
        try Self.link(inner, to: test.path + "/segments")
        let before = try RealDisk().list(test.path)
        for place in [link, link + "/new", link + "/", test.path + "/new", inner + "/new", link + "/segments/../new"] {
            for store in [link, test.path, link + "/"] {
                let error = #expect(throws: StoreError.self, "\(store) to \(place)") {
                    try TimeSeriesStore.repair(from: store, to: place)
                }
                #expect(error?.kind == .invalidArgument, "\(store) to \(place): \(String(describing: error))")
            }
        }
        #expect(try RealDisk().list(test.path) == before)
        let target = test.directory.file("repaired")
        let report = try TimeSeriesStore.repair(from: link, to: target)
        #expect(report.isComplete && report.samples == 50)
        let store = try TimeSeriesStore.open(at: target, mode: .readOnly)
        defer { store.close() }
        #expect(try store.snapshot().all(id).count == 50)
        try Self.link(test.directory.file("dangling"), to: "nowhere")
        let none = #expect(throws: StoreError.self) {
            try TimeSeriesStore.repair(from: test.directory.file("dangling"), to: test.directory.file("other"))
        }
        #expect(none?.kind == .notAStore)
    }

    /// A copy of the log as `Docs/Format/Store.md` has it.
    private static func copy(of log: [UInt8]) -> [UInt8] {
        var sum: UInt32 = .max
        for byte in log {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0x82F6_3B78 : 0) }
        }
        let size = (0..<8).map { UInt8(truncatingIfNeeded: log.count >> (8 * $0)) }
        return Array("KymoCopy".utf8) + size + (0..<4).map { UInt8(truncatingIfNeeded: ~sum >> (8 * UInt32($0))) } + log
    }

    /// Repairs a store whose log was torn, with what is given beside it.
    private func repair(_ copies: (_ log: [UInt8]) -> [String: [UInt8]]) throws -> (RepairReport, samples: Int) {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        for i in 0..<40 { try test.store.append([Sample(start: Int64(i), value: 1)], to: id) }
        let torn = test.directory.file("torn")
        try FileManager.default.copyItem(atPath: test.path, toPath: torn)
        test.store.close()
        let catalog = torn + "/kymograph.sqlite"
        let log = try RealDisk().contents(of: catalog + "-wal", limit: 1 << 26)
        #expect(log.count > 100_000)
        try? RealDisk().remove(catalog + "-shm")
        var bad = log
        for i in log.count / 2..<log.count { bad[i] = 0x5A }
        try RealDisk().remove(catalog + "-wal")
        for (suffix, bytes) in copies(log).merging(["-wal": bad], uniquingKeysWith: { one, _ in one }) {
            try RealDisk().createFile(catalog + suffix, bytes)
        }
        let files = try RealDisk().list(torn).filter { !$0.hasSuffix("-shm") }
        let old = try files.map { try? RealDisk().contents(of: torn + "/" + $0, limit: 1 << 26) }
        let report = try TimeSeriesStore.repair(from: torn, to: test.directory.file("repaired"))
        #expect(try RealDisk().list(torn).filter { !$0.hasSuffix("-shm") } == files)
        #expect(try files.map { try? RealDisk().contents(of: torn + "/" + $0, limit: 1 << 26) } == old)
        let store = try TimeSeriesStore.open(at: test.directory.file("repaired"))
        defer { store.close() }
        #expect(try store.verify().problems.isEmpty)
        return (report, try store.snapshot().all(id).count)
    }

    @Test("A torn log counts by its copy that is whole: no commit is lost", arguments: [false, true])
    func wholeCopy(isSecond: Bool) throws {
        let (report, samples) = try repair { log in
            isSecond
                ? ["-wal-copy": Array(Self.copy(of: log).dropLast()), "-wal-copy2": Self.copy(of: log)]
                : ["-wal-copy": Self.copy(of: log)]
        }
        #expect(samples == 40 && report.isComplete, "\(report.losses)")
        let name = isSecond ? "kymograph.sqlite-wal-copy2" : "kymograph.sqlite-wal-copy"
        #expect(report.remarks.contains { $0.contains("\(name) was read in its place") }, "\(report.remarks)")
    }

    @Test("A copy that is not whole is left out, and told")
    func tornCopy() throws {
        let (report, samples) = try repair { log in ["-wal-copy": Array(Self.copy(of: log).dropLast(9))] }
        #expect(samples < 40)
        #expect(report.remarks.contains { $0.contains("kymograph.sqlite-wal-copy is not whole") }, "\(report.remarks)")
    }
}
