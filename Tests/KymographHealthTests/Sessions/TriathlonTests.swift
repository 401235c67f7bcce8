// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// A simulated wearer whose heart rates a test records, and who calls the test at given seconds.
private final class ScriptedWearer: SampleSource {
    private let simulator: WorkoutSimulator
    private let script = Mutex<[Int: @Sendable (SampleReceiver) -> Void]>([:])
    private let rates = Mutex<[(second: Int, rate: Double)]>([])

    init(_ wearer: SimulatedWearer) {
        simulator = WorkoutSimulator(wearer, pace: .accelerated(by: 1_000_000), start: clock)
    }

    var quantityTypes: Set<HKQuantityType> { simulator.quantityTypes }
    var currentDate: Date { simulator.currentDate }
    /// All delivered heart rates with the seconds of their starts, also those after the end of the workout.
    var heartRates: [(second: Int, rate: Double)] { rates.withLock { $0 } }

    /// Calls a function before the delivery of a second.
    func at(_ second: Int, _ action: @escaping @Sendable (SampleReceiver) -> Void) {
        script.withLock { $0[second] = action }
    }

    /// Starts with a swim: the first second does not wait for the first update.
    func start(_ receiver: SampleReceiver) {
        let first = TriathlonTests.configuration(.swimming)
        simulator.update(.running, first)
        simulator.start(
            SampleReceiver(first) { [weak self] delivery in
                switch delivery {
                case .samples(let samples):
                    self?.note(samples, receiver)
                    receiver.deliver(samples)
                case .locations(let locations): receiver.deliver(locations)
                case .event(let event): receiver.deliver(event)
                }
            })
    }

    private func note(_ samples: [HKQuantitySample], _ receiver: SampleReceiver) {
        guard let first = samples.first else { return }
        let second = Int(first.startDate.timeIntervalSince(clock))
        for sample in samples where sample.quantityType == heartRate {
            let rate = sample.quantity.doubleValue(for: .count().unitDivided(by: .minute()))
            rates.withLock { $0.append((second, rate)) }
        }
        let action = script.withLock { $0[second] }
        action?(receiver)
    }

    func update(_ state: HKWorkoutSessionState, _ activity: HKWorkoutConfiguration) {
        simulator.update(state, activity)
    }

    func stop() { simulator.stop() }
}

@Suite("S-138 S-143 S-147 S-149 S-155 S-158 a swim, a ride and a run of three and a half hours, recorded live")
struct TriathlonTests {
    /// The activities with the seconds of their starts.
    private static let parts: [(activity: HKWorkoutActivityType, start: Int)] = [
        (.swimming, 0), (.transition, 2_400), (.cycling, 2_640), (.transition, 8_400), (.running, 8_520),
    ]
    private static let end = 12_600
    private static let pause = 5_000..<5_120
    private static let eventCount = 400

    fileprivate static func configuration(_ activity: HKWorkoutActivityType) -> HKWorkoutConfiguration {
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = activity
        configuration.locationType = activity == .swimming ? .indoor : .outdoor
        guard activity == .swimming else { return configuration }
        configuration.swimmingLocationType = .pool
        configuration.lapLength = HKQuantity(unit: .meter(), doubleValue: 25)
        return configuration
    }

    private static func date(_ second: Int) -> Date { clock.addingTimeInterval(Double(second)) }

    /// Writes the calls of the workout into the script. A call that is dated by the clock of the source is made in the
    /// second before its time. Each call takes effect before the next second.
    private static func write(_ wearer: ScriptedWearer, _ session: HKWorkoutSession) {
        wearer.at(0) { _ in
            while session.builder.startDate == nil || session.core.state.current == nil { usleep(1_000) }
            session.core.commands.sync {}
        }
        for part in parts.dropFirst() {
            wearer.at(part.start) { _ in
                session.beginNewActivity(
                    configuration: configuration(part.activity), date: date(part.start), metadata: nil)
                session.core.commands.sync {}
            }
        }
        let calls: [(second: Int, call: @Sendable () -> Void)] = [
            (pause.lowerBound, session.pause), (pause.upperBound, session.resume), (end, session.end),
        ]
        for one in calls {
            wearer.at(one.second - 1) { _ in
                one.call()
                session.core.commands.sync {}
            }
        }
        // Segments of thirty seconds on the bicycle and on foot, until the workout has enough events.
        for second in stride(from: 2_670, to: end - 10, by: 30) where !parts.contains(where: { $0.start == second }) {
            if pause.contains(second) || pause.contains(second + 1) { continue }
            wearer.at(second) { receiver in
                if session.builder.workoutEvents.count >= eventCount { return }
                receiver.deliver(HKWorkoutEvent(.segment, start: date(second - 30), end: date(second)))
            }
        }
    }

