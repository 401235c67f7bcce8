// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("T-1 the elements and files of workouts")
struct WorkoutElementTests {
    private static let dates = #"startDate="2024-01-01 10:00:00 +0000" endDate="2024-01-01 11:00:00 +0000""#

    private func element(_ attributes: String, _ children: String = "") -> WorkoutElement? {
        let activity =
            attributes.contains("workoutActivityType") ? "" : #"workoutActivityType="HKWorkoutActivityTypeRunning""#
        return WorkoutElement(
            Array(#"<Workout \#(activity) sourceName="W" \#(attributes) \#(Self.dates)>\#(children)</Workout>"#.utf8))
    }

    private func date(_ minute: Double) -> Date { StoredTime.date(newYear + 10 * hour).addingTimeInterval(minute * 60) }

    @Test("old elements state totals, which become sums; new ones state sums, which become totals")
    func totals() throws {
        let old = try #require(
            element(
                #"duration="30.5" durationUnit="min" totalDistance="5" totalDistanceUnit="mi" "#
                    + #"totalEnergyBurned="300" totalEnergyBurnedUnit="Cal" totalFlightsClimbed="3" "#)
        ).content
        #expect(old.duration == 1_830 && old.totals.distance == HKQuantity(unit: .mile(), doubleValue: 5))
        #expect(old.statistics["HKQuantityTypeIdentifierDistanceWalkingRunning"]?.sum == 5)
        #expect(old.statistics["HKQuantityTypeIdentifierActiveEnergyBurned"]?.unit == HKUnit(from: "Cal"))
        #expect(old.statistics["HKQuantityTypeIdentifierFlightsClimbed"]?.sum == 3)
        let new = try #require(
            element(
                "",
                #"<WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="301.5" unit="kJ"/>"#
                    + #"<WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="120" minimum="80" "#
                    + #"maximum="170" unit="count/min"/>"#)
        ).content
        #expect(new.totals.energy == HKQuantity(unit: HKUnit(from: "kJ"), doubleValue: 301.5))
        #expect(new.totals.distance == nil && new.duration == 3_600)
        let rate = try #require(new.statistics["HKQuantityTypeIdentifierHeartRate"])
        #expect(rate.average == 120 && rate.minimum == 80 && rate.maximum == 170 && rate.sum == nil)
        #expect(rate.interval == nil && rate.recent == nil)
        #expect(new.activities.count == 1 && new.activities[0].statistics == new.statistics)
    }

    @Test("statistics of an inner interval keep it, also in the form of iOS 16 with two start dates")
    func intervals() throws {
        let content = try #require(
            element(
                "",
                #"<WorkoutStatistics type="HKQuantityTypeIdentifierStepCount" sum="1" unit="count" "#
                    + #"startDate="2024-01-01 10:00:00 +0000" startDate="2024-01-01 10:30:00 +0000"/>"#)
        ).content
        let interval = try #require(content.statistics["HKQuantityTypeIdentifierStepCount"]?.interval)
        #expect(interval.start == date(0) && interval.end == date(30))
    }

    @Test("events last to the nanosecond, and events repeated in an activity count once")
    func events() throws {
        let lap =
            #"<WorkoutEvent type="HKWorkoutEventTypeLap" date="2024-01-01 10:01:00 +0000" "#
            + #"duration="1.096330326795578" durationUnit="min">"#
            + #"<MetadataEntry key="HKSwimmingStrokeStyle" value="2"/></WorkoutEvent>"#
        let pause = #"<WorkoutEvent type="HKWorkoutEventTypePause" date="2024-01-01 10:50:00 +0000"/>"#
        let part =
            #"<WorkoutActivity uuid="5508C9A83F3B4497BE32CFDEDCAAB9F2" startDate="2024-01-01 10:00:00 +0000" "#
            + #"endDate="2024-01-01 10:30:00 +0000" duration="29" durationUnit="min">\#(lap)"#
            + #"<MetadataEntry key="WOIntervalStepKeyPath" value="0.0"/></WorkoutActivity>"#
        let found = try #require(element("", part + pause + lap)).content
        #expect(found.events.map(\.type) == [.lap, .pause])
        #expect(StoredTime.nanoseconds(found.events[0].end) == newYear + 10 * hour + 60 * second + 65_779_819_608)
        #expect(found.events[0].values?[HKMetadataKeySwimmingStrokeStyle] == .integer(2))
        // A pause at the end without a resume counts.
        #expect(found.duration == 50 * 60)
        #expect(found.activities[0].uuid == UUID(uuidString: "5508C9A8-3F3B-4497-BE32-CFDEDCAAB9F2"))
        #expect(found.activities[0].statedDuration == 29 * 60 && found.activities[0].configuration.activity == .running)
        #expect(found.activities[0].metadata?["WOIntervalStepKeyPath"] == .string("0.0"))
        let stated = try #require(element(#"duration="7" durationUnit="s""#, pause)).content
        #expect(stated.duration == 7)
    }

    @Test("the parts of a swim, ride and run have the activities of their statistics")
    func parts() throws {
        func part(_ type: String?, _ minute: Int) -> String {
            let statistics = type.map {
                #"<WorkoutStatistics type="HKQuantityTypeIdentifier\#($0)" sum="1" unit="m"/>"#
            }
            return #"<WorkoutActivity uuid="" startDate="2024-01-01 10:\#(minute):00 +0000" "#
                + #"endDate="2024-01-01 10:\#(minute + 5):00 +0000">\#(statistics ?? "")</WorkoutActivity>"#
        }
        let children =
            part("DistanceWalkingRunning", 40) + part("DistanceSwimming", 10) + part(nil, 15)
            + part("DistanceCycling", 20)
            + #"<WorkoutStatistics type="HKQuantityTypeIdentifierDistanceCycling" sum="2" unit="km"/>"#
            + #"<WorkoutStatistics type="HKQuantityTypeIdentifierDistanceSwimming" sum="1500" unit="m"/>"#
        let found = try #require(element(#"workoutActivityType="HKWorkoutActivityTypeSwimBikeRun""#, children)).content
        #expect(found.activities.map(\.configuration.activity) == [.swimming, .transition, .cycling, .running])
        #expect(Set(found.activities.map(\.uuid)).count == 4)
        #expect(found.totals.distance == HKQuantity(unit: .meter(), doubleValue: 3_500))
        let mixed = WorkoutRecord(found)
        #expect(try WorkoutRecord(mixed.body) == mixed)
    }

    @Test("metadata has the types of its keys, once each, and states the configuration")
    func metadata() throws {
        let entries =
            #"<MetadataEntry key="HKIndoorWorkout" value="1"/><MetadataEntry key="HKLapLength" value="25 m"/>"#
            + #"<MetadataEntry key="HKSwimmingLocationType" value="1"/><MetadataEntry key="x" value="a&amp;&#183;"/>"#
        let found = try #require(
            element(#"workoutActivityType="HKWorkoutActivityTypeSwimming""#, entries + "<b/>" + entries))
        #expect(found.metadata.map(\.key) == ["HKIndoorWorkout", "HKLapLength", "HKSwimmingLocationType", "x"])
        #expect(found.metadata.values["x"] == .string("a&·"))
        let configuration = found.content.activities[0].configuration
        #expect(configuration.location == .indoor && configuration.swimming == .pool)
        #expect(configuration.lapLength == HKQuantity(unit: .meter(), doubleValue: 25))
    }

    @Test("an unknown activity keeps its name")
    func unknown() throws {
        let content = try #require(element(#"workoutActivityType="HKWorkoutActivityTypeQuidditch""#)).content
        #expect(content.activity == .other && content.unknownActivity == "HKWorkoutActivityTypeQuidditch")
        #expect(try WorkoutRecord(WorkoutRecord(content).body).content == content)
    }

    @Test("unreadable parts are left out with a note")
    func notes() throws {
        let found = try #require(
            element(
                #"totalDistance="5" totalDistanceUnit="kcal""#,
                #"<WorkoutEvent type="X" date="2024-01-01 10:01:00 +0000"/>"#
                    + #"<WorkoutEvent type="HKWorkoutEventTypeLap"/>"#
                    + #"<WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="1" unit="km"/>"#
                    + #"<WorkoutStatistics type="HKQuantityTypeIdentifierStepCount" sum="nan" unit="count"/>"#
                    + #"<WorkoutActivity uuid=""/><MetadataEntry key="k"/>"#
                    + #"<WorkoutRoute><Location latitude="1" longitude="2"/></WorkoutRoute>"#))
        #expect(found.notes.count == 8, "\(found.notes)")
        #expect(found.content.events.isEmpty && found.content.statistics.isEmpty && found.content.activities.count == 1)
        #expect(found.content.totals.distance == nil && found.routes[0].points.isEmpty)
        for text in ["", "<Workout/>", "<Record/>", "<Workout", "<Workout \(Self.dates)>", "\0", "<a><Workout/></a>"] {
            #expect(WorkoutElement(Array(text.utf8)) == nil, "\(text)")
        }
        let backward = #"<Workout startDate="2024-01-02 10:00:00 +0000" endDate="2024-01-01 10:00:00 +0000"/>"#
        #expect(WorkoutElement(Array(backward.utf8)) == nil)
    }

    @Test("the digest ignores spelling: order of attributes, offsets, addresses, names of files")
    func digest() throws {
        let one = try #require(
            element(
                #"device="&lt;&lt;HKDevice: 0x12&gt;, name:W&gt;" duration="1""#,
                #"<WorkoutRoute><FileReference path="/a"/></WorkoutRoute>"#))
        let two = try #require(
            element(
                #"duration='1'  device="&#60;&lt;HKDevice: 0xAB&gt;, name:W&gt;""#,
                #"<WorkoutRoute ><FileReference path="/b"></FileReference></WorkoutRoute>"#))
        #expect(one.digest == two.digest && one.identity(copy: 0) == two.identity(copy: 0))
        #expect(one.identity(copy: 0) != one.identity(copy: 1))
        let three = try #require(element(#"duration="2""#))
        #expect(three.digest != one.digest && three.identity(copy: 0) == one.identity(copy: 0))
    }

    private static let whole =
        #"<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" sourceName="W" "#
        + dates + #"><MetadataEntry key="HKIndoorWorkout" value="0"/><WorkoutEvent type="HKWorkoutEventTypePause" "#
        + #"date="2024-01-01 10:10:00 +0000" duration="0.5" durationUnit="min"/><WorkoutActivity "#
        + #"uuid="5508C9A8-3F3B-4497-BE32-CFDEDCAAB9F2" \#(dates) duration="1"><WorkoutStatistics "#
        + #"type="HKQuantityTypeIdentifierHeartRate" \#(dates) average="1" unit="count/min"/></WorkoutActivity>"#
        + #"<WorkoutRoute><FileReference path="/a.gpx"/><Location date="2024-01-01 10:10:00 +0000" latitude="1" "#
        + #"longitude="2" altitude="3"/></WorkoutRoute></Workout>"#

    @Test("damaged elements give storable workouts or none, and never trap", arguments: 1...8)
    func hostile(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let good = Array(Self.whole.utf8)
        #expect(WorkoutElement(good)?.notes.isEmpty ?? false)
        let pieces = [
            "<", ">", "\"", "/>", "</", "<!--", "-->", "&#x0;", "&#99999999;", "9e999", "-", "\u{1}", "<![CDATA[",
        ]
        for _ in 0..<1_500 {
            var bytes = good
            for _ in 0...dice.below(5) {
                let at = dice.below(bytes.count)
                switch dice.below(4) {
                case 0: bytes[at] = UInt8(dice.below(256))
                case 1: bytes.insert(contentsOf: dice.pick(pieces).utf8, at: at)
                case 2: bytes.removeSubrange(at..<min(bytes.count, at + 1 + dice.below(30)))
                default:
                    let end = min(bytes.count, at + dice.below(200))
                    bytes.insert(contentsOf: bytes[at..<end], at: dice.below(bytes.count))
                }
                if bytes.isEmpty { bytes = [0] }
            }
            _ = WorkoutElement.paths(bytes)
            _ = ImportedSummary(bytes)
            guard let found = WorkoutElement(bytes) else { continue }
            #expect(found.end >= found.start && found.content.duration.isFinite && !found.content.activities.isEmpty)
            let record = WorkoutRecord(found.content)
            #expect(try WorkoutRecord(record.body).content.events.count == found.content.events.count)
        }
    }

    @Test("deep and wide elements take bounded work")
    func bounds() {
        let deep = String(repeating: "<a>", count: 200_000)
        #expect(WorkoutElement(Array((Self.whole.dropLast(10) + deep).utf8)) == nil)
        let quotes = "<Workout " + String(repeating: "a=\"", count: 200_000)
        #expect(WorkoutElement(Array(quotes.utf8)) == nil)
        let events = String(repeating: #"<WorkoutEvent type="x"/>"#, count: 20_000)
        #expect(
            WorkoutElement(Array(Self.whole.replacing("<WorkoutRoute", with: events + "<WorkoutRoute").utf8))?
                .notes.count == WorkoutElement.mostNotes)
    }
}
