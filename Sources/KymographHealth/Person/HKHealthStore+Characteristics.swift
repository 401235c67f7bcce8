// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthCatalog
public import HealthModel

// The person's characteristics. An import or a program sets them.
extension HKHealthStore {
    /// Returns the date of birth. See `dateOfBirthComponents()`.
    func dateOfBirth() throws(HKError) -> DateComponents {
        let text = try characteristicText(.dateOfBirth)
        let numbers = text?.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) } ?? []
        guard numbers.count == 3, let date = Self.birth(numbers[0], numbers[1], numbers[2]) else {
            throw HKError(
                .errorNoData, reason: "the date of birth is unknown",
                advice: "import an export that has it, or set it")
        }
        return date
    }

    /// Returns a day of the Gregorian calendar; nil if there is no such day.
    private static func birth(_ year: Int?, _ month: Int?, _ day: Int?) -> DateComponents? {
        guard let year, let month, let day, (1...9_999).contains(year), (1...12).contains(month),
            (1...31).contains(day)
        else { return nil }
        let date = DateComponents(
            calendar: Calendar(identifier: .gregorian), year: year, month: month, day: day)
        return date.isValidDate ? date : nil
    }

    private func characteristicText(_ identifier: HKCharacteristicTypeIdentifier) throws(HKError) -> String? {
        let store = try store()
        if let access = try store.access() {
            let type = HKCharacteristicType(identifier)
            try access.requireReading(type)
            if !access.readsAll(type) { return nil }
        }
        return try currentTables().rows.characteristics[identifier.rawValue]
    }

    func characteristic<Value: NamedCharacteristic>(
        _ identifier: HKCharacteristicTypeIdentifier
    ) throws(HKError) -> Value? {
        try characteristicText(identifier).flatMap { Value(exported: $0) }
    }

    // Setters. In HealthKit only the person sets characteristics, in the Health app.

    /// Sets the sex. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func set(_ value: HKBiologicalSex) async throws { try await set(value, .biologicalSex) }

    /// Sets the blood type. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func set(_ value: HKBloodType) async throws { try await set(value, .bloodType) }

    /// Sets the skin type. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func set(_ value: HKFitzpatrickSkinType) async throws { try await set(value, .fitzpatrickSkinType) }

    /// Sets the use of a wheelchair. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func set(_ value: HKWheelchairUse) async throws { try await set(value, .wheelchairUse) }

    /// Sets the measure of the move goal. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func set(_ value: HKActivityMoveMode) async throws { try await set(value, .activityMoveMode) }

    /// Sets the date of birth. Not part of HealthKit.
    ///
    /// - Parameter birth: year, month and day in the Gregorian calendar; nil to remove the date.
    /// - Throws: ``HKError``: `errorInvalidArgument` for an invalid day, `errorDatabaseInaccessible`.
    public func set(dateOfBirth birth: DateComponents?) async throws {
        guard let birth else { return try await set(nil, HKCharacteristicTypeIdentifier.dateOfBirth) }
        guard let date = Self.birth(birth.year, birth.month, birth.day), let year = date.year, let month = date.month,
            let day = date.day
        else {
            throw HKError(
                .errorInvalidArgument, reason: "the date of birth is not a valid day", place: "\(birth)",
                advice: "give year, month and day in the Gregorian calendar")
        }
        func padded(_ number: Int, _ width: Int) -> String {
            String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
        }
        try await set("\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))", .dateOfBirth)
    }

    private func set<Value: NamedCharacteristic>(
        _ value: Value, _ identifier: HKCharacteristicTypeIdentifier
    ) async throws(HKError) {
        try await set(value.exported, identifier)
    }

    private func set(_ text: String?, _ identifier: HKCharacteristicTypeIdentifier) async throws(HKError) {
        try await BlockingQueue.result { () throws(HKError) in
            let store = try self.store()
            try store.requireOwner(identifier.rawValue)
            try store.write { transaction in
                try HealthCatalog.set(characteristic: identifier.rawValue, to: text, transaction)
            }
        }
    }
}
