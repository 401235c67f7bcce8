// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthCatalog
public import HealthModel

extension NSNotification.Name {
    /// Posted after this process changed a person's preferred unit; the object is the `HKHealthStore` of the change.
    public static let HKUserPreferencesDidChange = NSNotification.Name("HKUserPreferencesDidChangeNotification")
}

extension HKHealthStore {
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
            let store = try self.store()
            try store.requireOwner("the preferred unit of \(type.identifier)")
            try store.write { transaction in
                try HealthCatalog.set(setting: Self.unitKey(type), to: unit?.unitString, transaction)
            }
        }
        NotificationCenter.default.post(name: .HKUserPreferencesDidChange, object: self)
    }

    private static func unitKey(_ type: HKQuantityType) -> String { "unit." + type.identifier }

    /// Returns the preferred units in a locale.
    package func units(for types: Set<HKQuantityType>, _ locale: Locale) throws(HKError) -> [HKQuantityType: HKUnit] {
        let chosen = try currentTables().rows.settings
        let access = try store().access()
        var found: [HKQuantityType: HKUnit] = [:]
        for type in types {
            let isVisible = try access?.mayReadOrShare(type) ?? true
            let unit = isVisible ? chosen[Self.unitKey(type)].flatMap { try? HKUnit(parsing: $0) } : nil
            found[type] = unit ?? HealthPreferredUnits.unit(for: type, locale: locale)
        }
        return found
    }
}
