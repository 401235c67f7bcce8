// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
public import HealthModel

// The source order decides which samples count if a phone and a watch recorded the same activity:
// `Docs/Guide/Statistics.md`. In HealthKit the person sets the order in the Health app, and programs cannot read it.
extension HKHealthStore {
    /// Returns the chosen source order of a type; empty if none is chosen. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func preferredSources(for type: HKQuantityType) async throws -> [HKSource] {
        try await BlockingQueue.result { () throws(HKError) in
            let health = try self.store()
            do throws(HealthStoreError) {
                if health.mode != .readWrite { try health.refresh() }
                let tables = try health.view().tables
                return SourceOrder.chosen(for: type.identifier, tables.rows.settings).map { text in
                    // The latest name of the program.
                    let rows = tables.sources.values.filter { ($0.bundle ?? $0.name) == text }
                    let name = rows.max { $0.id < $1.id }?.name ?? text
                    return HKSource(name: name, bundleIdentifier: text)
                }
            } catch {
                throw HKError(error)
            }
        }
    }

    /// Sets the source order of a type, durably, for all later statistics and summaries; an empty list restores the
    /// default order. Other sources follow the given ones. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a type that is not cumulative and for more than 1,000 sources,
    ///   `errorDatabaseInaccessible`.
    public func setPreferredSources(_ sources: [HKSource], for type: HKQuantityType) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.store().prefer(sources, of: type) }
    }
}
