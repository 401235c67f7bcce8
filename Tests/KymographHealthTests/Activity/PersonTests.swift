// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-7 S-16 S-17 characteristics of a person, read from the store")
struct PersonTests {
    @Test("an unset characteristic has no data; a set one is read back, also after reopening")
    func characteristics() async throws {
        let door = try TestDoor()
        let health = door.health
        #expect(try health.biologicalSex().biologicalSex == .notSet)
        #expect(try health.activityMoveMode().activityMoveMode == .activeEnergy)
        #expect(await code { _ = try health.dateOfBirthComponents() } == .errorNoData)
        for skin in HKFitzpatrickSkinType.allCases {
            try await health.set(skin)
            #expect(try health.fitzpatrickSkinType().skinType == skin)
        }
        for blood in HKBloodType.allCases {
            try await health.set(blood)
            #expect(try health.bloodType().bloodType == blood)
        }
        try await health.set(HKBiologicalSex.female)
        try await health.set(HKWheelchairUse.yes)
        try await health.set(HKActivityMoveMode.appleMoveTime)
        try await health.set(dateOfBirth: DateComponents(year: 1984, month: 2, day: 29))
        health.close()
        #expect(try health.biologicalSex().biologicalSex == .female)
        #expect(try health.wheelchairUse().wheelchairUse == .yes)
        #expect(try health.activityMoveMode().activityMoveMode == .appleMoveTime)
        let birth = try health.dateOfBirthComponents()
        #expect((birth.year, birth.month, birth.day) == (1984, 2, 29))
        // The texts are those of an export.
        let texts = try health.store().characteristics()
        #expect(texts["HKCharacteristicTypeIdentifierBiologicalSex"] == "HKBiologicalSexFemale")
        #expect(texts["HKCharacteristicTypeIdentifierDateOfBirth"] == "1984-02-29")
        #expect(texts["HKCharacteristicTypeIdentifierBloodType"] == "HKBloodTypeONegative")
    }

    @Test("an invalid date of birth is refused, and the stored one stays")
    func noDay() async throws {
        let door = try TestDoor()
        try await door.health.set(dateOfBirth: DateComponents(year: 2000, month: 1, day: 1))
        for wrong in [
            DateComponents(year: 2001, month: 2, day: 29), DateComponents(year: 2001, month: 13, day: 1),
            DateComponents(month: 2, day: 2), DateComponents(year: 0, month: 1, day: 1),
        ] {
            #expect(await code { try await door.health.set(dateOfBirth: wrong) } == .errorInvalidArgument)
        }
        #expect(try door.health.dateOfBirthComponents().year == 2000)
        try await door.health.set(dateOfBirth: nil)
        #expect(await code { _ = try door.health.dateOfBirthComponents() } == .errorNoData)
    }

    @Test("an imported date of birth that is not a valid date reads as no data")
    func importedNoDay() async throws {
        let door = try TestDoor()
        let store = try door.health.store()
        let key = HKCharacteristicTypeIdentifier.dateOfBirth.rawValue
        for wrong in [
            "1980-02-31", "1981-02-29", "1980-13-01", "1980-00-10", "1980-04-00", "0-1-1", "-1980-02-03", "1980-02-03-",
            "1980--3", "9223372036854775807-1-1", "1980-9223372036854775807-1", "", "--", "Feb 3, 1980",
        ] {
            _ = try store.load { $0.set(characteristic: key, to: wrong) }
            #expect(await code { _ = try door.health.dateOfBirthComponents() } == .errorNoData, "\(wrong)")
        }
        _ = try store.load { $0.set(characteristic: key, to: "1980-02-29") }
        let birth = try door.health.dateOfBirthComponents()
        #expect((birth.year, birth.month, birth.day) == (1980, 2, 29))
    }
}

@Suite("S-11 S-12 S-13 preferred units, by locale and by choice")
struct PreferredUnitStoreTests {
    @Test("a chosen unit overrides the locale's, is stored, and posts a notification")
    func choice() async throws {
        let door = try TestDoor()
        let health = door.health
        let types: Set = [bodyMass, HKQuantityType(.height)]
        let american = Locale(identifier: "en_US")
        #expect(try health.units(for: types, american)[bodyMass] == .pound())
        let received = Mutex(0)
        let observer = NotificationCenter.default.addObserver(
            forName: .HKUserPreferencesDidChange, object: health, queue: nil
        ) { _ in received.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        try await health.setPreferredUnit(.stone(), for: bodyMass)
        #expect(received.withLock { $0 } == 1)
        health.close()
        #expect(try health.units(for: types, american) == [bodyMass: .stone(), HKQuantityType(.height): .foot()])
        #expect(try await health.preferredUnits(for: [bodyMass]) == [bodyMass: .stone()])
        #expect(
            await code { try await health.setPreferredUnit(.meter(), for: bodyMass) } == .errorInvalidArgument)
        try await health.setPreferredUnit(nil, for: bodyMass)
        #expect(try health.units(for: types, american)[bodyMass] == .pound())
        let unknown = HKQuantityType(HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierOfTomorrow"))
        #expect(try await health.preferredUnits(for: [unknown]).isEmpty)
    }
}
