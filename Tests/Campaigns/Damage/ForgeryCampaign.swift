// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Kymograph
import TestSupport

/// Forges units, pages, frames and keys of encrypted stores with right checksums, and moves them to other places. None
/// may be read. Then writes pages of encrypted catalogs, 120 for each case, and looks for a repeated nonce.
package enum ForgeryCampaign: Campaign {
    package static let name = "forgery"
    package static let summary = "changed and moved parts of encrypted stores, with right checksums; repeated nonces"

    /// The number of cases on one store.
    private static let casesOfOne = 3_000
    private static let pagesOfACase = 120

    package static func run(_ plan: CampaignPlan) throws -> CampaignResult {
        var result = CampaignResult(suite: name, seed: plan.seed)
        guard NonceWatch.start() else { throw CampaignError("this build does not report encryptions") }
        let clock = CampaignClock(plan)
        let key = KeyOnce(try .random())
        var next = plan.seed
        while result.cases < plan.cases, !clock.isOver {
            let seed = next
            let forger = try Forger(seed: seed, key: key)
            let wanted = min(casesOfOne, plan.cases - result.cases)
            let found = plan.sideBySide(wanted, until: clock) { number, _, mine in
                var random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ UInt64(number))
                mine.cases += 1
                do {
                    if let fault = try fault(forger, key, &random, &mine) {
                        mine.fail("store \(seed), case \(number): \(fault)")
                    }
                } catch {
                    mine.fail("store \(seed), case \(number): \(error)")
                }
            }
            result.merge(found)
            result.count("stores")
            next &+= 1
        }
        try encrypt(result.cases * pagesOfACase, plan, clock, &result)
        result.seconds = clock.elapsed
        return result
    }

    /// Makes one forgery and reads it. Returns nil if it is refused.
    private static func fault(
        _ forger: Forger, _ key: KeyOnce, _ random: inout SeededGenerator, _ result: inout CampaignResult
    ) throws -> String? {
        let isMoved = random.chance(0.05)
        result.count(isMoved ? "moved" : "changed")
        let forgery: Forger.Forgery?
        switch random.below(20) {
        case 0: forgery = forger.keyFiles(&random)
        case 1: forgery = forger.frame(&random, isMoved: isMoved)
        case 2, 3: forgery = forger.page(&random, isMoved: isMoved)
        default:
            result.count("units of segments")
            return try forger.fault(ofUnit: &random, isMoved: isMoved)
        }
        guard let forgery else { return "nothing to forge" }
        result.count("whole stores")
        return try read(forgery, key, &result).map { "\(forgery.what): \($0)" }
    }

    /// Reads a whole store. Returns nil if the forgery is noticed.
    private static func read(
        _ forgery: Forger.Forgery, _ key: KeyOnce, _ result: inout CampaignResult
    ) throws -> String? {
        let reference = forgery.reference
        let simulated = try SimulatedStore(MemoryDisk(directories: reference.directories, files: forgery.files))
        simulated.options.key = key
        defer { simulated.close() }
        do {
            try simulated.open(.readOnly)
            let snapshot = try simulated.opened().snapshot()
            for one in reference.series {
                let found = try ReferenceStore.all(snapshot, one.id)
                if found != reference.samples[one.id.rawValue] ?? [] { return "wrong samples of \(one.name)" }
            }
            // The page is not needed by these queries.
            result.count("noticed by verify")
            return try simulated.opened().verify().isSound ? "it was not noticed" : nil
        } catch let error as StoreError {
            result.count("refused: \(error.kind.name)")
            let kinds: [StoreError.Kind] = [.forged, .corrupt, .rolledBack, .wrongKey, .needsKey, .newerFormat]
            return kinds.contains(error.kind) ? nil : "\(error)"
        }
    }

    /// Writes pages of encrypted catalogs until a number of messages was encrypted. A repeated nonce ends the process.
    private static func encrypt(
        _ wanted: Int, _ plan: CampaignPlan, _ clock: CampaignClock, _ result: inout CampaignResult
    ) throws {
        let before = NonceWatch.count
        let found = plan.sideBySide(plan.threads, until: clock) { number, _, mine in
            do {
                let catalog = try BusyCatalog(seed: plan.seed &+ UInt64(number))
                while NonceWatch.count - before < wanted, !clock.isOver { try catalog.commit() }
                try catalog.close()
            } catch {
                mine.fail("catalog \(number): \(error)")
            }
        }
        result.merge(found)
        result.count("encryptions, no nonce twice", NonceWatch.count - before)
    }
}

/// An encrypted catalog in memory whose commits write many pages.
private final class BusyCatalog {
    private let simulated: SimulatedStore
    private let catalog: CatalogDatabase
    private var random: SeededGenerator
    private var last: Int64 = 0

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        simulated = try SimulatedStore(MemoryDisk())
        let id = random.bytes(16)
        let keys = try PageKeys(storeID: id)
        let key = random.bytes(PageKeys.keyBytes)
        try unsafe key.withUnsafeBufferPointer { try unsafe keys.add(generation: 1, key: $0) }
        let (path, vfs) = ("/kymograph.sqlite", simulated.options.catalogVFS)
        try CatalogDatabase.create(
            at: path, storeID: id, homeZone: "UTC", formatVersion: CatalogDatabase.newestFormat, vfs: vfs, keys: keys)
        catalog = try CatalogDatabase.open(at: path, readOnly: false, vfs: vfs, keys: keys)
    }

    /// Replaces the tail by a new row of 400 kB.
    func commit() throws {
        var commit = CatalogCommit(seq: last + 1, tail: random.bytes(400_000))
        if last > 0 { commit.sealedTail = [last] }
        try catalog.commit(commit)
        last += 1
    }

    func close() throws { try catalog.close() }
}
