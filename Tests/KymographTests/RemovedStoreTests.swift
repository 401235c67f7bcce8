// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import Kymograph

@Suite("E-12 a store whose directory is removed or moved while it is open")
struct RemovedStoreTests {
    @Test("a writer acknowledges nothing into files without a name", arguments: ["removed", "moved", "replaced"])
    func appends(_ what: String) throws {
        let test = try TestStore()
        let id = try test.store.series("pulse", kind: .discrete).id
        try test.store.append(to: id, [Sample(start: 0, value: 1)])
        let manager = FileManager.default
        if what == "removed" { try manager.removeItem(atPath: test.path) }
        if what != "removed" { try manager.moveItem(atPath: test.path, toPath: test.path + "-moved") }
        if what == "replaced" { try TimeSeriesStore.create(at: test.path).close() }
        let error = #expect(throws: StoreError.self) {
            try test.store.append(to: id, [Sample(start: second, value: 2)])
        }
        #expect(error?.kind == .inputOutput)
        #expect(error?.message.contains("removed, moved or replaced") == true, "\(error as Any)")
        let next = #expect(throws: StoreError.self) { try test.store.append(to: id, [Sample(start: second, value: 2)]) }
        #expect(next?.kind == .writerFailed)
        test.store.close()
    }
}
