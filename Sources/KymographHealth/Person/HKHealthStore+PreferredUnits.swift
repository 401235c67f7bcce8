// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthCatalog
public import HealthModel

extension NSNotification.Name {
    /// Posted when a person's preferred unit was changed by this process; the object is the `HKHealthStore` that did.
    public static let HKUserPreferencesDidChange = NSNotification.Name("HKUserPreferencesDidChangeNotification")
}

extension HKHealthStore {
    /// The units in which the person expects to read some types: what was chosen, or what is usual where they live.
    ///
    /// - Returns: a unit for each type; a type that the tables do not have, and for which none was chosen, is missing.
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func preferredUnits(for quantityTypes: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
        try await BlockingQueue.result { () throws(HKError) in try self.units(for: quantityTypes, .current) }
    }

    /// The preferred units; the handler is called on a thread of the store. See `preferredUnits(for:)`.
    public func preferredUnits(
        for quantityTypes: Set<HKQuantityType>,
        completion: @escaping @Sendable ([HKQuantityType: HKUnit], (any Error)?) -> Void
    ) {
        BlockingQueue.run {
            do throws(HKError) {
                completion(try self.units(for: quantityTypes, .current), nil)
            } catch {
                completion([:], error)
            }
        }
    }

    /// Chooses the unit for a type; nil for what is usual. Not part of HealthKit, where only a person does.
    ///
    /// Posts `HKUserPreferencesDidChange` in this process.
    /// - Throws: ``HKError``: `errorInvalidArgument` for a unit that does not fit, `errorDatabaseInaccessible`.
    public func setPreferredUnit(_ unit: HKUnit?, for type: HKQuantityType) async throws {
        if let unit, !type.is(compatibleWith: unit) {
            throw HKError(
                .errorInvalidArgument, reason: "samples of this type cannot be measured in \(unit)",
                place: type.identifier, advice: "choose a unit that converts to \(type.canonicalUnit ?? .count())")
        }
        try await BlockingQueue.result { () throws(HKError) in
            try self.store().write { transaction in
                try HealthCatalog.set(setting: Self.unitKey(type), to: unit?.unitString, transaction)
            }
        }
        NotificationCenter.default.post(name: .HKUserPreferencesDidChange, object: self)
    }

    private static func unitKey(_ type: HKQuantityType) -> String { "unit." + type.identifier }

    /// The preferred units of somebody in a locale.
    package func units(for types: Set<HKQuantityType>, _ locale: Locale) throws(HKError) -> [HKQuantityType: HKUnit] {
        let health = try store()
        let chosen: [String: String]
        do throws(HealthStoreError) {
            if health.mode != .readWrite { try health.refresh() }
            chosen = try health.view().tables.rows.settings
        } catch {
            throw HKError(error)
        }
        var found: [HKQuantityType: HKUnit] = [:]
        for type in types {
            let unit = chosen[Self.unitKey(type)].flatMap { try? HKUnit(parsing: $0) }
            found[type] = unit ?? HealthPreferredUnits.unit(for: type, locale: locale)
        }
        return found
    }
}
