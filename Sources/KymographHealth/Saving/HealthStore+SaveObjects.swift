// SPDX-License-Identifier: Apache-2.0

import Catalog
import Dispatch
import FileSystem
import Foundation
import HealthCatalog
import HealthModel
import Synchronization

extension HealthStore {
    /// Saves objects of a program, durably, in one commit: all or none.
    ///
    /// - Parameter revision: the program, which is stamped on them.
    /// - Throws: `errorInvalidArgument` for an object that breaks a save rule or is saved already, else
    ///   `errorDatabaseInaccessible`.
    package func save(_ objects: [HKObject], as revision: HKSourceRevision) throws(HKError) {
        if objects.isEmpty { return }
        do { try engine.requireOwnProcess() } catch { throw HKError(any: error) }
        var draft = SaveBatch(try SavingProgram(revision), created: SystemClock.wallNanoseconds())
        try Self.take(objects, &draft)
        try checkTwins(draft)
        try commit(draft, identities: .new)
    }

    /// Makes one commit of what is to be saved.
    func commit(_ batch: SaveBatch, identities rule: IdentityRule) throws(HKError) {
        do {
            try engine.requireOwnProcess()
            try gate.save {
                let known = try view().tables.rows
                try engine.write(identities: rule) { context in try batch.decide(context, known) }
            }
        } catch {
            throw HKError(any: error)
        }
    }

    /// Objects of one save from which several threads look at them.
    private static let divisible = 16_384

    /// Checks the save rules and puts the objects together. Of several objects that break a rule the first is told,
    /// however many threads there are.
    private static func take(_ objects: [HKObject], _ draft: inout SaveBatch) throws(HKError) {
        if objects.count < divisible { return try take(objects[...], &draft) }
        let parts = (objects.count + divisible - 1) / divisible
        let empty = draft
        let taken = Mutex<[Int: Result<SaveBatch, HKError>]>([:])
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            let range = part * divisible..<min(objects.count, (part + 1) * divisible)
            let result = Result { () throws(HKError) in
                var batch = empty
                try take(objects[range], &batch)
                return batch
            }
            taken.withLock { $0[part] = result }
        }
        // Taken out one by one, so that all of it is not there twice.
        var results = taken.withLock { $0 }
        taken.withLock { $0 = [:] }
        for part in 0..<parts {
            if let result = results.removeValue(forKey: part) { draft.append(try result.get()) }
        }
    }

    private static func take(_ objects: ArraySlice<HKObject>, _ draft: inout SaveBatch) throws(HKError) {
        for object in objects {
            try HealthSaveRules.check(object)
            try draft.append(object)
        }
    }

    /// Refuses the same correlation twice in one save; samples are told apart by the engine.
    private func checkTwins(_ batch: SaveBatch) throws(HKError) {
        var seen: Set<SampleIdentity> = []
        for one in batch.correlations where !seen.insert(one.identity).inserted {
            throw HKError.duplicate(one.identity, of: one.type)
        }
    }
}

extension HealthStore {
    /// Changes tables of the health layer, durably, in one commit.
    ///
    /// - Parameter isWanted: asked, where another process has been writing for so long that the engine gives up,
    ///   whether to wait for it again.
    func write(
        _ body: @escaping @Sendable (CatalogTransaction) throws -> Void, again isWanted: () -> Bool = { false }
    ) throws(HKError) {
        while true {
            do {
                return try writeOnce(body)
            } catch {
                guard (error as? StoreError)?.kind == .locked, isWanted() else { throw HKError(any: error) }
            }
        }
    }

    private func writeOnce(_ body: @escaping @Sendable (CatalogTransaction) throws -> Void) throws {
        try engine.requireOwnProcess()
        try gate.save {
            _ = try engine.write { _ in
                var batch = WriteBatch()
                batch.inCommit = { transaction, _ in
                    try HealthCatalog.prepare(transaction)
                    try body(transaction)
                }
                return batch
            }
        }
    }
}
