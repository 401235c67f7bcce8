// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// What a store has of types, as far as an addition asks for it; nothing where there is no store yet.
struct StoredTypes {
    /// The types that have samples.
    private(set) var types: [HealthType] = []
    /// The unit that most samples of a type are stored in.
    private var stored: [String: String] = [:]
    /// The units in which the person expects to read types.
    private var usual: [HKQuantityType: HKUnit] = [:]

    init(at path: String) throws {
        let store: HealthStore
        do {
            store = try HealthStore.open(at: path, mode: .readOnly)
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

    /// The type that a name means; see `TypeArgument.type(_:among:)`.
    func type(_ name: String) throws -> HealthType { try TypeArgument.type(name) { types } }

    /// The unit of a number that is given without one: that of the samples which are there, else the one that a person
    /// reads the type in.
    func unit(of type: HealthType) throws -> HKUnit {
        if let text = stored[type.identifier] { return try UnitOption.unit(text, of: type) }
        let quantity = Self.quantityType(type)
        guard let unit = usual[quantity] ?? HealthPreferredUnits.unit(for: quantity, locale: .current) else {
            throw Failure.usage("\(type.shortName) needs a unit behind the number")
        }
        return unit
    }

    private static func quantityType(_ type: HealthType) -> HKQuantityType {
        HKQuantityType(HKQuantityTypeIdentifier(rawValue: type.identifier))
    }
}
