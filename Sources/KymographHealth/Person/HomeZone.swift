// SPDX-License-Identifier: Apache-2.0

package import CivilTime
public import Foundation
import HealthCatalog
import HealthModel

// The home zone is the time zone of a person's days and nights. It is a setting of the store: `Docs/Format/Catalog.md`.

extension HealthStore {
    private static let homeZoneKey = "zone.home"
    /// The number of sleep samples whose zones are counted if no zone is set.
    private static let samplesForZone = 1_000

    /// Returns the home zone: the zone that was set, else the zone that most of the latest 1,000 sleep samples name in
    /// their metadata, else the zone with which the store was created, else the system's zone.
    ///
    /// - Complexity: O(1) if a zone was set, else O(1,000 samples).
    package func homeZone(asOf commit: Int64? = nil) throws(HealthStoreError) -> CivilZone {
        if let chosen = try chosenHomeZone() { return chosen }
        if let recorded = try recordedZone(asOf: commit) { return recorded }
        let created = try info().homeZone
        if created != StoreOptions().homeZone, let zone = CivilZone(identifier: created) { return zone }
        return CivilZone(identifier: TimeZone.current.identifier) ?? .utc
    }

    /// Returns the zone that was set; nil if none was set.
    package func chosenHomeZone() throws(HealthStoreError) -> CivilZone? {
        try currentView().tables.rows.settings[Self.homeZoneKey].flatMap { CivilZone(identifier: $0) }
    }

    private func recordedZone(asOf commit: Int64?) throws(HealthStoreError) -> CivilZone? {
        let sleep = HealthTypes.type(for: HKCategoryTypeIdentifier.sleepAnalysis)
        let latest = SampleRequest(sleep, limit: Self.samplesForZone, order: .backward, asOf: commit)
        var counts: [String: Int] = [:]
        for sample in try samples(latest) {
            if case .string(let name) = sample.metadata.values[HKMetadataKeyTimeZone] { counts[name, default: 0] += 1 }
        }
        let ranked = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return ranked.lazy.compactMap { CivilZone(identifier: $0.key) }.first
    }

    /// Sets the home zone, durably; nil for none.
    package func setHomeZone(_ zone: CivilZone?) throws(HKError) {
        try write { transaction in
            try HealthCatalog.set(setting: Self.homeZoneKey, to: zone?.identifier, transaction)
        }
    }
}

extension HKHealthStore {
    /// Returns the time zone of the person's days and nights. Not part of HealthKit.
    ///
    /// - Returns: the zone that was set; else the zone that most of the latest 1,000 sleep samples name in
    ///   `HKMetadataKeyTimeZone`; else the zone with which the store was created; else the system's zone.
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func homeTimeZone() async throws -> TimeZone {
        let zone = try await plain { store throws(HealthStoreError) in try store.homeZone() }
        if let known = TimeZone(identifier: zone.identifier) { return known }
        // Foundation has no zone with an offset as its name, such as +05:30.
        return TimeZone(secondsFromGMT: Int(zone.offset(at: Int64(Date().timeIntervalSince1970)))) ?? .gmt
    }

    /// Sets the time zone of the person's days and nights, durably; nil to derive it from the data. Not part of
    /// HealthKit.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a zone that the store cannot compute with,
    ///   `errorDatabaseInaccessible`.
    public func setHomeTimeZone(_ zone: TimeZone?) async throws {
        try await BlockingQueue.result { () throws(HKError) in
            let known = try zone.map { zone throws(HKError) in
                guard let known = CivilZone(identifier: zone.identifier) else {
                    throw HKError(
                        .errorInvalidArgument, reason: "the zone is unknown", place: zone.identifier,
                        advice: "choose a zone by its name, such as Europe/Zurich")
                }
                return known
            }
            let store = try self.store()
            try store.requireOwner("the home zone")
            try store.setHomeZone(known)
        }
    }

    /// Returns the result of a plain read of the store with the commits of other processes so far, without blocking a
    /// thread, with HealthKit's errors.
    package func plain<R: Sendable>(
        _ body: @escaping @Sendable (HealthStore) throws(HealthStoreError) -> R
    ) async throws(HKError) -> R {
        try await BlockingQueue.result { () throws(HKError) in
            let store = try self.store()
            do throws(HealthStoreError) {
                try store.refresh()
                return try body(store)
            } catch {
                throw HKError(error)
            }
        }
    }
}
