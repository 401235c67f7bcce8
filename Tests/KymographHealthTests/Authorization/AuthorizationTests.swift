// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-2 S-57 S-66 S-67 S-72 S-73 S-74 S-75 S-76 S-77 S-172 a person decides what a program saves and reads")
struct AuthorizationTests {
    private let rate = HKQuantityType(.heartRate)
    private let step = HKQuantityType(.stepCount)

    @Test("an open store authorizes everything at once")
    func open() async throws {
        let door = try PrivateDoor(.open)
        let share: Set = [HKSampleType.workoutType()]
        let status: HKAuthorizationStatus = door.client.authorizationStatus(for: rate)
        #expect(status == .sharingAuthorized && door.client.supportsHealthRecords())
        let request: HKAuthorizationRequestStatus = await withCheckedContinuation { waiting in
            door.client.getRequestStatusForAuthorization(toShare: share, read: [rate]) { status, _ in
                waiting.resume(returning: status)
            }
        }
        #expect(request == .unnecessary)
        try await door.client.requestAuthorization(toShare: share, read: [rate])
        try await door.client.save(beats(60, at: 0))
        #expect(try await door.values(rate, door.other) == [60])
        #expect(try door.owner.store().authorizedClients().map(\.client) == ["com.example.other"])
    }

    @Test("a request asks for undecided types only, and decisions are visible at once")
    func request() async throws {
        let asked = Mutex<[HealthAuthorizationRequest]>([])
        let step = step
        let door = try PrivateDoor(
            .enforced,
            .closure { request in
                asked.withLock { $0.append(request) }
                var decision = HealthAuthorizationDecision(true, to: request)
                decision.read[step] = false
                return decision
            })
        let health = door.client
        #expect(health.authorizationStatus(for: rate) == .notDetermined)
        #expect(await code { _ = try await door.values(rate) } == .errorAuthorizationNotDetermined)
        #expect(await code { try await health.save(beats(60, at: 0)) } == .errorAuthorizationNotDetermined)
        #expect(try await health.statusForAuthorizationRequest(toShare: [rate], read: [rate]) == .shouldRequest)
        try await health.requestAuthorization(toShare: [rate], read: [rate, step])
        #expect(try await health.statusForAuthorizationRequest(toShare: [rate], read: [rate]) == .unnecessary)
        #expect(health.authorizationStatus(for: rate) == .sharingAuthorized)
        try await health.save(beats(60, at: 0))
        #expect(try await door.values(rate) == [60])
        #expect(try await door.values(step).isEmpty)
        try await health.requestAuthorization(toShare: [rate], read: [rate, step])
        #expect(asked.withLock { $0.count } == 1)
        let active = HKQuantityType(.activeEnergyBurned)
        let isDone = await withCheckedContinuation { waiting in
            health.requestAuthorization(toShare: nil, read: [rate, active]) { done, _ in waiting.resume(returning: done)
            }
        }
        #expect(isDone)
        let requests = asked.withLock { $0 }
        #expect(requests.map(\.read) == [[rate, step], [active]])
        #expect(requests.first?.client.bundleIdentifier == PrivateDoor.name)
        #expect(requests.first?.purpose.read?.isEmpty == false)
    }

