// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("authorization survives hostile arguments")
struct HostileAuthorizationTests {
    private static let types: [HKObjectType] = [
        HKQuantityType(HKQuantityTypeIdentifier(rawValue: "")),
        HKQuantityType(HKQuantityTypeIdentifier(rawValue: "\u{0}=;:" + String(repeating: "x", count: 10_000))),
        HKCorrelationType(HKCorrelationTypeIdentifier(rawValue: "none")), HKQuantityType(.heartRate),
        HKObjectType.activitySummaryType(), HKCharacteristicType(.dateOfBirth), HKObjectType.medicationDoseEventType(),
        HKObjectType.userAnnotatedMedicationType(),
    ]
    private static let dates = [
        Date(timeIntervalSinceReferenceDate: .nan), Date(timeIntervalSinceReferenceDate: -.infinity), .distantPast,
        .distantFuture, clock,
    ]

    @Test("requests and statuses of any types, by clients of any name")
    func requests() async throws {
        let names = ["", "\u{0}", "a\tb;c=d", String(repeating: "n", count: 100_000), "com.example"]
        for name in names {
            let door = try PrivateDoor()
            let health = HKHealthStore(directory: door.path, client: name, authorization: .allow)
            for type in Self.types {
                _ = health.authorizationStatus(for: type)
                _ = try? await health.requestAuthorization(toShare: [], read: [type])
                if let sample = type as? HKSampleType {
                    _ = try? await health.requestAuthorization(toShare: [sample], read: [])
                }
                _ = try? await health.statusForAuthorizationRequest(toShare: [], read: [type])
                _ = try? await health.earliestAuthorizedSampleDate(for: [type])
                let nothing = HKQuery.predicateForObjects(with: Set<UUID>())
                _ = try? await health.requestPerObjectReadAuthorization(for: type, predicate: nothing)
                _ = try? await health.requestPerObjectReadAuthorization(for: type, predicate: nil)
                await withCheckedContinuation { waiting in
                    health.requestPerObjectReadAuthorization(for: type, predicate: nil) { _, _ in waiting.resume() }
                }
                await withCheckedContinuation { waiting in
                    health.getRequestStatusForAuthorization(toShare: [], read: [type]) { _, _ in waiting.resume() }
                }
                await withCheckedContinuation { waiting in
                    health.getEarliestAuthorizedSampleDate(for: [type]) { _, _ in waiting.resume() }
                }
            }
            await withCheckedContinuation { waiting in
                health.requestAuthorization(toShare: nil, read: nil) { _, _ in waiting.resume() }
            }
            #expect(try door.owner.store().verify().isSound)
        }
    }

    @Test("decisions of a provider about other types, with any dates")
    func decisions() async throws {
        for date in Self.dates {
            let all = Self.types
            let door = try PrivateDoor(
                .enforced,
                .closure { request in
                    var decision = HealthAuthorizationDecision(true, to: request, readFrom: date)
                    for type in all { decision.read[type] = false }
                    decision.objects = [UUID(): true]
                    return decision
                })
            try await door.client.requestAuthorization(toShare: [], read: [HKQuantityType(.heartRate)])
            #expect(try await door.values(HKQuantityType(.heartRate)).isEmpty)
            #expect(await code { _ = try await door.values(HKQuantityType(.stepCount)) } != nil)
            let rule = HealthAuthorizationDecision(
                share: [:], read: [HKQuantityType(.stepCount): true], readFrom: date, objects: [:])
            let (kept, given) = (rule.readFrom?.timeIntervalSinceReferenceDate, date.timeIntervalSinceReferenceDate)
            #expect(kept?.bitPattern == given.bitPattern)
            try door.decide(read: [HKQuantityType(.stepCount)], from: date)
            #expect(try await door.values(HKQuantityType(.stepCount)).isEmpty)
        }
    }

    @Test("stored requests of any types are handled, or left as they are")
    func storedRequests() async throws {
        let provider = HealthAuthorizationDeferral()
        let empty = HealthAuthorizationRequest(
            client: .default(), purpose: HealthPurpose(), share: [], read: [], objects: [])
        #expect(try await provider.decide(empty).isPending)
        let door = try PrivateDoor(.enforced, .allow)
        for direction in AuthorizationRow.Direction.allCases {
            for type in ["", "x", "HKWorkoutTypeIdentifier", "HKCorrelationTypeIdentifierFood"] {
                try door.owner.store().write { transaction in
                    let row = AuthorizationRow(
                        client: PrivateDoor.name, direction: direction, type: type, isAllowed: true, isPending: true,
                        decided: .min, origin: "")
                    try HealthCatalog.set(row, transaction)
                }
            }
        }
        await withCheckedContinuation { waiting in
            door.client.handleAuthorizationForExtension { _, _ in waiting.resume() }
        }
        #expect(door.client.authorizationStatus(for: .workoutType()) == .sharingAuthorized)
        #expect(try door.owner.store().authorizedClients().count == 2)
        #expect(try door.owner.store().verify().isSound)
    }

    @Test("modes and resets by clients, and of unknown clients")
    func owner() async throws {
        let door = try PrivateDoor()
        let limited = try door.client.store()
        for mode in HealthAuthorizationMode.allCases {
            #expect(await code { try limited.setAuthorizationMode(mode) } == .errorAuthorizationDenied)
        }
        #expect(await code { try limited.resetAuthorization() } == .errorAuthorizationDenied)
        #expect(await code { _ = try limited.authorizedClients() } == .errorAuthorizationDenied)
        try door.owner.store().resetAuthorization(client: "\u{0}nobody")
        HealthPurpose.set(read: "tests read", share: "tests save", clinical: "tests read records")
        let long = String(repeating: "r", count: 1_000_000)
        #expect(HealthPurpose(read: long, share: "\u{0}", clinical: nil).read == long)
    }
}
