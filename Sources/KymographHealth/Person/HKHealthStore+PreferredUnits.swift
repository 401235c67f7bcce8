// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthCatalog
public import HealthModel

extension NSNotification.Name {
    /// Posted after this process changed a person's preferred unit; the object is the `HKHealthStore` of the change.
    public static let HKUserPreferencesDidChange = NSNotification.Name("HKUserPreferencesDidChangeNotification")
}

extension HKHealthStore {
    /// Returns the person's preferred units: the chosen unit of a type, or the usual unit of the current locale.
    ///
    /// - Returns: a unit for each type; a type without a chosen or usual unit is missing.
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func preferredUnits(for quantityTypes: Set<HKQuantityType>) async throws -> [HKQuantityType: HKUnit] {
        try await BlockingQueue.result { () throws(HKError) in try self.units(for: quantityTypes, .current) }
    }

    /// Reports the preferred units to a handler, on a thread of the store. See `preferredUnits(for:)`.
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

    /// Sets the preferred unit of a type; nil for the usual unit of the locale. Not part of HealthKit, where only the
    /// person sets it.
    ///
    /// Posts `HKUserPreferencesDidChange` in this process.
    /// - Throws: ``HKError``: `errorInvalidArgument` for a unit of another dimension, `errorDatabaseInaccessible`.
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

    /// Returns the preferred units in a locale.
    package func units(for types: Set<HKQuantityType>, _ locale: Locale) throws(HKError) -> [HKQuantityType: HKUnit] {
        let chosen = try currentTables().rows.settings
        var found: [HKQuantityType: HKUnit] = [:]
        for type in types {
            let unit = chosen[Self.unitKey(type)].flatMap { try? HKUnit(parsing: $0) }
            found[type] = unit ?? HealthPreferredUnits.unit(for: type, locale: locale)
        }
        return found
    }
}
