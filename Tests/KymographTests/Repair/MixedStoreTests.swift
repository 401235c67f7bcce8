// SPDX-License-Identifier: Apache-2.0

import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-16 a directory with segments of two stores")
struct MixedStoreTests {
    /// Several pairs: a choice by chance would be wrong for one of them.
    @Test(
        "Without a catalog and a witness, a tie between two stores goes to the lesser id", .ofPlainStores,
        arguments: 0..<8)
    func tie(_ pair: Int) throws {
        let (one, other) = (try TestStore(), try TestStore())
        for test in [one, other] {
            let id = try test.store.series("a", kind: .discrete).id
            try test.store.load((0..<10).map { Sample(start: Int64($0), value: Double(pair)) }, to: id)
        }
        let ids = [one.store.context.storeID, other.store.context.storeID]
        for test in [one, other] { test.store.close() }
        let disk = RealDisk()
        for name in try disk.list(other.path + "/segments") {
            let bytes = try disk.contents(of: other.path + "/segments/" + name, limit: 1 << 20)
            try disk.createFile(one.path + "/segments/" + name, bytes)
        }
        for name in try disk.list(one.path) where name.hasPrefix("kymograph.sqlite") || name == "WITNESS" {
            try disk.remove(one.path + "/" + name)
        }
        let target = one.directory.file("repaired")
        _ = try TimeSeriesStore.repair(from: one.path, to: target)
        let store = try TimeSeriesStore.open(at: target)
        defer { store.close() }
        let lesser = ids[0].lexicographicallyPrecedes(ids[1]) ? ids[0] : ids[1]
        #expect(store.context.storeID == lesser)
    }
}