    @Test("a denied type can be neither saved nor deleted")
    func denied() async throws {
        let door = try PrivateDoor()
        try await door.client.requestAuthorization(toShare: [rate], read: [rate])
        #expect(door.client.authorizationStatus(for: rate) == .sharingDenied)
        #expect(await code { try await door.client.save(beats(60, at: 0)) } == .errorAuthorizationDenied)
        try door.decide(share: [rate])
        let own = beats(61, at: 1)
        try await door.client.save(own)
        try door.decide(share: [rate], false)
        let all = HKQuery.predicateForSamples(withStart: nil, end: nil)
        #expect(await code { try await door.client.delete(own) } == .errorAuthorizationDenied)
        #expect(
            await code { try await door.client.deleteObjects(of: rate, predicate: all) } == .errorAuthorizationDenied)
        #expect(try await door.values(rate) == [61])
    }

    @Test("a cancelled request records nothing, and a process without a terminal cancels")
    func cancelled() async throws {
        let door = try PrivateDoor(.enforced, .closure { _ in throw HKError(.errorUserCanceled, reason: "no") })
        #expect(
            await code { try await door.client.requestAuthorization(toShare: [], read: [rate]) } == .errorUserCanceled)
        #expect(await code { _ = try await door.values(rate) } == .errorAuthorizationNotDetermined)
        let terminal = HKHealthStore(directory: door.path, client: "com.example.daemon")
        #expect(
            await code { try await terminal.requestAuthorization(toShare: [], read: [rate]) } == .errorUserCanceled)
    }

    @Test("types that nobody may request are refused before anybody is asked")
    func refused() async throws {
        let door = try PrivateDoor(.enforced, .allow)
        let pressure = HKCorrelationType(.bloodPressure)
        for type in [
            pressure, HKQuantityType(.appleExerciseTime), HKQuantityType(.appleMoveTime),
            HKQuantityType(.atrialFibrillationBurden), HKCategoryType(.appleStandHour),
            HKObjectType.electrocardiogramType(), HKClinicalType(.labResultRecord),
        ] as [HKSampleType] {
            do {
                try await door.client.requestAuthorization(toShare: [type, rate], read: [])
                Issue.record("\(type) was requested")
            } catch let error as HKError {
                #expect(error.code == .errorInvalidArgument && error.reason.hasSuffix("disallowed: \(type.identifier)"))
            }
        }
        for type in [pressure, HKObjectType.visionPrescriptionType()] as [HKObjectType] {
            #expect(
                await code { try await door.client.requestAuthorization(toShare: [], read: [type]) }
                    == .errorInvalidArgument)
        }
        #expect(
            await code { try await door.client.requestAuthorization(toShare: [], read: []) } == .errorInvalidArgument)
        #expect(door.client.authorizationStatus(for: rate) == .notDetermined)
    }

    @Test("a purpose is required for each direction, with the key in the error")
    func purposes() throws {
        let rates: Set<HKObjectType> = [rate]
        func place(_ purpose: HealthPurpose, _ share: Set<HKSampleType>, _ read: Set<HKObjectType>) -> String? {
            do throws(HKError) { try purpose.check(share: share, read: read) } catch { return error.place }
            return nil
        }
        #expect(place(HealthPurpose(share: "a"), [rate], rates) == "NSHealthShareUsageDescription")
        #expect(place(HealthPurpose(read: "a", share: ""), [rate], rates) == "NSHealthUpdateUsageDescription")
        #expect(place(HealthPurpose(read: "a"), [], rates) == nil)
        #expect(
            place(HealthPurpose(read: "a"), [], [HKClinicalType(.labResultRecord)])
                == "NSHealthClinicalHealthRecordsShareUsageDescription")
    }

    @Test("a reset takes effect at once, also in a running query")
    func reset() async throws {
        let door = try PrivateDoor()
        try door.decide(read: [rate], share: [rate])
        #expect(try await door.values(rate).isEmpty)
        let query = HKAnchoredObjectQueryDescriptor(predicates: [.quantitySample(type: rate)], anchor: nil)
        var results = query.results(for: door.client).makeAsyncIterator()
        _ = try await results.next()
        try door.owner.store().resetAuthorization(client: PrivateDoor.name)
        #expect(door.client.authorizationStatus(for: rate) == .notDetermined)
        #expect(await code { _ = try await results.next() } == .errorAuthorizationNotDetermined)
        #expect(try await door.values(rate, door.other).isEmpty)
        try door.owner.store().resetAuthorization()
        #expect(await code { _ = try await door.values(rate, door.other) } == .errorAuthorizationNotDetermined)
    }

    @Test("a guest reads what was allowed, saves nothing, and asks nobody")
    func guest() async throws {
        let door = try PrivateDoor(
            .guest,
            .closure { _ in
                Issue.record("a guest asked")
                return HealthAuthorizationDecision()
            })
        try door.decide(read: [rate], share: [rate])
        #expect(try await door.values(rate).isEmpty)
        #expect(await code { try await door.client.save(beats(60, at: 0)) } == .errorNotPermissibleForGuestUserMode)
        try await door.client.requestAuthorization(toShare: [step], read: [step])
        #expect(door.client.authorizationStatus(for: step) == .notDetermined)
    }

    @Test("decisions are commits: another instance, opened later or earlier, has them")
    func durable() async throws {
        let door = try PrivateDoor()
        let early = HKHealthStore(directory: door.path, client: PrivateDoor.name)
        #expect(early.authorizationStatus(for: rate) == .notDetermined)
        try door.decide(read: [step], share: [rate], from: clock)
        #expect(early.authorizationStatus(for: rate) == .sharingAuthorized)
        door.owner.close()
        let late = HKHealthStore(directory: door.path, client: PrivateDoor.name)
        #expect(late.authorizationStatus(for: rate) == .sharingAuthorized)
        #expect(try await late.earliestAuthorizedSampleDate(for: [rate, step]) == [step: clock])
        let known = try door.owner.store().authorizedClients().first { $0.client == PrivateDoor.name }
        #expect(known?.decisions.map(\.isSharing) == [false, true])
        #expect(known?.decisions.map(\.origin) == ["test", "test"])
        #expect(try door.owner.store().verify().isSound)
    }

    @Test("only the person sets characteristics, goals, units, zones and source orders")
    func personal() async throws {
        let door = try PrivateDoor()
        try await door.owner.set(HKBiologicalSex.female)
        try door.decide(read: [rate, HKCharacteristicType(.biologicalSex), HKCharacteristicType(.bloodType)])
        #expect(await code { try await door.client.set(HKBiologicalSex.male) } == .errorAuthorizationDenied)
        #expect(
            await code { try await door.client.setPreferredUnit(.count(), for: step) } == .errorAuthorizationDenied)
        #expect(
            await code { try await door.client.setActivityGoals(HealthActivityGoals()) } == .errorAuthorizationDenied)
        #expect(await code { try await door.client.setPreferredSources([], for: step) } == .errorAuthorizationDenied)
        #expect(try door.client.biologicalSex().biologicalSex == .female)
        try door.decide(read: [HKCharacteristicType(.biologicalSex)], false)
        #expect(try door.client.biologicalSex().biologicalSex == .notSet)
        #expect(await code { _ = try door.client.wheelchairUse() } == .errorAuthorizationNotDetermined)
    }

    @Test("a process that cannot ask leaves a request, which another process of the program handles")
    func pending() async throws {
        let door = try PrivateDoor(.enforced, .later)
        #expect(
            await code { try await door.client.requestAuthorization(toShare: [rate], read: [rate, step]) }
                == .errorUserCanceled)
        func overview() throws -> HealthClientOverview? {
            try door.owner.store().authorizedClients().first { $0.client == PrivateDoor.name }
        }
        #expect(try overview()?.requests.map(\.isSharing) == [false, false, true])
        #expect(try overview()?.decisions.isEmpty == true)
        #expect(door.client.authorizationStatus(for: rate) == .notDetermined)
        #expect(await code { _ = try await door.values(rate) } == .errorAuthorizationNotDetermined)
        try door.decide(read: [step], false)
        let asked = Mutex<[HealthAuthorizationRequest]>([])
        let app = HKHealthStore(
            directory: door.path, client: PrivateDoor.name,
            authorization: .closure { request in
                asked.withLock { $0.append(request) }
                return HealthAuthorizationDecision(true, to: request)
            })
        try await app.handleAuthorizationForExtension()
        #expect(asked.withLock { $0 }.map(\.share) == [[rate]])
        #expect(asked.withLock { $0 }.map(\.read) == [[rate]])
        #expect(try overview()?.requests.isEmpty == true)
        #expect(try overview()?.decisions.map(\.isAllowed) == [true, false, true])
        #expect(door.client.authorizationStatus(for: rate) == .sharingAuthorized)
        // A second call has nothing to ask, and neither has that of a program without requests.
        let isDone = await withCheckedContinuation { done in
            app.handleAuthorizationForExtension { isDone, _ in done.resume(returning: isDone) }
        }
        #expect(isDone && asked.withLock { $0 }.count == 1)
        // A request never replaces a decision.
        try door.owner.store().leavePending(share: [rate], read: [rate, step], of: PrivateDoor.name)
        #expect(try overview()?.requests.isEmpty == true)
        #expect(try door.owner.store().verify().isSound)
    }

    @Test("required types are at least three, asked for together, and a refusal of one is an error without its name")
    func required() async throws {
        let types: Set<HKObjectType> = [rate, step, HKQuantityType(.bodyMass)]
        let names = types.map(\.identifier)
        let door = try PrivateDoor(
            .enforced,
            .closure { request in
                var decision = HealthAuthorizationDecision(true, to: request)
                decision.read[HKQuantityType(.stepCount)] = false
                return decision
            })
        func request(_ read: Set<HKObjectType>, _ required: [String]) async -> HKError? {
            do {
                try await door.client.request([], read, required: required)
                return nil
            } catch { return error as? HKError }
        }
        #expect(await request(types, Array(names.prefix(2)))?.code == .errorInvalidArgument)
        #expect(await request([rate, step], names)?.code == .errorInvalidArgument)
        // Nothing was asked so far.
        #expect(door.client.authorizationStatus(for: rate) == .notDetermined)
        #expect(await request([HKQuantityType(.height)], names) == nil)
        let refused = await request(types, names)
        #expect(refused?.code == .errorRequiredAuthorizationDenied)
        #expect(refused.map { error in names.allSatisfy { !"\(error)".contains($0) } } ?? false)
        try door.decide(read: [step])
        #expect(await request(types, names) == nil)
    }

    @Test("a request for single objects stays pending, until they are chosen")
    func pendingObjects() async throws {
        let door = try PrivateDoor(.enforced, .later)
        let type = HKObjectType.visionPrescriptionType()
        let prescription = glasses()
        try await door.other.save(prescription)
        #expect(
            await code { try await door.client.requestPerObjectReadAuthorization(for: type, predicate: nil) }
                == .errorUserCanceled)
        func overview() throws -> HealthClientOverview? {
            try door.owner.store().authorizedClients().first { $0.client == PrivateDoor.name }
        }
        #expect(try overview()?.requests.map(\.type) == [type] && overview()?.refusedObjects == 0)
        let app = HKHealthStore(
            directory: door.path, client: PrivateDoor.name,
            authorization: .closure { HealthAuthorizationDecision(true, to: $0) })
        try await app.handleAuthorizationForExtension()
        #expect(try overview()?.requests.isEmpty == true && overview()?.allowedObjects == 1)
        let found = try await HKSampleQueryDescriptor(predicates: [.visionPrescription()]).result(for: door.client)
        #expect(found.map(\.uuid) == [prescription.uuid])
    }

    @Test("the terminal asks type by type, and an empty answer cancels")
    func terminal() async throws {
        let lines = Mutex<[String]>([])
        let answers = Mutex(["x", "y", "n", "a"])
        let provider = TerminalAuthorization(
            write: { line in lines.withLock { $0.append(line) } },
            read: { answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
        let door = try PrivateDoor(.enforced, provider)
        let types: Set<HKObjectType> = [rate, step, HKObjectType.workoutType(), HKQuantityType(.bodyMass)]
        try await door.client.requestAuthorization(toShare: [], read: types)
        let decisions = try door.owner.store().authorizedClients().first { $0.client == PrivateDoor.name }?.decisions
        #expect(decisions?.map(\.type.plainName) == ["BodyMass", "HeartRate", "StepCount", "Workout"])
        #expect(decisions?.map(\.isAllowed) == [true, false, true, true])
        // Other tests set other purposes.
        #expect(lines.withLock { $0 }.contains { $0.hasPrefix("To read: ") })
        #expect(
            await code { try await door.client.requestAuthorization(toShare: [rate], read: []) } == .errorUserCanceled)
        // A cancelled request for objects does not show whether there are any.
        let type = HKObjectType.visionPrescriptionType()
        func choice() async -> HKError.Code? {
            await code { try await door.client.requestPerObjectReadAuthorization(for: type, predicate: nil) }
        }
        #expect(await choice() == .errorUserCanceled)
        try await door.other.save(glasses())
        #expect(await choice() == .errorUserCanceled)
        answers.withLock { $0 = ["y"] }
        #expect(await choice() == nil)
    }
}
