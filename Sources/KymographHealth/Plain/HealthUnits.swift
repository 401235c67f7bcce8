// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// The unit of an answer, and how to get there from each unit that samples are stored in.
struct HealthUnits {
    /// The unit of the answer; nil for categories and quantities without one.
    let unit: String?
    private var conversions: [String: UnitConversion] = [:]
    /// Stored units that do not convert to the unit of the answer, most samples first.
    private(set) var leftOut: [String] = []

    /// - Parameter wanted: The unit asked for. Without one: the stored unit if there is only one, else the type's
    ///   canonical unit, else the unit of most samples.
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
                // One stray record must not make the others unusable.
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

    /// Whether samples stored in this unit are not part of the answer.
    func leavesOut(_ unit: String?) -> Bool { unit.map { leftOut.contains($0) } ?? false }

    private static func parsed(_ text: String?, _ type: HealthType) throws(HealthStoreError) -> HKUnit? {
        guard let text else { return nil }
        do throws(HKUnitError) {
            return try HKUnit(parsing: text)
        } catch {
            throw HealthStoreError(
                .incompatibleUnit,
                "samples of \(type.identifier) are stored in \"\(text)\", which does not convert: \(error)")
        }
    }

    /// The conversion of numbers stored in a unit; nil where they stay as they are.
    func conversion(from unit: String?) -> UnitConversion? {
        guard let unit, let conversion = conversions[unit], !conversion.isIdentity else { return nil }
        return conversion
    }
}

extension UnitConversion {
    /// Whether zero stays zero, as with all units but temperatures.
    var isLinear: Bool { convert(0) == 0 }

    /// What a difference of one becomes.
    var slope: Double {
        // A power of two of some size, so that a temperature's offset costs no digits of it.
        let far = 1_048_576.0
        return isLinear ? convert(1) : (convert(far) - convert(0)) / far
    }
}
