// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import HealthCatalog
import HealthModel

extension HealthStore {
    /// Saves objects of a program, durably, in one commit: all or none.
    ///
    /// - Parameter revision: the program, which is stamped on them.
    /// - Throws: `errorInvalidArgument` for an object that breaks a save rule or is saved already, else
    ///   `errorDatabaseInaccessible`.
    package func save(_ objects: [HKObject], as revision: HKSourceRevision) throws(HKError) {
        if objects.isEmpty { return }
        try HealthSaveRules.check(objects)
        var draft = SaveBatch(SavingProgram(revision), created: SystemClock.wallNanoseconds())
        for object in objects { try draft.append(object) }
        try checkTwins(draft)
        let batch = draft
        do {
            let known = try view().tables.rows
            try engine.write(identities: .new) { context in try batch.decide(context, known) }
        } catch {
            throw HKError(any: error)
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
