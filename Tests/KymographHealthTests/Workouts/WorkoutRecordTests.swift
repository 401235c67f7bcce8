// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-141 E-18 the stored form of workouts")
struct WorkoutRecordTests {
    /// A workout with every property.
    static func full() -> WorkoutRecord {
        let metadata: HealthMetadataValues = [
            "text": .string("é"), "flag": .boolean(true), "real": .real(0.1),
            HKMetadataKeyLapLength: .quantity(HKQuantity(unit: .meter(), doubleValue: 25)),
        ]
        var pulse = WorkoutStatistic(unit: perMinute)
        (pulse.average, pulse.minimum, pulse.maximum) = (140.5, 90, 181)
        pulse.recent = WorkoutStatistic.Recent(value: 133, start: at(99), end: at(99.5))
        pulse.interval = (at(0), at(50))
        let energy = WorkoutStatistic(sum: HKQuantity(unit: .kilocalorie(), doubleValue: 312.25))
        let statistics: WorkoutStatistics = [
            HKQuantityTypeIdentifier.heartRate.rawValue: pulse,
            HKQuantityTypeIdentifier.activeEnergyBurned.rawValue: energy,
        ]
        let parts = [
            WorkoutActivity(
                uuid: UUID(high: 1, low: 2), configuration: WorkoutConfiguration(.swimming, .indoor, swimming: .pool),
                start: at(0), end: at(40.123456789), metadata: metadata, statistics: statistics, statedDuration: 39),
            WorkoutActivity(
                uuid: UUID(high: .max, low: .max),
                configuration: WorkoutConfiguration(
                    .running, .outdoor, lapLength: HKQuantity(unit: .mile(), doubleValue: 0.25)), start: at(50),
                end: nil),
        ]
        let content = WorkoutContent(
            activity: .swimBikeRun, unknownActivity: "HKWorkoutActivityTypeMoonwalk", duration: 95.5,
            events: [
                HKWorkoutEvent(.pause, start: at(10), end: at(10)),
                HKWorkoutEvent(.segment, start: at(20), end: at(30), values: metadata),
            ], activities: parts, statistics: statistics,
            totals: WorkoutTotals(
                energy: HKQuantity(unit: .kilocalorie(), doubleValue: 312.25),
                distance: HKQuantity(unit: .mile(), doubleValue: 3), strokes: nil,
                flights: HKQuantity(unit: .count(), doubleValue: 2)))
        var members = IdentityRuns()
        members.insert([(5, 1), (5, 2), (5, 3), (5, 9), (7, 0), (.max, .max)])
        members.starts = at(0)...at(99)
        return WorkoutRecord(
            content, members: members, element: CorrelationBody.Element(object: 17, digest: -3))
    }

    /// The same workout with zones.
    static func zoned() throws -> WorkoutRecord {
        var record = full()
        let (rates, powers) = (try rateZones().from(.system), try powerZones([150, 200]))
        record.content.zones = [
            heartRate.identifier: WorkoutZoneTimes(rates, nanoseconds: [0, 1, 62_500_000_000, .max, 7]),
            cyclingPower.identifier: WorkoutZoneTimes(powers, nanoseconds: [0, 0, 0]),
        ]
        record.content.activities[1].zones = [
            heartRate.identifier: WorkoutZoneTimes(rates, nanoseconds: [0, 1, 0, 0, 7])
        ]
        return record
    }

    @Test("a workout with zones has version 2, and reads back")
    func zones() throws {
        let record = try Self.zoned()
        #expect(try WorkoutRecord(record.body) == record && WorkoutRecord.content(record.body) == record.content)
        let plain = try ObjectExpander.decode(record.body)
        #expect(plain.first == 2)
        #expect(try ObjectExpander.decode(Self.full().body).first == 1)
        #expect(throws: HealthStoreError.self) { try WorkoutRecord(ObjectCompressor.plain([3] + plain.dropFirst())) }
        // Version 1 has no zones: the same bytes are another workout, or none.
        _ = isRecord([1] + plain.dropFirst())
    }

    @Test("every property reads back, and equal records have equal bytes")
    func roundTrip() throws {
        let record = Self.full()
        #expect(try WorkoutRecord(record.body) == record && record.body == Self.full().body)
        #expect(try WorkoutRecord.content(record.body) == record.content)
        let empty = WorkoutRecord(.erased)
        #expect(try WorkoutRecord(empty.body) == empty)
        var more = IdentityRuns()
        more.insert([(5, 4), (6, 6)])
        let united = try WorkoutRecord(record.body, including: more)
        #expect(united.members.count == 8 && united.content == record.content)
    }

