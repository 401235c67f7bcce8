// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// The unit of a result, and the conversion from each stored unit.
struct HealthUnits {
    /// The unit of the result; nil for categories and quantities without a unit.
    let unit: String?
    private var conversions: [String: UnitConversion] = [:]
    /// Stored units that do not convert to the result's unit, most samples first.
    private(set) var leftOut: [String] = []

    /// - Parameter wanted: the requested unit. Nil for the only stored unit, else the type's canonical unit, else the
    ///   unit of most samples.
    init(_ type: HealthType, _ parts: SeriesParts, wanted: HKUnit?) throws(HealthStoreError) {
        let stored = parts.ranked { $0.row.unit }
        if wanted == nil, stored.count <= 1 {
            unit = stored.first
            return
        }
        var chosen = wanted ?? type.canonicalUnit
        if chosen == nil { chosen = try Self.parsed(stored.first, type) }
        guard let target = chosen else {
            unit = nil
            return
        }
        if wanted != nil, stored.isEmpty, !parts.parts.isEmpty {
            throw HealthStoreError(
                .incompatibleUnit, "\(type.identifier) has no unit, so its samples do not convert to \(target)")
        }
        unit = target.unitString
        var failure: HealthStoreError?
        for text in stored {
            do throws(HealthStoreError) {
                conversions[text] = try Self.conversion(from: text, to: target, type)
            } catch {
                // One invalid record must not make the others unusable.
                leftOut.append(text)
                failure = failure ?? error
            }
        }
        if let failure, leftOut.count == stored.count { throw failure }
    }

    private static func conversion(
        from text: String, to target: HKUnit, _ type: HealthType
    ) throws(HealthStoreError) -> UnitConversion? {
        guard let unit = try parsed(text, type) else { return nil }
        do throws(HKUnitError) {
            return try UnitConversion(from: unit, to: target)
        } catch {
            throw HealthStoreError(error)
        }
    }

    /// Returns whether samples with this stored unit are excluded.
    func leavesOut(_ unit: String?) -> Bool { unit.map { leftOut.contains($0) } ?? false }

    private static func parsed(_ text: String?, _ type: HealthType) throws(HealthStoreError) -> HKUnit? {
        guard let text else { return nil }
        do throws(HKUnitError) {
            return try HKUnit(parsing: text)
        } catch {
            throw HealthStoreError(
                .incompatibleUnit,
                "the stored unit \"\(text)\" of \(type.identifier) does not convert: \(error)")
        }
    }

    /// Returns the conversion from a stored unit; nil if the numbers are unchanged.
    func conversion(from unit: String?) -> UnitConversion? {
        guard let unit, let conversion = conversions[unit], !conversion.isIdentity else { return nil }
        return conversion
    }
}

extension UnitConversion {
    /// Whether zero converts to zero, as for all units except temperatures.
    var isLinear: Bool { convert(0) == 0 }

    /// The converted length of a difference of one.
    var slope: Double {
        // A large power of two, so that the offset of a temperature does not cost digits of the slope.
        let far = 1_048_576.0
        return isLinear ? convert(1) : (convert(far) - convert(0)) / far
    }
}
