// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("hostile arguments of workout zones, and damaged settings and records")
struct HostileZoneTests {
    private static let others = [
        HKQuantityType(.stepCount), HKQuantityType(.runningPower),
        HKQuantityType(HKQuantityTypeIdentifier(rawValue: "")),
    ]

    @Test("other types and zones of another type are refused, and change nothing")
    func types() async throws {
        let door = try TestDoor()
        let (health, builder) = (door.health, door.workoutBuilder())
        for type in Self.others {
            let calls: [() async throws -> Void] = [
                { _ = try await health.preferredWorkoutZoneConfiguration(for: type) },
                { try await health.setPreferredWorkoutZoneConfiguration(nil, for: type) },
                { try await health.setPreferredWorkoutZoneConfiguration(try rateZones(), for: type) },
                { _ = try await builder.zoneConfiguration(for: type) },
                { try await builder.setCustomZoneConfiguration(nil, for: type) },
                { try await builder.setCustomZoneConfiguration(try rateZones(), for: type) },
            ]
            for call in calls { #expect(await code(call) == .errorInvalidArgument, "\(type)") }
            #expect(builder.zoneGroup(for: type) == nil)
        }
        let zones = try rateZones()
        #expect(
            await code { try await health.setPreferredWorkoutZoneConfiguration(zones, for: cyclingPower) }
                == .errorInvalidArgument)
        #expect(
            await code { try await builder.setCustomZoneConfiguration(zones, for: cyclingPower) }
                == .errorInvalidArgument)
        #expect(try await health.preferredWorkoutZoneConfiguration(for: cyclingPower) == nil)
        try await builder.beginCollection(at: at(0))
        try await builder.addSamples([pulse(100, 1)])
        try await builder.endCollection(at: at(2))
        let workout = try #require(try await builder.finishWorkout())
        for type in Self.others { #expect(workout.zoneGroup(for: type) == nil) }
        for type in Self.others { #expect(workout.workoutActivities[0].zoneGroup(for: type) == nil) }
    }

    @Test("without a store the calls that need it report an error")
    func noStore() async throws {
        let health = HKHealthStore(directory: "/dev/null/x")
        let builder = HKWorkoutBuilder(healthStore: health, configuration: configured(.running), device: nil)
        try await builder.setCustomZoneConfiguration(try rateZones(), for: heartRate)
        #expect(try await builder.zoneConfiguration(for: heartRate) != nil)
        #expect(await code { _ = try await builder.zoneConfiguration(for: cyclingPower) } != nil)
        #expect(await code { _ = try await health.preferredWorkoutZoneConfiguration(for: heartRate) } != nil)
        #expect(await code { try await health.setPreferredWorkoutZoneConfiguration(nil, for: heartRate) } != nil)
        #expect(builder.zoneGroup(for: heartRate) == nil)
    }

    @Test("a setting that is not a list of boundaries is no setting")
    func settings() async throws {
        let texts = [
            "", " ", "100,120", "100,120 ", "100,120 kg", "100 count/min", "120,100 count/min", "nan,1 count/min",
            "1,inf count/min", ",, count/min", "1,,2 count/min", "1, 2 count/min", "1,2,3,4,5,6,7,8,9 count/min",
            "1e999,2 count/min", "a,b count/min", "100;120 count/min",
        ]
        for text in texts { #expect(HKWorkoutZoneConfiguration(setting: text, heartRate) == nil, "\(text)") }
        var dice = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            let values = Set((0..<(2 + dice.below(7))).map { _ in abs(dice.normal()) * 200 }).sorted()
            guard let zones = try? rateZones(values) else { continue }
            #expect(HKWorkoutZoneConfiguration(setting: zones.setting, heartRate) == zones.from(.user))
        }
        #expect(try rateZones().setting == "100,120,140,160 count/min")
        let door = try TestDoor()
        try door.health.store().write { transaction in
            try HealthCatalog.set(setting: "zones." + heartRate.identifier, to: "1,1 kg", transaction)
        }
        #expect(try await door.health.preferredWorkoutZoneConfiguration(for: heartRate) == nil)
    }

    @Test("the forms with a handler report the same results as those without")
    func handlers() async throws {
        let door = try TestDoor()
        let builder = door.workoutBuilder(.cycling)
        func found(_ type: HKQuantityType) async -> (zones: HKWorkoutZoneConfiguration?, code: HKError.Code?) {
            await withCheckedContinuation { waiting in
                builder.zoneConfiguration(for: type) { zones, error in
                    waiting.resume(returning: (zones, (error as? HKError)?.code))
                }
            }
        }
        func set(_ zones: HKWorkoutZoneConfiguration?, _ type: HKQuantityType) async -> HKError.Code? {
            await withCheckedContinuation { waiting in
                builder.setCustomZoneConfiguration(zones, for: type) { isDone, error in
                    #expect(isDone == (error == nil))
                    waiting.resume(returning: (error as? HKError)?.code)
                }
            }
        }
        #expect(await found(kilocalories).code == .errorInvalidArgument)
        #expect(await set(nil, kilocalories) == .errorInvalidArgument)
        #expect(await set(try rateZones(), cyclingPower) == .errorInvalidArgument)
        let none = await found(cyclingPower)
        #expect(none.zones == nil && none.code == nil)
        #expect(await set(try powerZones(), cyclingPower) == nil)
        #expect(await found(cyclingPower).zones == (try powerZones()))
        #expect(await set(nil, cyclingPower) == nil)
        #expect(await found(cyclingPower).zones == nil)
        try await builder.beginCollection(at: clock)
        #expect(await set(try powerZones(), cyclingPower) == .errorInvalidArgument)
    }

    /// A session record with zones.
    private func session() throws -> SessionRecord {
        var draft = WorkoutDraft(WorkoutConfiguration(.cycling))
        try draft.set(try powerZones(), for: cyclingPower)
        try draft.begin(at: clock)
        draft.complete([try rateZones().from(.system), try powerZones([1, 2])])
        return SessionRecord(state: SessionState(WorkoutConfiguration(.cycling)), draft: draft, device: nil)
    }

    @Test("a session keeps its zones; damaged bytes are errors or sessions, and never stop the program")
    func sessions() throws {
        let whole = try session()
        let read = try SessionRecord(whole.body)
        #expect(read.draft.hasFinalZones && read.draft.zones == whole.draft.zones && read.body == whole.body)
        #expect(read.draft.zones[cyclingPower.identifier] == (try powerZones()))
        let plain = try ObjectExpander.decode(whole.body)
        #expect(plain.first == 2)
        let without = SessionRecord(
            state: whole.state, draft: WorkoutDraft(WorkoutConfiguration(.cycling)), device: nil)
        #expect(try ObjectExpander.decode(without.body).first == 1)
        for length in plain.indices {
            #expect(throws: HealthStoreError.self) {
                try SessionRecord(ObjectCompressor.plain(Array(plain.prefix(length))))
            }
        }
        var dice = SeededGenerator(seed: 4)
        for _ in 0..<2_000 {
            var bytes = plain
            for _ in 0...dice.below(3) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
            if let record = try? SessionRecord(ObjectCompressor.plain(bytes)) { _ = record.body }
        }
    }
}
