// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
public import HealthModel

// The person's workout zones: chosen ones, else zones that the person's values give.
extension HKHealthStore {
    /// Returns the person's zones of a type: the zones that were set, else the system's zones.
    ///
    /// The system's zones of heart rate begin at 60, 70, 80 and 90 % of the reserve between the latest resting heart
    /// rate and the maximum of 220 less the age, or of the maximum alone if no resting heart rate is stored. The
    /// system's zones of cycling power begin at 55, 75, 90, 105 and 120 % of the latest functional threshold power.
    ///
    /// - Returns: nil if no zones were set and the date of birth, or the threshold power, is unknown.
    /// - Throws: ``HKError``: `errorInvalidArgument` for a type without zones, `errorDatabaseInaccessible`.
    public func preferredWorkoutZoneConfiguration(
        for quantityType: HKQuantityType
    ) async throws -> HKWorkoutZoneConfiguration? {
        try HKWorkoutZoneConfiguration.check(quantityType)
        return try await BlockingQueue.result { () throws(HKError) in
            try self.preferredZones(for: quantityType, at: Date())
        }
    }

    /// Sets the person's zones of a type, durably; nil for the system's zones. Not part of HealthKit, where only the
    /// person sets them.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a type without zones, and for a configuration of another type;
    ///   `errorDatabaseInaccessible`.
    public func setPreferredWorkoutZoneConfiguration(
        _ configuration: HKWorkoutZoneConfiguration?, for quantityType: HKQuantityType
    ) async throws {
        try HKWorkoutZoneConfiguration.check(configuration, for: quantityType)
        try await BlockingQueue.result { () throws(HKError) in
            let store = try self.store()
            try store.requireOwner("the zones of \(quantityType.identifier)")
            try store.write { transaction in
                try HealthCatalog.set(
                    setting: Self.zonesKey(quantityType), to: configuration?.setting, transaction)
            }
        }
    }

    private static func zonesKey(_ type: HKQuantityType) -> String { "zones." + type.identifier }

    /// Returns the person's zones of all types at a date.
    func preferredZones(at date: Date) throws(HKError) -> [HKWorkoutZoneConfiguration] {
        var found: [HKWorkoutZoneConfiguration] = []
        for type in HKWorkoutZoneConfiguration.types {
            if let zones = try preferredZones(for: type, at: date) { found.append(zones) }
        }
        return found
    }

    /// Returns the person's zones of a type at a date; nil if there are none.
    ///
    /// - Requires: a type with zones.
    func preferredZones(for type: HKQuantityType, at date: Date) throws(HKError) -> HKWorkoutZoneConfiguration? {
        if let text = try currentTables().rows.settings[Self.zonesKey(type)],
            let chosen = HKWorkoutZoneConfiguration(setting: text, type)
        {
            return chosen
        }
        if type != HKQuantityType(.heartRate) {
            let threshold = try latest(.cyclingFunctionalThresholdPower, in: .watt(), at: date)
            return threshold.flatMap { HKWorkoutZoneConfiguration(thresholdPower: $0) }
        }
        guard let age = try age(at: date) else { return nil }
        let perMinute = HKUnit.count().unitDivided(by: .minute())
        return HKWorkoutZoneConfiguration(age: age, resting: try latest(.restingHeartRate, in: perMinute, at: date))
    }

    /// Returns the person's age in completed years; nil if the date of birth is unknown, or not readable.
    func age(at date: Date) throws(HKError) -> Int? {
        let birth: DateComponents
        do {
            birth = try dateOfBirthComponents()
        } catch {
            let error = HKError(any: error)
            if error.code == .errorNoData || error.code == .errorAuthorizationNotDetermined { return nil }
            throw error
        }
        let calendar = Calendar(identifier: .gregorian)
        return calendar.date(from: birth).flatMap { calendar.dateComponents([.year], from: $0, to: date).year }
    }

    /// Returns the value of the latest sample that starts at a date or before; nil without one.
    private func latest(
        _ identifier: HKQuantityTypeIdentifier, in unit: HKUnit, at date: Date
    ) throws(HKError) -> Double? {
        guard let time = StoredTime.nanoseconds(date) else { return nil }
        let (type, store) = (HKQuantityType(identifier), try store())
        if try store.access()?.reading(type) == .undetermined { return nil }
        return try HKError.converting {
            var search = SampleSearch(type: type, predicate: .always(true), backward: true, limit: 1)
            search.range = TimeRange(.min, time + 1)
            var value: Double?
            try store.search(search) { batch in
                if let sample = batch.samples.first as? HKQuantitySample {
                    value = try? sample.quantity.value(in: unit)
                }
                return false
            }
            return value
        }
    }
}

extension HKWorkoutZoneConfiguration {
    /// Throws for a type without zones, and for zones of another type.
    static func check(_ configuration: Self?, for type: HKQuantityType) throws(HKError) {
        try check(type)
        guard let configuration, configuration.quantityType != type else { return }
        throw HKError(
            .errorInvalidArgument, reason: "the zones are zones of \(configuration.quantityType.identifier)",
            place: type.identifier, advice: "give zones of the same type")
    }

    /// Creates the system's zones of heart rate; nil without a positive maximum.
    ///
    /// - Parameters:
    ///   - age: in years.
    ///   - resting: the resting heart rate in beats per minute; nil if unknown.
    init?(age: Int, resting: Double?) {
        let maximum = Double(220 - min(max(age, 0), 220))
        guard age >= 0, maximum > 0 else { return nil }
        let base = resting.flatMap { $0 > 0 && $0 < maximum ? $0 : nil } ?? 0
        let boundaries = [60.0, 70, 80, 90].map { base + (maximum - base) * $0 / 100 }
        guard let zones = try? Self(HKQuantityType(.heartRate), boundaries, .system) else { return nil }
        self = zones
    }

    /// Creates the system's zones of cycling power, as Coggan defines them; nil for a power that is not positive.
    ///
    /// - Parameter thresholdPower: the functional threshold power in watts.
    init?(thresholdPower: Double) {
        let boundaries = [55.0, 75, 90, 105, 120].map { thresholdPower * $0 / 100 }
        guard thresholdPower > 0, let zones = try? Self(HKQuantityType(.cyclingPower), boundaries, .system) else {
            return nil
        }
        self = zones
    }

    /// The stored form of the person's zones: `91,114,136,158 count/min`.
    var setting: String {
        boundaries.map { NumberText.shortest($0) }.joined(separator: ",") + " " + unit.unitString
    }

    /// Creates the person's zones from their stored form; nil for another text.
    init?(setting: String, _ type: HKQuantityType) {
        let words = setting.split(separator: " ", maxSplits: 1)
        guard words.count == 2, let unit = try? HKUnit(parsing: String(words[1])) else { return nil }
        var boundaries: [HKQuantity] = []
        for word in words[0].split(separator: ",", omittingEmptySubsequences: false) {
            guard let value = Double(word) else { return nil }
            boundaries.append(HKQuantity(unit: unit, doubleValue: value))
        }
        guard let zones = try? Self(quantityType: type, zoneBoundaries: boundaries) else { return nil }
        self = zones.from(.user)
    }
}
