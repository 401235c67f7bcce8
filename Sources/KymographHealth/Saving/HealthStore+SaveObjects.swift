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
        try Self.check(objects)
        var draft = SaveBatch(SavingProgram(revision), created: SystemClock.wallNanoseconds())
        for object in objects { try draft.append(object) }
        try checkTwins(draft)
        try commit(draft, identities: .new)
    }

    /// Makes one commit of what is to be saved.
    func commit(_ batch: SaveBatch, identities rule: IdentityRule) throws(HKError) {
        do {
            try gate.save {
                let known = try view().tables.rows
                try engine.write(identities: rule) { context in try batch.decide(context, known) }
            }
        } catch {
            throw HKError(any: error)
        }
    }

    /// Objects of one save from which several threads check them.
    private static let divisible = 16_384

    /// Checks the save rules. Of several objects that break one the first is told, however many threads there are.
    private static func check(_ objects: [HKObject]) throws(HKError) {
        if objects.count < divisible { return try HealthSaveRules.check(objects) }
        let length = divisible / 4
        let parts = (objects.count + length - 1) / length
        let faults = Mutex<[Int: HKError]>([:])
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            do throws(HKError) {
                let range = part * length..<min(objects.count, (part + 1) * length)
                for object in objects[range] { try HealthSaveRules.check(object) }
            } catch {
                faults.withLock { $0[part] = error }
            }
        }
        let first = faults.withLock { faults in faults.min { $0.key < $1.key }?.value }
        if let first { throw first }
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
    func write(_ body: @escaping @Sendable (CatalogTransaction) throws -> Void) throws(HKError) {
        do {
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
        } catch {
            throw HKError(any: error)
        }
    }
}