    /// Records the workout with the sensors at full speed.
    private func record(_ door: TestDoor, _ wearer: ScriptedWearer) async throws -> HKWorkout {
        try door.health.attach(wearer)
        let mixed = Self.configuration(.swimBikeRun)
        let session = try HKWorkoutSession(healthStore: door.health, configuration: mixed)
        let builder = session.associatedWorkoutBuilder()
        builder.dataSource = HKLiveWorkoutDataSource(healthStore: door.health, workoutConfiguration: mixed)
        Self.write(wearer, session)
        session.startActivity(with: clock)
        session.beginNewActivity(configuration: Self.configuration(.swimming), date: clock, metadata: nil)
        try await builder.beginCollection(at: clock)
        for _ in 0..<60_000 where session.state != .ended {
            // An interface reads while the sensors deliver.
            _ = (builder.elapsedTime, builder.statistics(for: heartRate))
            try await Task.sleep(for: .milliseconds(10))
        }
        let workout = try #require(try await builder.finishWorkout())
        for _ in 0..<2_000 where try door.all(HKQuantityType(.heartRateRecoveryOneMinute)).isEmpty {
            try await Task.sleep(for: .milliseconds(10))
        }
        return workout
    }

    @Test("statistics, laps, pauses and the recovery of the heart equal a naive computation to the last bit")
    func triathlon() async throws {
        let door = try TestDoor()
        try await door.health.set(dateOfBirth: DateComponents(year: 1985, month: 1, day: 1))
        let wearer = ScriptedWearer(SimulatedWearer(seed: 4, restingHeartRate: 52, maximumHeartRate: 184))
        let recorded = try await record(door, wearer)
        let workout = try await door.stored(recorded)
        #expect(workout.startDate == clock && workout.endDate == Self.date(Self.end))
        #expect(workout.duration == Double(Self.end - Self.pause.count))
        try checkParts(workout)
        try checkStatistics(workout, door)
        try checkLaps(workout, door)
        try checkRecovery(workout, wearer, door)
        #expect(try door.health.store().verify().isSound)
    }

    private func checkParts(_ workout: HKWorkout) throws {
        let parts = workout.workoutActivities
        #expect(parts.map(\.workoutConfiguration.activityType) == Self.parts.map(\.activity))
        #expect(parts.map(\.startDate) == Self.parts.map { Self.date($0.start) })
        let ends = Self.parts.dropFirst().map { Self.date($0.start) } + [Self.date(Self.end)]
        #expect(parts.map(\.endDate) == ends)
        for (part, end) in zip(parts, ends) {
            let paused = part.workoutConfiguration.activityType == .cycling ? Double(Self.pause.count) : 0
            #expect(part.duration == end.timeIntervalSince(part.startDate) - paused)
        }
        let events = try #require(workout.workoutEvents)
        #expect(events.count == Self.eventCount)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.start <= $1.start })
        let changes = events.filter { $0.type == .pause || $0.type == .resume }
        #expect(changes.map(\.type) == [.pause, .resume])
        #expect(changes.map(\.start) == [Self.date(Self.pause.lowerBound), Self.date(Self.pause.upperBound)])
    }

    /// Compares every statistic of the workout and of its activities with sums over the stored samples.
    private func checkStatistics(_ workout: HKWorkout, _ door: TestDoor) throws {
        var oracle = WorkoutOracle()
        var counts: [HKQuantityType: Int] = [:]
        var outside = 0
        for type in SimulatedMotion.quantityTypes {
            for sample in try door.all(type, .members(of: workout.uuid)) {
                let sample = try #require(sample as? HKQuantitySample)
                oracle.add(sample.quantity, of: type, sample.startDate, sample.endDate)
                counts[type, default: 0] += 1
                let second = Int(sample.startDate.timeIntervalSince(clock))
                if Self.pause.contains(second) || second >= Self.end { outside += 1 }
            }
        }
        #expect(outside == 0, "no sample starts in the pause or after the end")
        let active = Self.end - Self.pause.count
        #expect(counts[heartRate] == active && counts[HKQuantityType(.basalEnergyBurned)] == active)
        #expect(counts[kilocalories] == active)
        #expect(Set(workout.allStatistics.keys) == Set(counts.keys) && counts.count >= 14)
        for type in counts.keys {
            WorkoutStatisticsTests.compare(workout.statistics(for: type), oracle.statistic(type), "\(type)")
            for part in workout.workoutActivities {
                let start = try #require(StoredTime.nanoseconds(part.startDate))
                let end = try #require(part.endDate.flatMap { StoredTime.nanoseconds($0) })
                WorkoutStatisticsTests.compare(
                    part.statistics(for: type), oracle.statistic(type, start..<end),
                    "\(type) in \(part.workoutConfiguration.activityType)")
            }
        }
        let distances: [HKQuantityTypeIdentifier] = [.distanceSwimming, .distanceCycling, .distanceWalkingRunning]
        let metres = distances.map { oracle.statistic(HKQuantityType($0))?.sum ?? .nan }
        #expect(workout.totalDistance?.value == metres[0] + metres[1] + metres[2])
        #expect(metres[0] > 1_000 && metres[1] > 30_000 && metres[2] > 9_000)
    }

