// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// A sample as a person types it.
struct SampleDraft {
    let start: Date
    let end: Date
    let device: HKDevice?
    let metadata: [String: Any]
    /// Types and units that are there already.
    let stored: StoredTypes
    /// What only the object itself can have: two objects with one sync identifier would replace each other, and a
    /// nutrient is no food.
    private static let ownKeys = [HKMetadataKeySyncIdentifier, HKMetadataKeySyncVersion, HKMetadataKeyFoodType]

    /// The sample of a type and a value.
    func sample(_ name: String, _ value: String, _ unit: String?) throws -> HKSample {
        if let correlation = TypeList.correlation(name) { return try self.correlation(correlation, value, unit) }
        let type = try stored.type(name)
        return type.kind == .category ? try category(type, value, unit) : try quantity(type, value, unit)
    }

    private func quantity(_ type: HealthType, _ value: String, _ unit: String?) throws -> HKQuantitySample {
        guard let number = Double(value), number.isFinite else {
            throw Failure.usage("\"\(value)\" is no number; a value of \(type.shortName) is one, such as 70.5")
        }
        if type.isCumulative, number < 0 {
            throw Failure.usage("\(type.shortName) is added up, and no amount of it is less than 0; got \(value)")
        }
        let unit = try unit.map { try UnitOption.unit($0, of: type) } ?? stored.unit(of: type)
        return HKQuantitySample(
            type: HKQuantityType(HKQuantityTypeIdentifier(rawValue: type.identifier)),
            quantity: HKQuantity(unit: unit, doubleValue: number), start: start, end: end, device: device,
            metadata: metadata)
    }

    private func category(_ type: HealthType, _ value: String, _ unit: String?) throws -> HKCategorySample {
        if let unit { throw Failure.usage("\(type.shortName) is a category and has no unit; leave \(unit) out") }
        let identifier = HKCategoryTypeIdentifier(rawValue: type.identifier)
        guard let number = HealthCategoryValues.rawValue(of: value, for: identifier),
            HealthCategoryValues.isValid(number, for: identifier)
        else {
            let names = HealthCategoryValues.values(of: identifier).map { "\($0.name) (\($0.rawValue))" }
            throw Failure.usage(
                "\"\(value)\" is no value of \(type.shortName); it has \(names.joined(separator: ", "))")
        }
        return HKCategorySample(
            type: HKCategoryType(identifier), value: number, start: start, end: end, device: device,
            metadata: metadata)
    }

    private func correlation(_ type: String, _ value: String, _ unit: String?) throws -> HKCorrelation {
        let part = SampleDraft(
            start: start, end: end, device: device, metadata: metadata.filter { !Self.ownKeys.contains($0.key) },
            stored: stored)
        let members =
            type.hasSuffix("BloodPressure") ? try part.pressures(value, unit) : try part.nutrients(value, unit)
        return HKCorrelation(
            type: HKCorrelationType(HKCorrelationTypeIdentifier(rawValue: type)), start: start, end: end,
            objects: Set(members), device: device, metadata: metadata)
    }

    /// Of `120/80`.
    private func pressures(_ value: String, _ unit: String?) throws -> [HKSample] {
        let numbers = value.split(separator: "/", omittingEmptySubsequences: false)
        guard numbers.count == 2 else {
            throw Failure.usage("\"\(value)\" is no blood pressure; write systolic/diastolic, such as 120/80")
        }
        let types: [HKQuantityTypeIdentifier] = [.bloodPressureSystolic, .bloodPressureDiastolic]
        return try zip(types, numbers).map { type, number in
            try quantity(HealthTypes.type(for: type), String(number), unit)
        }
    }

    /// Of `dietaryProtein=12g,dietaryWater=200mL`.
    private func nutrients(_ value: String, _ unit: String?) throws -> [HKSample] {
        if let unit { throw Failure.usage("food has a unit for each part, as dietaryProtein=12g; leave \(unit) out") }
        return try value.split(separator: ",").map { part in
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, let type = HealthTypes.find(String(pair[0])), type.kind == .quantity else {
                throw Failure.usage("\"\(part)\" is no part of food; write type=amount, such as dietaryProtein=12g")
            }
            let number = pair[1].prefix { $0.isNumber || "+-.eE".contains($0) }
            let rest = pair[1].dropFirst(number.count).drop { $0 == " " }
            return try quantity(type, String(number), rest.isEmpty ? nil : String(rest))
        }
    }

    // MARK: - What is said about it

    /// Of `key=value`, with that a person entered it. A predefined key may be written by its constant, too.
    static func metadata(_ pairs: [String]) throws -> [String: Any] {
        var values: [String: Any] = [HKMetadataKeyWasUserEntered: true]
        for pair in pairs {
            guard let equals = pair.firstIndex(of: "="), equals > pair.startIndex else {
                throw Failure.usage("--metadata \"\(pair)\" is no key=value")
            }
            let name = String(pair[..<equals])
            let key = HealthMetadataKeys.all.first { $0.constant == name }?.key ?? name
            values[key] = HealthMetadataValue(exportText: String(pair[pair.index(after: equals)...]), of: key)
        }
        return values
    }

    /// Of a name, or of `name=Scale,model=X1`.
    static func device(_ text: String) throws -> HKDevice {
        var fields: [String: String] = [:]
        if !text.contains("=") { fields["name"] = text }
        for part in text.contains("=") ? text.split(separator: ",") : [] {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].drop { $0 == " " }
            guard pair.count == 2, names.contains(String(name)) else {
                throw Failure.usage(
                    "--device \"\(part)\" is none of \(names.map { $0 + "=" }.joined(separator: ", "))")
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
