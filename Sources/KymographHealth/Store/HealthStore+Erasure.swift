// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import Kymograph

// The bytes of deleted objects are removed after the same time as those of samples: `Docs/Operations/Retention.md`
// states the bound. The files of removed attachments are deleted as soon as no snapshot needs them.
extension HealthStore {
    /// The key of the setting with the last erased commit, and the times of later deletions.
    private static var deathsKey: String { "erasure" }

    /// Registers the erasure of objects with the engine's periodic erasure.
    func eraseInTime() {
        if mode == .readOnly { return }
        engine.erase {
            try HealthStore(looking: $0).isErasureDue()
        } with: {
            try HealthStore(looking: $0).eraseOverdue()
        } keepingAfter: {
            try HealthStore(looking: $0).followedCommit()
        }
    }

    private var deaths: CompanionDeletions {
        get throws(HealthStoreError) {
            let text = try catalog(nil) { try HealthCatalog.settings($0)[Self.deathsKey] }
            // A damaged setting counts as none: everything is checked again.
            return text.flatMap { CompanionDeletions($0) } ?? CompanionDeletions()
        }
    }

    /// Returns the last commit that deleted an object, or samples that an imported element may contain.
    private func newestDeath() throws(HealthStoreError) -> Int64 {
        let samples = engine.newestDeletion
        return try catalog(0) { transaction in
            let hasElements = try HealthCatalog.hasSavedObjects(of: Self.typesWithElements, transaction)
            return max(try HealthCatalog.newestDeath(transaction), hasElements ? samples : 0)
        }
    }

    private static let typesWithElements = [
        HKCorrelationTypeIdentifier.bloodPressure.rawValue, HKCorrelationTypeIdentifier.food.rawValue,
    ]

    private func isErasureDue() throws(HealthStoreError) -> Bool {
        if try inEngine({ () throws(StoreError) in try !engine.removableAttachedFiles().isEmpty }) { return true }
        if try isHistoryDue() { return true }
        var (deaths, newest) = (try deaths, try newestDeath())
        if newest <= deaths.erased { return false }
        let known = deaths
        deaths.note(newest, in: engine)
        if deaths != known { return true }
        return try erasable(deaths) > deaths.erased
    }

    /// Returns the last commit whose deletions are old enough and not visible to any held snapshot.
    private func erasable(_ deaths: CompanionDeletions) throws(HealthStoreError) -> Int64 {
        let overdue = deaths.overdue(in: engine)
        return overdue == 0 ? 0 : try inEngine { () throws(StoreError) in min(overdue, try engine.oldestHeldCommit()) }
    }

    /// Erases the overdue deletions, records the times of the others, and prunes the history.
    ///
    /// - Returns: whether anything was erased.
    private func eraseOverdue() throws(HealthStoreError) -> Bool {
        // The engine erases the samples in its next check.
        _ = try pruneRows(keeping: engine.keptHistory)
        let hasRemoved = try inEngine { () throws(StoreError) in try engine.removeRetiredAttachedFiles() }
        return try eraseOverdueRows() || hasRemoved
    }

    private func eraseOverdueRows() throws(HealthStoreError) -> Bool {
        let (known, newest) = (try deaths, try newestDeath())
        var deaths = known
        if newest <= deaths.erased { return false }
        deaths.note(newest, in: engine)
        let end = try erasable(deaths)
        if end > deaths.erased {
            try eraseElements()
            try eraseObjects(upTo: end, after: deaths.erased)
            deaths.noteErased(upTo: end)
        }
        if deaths != known { try keep(deaths) }
        return deaths.erased > known.erased
    }

    /// Erases all deletions that no held snapshot sees.
    func eraseNow() throws(HealthStoreError) {
        try inEngine { () throws(StoreError) in _ = try engine.removeRetiredAttachedFiles() }
        try eraseElements()
        let end = try inEngine { () throws(StoreError) in try engine.oldestHeldCommit() }
        try eraseObjects(upTo: end, after: 0)
        var deaths = try deaths
        if try newestDeath() <= deaths.erased { return }
        deaths.noteErased(upTo: end)
        try keep(deaths)
    }

    private func keep(_ deaths: CompanionDeletions) throws(HealthStoreError) {
        let text = deaths.text
        try commit { try HealthCatalog.set(setting: Self.deathsKey, to: text, $0) }
    }
}
