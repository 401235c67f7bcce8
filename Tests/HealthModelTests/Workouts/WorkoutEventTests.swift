// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel

private func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: 700_000_000 + seconds) }

func event(_ type: HKWorkoutEventType, _ start: Double, _ length: Double = 0) -> HKWorkoutEvent {
    HKWorkoutEvent(type: type, dateInterval: DateInterval(start: at(start), duration: length), metadata: nil)
}

@Suite("S-91 S-98 events of workouts, pauses and durations")
struct WorkoutEventTests {
    @Test("types have HealthKit's raw values and names; only laps and segments may last")
    func types() {
        #expect(HKWorkoutEventType.allCases.map(\.rawValue) == Array(1...8))
        for type in HKWorkoutEventType.allCases { #expect(HKWorkoutEventType(name: type.name) == type) }
        #expect(HKWorkoutEventType.motionPaused.name == "HKWorkoutEventTypeMotionPaused")
        for name in ["", "Pause", "HKWorkoutEventType", "HKWorkoutEventTypepause"] {
            #expect(HKWorkoutEventType(name: name) == nil)
        }
        #expect(HKWorkoutEventType.allCases.filter(\.mayLast) == [.lap, .segment])
    }

    @Test("an event keeps type, interval and metadata, and equals an event with the same values")
    func values() {
        let interval = DateInterval(start: at(1), duration: 5)
        let lap = HKWorkoutEvent(type: .lap, dateInterval: interval, metadata: ["n": 3])
        #expect(lap.type == .lap && lap.dateInterval == interval && lap.metadata?["n"] as? Int == 3)
        #expect(lap == HKWorkoutEvent(type: .lap, dateInterval: interval, metadata: ["n": 3]))
        #expect(lap != HKWorkoutEvent(type: .lap, dateInterval: interval, metadata: ["n": 4]))
        #expect(lap != HKWorkoutEvent(type: .segment, dateInterval: interval, metadata: ["n": 3]))
        #expect(lap.hash == HKWorkoutEvent(type: .lap, dateInterval: interval, metadata: nil).hash)
        #expect(lap.copy() as? HKWorkoutEvent === lap && lap.description.contains("lap"))
        #expect(event(.pause, 0).metadata == nil && event(.pause, 0).dateInterval.duration == 0)
        for time in [Double.nan, .infinity, -.infinity, 1e300] {
            let odd = HKWorkoutEvent(
                .lap, start: at(0), end: Date(timeIntervalSinceReferenceDate: time))
            #expect(odd.dateInterval.start == at(0) && !odd.description.isEmpty)
        }
    }

    @available(*, deprecated)
    private func old() -> [HKWorkoutEvent] {
        [
            HKWorkoutEvent(type: .marker, date: at(1)),
            HKWorkoutEvent(type: .marker, date: at(1), metadata: ["a": true]),
        ]
    }

    @available(*, deprecated)
    @Test("the deprecated initialisers create events at an instant")
    func instants() {
        #expect(old().map(\.date) == [at(1), at(1)] && old()[1].metadata?["a"] as? Bool == true)
        #expect(old().allSatisfy { $0.dateInterval.duration == 0 })
    }

    @Test(
        "pauses of the person and of the system are united; an open pause lasts to the end",
        arguments: [
            ([], 100), ([(.pause, 10), (.resume, 30)], 80), ([(.resume, 30)], 100), ([(.pause, 90)], 90),
            ([(.pause, 10), (.pause, 20), (.resume, 30)], 80), ([(.pause, 10), (.resume, 10)], 100),
            // The end of one pause is the start of the next one.
            ([(.pause, 10), (.resume, 20), (.pause, 20), (.resume, 30)], 80),
            ([(.motionPaused, 10), (.motionResumed, 30)], 80),
            ([(.motionPaused, 10), (.pause, 20), (.motionResumed, 30), (.resume, 40)], 70),
            ([(.motionPaused, 10), (.pause, 20), (.resume, 25), (.motionResumed, 30)], 80),
            ([(.pause, 10), (.motionResumed, 20), (.resume, 30)], 80),
            ([(.pauseOrResumeRequest, 10), (.marker, 20)], 100), ([(.pause, -10), (.resume, 10)], 90),
            ([(.pause, 90), (.resume, 200)], 90), ([(.pause, 200)], 100),
        ] as [([(HKWorkoutEventType, Double)], Double)])
    func pauses(events: [(HKWorkoutEventType, Double)], active: Double) {
        let made = events.map { event($0.0, $0.1) }
        for order in [made, made.reversed()] {
            #expect(WorkoutPauses(order).activeTime(from: at(0), to: at(100)) == active)
        }
    }

    @Test("active time equals a count of seconds, for events in any order", arguments: 1...200)
    func random(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let types: [HKWorkoutEventType] = [
            .pause, .resume, .motionPaused, .motionResumed, .marker, .pauseOrResumeRequest,
        ]
        var events: [(type: HKWorkoutEventType, second: Int)] = []
        for _ in 0..<dice.below(12) {
            let type = dice.pick(types)
            let second = dice.below(40)
            // At most one event of a kind at an instant: more have no order.
            if !events.contains(where: { $0.type == type && $0.second == second }) { events.append((type, second)) }
        }
        var (person, system) = (false, false)
        var paused = Set<Int>()
        for second in 0..<60 {
            let types = Set(events.filter { $0.second == second }.map(\.type))
            if types.contains(.pause) != types.contains(.resume) { person = types.contains(.pause) }
            if types.contains(.motionPaused) != types.contains(.motionResumed) {
                system = types.contains(.motionPaused)
            }
            if person || system { paused.insert(second) }
        }
        let made = events.shuffled(using: &dice).map { event($0.type, Double($0.second)) }
        let pauses = WorkoutPauses(made)
        for _ in 0..<20 {
            let (from, to) = (dice.below(60), dice.below(60))
            let wanted = from < to ? (from..<to).count { !paused.contains($0) } : 0
            #expect(pauses.activeTime(from: at(Double(from)), to: at(Double(to))) == Double(wanted))
        }
        #expect(pauses.isOpen == paused.contains(59))
        for second in 0..<60 { #expect(pauses.contains(at(Double(second))) == paused.contains(second)) }
    }

    @Test("an activity has the events that overlap it, even partly")
    func overlap() {
        let configuration = HKWorkoutConfiguration()
        let value = WorkoutActivity(
            uuid: UUID(), configuration: configuration.value, start: at(10), end: at(20))
        let events = [
            event(.marker, 9), event(.marker, 10), event(.marker, 20), event(.marker, 21), event(.segment, 0, 10),
            event(.segment, 0, 11), event(.segment, 20, 5), event(.segment, 19, 5), event(.segment, 0, 100),
        ]
        let activity = HKWorkoutActivity(value, events: events)
        #expect(activity.workoutEvents == [1, 2, 5, 7, 8].map { events[$0] })
        #expect(activity.duration == 10)
        let open = HKWorkoutActivity(
            WorkoutActivity(uuid: UUID(), configuration: configuration.value, start: at(10), end: nil),
            events: events + [event(.pause, 15)], now: at(30))
        #expect(open.duration == 5 && open.endDate == nil && open.workoutEvents.count == 8)
    }
}

@Suite("S-155 SWOLF scores of laps, segments and workouts")
struct SwimmingScoreTests {
    /// The numbers of a watch's export: a lap of 50 m in 1.096330326795578 minutes with 31 strokes.
    private let score = 96.77981960773468

    @Test("a lap scores strokes plus seconds; a segment the mean of its laps; a rest does not count")
    func export() throws {
        let duration = score - 31
        #expect(abs(duration - 1.096330326795578 * 60) < 1e-9)
        #expect(SwimmingScore.lap(strokes: 31, duration: duration) == score)
        func lap(_ start: Double, _ score: Double?, _ style: HKSwimmingStrokeStyle = .freestyle) -> HKWorkoutEvent {
            var values: [String: Any] = [HKMetadataKeySwimmingStrokeStyle: style.rawValue]
            if let score { values[HKMetadataKeySWOLFScore] = score }
            return HKWorkoutEvent(
                type: .lap, dateInterval: DateInterval(start: at(start), duration: 60), metadata: values)
        }
        let laps = [lap(0, score), lap(100, 114.7937), lap(200, 55, .unknown), lap(300, nil)]
        let mean = try #require(SwimmingScore.mean(of: laps, from: at(0), to: at(400)))
        #expect(mean == (score + 114.7937) / 2 && abs(mean - 105.7867) < 1e-3)
        #expect(SwimmingScore.mean(of: laps, from: at(0), to: at(99)) == score)
        #expect(SwimmingScore.mean(of: laps, from: at(1), to: at(99)) == nil)
        #expect(SwimmingScore.mean(of: laps, from: at(200), to: at(400)) == nil)
        let segment = SwimmingScore.scored(event(.segment, 0, 200), by: laps)
        #expect(segment.metadata?[HKMetadataKeySWOLFScore] as? Double == mean)
        let own = HKWorkoutEvent(
            type: .segment, dateInterval: DateInterval(start: at(0), duration: 200),
            metadata: [HKMetadataKeySWOLFScore: 12])
        #expect(SwimmingScore.scored(own, by: laps) == own)
        #expect(SwimmingScore.scored(event(.marker, 0), by: laps) == event(.marker, 0))
    }

    @Test("the event of a lap has style and score; that of a rest has no score")
    func event() {
        let lap = SwimmingScore.event(from: at(0), to: at(25.5), strokes: 20, style: .breaststroke)
        #expect(lap.type == .lap && lap.metadata?[HKMetadataKeySWOLFScore] as? Double == 45.5)
        #expect(
            lap.metadata?[HKMetadataKeySwimmingStrokeStyle] as? Int == HKSwimmingStrokeStyle.breaststroke.rawValue)
        let rest = SwimmingScore.event(from: at(0), to: at(25.5), strokes: 0, style: .unknown)
        #expect(rest.metadata?[HKMetadataKeySWOLFScore] == nil)
    }

    private func event(_ type: HKWorkoutEventType, _ start: Double, _ length: Double = 0) -> HKWorkoutEvent {
        HKWorkoutEvent(type: type, dateInterval: DateInterval(start: at(start), duration: length), metadata: nil)
    }
}
