// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// A sample entered on the command line.
struct SampleDraft {
    let start: Date
    let end: Date
    let device: HKDevice?
    let metadata: [String: Any]
    /// The types and units already in the store.
    let stored: StoredTypes
    /// Whether a value may lie outside the possible range of its type.
    let allowsImpossible: Bool
    /// Metadata keys that members of a correlation must not share with it: objects with the same sync identifier would
    /// replace each other, and a nutrient is not a food.
    private static let ownKeys = [HKMetadataKeySyncIdentifier, HKMetadataKeySyncVersion, HKMetadataKeyFoodType]

    /// Returns the sample of a type and a value.
    ///
    /// - Throws: a usage `Failure` if type, value or unit are invalid.
    func sample(_ name: String, _ value: String, _ unit: String?) throws -> HKSample {
        if let correlation = TypeList.correlation(name) { return try self.correlation(correlation, value, unit) }
        let type = try stored.type(name)
        return type.kind == .category ? try category(type, value, unit) : try quantity(type, value, unit)
    }

    private func quantity(_ type: HealthType, _ value: String, _ unit: String?) throws -> HKQuantitySample {
        let (value, unit) = Self.parts(value, unit)
        guard let number = Double(value), number.isFinite else {
            throw Failure.usage("\"\(value)\" is not a number; \(type.shortName) needs a number such as 70.5")
        }
        if type.isCumulative, number < 0 {
            throw Failure.usage("amounts of \(type.shortName) cannot be negative; got \(value)")
        }
        let chosen = try unit.map { try UnitOption.unit($0, of: type) } ?? usualUnit(of: type, number)
        let quantity = HKQuantity(unit: chosen, doubleValue: ShownUnit(chosen.unitString).value(number))
        if !allowsImpossible { try Self.requirePossible(quantity, of: type, number) }
        return HKQuantitySample(
            type: HKQuantityType(HKQuantityTypeIdentifier(rawValue: type.identifier)), quantity: quantity,
            start: start, end: end, device: device, metadata: metadata)
    }

    /// Returns the number and the unit of `97%`, or both texts unchanged.
    private static func parts(_ value: String, _ unit: String?) -> (value: String, unit: String?) {
        guard unit == nil, value.hasSuffix(ShownUnit.percent) else { return (value, unit) }
        return (value.dropLast().filter { $0 != " " }, ShownUnit.percent)
    }

    /// Returns the unit of a number without a unit. Throws for a type in per cent, because a number such as 0.97 could
    /// be a share.
    private func usualUnit(of type: HealthType, _ number: Double) throws -> HKUnit {
        let unit = try stored.unit(of: type)
        let isPercent = [unit, type.canonicalUnit].contains { $0?.unitString == ShownUnit.percent }
        guard isPercent else { return unit }
        let shown = ShownUnit(ShownUnit.percent)
        let advice =
            (0...1).contains(number)
            ? "for the share \(NumberText.json(number)) say \(shown.text(number))"
            : "say \(shown.text(shown.value(number)))"
        throw Failure.usage("\(type.shortName) needs a unit: \(advice)")
    }

    /// Throws if no body and no device can have the quantity. The error names the range.
    ///
    /// - Parameter number: the quantity as the person wrote it.
    private static func requirePossible(_ quantity: HKQuantity, of type: HealthType, _ number: Double) throws {
        guard let range = PossibleRange.of(type), !range.contains(quantity) else { return }
        let shown = ShownUnit(range.unit)
        let (lowest, highest) = (NumberText.json(shown.number(range.lowest)), shown.text(range.highest))
        let unit = quantity.unit.unitString
        let given = NumberText.json(number) + (unit == range.unit ? "" : " \(unit)")
        throw Failure.usage(
            "\(type.shortName) is \(lowest) to \(highest); \(given) is outside: add --anyway to store it")
    }

    private func category(_ type: HealthType, _ value: String, _ unit: String?) throws -> HKCategorySample {
        if let unit { throw Failure.usage("\(type.shortName) is a category and has no unit; omit \(unit)") }
        let identifier = HKCategoryTypeIdentifier(rawValue: type.identifier)
        let number = try CategoryValueText.number(value, of: identifier, named: type.shortName)
        return HKCategorySample(
            type: HKCategoryType(identifier), value: number, start: start, end: end, device: device,
            metadata: metadata)
    }