    @Test("random workouts read back", arguments: 1...40)
    func random(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        func quantity(_ units: [HKUnit]) -> HKQuantity? {
            dice.chance(0.4) ? nil : HKQuantity(unit: dice.pick(units), doubleValue: dice.normal() * 100)
        }
        func statistics() -> WorkoutStatistics {
            var found = WorkoutStatistics()
            for type in [HKQuantityTypeIdentifier.heartRate, .stepCount, .runningPower] where dice.chance(0.6) {
                var one = WorkoutStatistic(unit: dice.pick([.count(), perMinute, .watt()]))
                if dice.chance(0.5) { one.sum = dice.normal() }
                if dice.chance(0.5) { one.average = dice.normal() }
                if dice.chance(0.5) { one.minimum = -0.0 }
                if dice.chance(0.5) { one.maximum = .infinity }
                if dice.chance(0.5) {
                    one.recent = .init(value: 1, start: at(1), end: dice.chance(0.5) ? .distantFuture : at(2))
                }
                found[type.rawValue] = one
            }
            return found
        }
        let events = (0..<dice.below(30)).map { _ in
            HKWorkoutEvent(
                dice.pick(HKWorkoutEventType.allCases), start: at(Double(dice.below(90))), end: at(100),
                values: dice.chance(0.2) ? ["n": .integer(dice.below(9))] : nil)
        }
        let parts = (0..<dice.below(12)).map { number in
            WorkoutActivity(
                uuid: UUID(), configuration: WorkoutConfiguration(dice.pick(HKWorkoutActivityType.allCases)),
                start: at(Double(number)), end: dice.chance(0.1) ? nil : at(100), statistics: statistics())
        }
        let content = WorkoutContent(
            activity: dice.pick(HKWorkoutActivityType.allCases), duration: dice.normal(), events: events,
            activities: parts, statistics: statistics(),
            totals: WorkoutTotals(energy: quantity([.kilocalorie()]), distance: quantity([.meter(), .foot()])))
        var members = IdentityRuns()
        members.insert(
            (0..<dice.below(200)).map { _ in (high: UInt64(dice.below(4)), low: dice.next() >> UInt64(dice.below(64))) }
        )
        let record = WorkoutRecord(content, members: members)
        #expect(try WorkoutRecord(record.body) == record)
    }

    /// Decodes bytes of any kind; returns whether they are a record.
    private func isRecord(_ plain: [UInt8]) -> Bool {
        do throws(HealthStoreError) {
            let record = try WorkoutRecord(ObjectCompressor.plain(plain))
            // Whatever decodes can be shown and written again.
            let workout = HKWorkout(
                header: ObjectHeader(
                    uuid: UUID(), sourceRevision: .thisProgram, device: nil, metadata: nil), start: at(0), end: at(1),
                content: record.content)
            for activity in workout.workoutActivities { _ = (activity.duration, activity.allStatistics) }
            _ = (workout.zoneGroupsByType, workout.workoutActivities.map(\.zoneGroupsByType))
            _ = (workout.allStatistics, workout.workoutEvents, workout.description, record.body)
            return true
        } catch {
            #expect([.corrupt, .newerFormat].contains(error.kind))
            return false
        }
    }

    @Test("truncated, changed and random bytes are errors or records, and never stop the program", arguments: 1...8)
    func hostile(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for record in [Self.full(), try Self.zoned()] {
            try hostile(try ObjectExpander.decode(record.body), &dice)
        }
    }

    private func hostile(_ plain: [UInt8], _ dice: inout SeededGenerator) throws {
        #expect(isRecord(plain))
        for length in 0..<plain.count { #expect(!isRecord(Array(plain.prefix(length)))) }
        for place in plain.indices {
            var changed = plain
            changed[place] = UInt8(truncatingIfNeeded: dice.below(256))
            _ = isRecord(changed)
            changed[place] = 255
            _ = isRecord(changed)
        }
        for _ in 0..<400 {
            var changed = plain
            for _ in 0..<(1 + dice.below(6)) { changed[dice.below(changed.count)] = UInt8(dice.below(256)) }
            _ = isRecord(changed)
            _ = isRecord([1] + dice.bytes(dice.below(200)))
            _ = isRecord([2] + dice.bytes(dice.below(200)))
        }
    }

    @Test("huge counts are corrupt without reserving memory for them")
    func hugeCounts() throws {
        // Version 1 with a number of texts, and version 1 with no texts and fields of maximal numbers.
        let most: [UInt8] = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]
        #expect(!isRecord([1] + most))
        #expect(!isRecord([1, 0] + most + most + most))
        for place in 2..<19 { #expect(!isRecord([1, 0] + [UInt8](repeating: 0, count: place) + most + most)) }
        let error = #expect(throws: HealthStoreError.self) {
            try WorkoutRecord(ObjectCompressor.plain([9, 0, 0]))
        }
        #expect(error?.kind == .newerFormat)
    }

    @Test("an activity and a location unknown to this version become other and unknown")
    func unknown() throws {
        let plain = try ObjectExpander.decode(WorkoutRecord(.erased).body)
        // The version, the number of texts, then the activity.
        #expect(Array(plain.prefix(2)) == [1, 0])
        var changed = plain
        let activity = UInt8(truncatingIfNeeded: HKWorkoutActivityType.other.rawValue & 127)
        #expect(changed[2] & 127 == activity)
        changed.replaceSubrange(2..<4, with: [253, 127])
        let record = try WorkoutRecord(ObjectCompressor.plain(changed))
        #expect(record.content.activity == .other)
    }

    @Test("the bytes of version 1 do not change")
    func golden() throws {
        let plain = try ObjectExpander.decode(Self.full().body)
        let text = plain.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Golden/workout-record-v1.hex")
        // Written once; see `Golden/README.md`.
        if let folder = ProcessInfo.processInfo.environment["KYMO_GOLDEN"] {
            try (text + "\n").write(toFile: folder + "/" + path.lastPathComponent, atomically: true, encoding: .utf8)
        }
        let wanted = try String(contentsOf: path, encoding: .utf8)
        #expect(wanted == text + "\n")
        let digits = Array(wanted.utf8.dropLast())
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
        }
        #expect(try WorkoutRecord(ObjectCompressor.plain(bytes)) == Self.full())
    }
}
