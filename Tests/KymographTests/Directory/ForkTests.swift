// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

/// Each test forks in its own process. With other tests in the process, a lock of the allocator or the runtime that
/// another thread holds during the fork would stay locked in the child.
@Suite("E-12 a process forked with an open store")
struct ForkTests {
    @Test("Every handle refuses calls in the child, and the parent is unaffected")
    func handles() async {
        await #expect(processExitsWith: .success) { try ForkedLife.handles() }
    }

    @Test("A child that closes the store or exits leaves the parent's lock and catalog unchanged")
    func closing() async {
        await #expect(processExitsWith: .success) { try ForkedLife.closing() }
    }

    @Test("A surviving child does not keep the lock of a parent that closed the store")
    func survivor() async {
        await #expect(processExitsWith: .success) { try ForkedLife.survivor() }
    }

    @Test("A child can open the store itself", .ofPlainStores)
    func anew() async {
        await #expect(processExitsWith: .success) { try ForkedLife.anew() }
    }
}

/// The code of each test's process.
private enum ForkedLife {
    /// Returns the error kind of a call in a forked child, which exits with the kind's number; nil for no error.
    private static func inChild(_ body: @escaping () throws -> Void) -> StoreError.Kind? {
        let child = ForkedChild {
            do {
                try body()
                return 0
            } catch {
                return Int32((error as? StoreError)?.kind.rawValue ?? 255)
            }
        }
        return StoreError.Kind(rawValue: Int(child.wait()))
    }

    static func handles() throws {
        let test = try TestStore()
        let store = test.store
        let id = try store.series("pulse", kind: .discrete).id
        try store.append(to: id, [Sample(start: 0, value: 1)])
        let appender = try store.relaxed()
        let relaxed = try appender.series(id)
        let receipt = try relaxed.append(start: second, value: 2)
        try appender.flush()
        let snapshot = store.snapshot()
        let calls: [(String, () throws -> Void)] = [
            ("append", { try store.append(to: id, [Sample(start: 9, value: 1)]) }),
            ("series", { _ = try store.series("other", kind: .discrete) }),
            ("existing series", { _ = try store.series("pulse", kind: .discrete) }),
            ("bulkLoad", { try store.bulkLoad { _ in } }),
            ("delete", { try store.delete(from: id) }),
            ("compact", { _ = try store.compact() }),
            ("seal", { try store.seal() }),
            ("refresh", { try store.refresh() }),
            ("info", { _ = try store.info() }),
            ("usage", { _ = try store.usage() }),
            ("verify", { _ = try store.verify() }),
            ("backup", { _ = try store.backup(to: test.directory.file("backup")) }),
            ("changes", { _ = try store.changes(since: nil) { _ in true } }),
            ("snapshot(asOf:)", { _ = try store.snapshot(asOf: 1) }),
            ("relaxed", { _ = try store.relaxed() }),
            ("relaxed series", { _ = try appender.series(id) }),
            ("relaxed append", { try relaxed.append(start: 9, value: 1) }),
            ("flush", { try appender.flush() }),
            ("receipt", { try receipt.wait() }),
            ("scan", { try snapshot.scan(id) { _ in true } }),
            (
                "read",
                {
                    var (starts, values) = ([Int64](), [Double]())
                    try snapshot.read(id, starts: &starts, values: &values)
                }
            ),
            ("aggregate", { _ = try snapshot.aggregate(of: id) }),
            ("mostRecent", { _ = try snapshot.mostRecent(of: id) }),
            ("extent", { _ = try snapshot.extent(of: id) }),
            ("new snapshot", { _ = try store.snapshot().mostRecent(of: id) }),
        ]
        for (name, call) in calls { #expect(inChild(call) == .forked, "\(name)") }
        try store.append(to: id, [Sample(start: 2 * second, value: 3)])
        #expect(try store.snapshot().all(id).count == 3)
        #expect(try store.verify().problems.isEmpty)
    }

    static func closing() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append(to: id, [Sample(start: 0, value: 1)])
        for isClosed in [true, false] {
            let child = ForkedChild {
                if isClosed { test.store.close() }
                return 7
            }
            #expect(child.wait() == 7)
            let error = #expect(throws: StoreError.self) { _ = try TimeSeriesStore.open(at: test.path) }
            #expect(error?.kind == .locked)
            try test.store.append(to: id, [Sample(start: isClosed ? 1 : 2, value: 1)])
        }
        try test.reopen()
        #expect(try test.store.snapshot().all(id).count == 3)
    }

    static func survivor() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        let pipe = Pipe()
        let child = ForkedChild {
            pipe.fileHandleForWriting.closeFile()
            return Int32(pipe.fileHandleForReading.readDataToEndOfFile().count)
        }
        try test.reopen()
        try test.store.append(to: id, [Sample(start: 0, value: 1)])
        #expect(try test.store.snapshot().all(id).count == 1)
        pipe.fileHandleForWriting.closeFile()
        #expect(child.wait() == 0)
    }

    static func anew() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        test.store.close()
        let path = test.path
        let failure = inChild {
            let store = try TimeSeriesStore.open(at: path)
            try store.append(to: id, [Sample(start: 0, value: 1)])
            store.close()
        }
        #expect(failure == nil)
        try test.reopen()
        #expect(try test.store.snapshot().all(id).count == 1)
    }
}