    private func correlation(_ type: String, _ value: String, _ unit: String?) throws -> HKCorrelation {
        let part = SampleDraft(
            start: start, end: end, device: device, metadata: metadata.filter { !Self.ownKeys.contains($0.key) },
            stored: stored, allowsImpossible: allowsImpossible)
        let members =
            type.hasSuffix("BloodPressure") ? try part.pressures(value, unit) : try part.nutrients(value, unit)
        return HKCorrelation(
            type: HKCorrelationType(HKCorrelationTypeIdentifier(rawValue: type)), start: start, end: end,
            objects: Set(members), device: device, metadata: metadata)
    }

    /// Returns the two samples of `120/80`.
    private func pressures(_ value: String, _ unit: String?) throws -> [HKSample] {
        let numbers = value.split(separator: "/", omittingEmptySubsequences: false)
        guard numbers.count == 2 else {
            throw Failure.usage("\"\(value)\" is not a blood pressure; write systolic/diastolic, such as 120/80")
        }
        if !allowsImpossible, let systolic = Double(numbers[0]), let diastolic = Double(numbers[1]),
            systolic < diastolic
        {
            throw Failure.usage(
                "\(value): the systolic pressure, the first number, is below the diastolic one; write "
                    + "\(numbers[1])/\(numbers[0]), or add --anyway to store it")
        }
        let types: [HKQuantityTypeIdentifier] = [.bloodPressureSystolic, .bloodPressureDiastolic]
        return try zip(types, numbers).map { type, number in
            try quantity(HealthTypes.type(for: type), String(number), unit)
        }
    }

    /// Returns the samples of `dietaryProtein=12g,dietaryWater=200mL`.
    private func nutrients(_ value: String, _ unit: String?) throws -> [HKSample] {
        if let unit { throw Failure.usage("food needs a unit for each part, such as dietaryProtein=12g; omit \(unit)") }
        return try value.split(separator: ",").map { part in
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, let type = HealthTypes.find(TypeAlias.expanded(String(pair[0]))),
                type.kind == .quantity
            else {
                throw Failure.usage("\"\(part)\" is not a part of food; write type=amount, such as dietaryProtein=12g")
            }
            let number = pair[1].prefix { $0.isNumber || "+-.eE".contains($0) }
            let rest = pair[1].dropFirst(number.count).drop { $0 == " " }
            return try quantity(type, String(number), rest.isEmpty ? nil : String(rest))
        }
    }

    // MARK: - Metadata and device

    /// Returns the metadata of `key=value` pairs, plus the "user entered" flag. A key may be a constant's name.
    static func metadata(_ pairs: [String]) throws -> [String: Any] {
        var values: [String: Any] = [HKMetadataKeyWasUserEntered: true]
        for pair in pairs {
            guard let equals = pair.firstIndex(of: "="), equals > pair.startIndex else {
                throw Failure.usage("--metadata \"\(pair)\" is not key=value")
            }
            let name = String(pair[..<equals])
            let key = HealthMetadataKeys.all.first { $0.constant == name }?.key ?? name
            values[key] = HealthMetadataValue(exportText: String(pair[pair.index(after: equals)...]), of: key)
        }
        return values
    }

    /// Returns the device of a name, or of `name=Scale,model=X1`.
    static func device(_ text: String) throws -> HKDevice {
        var fields: [String: String] = [:]
        if !text.contains("=") { fields["name"] = text }
        for part in text.contains("=") ? text.split(separator: ",") : [] {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].drop { $0 == " " }
            guard pair.count == 2, names.contains(String(name)) else {
                throw Failure.usage(
                    "--device \"\(part)\" must be one of \(names.map { $0 + "=" }.joined(separator: ", "))")
            }
            fields[String(name)] = String(pair[1])
        }
        return HKDevice(
            name: fields["name"], manufacturer: fields["manufacturer"], model: fields["model"],
            hardwareVersion: fields["hardware"], firmwareVersion: fields["firmware"],
            softwareVersion: fields["software"], localIdentifier: fields["identifier"],
            udiDeviceIdentifier: fields["udi"])
    }

    private static let names = [
        "name", "manufacturer", "model", "hardware", "firmware", "software", "identifier", "udi",
    ]
}
