// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
public import HealthModel

// Whose samples count where a phone and a watch counted the same: `Docs/MergedSources.md`. In HealthKit a person orders
// the sources of a type in the Health app, and no program can ask for the order.
extension HKHealthStore {
    /// The sources that were chosen to count first, in their order; none where nothing was chosen. Not part of
    /// HealthKit.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func preferredSources(for type: HKQuantityType) async throws -> [HKSource] {
        try await BlockingQueue.result { () throws(HKError) in
            let health = try self.store()
            do throws(HealthStoreError) {
                if health.mode != .readWrite { try health.refresh() }
                let tables = try health.view().tables
                return SourceOrder.chosen(for: type.identifier, tables.rows.settings).map { text in
                    // Of the names that a program had, the latest.
                    let rows = tables.sources.values.filter { ($0.bundle ?? $0.name) == text }
                    let name = rows.max { $0.id < $1.id }?.name ?? text
                    return HKSource(name: name, bundleIdentifier: text)
                }
            } catch {
                throw HKError(error)
            }
        }
    }

    /// Chooses the sources of a type that count first, durably, of all statistics and summaries from now on; none for
    /// the order that stores begin with. Sources that are not named come after those that are. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a type that is not cumulative and for more than 1,000 sources,
    ///   `errorDatabaseInaccessible`.
    public func setPreferredSources(_ sources: [HKSource], for type: HKQuantityType) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.store().prefer(sources, of: type) }
    }
}
