// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("workout sessions survive hostile arguments")
struct HostileSessionTests {
    private static let dates = [
        Date(timeIntervalSinceReferenceDate: .nan), Date(timeIntervalSinceReferenceDate: .infinity), .distantPast,
        .distantFuture, Date(timeIntervalSinceReferenceDate: -1e300), clock,
    ]

    private final class Quiet: NSObject, HKWorkoutSessionDelegate, HKLiveWorkoutBuilderDelegate {
        func workoutSession(
            _ workoutSession: HKWorkoutSession, didChangeTo toState: HKWorkoutSessionState,
            from fromState: HKWorkoutSessionState, date: Date
        ) {}
        func workoutSession(_ workoutSession: HKWorkoutSession, didFailWithError error: any Error) {}
        func workoutBuilder(_ workoutBuilder: HKLiveWorkoutBuilder, didCollectDataOf types: Set<HKSampleType>) {}
        func workoutBuilderDidCollectEvent(_ workoutBuilder: HKLiveWorkoutBuilder) {}
    }

    @Test("calls in any order, at any date")
    @available(*, deprecated, message: "tests deprecated functions")
    func calls() async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: 9)
        for _ in 0..<40 {
            let session = try HKWorkoutSession(healthStore: door.health, configuration: HKWorkoutConfiguration())
            let quiet = Quiet()
            session.delegate = quiet
            for _ in 0..<12 {
                let date = Self.dates[dice.below(Self.dates.count)]
                switch dice.below(11) {
                case 0: session.prepare()
                case 1: session.startActivity(with: date)
                case 2: session.stopActivity(with: date)
                case 3: door.health.pause(session)
                case 4: door.health.resumeWorkoutSession(session)
                case 5:
                    session.beginNewActivity(
                        configuration: HKWorkoutConfiguration(), date: date, metadata: ["a": [1], "": Double.nan])
                case 6: session.endCurrentActivity(on: date)
                case 7: door.health.start(session)
                case 8: door.health.end(session)
                case 9: try? await session.associatedWorkoutBuilder().beginCollection(at: date)
                default: try? await session.associatedWorkoutBuilder().endCollection(at: date)
                }
            }
            session.end()
            _ = try? await session.associatedWorkoutBuilder().finishWorkout()
            session.associatedWorkoutBuilder().discardWorkout()
            await session.settle()
            #expect(session.state == .ended)
        }
        #expect(try door.health.store().verify().isSound)
        #expect(try await door.health.recoverActiveWorkoutSession() == nil)
    }

    @Test("invalid configurations are refused, or fail when they start")
    @available(*, deprecated, message: "tests deprecated functions")
    func configurations() async throws {
        let door = try TestDoor()
        func refused(_ change: (HKWorkoutConfiguration) -> Void) -> HKError.Code? {
            let configuration = HKWorkoutConfiguration()
            change(configuration)
            do {
                _ = try HKWorkoutSession(healthStore: door.health, configuration: configuration)
                return nil
            } catch {
                return (error as? HKError)?.code
            }
        }
        #expect(refused { _ in } == nil)
        #expect(refused { $0.activityType = .transition } == .errorWorkoutActivityNotAllowed)
        #expect(refused { $0.lapLength = HKQuantity(unit: .meter(), doubleValue: .nan) } == .errorInvalidArgument)
        #expect(refused { $0.lapLength = HKQuantity(unit: .gram(), doubleValue: 1) } == .errorInvalidArgument)
        #expect(refused { $0.swimmingLocationType = .openWater } == .errorInvalidArgument)
        #expect(
            refused {
                $0.activityType = .swimming
                $0.swimmingLocationType = .pool
            } == .errorInvalidArgument)
        let transition = HKWorkoutConfiguration()
        transition.activityType = .transition
        #expect(throws: HKError.self) { _ = try HKWorkoutSession(configuration: transition) }
        // Never started: the default store of the machine is not opened.
        let old = HKWorkoutSession(activityType: .transition, locationType: .indoor)
        #expect(old.state == .notStarted && old.activityType == .transition && old.locationType == .indoor)
    }

    @Test("sources deliver what no store accepts")
    func deliveries() async throws {
        let door = try TestDoor()
        let source = ScriptedSource([.heartRate])
        try door.health.attach(source)
        try door.health.attach(source)
        let session = try HKWorkoutSession(healthStore: door.health, configuration: HKWorkoutConfiguration())
        let builder = session.associatedWorkoutBuilder()
        let types = HKLiveWorkoutDataSource(healthStore: door.health, workoutConfiguration: nil)
        #expect(types.typesToCollect.isEmpty)
        types.enableCollection(for: HKQuantityType(.heartRate), predicate: nil)
        types.enableCollection(for: HKQuantityType(.heartRate), predicate: NSPredicate { _, _ in true })
        types.enableCollection(for: HKQuantityType(HKQuantityTypeIdentifier(rawValue: "none")), predicate: nil)
        types.disableCollection(for: HKQuantityType(.bodyMass))
        #expect(types.typesToCollect.count == 2)
        builder.dataSource = types
        session.startActivity(with: clock)
        try await builder.beginCollection(at: clock)
        await session.settle()
        source.deliver([quantity(.heartRate, 70, "count/min", at: 1)])
        #expect(builder.statistics(for: HKQuantityType(.heartRate)) == nil)
        types.enableCollection(for: HKQuantityType(.heartRate), predicate: nil)
        source.deliver([HKQuantitySample]())
        source.deliver([quantity(.heartRate, .nan, "count/min", at: 1), quantity(.heartRate, 1, "kg", at: 1)])
        for date in Self.dates.dropLast() {
            let one = HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: 1)
            source.deliver([HKQuantitySample(type: HKQuantityType(.heartRate), quantity: one, start: date, end: date)])
            source.deliver(HKWorkoutEvent(.pause, start: date, end: .distantFuture))
        }
        #expect(builder.statistics(for: HKQuantityType(.heartRate)) == nil && builder.workoutEvents.isEmpty)
        try door.health.detach(source)
        try door.health.detach(ScriptedSource([]))
        session.end()
        await session.settle()
        builder.discardWorkout()
    }

    @Test("deprecated spellings, optional methods and calls without a mirror or a watch")
    @available(*, deprecated, message: "tests deprecated functions")
    func others() async throws {
        let door = try TestDoor()
        let session = try HKWorkoutSession(healthStore: door.health, configuration: HKWorkoutConfiguration())
        let types = HKLiveWorkoutDataSource(
            healthStore: door.health, workoutConfiguration: session.workoutConfiguration)
        types.collectStatistics(for: HKQuantityType(.bodyMass), predicate: nil)
        #expect(types.typesToCollect.contains(HKQuantityType(.bodyMass)))
        let quiet = Quiet()
        let activity = HKWorkoutActivity(
            workoutConfiguration: HKWorkoutConfiguration(), start: clock, end: nil, metadata: nil)
        quiet.workoutSession(session, didGenerate: HKWorkoutEvent(.lap, start: clock, end: clock))
        quiet.workoutSession(session, didBeginActivityWith: HKWorkoutConfiguration(), date: clock)
        quiet.workoutSession(session, didEndActivityWith: HKWorkoutConfiguration(), date: clock)
        quiet.workoutSession(session, didReceiveDataFromRemoteWorkoutSession: [Data()])
        quiet.workoutSession(session, didDisconnectFromRemoteDeviceWithError: nil)
        quiet.workoutBuilder(session.associatedWorkoutBuilder(), didBegin: activity)
        quiet.workoutBuilder(session.associatedWorkoutBuilder(), didEnd: activity)
        let group = HKWorkoutZoneGroup(WorkoutZoneTimes(try rateZones(), nanoseconds: [1, 2, 3, 4, 5]))
        let zone = HKLiveWorkoutZoneUpdate(previous: nil, current: ZoneTally.Position(zone: 4, start: .min), group)
        quiet.workoutBuilder(session.associatedWorkoutBuilder(), didUpdateWorkoutZone: zone)
        func failed(_ call: (@escaping @Sendable (Bool, (any Error)?) -> Void) -> Void) async -> HKError.Code? {
            await withCheckedContinuation { waiting in
                call { _, error in waiting.resume(returning: (error as? HKError)?.code) }
            }
        }
        let much = Data(repeating: 1, count: 1_000_000)
        #expect(await failed { session.startMirroringToCompanionDevice(completion: $0) } == .errorInvalidArgument)
        #expect(await failed { session.stopMirroringToCompanionDevice(completion: $0) } == .errorInvalidArgument)
        #expect(
            await failed { session.sendToRemoteWorkoutSession(data: much, completion: $0) } == .errorInvalidArgument)
        #expect(await code { try await session.sendToRemoteWorkoutSession(data: much) } == .errorInvalidArgument)
        let watch = await failed { door.health.startWatchApp(with: HKWorkoutConfiguration(), completion: $0) }
        #expect(watch == .errorHealthDataUnavailable)
        let handled = await code { try await door.health.startWatchApp(toHandle: HKWorkoutConfiguration()) }
        #expect(handled == .errorHealthDataUnavailable)
        let found = await withCheckedContinuation { waiting in
            door.health.recoverActiveWorkoutSession { session, error in waiting.resume(returning: session == nil) }
        }
        #expect(found)
    }

    @Test("damaged rows of sessions are errors, and no session")
    func damaged() async throws {
        let door = try TestDoor()
        let store = try door.health.store()
        var draft = WorkoutDraft(WorkoutConfiguration(.running))
        try draft.begin(at: clock)
        try draft.add(["a": .integer(1)])
        try draft.add([HKWorkoutEvent(.lap, start: clock, end: clock.addingTimeInterval(3))])
        var state = SessionState(WorkoutConfiguration(.running))
        _ = state.apply(.start(clock))
        let whole = SessionRecord(state: state, draft: draft, device: "<<HKDevice: >, name:x>").body
        var dice = SeededGenerator(seed: 5)
        for round in 0..<60 {
            var body = whole
            if round.isMultiple(of: 2) {
                body = Array(body.prefix(dice.below(body.count)))
            } else {
                for _ in 0...dice.below(3) { body[dice.below(body.count)] = UInt8(dice.below(256)) }
            }
            let row = SessionRow(
                id: Int64(round + 1), uuid: SampleIdentity(UUID()).bytes,
                client: door.health.revision.source.bundleIdentifier, isActive: true, body: body)
            try store.write { try HealthCatalog.insert(row, $0) }
            if let session = try? await door.health.recoverActiveWorkoutSession() {
                session.end()
                await session.settle()
                session.associatedWorkoutBuilder().discardWorkout()
            }
            try store.write { try HealthCatalog.remove(session: row.id, $0) }
        }
        #expect(try await door.health.recoverActiveWorkoutSession() == nil)
    }

    @Test("a record keeps the pauses that are no events; older versions are read, and truncated records are errors")
    func hiddenPauses() throws {
        var draft = WorkoutDraft(WorkoutConfiguration(.running))
        try draft.begin(at: clock)
        let state = SessionState(WorkoutConfiguration(.running))
        let before = try ObjectExpander.decode(SessionRecord(state: state, draft: draft, device: nil).body)
        #expect(before.first == 1)
        #expect(try SessionRecord(ObjectCompressor.plain(before)).draft.hiddenEvents.isEmpty)
        draft.hide(HKWorkoutEvent(.pause, start: at(3), end: at(3)))
        let plain = try ObjectExpander.decode(SessionRecord(state: state, draft: draft, device: nil).body)
        #expect(plain.first == 3)
        let read = try SessionRecord(ObjectCompressor.plain(plain)).draft
        #expect(read.hiddenEvents.map(\.type) == [.pause] && read.hiddenEvents.map(\.start) == [at(3)])
        #expect(read.events.isEmpty && read.allPauses.contains(at(4)) && !read.pauses.contains(at(4)))
        for length in plain.indices {
            #expect(throws: HealthStoreError.self) {
                try SessionRecord(ObjectCompressor.plain(Array(plain.prefix(length))))
            }
        }
    }
}
