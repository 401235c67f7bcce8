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
    /// - Parameter revision: the source revision of the program, which is stored with the objects.
    /// - Throws: `errorInvalidArgument` for an object that violates a save rule or is saved already, otherwise
    ///   `errorDatabaseInaccessible`.
    package func save(_ objects: [HKObject], as revision: HKSourceRevision) throws(HKError) {
        try save(objects, as: revision, alongside: nil)
    }

    /// Saves objects, and changes tables in the same commit.
    func save(
        _ objects: [HKObject], as revision: HKSourceRevision,
        alongside: (@Sendable (CatalogTransaction) throws -> Void)?
    ) throws(HKError) {
        if objects.isEmpty {
            if let alongside { try write(alongside) }
            return
        }
        try HKError.converting { try engine.requireOwnProcess() }
        var draft = SaveBatch(try SavingProgram(revision), created: SystemClock.wallNanoseconds())
        try Self.take(objects, &draft)
        try checkTwins(draft)
        draft.alongside = alongside
        try commit(draft, identities: .new)
    }

    /// Writes a batch in one commit.
    func commit(_ batch: SaveBatch, identities rule: IdentityRule) throws(HKError) {
        try requireSharing(batch.types.sorted())
        try HKError.converting {
            try engine.requireOwnProcess()
            try gate.save {
                let known = try view().tables.rows
                try engine.write(identities: rule) { context in try batch.decide(context, known) }
            }
        }
    }

    /// The number of objects in a save from which several threads check them.
    private static let divisible = 16_384

    /// Checks the save rules and adds the objects to the batch. The error is that of the first invalid object, for any
    /// number of threads.
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
        // Parts are removed one by one, so that the objects are not held in memory twice.
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

    /// Throws for an object with a body that occurs twice in a save; the engine detects duplicate samples.
    private func checkTwins(_ batch: SaveBatch) throws(HKError) {
        var seen: Set<SampleIdentity> = []
        for one in batch.correlations where !seen.insert(one.identity).inserted {
            throw HKError.duplicate(one.identity, of: one.type)
        }
        for one in batch.series where !seen.insert(one.identity).inserted {
            throw HKError.duplicate(one.identity, of: one.type)
        }
    }

    /// Changes tables of the health layer, durably, in one commit.
    ///
    /// - Parameter isWanted: called when the engine has timed out waiting for another process; returns whether to wait
    ///   again.
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
