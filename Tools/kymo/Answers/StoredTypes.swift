// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// The types and units in a store; empty if there is no store yet.
struct StoredTypes {
    /// The types with samples.
    private(set) var types: [HealthType] = []
    /// The unit of most samples, by type.
    private var stored: [String: String] = [:]
    /// The person's preferred units, by type.
    private var usual: [HKQuantityType: HKUnit] = [:]

    init(at path: String) throws {
        let store: HealthStore
        do {
            store = try Stores.open(at: path, mode: .readOnly)
        } catch {
            if case .engine(.notAStore) = error.kind { return }
            throw error
        }
        defer { store.close() }
        for overview in try store.types() {
            types.append(overview.type)
            stored[overview.type.identifier] = overview.units.first
        }
        let all = (HealthTypes.all + types).filter { $0.kind == .quantity }
        usual = try HKHealthStore(store).units(for: Set(all.map(Self.quantityType)), .current)
    }

    /// Returns the type with this name; see `TypeArgument.type(_:among:)`.
    func type(_ name: String) throws -> HealthType { try TypeArgument.type(name) { types } }

    /// Returns the unit of a number without a unit: the unit of stored samples, otherwise the person's preferred unit.
    func unit(of type: HealthType) throws -> HKUnit {
        if let text = stored[type.identifier] { return try UnitOption.unit(text, of: type) }
        let quantity = Self.quantityType(type)
        guard let unit = usual[quantity] ?? HealthPreferredUnits.unit(for: quantity, locale: .current) else {
            throw Failure.usage("\(type.shortName) needs a unit after the number")
        }
        return unit
    }

    private static func quantityType(_ type: HealthType) -> HKQuantityType {
        HKQuantityType(HKQuantityTypeIdentifier(rawValue: type.identifier))
    }
}
