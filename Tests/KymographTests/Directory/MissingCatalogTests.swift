// SPDX-License-Identifier: Apache-2.0

import Campaigns
import FileSystem
import TestSupport
import Testing

@testable import Kymograph

@Suite("A directory with segments and without a catalog (E-1)")
struct MissingCatalogTests {
    private func kind(_ body: () throws -> Void) -> StoreError.Kind? {
        do { try body() } catch let error as StoreError { return error.kind } catch {}
        return nil
    }

    @Test("no new store takes the place of the segments, also if they cannot be listed")
    func notReplaced() throws {
        let disk = try FaultyDisk()
        let simulated = try SimulatedStore(disk)
        try simulated.create()
        let id = try simulated.opened().series("pulse", kind: .discrete).id
        try simulated.opened().load((0..<300 as Range<Int64>).map { Sample(start: $0 * second, value: 1) }, to: id)
        simulated.close()
        let catalog = SimulatedStore.path + "/kymograph.sqlite"
        for name in [catalog, catalog + "-wal"] where try disk.exists(name) { try disk.remove(name) }
        #expect(kind { try simulated.create() } == .corrupt)
        #expect(kind { try simulated.open() } == .corrupt)
        disk.inject(DiskFault([.list], nth: 1))
        #expect(kind { try simulated.create() } == .inputOutput)
        disk.clearFaults()
        #expect(try !disk.exists(catalog) && !disk.list(SimulatedStore.path + "/segments").isEmpty)
    }
}
