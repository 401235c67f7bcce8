// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import HealthCatalog
import Kymograph
import KymographHealth
import TestSupport

/// A store of a history, on a disk that stops and fails on demand.
final class SyncSide {
    let number: Int
    private(set) var disk: FaultyDisk
    private(set) var life: HealthLife
    /// The identities of all samples, rows of series, and objects, after the last event.
    private(set) var known: Set<SampleIdentity> = []
    /// The identities that the store had and has no longer.
    private(set) var gone: Set<SampleIdentity> = []
    /// Whether a call of the disk failed since the store was opened.
    var isHurt = false
    /// The calls of the disk in a synchronisation.
    private(set) var mutations = 20
    private(set) var calls = 60

    init(_ number: Int) throws {
        self.number = number
        disk = try FaultyDisk()
        disk.resetTrace(keep: false)
        life = try HealthLife(disk, remembersDeletions: true)
        try life.open()
    }

    /// Whether the mark of a commit with an unknown outcome is set.
    var isOutcomeUnknown: Bool { (try? disk.exists(SimulatedStore.path + "/DOUBT")) ?? false }

    func opened() throws -> HealthStore { try life.opened().store() }

    /// Opens the store again.
    func reopen() throws {
        disk.clearFaults()
        try life.open()
        isHurt = false
    }

    /// Replaces the disk by its image after a crash, and opens the store.
    func crash(seed: UInt64, _ model: CrashModel) throws {
        let image = try disk.crash(seed: seed, model)
        life.close()
        disk = try FaultyDisk(image)
        disk.resetTrace(keep: false)
        life = try HealthLife(disk, remembersDeletions: true)
        try reopen()
    }

    /// Notes the number of calls of a synchronisation without failures.
    func noteCalls(since start: (mutations: Int, calls: Int)) {
        mutations = max(4, disk.mutationCount - start.mutations)
        calls = max(10, disk.callCount - start.calls)
    }

    var counts: (mutations: Int, calls: Int) { (disk.mutationCount, disk.callCount) }

    /// The position up to which the store has the changes of another store.
    func received(from other: SyncSide) throws -> String {
        try opened().syncPeer(other.opened().identity)?.received ?? ""
    }

    /// Reads the identities of the store. Returns the new and the missing ones since the last call.
    ///
    /// - Throws: if an identity occurs twice, or if an identity that was gone is there again.
    func update() throws -> (new: Set<SampleIdentity>, missing: Set<SampleIdentity>) {
        let now = try identities()
        let (new, missing) = (now.subtracting(known), known.subtracting(now))
        known = now
        gone.formUnion(missing)
        if let returned = new.intersection(gone).first {
            throw CampaignError("\(returned) was deleted in store \(number), and is there again")
        }
        return (new, missing)
    }

    private func identities() throws -> Set<SampleIdentity> {
        let store = try opened()
        try store.refresh()
        var found: Set<SampleIdentity> = []
        var twice: SampleIdentity?
        let snapshot = store.engine.snapshot()
        for series in snapshot.series {
            try snapshot.scan([series.id], over: .all, columns: .identity) { batch throws(StoreError) in
                for place in 0..<batch.count {
                    guard let one = batch.identity(at: place) else { continue }
                    if !found.insert(one).inserted { twice = one }
                }
                return true
            }
        }
        let objects = try store.engine.readCatalog {
            try HealthCatalog.isPrepared($0) ? HealthCatalog.liveSavedObjects($0) : []
        }
        for uuid in objects where !found.insert(SampleIdentity(uuid)).inserted { twice = SampleIdentity(uuid) }
        if let twice { throw CampaignError("\(twice) is in store \(number) twice") }
        return found
    }
}