    /// A lap's score is the number of its strokes plus its seconds; a set and the workout have the mean of their laps.
    private func checkLaps(_ workout: HKWorkout, _ door: TestDoor) throws {
        let events = try #require(workout.workoutEvents)
        var strokes: [Date: HKQuantitySample] = [:]
        for sample in try door.all(HKQuantityType(.swimmingStrokeCount), .members(of: workout.uuid)) {
            strokes[sample.startDate] = sample as? HKQuantitySample
        }
        func score(_ event: HKWorkoutEvent) -> Double? { event.metadata?[HKMetadataKeySWOLFScore] as? Double }
        let laps = events.filter { $0.type == .lap }
        let scored = laps.filter { score($0) != nil }
        #expect(scored.count == strokes.count && scored.count > 60 && scored.count < laps.count)
        for lap in scored {
            let sample = try #require(strokes[lap.start])
            #expect(sample.endDate == lap.end)
            #expect(score(lap) == sample.quantity.doubleValue(for: .count()) + lap.end.timeIntervalSince(lap.start))
        }
        let swimEnd = Self.date(Self.parts[1].start)
        let sets = events.filter { $0.type == .segment && $0.end <= swimEnd }
        #expect(sets.count > 6)
        for set in sets {
            let own = scored.filter { $0.start >= set.start && $0.end <= set.end }.compactMap(score)
            #expect(own.count == 8 && score(set) == own.reduce(0, +) / 8)
        }
        #expect(events.allSatisfy { $0.end <= swimEnd || score($0) == nil })
        let all = scored.compactMap(score)
        #expect(workout.metadata?[HKMetadataKeySWOLFScore] as? Double == all.reduce(0, +) / Double(all.count))
    }

    /// The recovery is a point at the end of the workout: its last heart rate minus the rate a minute later.
    private func checkRecovery(_ workout: HKWorkout, _ wearer: ScriptedWearer, _ door: TestDoor) throws {
        let found = try door.all(HKQuantityType(.heartRateRecoveryOneMinute))
        let sample = try #require(found.first as? HKQuantitySample)
        #expect(found.count == 1 && sample.startDate == workout.endDate && sample.endDate == workout.endDate)
        let rates = wearer.heartRates
        let last = try #require(rates.last { $0.second < Self.end }?.rate)
        let later = try #require(rates.first { $0.second == Self.end + 60 }?.rate)
        let unit = HKUnit.count().unitDivided(by: .minute())
        #expect(sample.quantity.doubleValue(for: unit) == last - later && last - later > 10)
        let metadata = try #require(sample.metadata)
        let members = try door.all(heartRate, .members(of: workout.uuid)).compactMap { $0 as? HKQuantitySample }
        let greatest = members.map { $0.quantity.doubleValue(for: unit) }.max() ?? 0
        // The person is forty years old.
        let test: HKHeartRateRecoveryTestType = greatest >= 0.85 * 180 ? .maxExercise : .predictionSubMaxExercise
        #expect(test == .maxExercise && metadata[HKMetadataKeyHeartRateRecoveryTestType] as? Int == test.rawValue)
        #expect(metadata[HKMetadataKeyHeartRateRecoveryActivityType] as? Int == 82)
        let duration = metadata[HKMetadataKeyHeartRateRecoveryActivityDuration] as? HKQuantity
        #expect(duration?.doubleValue(for: .second()) == workout.duration)
        let most = metadata[HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate] as? HKQuantity
        let after = rates.filter { (Self.end + 1...Self.end + 70).contains($0.second) }.map(\.rate)
        #expect(most?.doubleValue(for: unit) == after.max())
        #expect(metadata[HKMetadataKeyAlgorithmVersion] as? Int == 1)
    }
}
