// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 repair: creation of the target, with concurrent users and failing calls")
struct RepairEndTests {
    /// A disk with a store in `/old`.
    private struct Scene {
        let disk: FaultyDisk
        let layer: SimulatedLayer
        let id: SeriesID

        init() throws {
            disk = try FaultyDisk()
            layer = try SimulatedLayer(disk)
            let store = try TimeSeriesStore.create(at: "/old", options: layer.options)
            id = try store.series("pulse", kind: .discrete).id
            try store.load((0..<3_000).map { Sample(start: Int64($0), value: Double($0)) }, to: id)
            store.close()
        }

        func repair() throws(StoreError) {
            try TimeSeriesStore.repair(from: "/old", to: "/new", options: layer.options)
        }

        func failing(_ fault: DiskFault) -> StoreError? {
            disk.inject(fault)
            defer { disk.clearFaults() }
            do throws(StoreError) {
                try repair()
                return nil
            } catch {
                return error
            }
        }

        func expectWhole() throws {
            let store = try TimeSeriesStore.open(at: "/new", options: layer.options)
            #expect(try store.snapshot().count(of: id) == 3_000 && store.verify().problems.isEmpty)
            store.close()
            let names = try disk.list("/new")
            #expect(names.filter { ["REPAIR", "WITNESS.new"].contains($0) }.isEmpty, "\(names)")
            #expect(names.contains("WITNESS"))
        }
    }

    @Test("Without space for the witness no target is created, and the next repair succeeds")
    func witness() throws {
        let scene = try Scene()
        for kind in [DiskCallKind.create, .write] {
            for suffix in ["/WITNESS", "/WITNESS.new"] {
                let error = scene.failing(DiskFault([kind], pathSuffix: suffix, errno: DiskError.noSpace))
                guard let error else {
                    try scene.expectWhole()
                    for name in try scene.disk.list("/new") where name != "segments" {
                        try scene.disk.remove("/new/" + name)
                    }
                    for name in try scene.disk.list("/new/segments") { try scene.disk.remove("/new/segments/" + name) }
                    try scene.disk.remove("/new/segments")
                    try scene.disk.remove("/new")
                    continue
                }
                #expect(error.kind == .diskFull)
                #expect(try !scene.disk.exists("/new"), "\(kind) \(suffix): the repair failed but left a store")
            }
        }
        try scene.repair()
        try scene.expectWhole()
    }

    @Test("After any failing call on the target there is an error and no store, or a complete store")
    func everyCall() throws {
        let sound = try Scene()
        let before = sound.disk.callCount
        try sound.repair()
        // SQLite's calls are covered by the catalog's tests.
        let calls = sound.disk.trace.filter { $0.number > before && $0.path.hasPrefix("/new") }.filter {
            $0.kind == .rename || !$0.path.contains("sqlite")
        }
        #expect(calls.count > 20)
        for call in calls {
            for effect in [DiskFault.Effect.nothing, .everything] where effect == .nothing || call.kind.isMutation {
                let scene = try Scene()
                let nth = call.number - before
                let error = scene.failing(DiskFault(Set(DiskCallKind.allCases), nth: nth, effect: effect))
                if try scene.disk.exists("/new/kymograph.sqlite") {
                    // At this point only the sync of the name may fail, and the error says so.
                    #expect(error?.message.contains("is complete") ?? true, "\(call)")
                } else {
                    #expect(error != nil, "\(call)")
                    try scene.repair()
                }
                try scene.expectWhole()
            }
        }
    }

    @Test("A store with the mark of a killed repair is not cleared, and its writer removes the mark")
    func leftMark() throws {
        let scene = try Scene()
        try scene.repair()
        for name in ["/new/REPAIR", "/new/WITNESS.new"] { try scene.disk.createFile(name, []) }
        try scene.disk.remove("/new/WITNESS")
        #expect(throws: StoreError.self) { try scene.repair() }
        #expect(try scene.disk.list("/new/segments").count == 1)
        let reader = try TimeSeriesStore.open(at: "/new", mode: .readOnly, options: scene.layer.options)
        #expect(reader.snapshot().count(of: scene.id) == 3_000)
        reader.close()
        try scene.expectWhole()
        // Without its catalog it is a damaged store, not an unfinished target.
        try scene.disk.remove("/new/kymograph.sqlite")
        let error = #expect(throws: StoreError.self) { try scene.repair() }
        #expect(error?.kind == .alreadyExists)
        #expect(try scene.disk.list("/new/segments").count == 1)
    }

    @Test("A second repair into a running repair's target creates and removes nothing")
    func together() throws {
        let scene = try Scene()
        let disk = scene.disk
        let one = try RepairDraft("/new", disk)
        let names = try disk.list("/new")
        #expect(names == ["LOCK", "REPAIR", "segments"])
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try RepairDraft("/new", disk) }
            #expect(error?.kind == .locked)
            #expect(try disk.list("/new") == names)
            // A helper of the first repair also holds the lock.
            one.lendLock()
        }
        // The state right after the first repair's mark.
        try disk.remove("/new/LOCK")
        #expect(throws: StoreError.self) { try RepairDraft("/new", disk) }
        #expect(try disk.list("/new") == ["REPAIR", "segments"])
        one.abandon()
        #expect(try !disk.exists("/new"))
        let other = try RepairDraft("/new", disk)
        other.abandon()
        #expect(try !disk.exists("/new"))
    }

    @Test("Without a lock nothing is left behind")
    func noLock() throws {
        let scene = try Scene()
        for suffix in ["/new/LOCK", "/new/REPAIR"] {
            let error = scene.failing(DiskFault([.lock], pathSuffix: suffix))
            #expect(error?.kind == .inputOutput)
            #expect(try !scene.disk.exists("/new"), "\(suffix)")
        }
    }

    @Test("Reading a damaged store creates and changes no file in it")
    func untouched() throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.load((0..<3_000).map { Sample(start: Int64($0) * second, value: 1) }, to: id)
        test.store.close()
        let catalog = test.path + "/kymograph.sqlite"
        let whole = try RealDisk().contents(of: catalog, limit: 1 << 26)
        for isDamaged in [false, true] {
            var bytes = whole
            if isDamaged { bytes[5_000] ^= 1 }
            try Data(bytes).write(to: URL(fileURLWithPath: catalog))
            let names = try RealDisk().list(test.path)
            let before = try StoreImage(test.path).files
            let report = try TimeSeriesStore.repair(from: test.path, to: test.directory.file("repaired \(isDamaged)"))
            #expect(report.samples == 3_000)
            #expect(try RealDisk().list(test.path) == names)
            #expect(try StoreImage(test.path).files == before)
        }
    }
}
