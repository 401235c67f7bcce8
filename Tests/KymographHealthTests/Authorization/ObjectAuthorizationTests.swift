// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-66 S-168 S-169 S-170 S-171 a person chooses prescriptions one by one")
struct ObjectAuthorizationTests {
    private let type = HKObjectType.visionPrescriptionType()

    private func prescription(_ days: Double) -> HKContactsPrescription {
        HKContactsPrescription(
            rightEyeSpecification: HKContactsLensSpecification(
                sphere: HKQuantity(unit: .diopter(), doubleValue: -1), cylinder: nil, axis: nil, addPower: nil,
                baseCurve: nil, diameter: nil),
            leftEyeSpecification: nil, brand: "brand", dateIssued: clock.addingTimeInterval(86_400 * days),
            expirationDate: nil, device: nil, metadata: nil)
    }

    private func found(_ door: PrivateDoor) async throws -> [Date] {
        try await HKSampleQueryDescriptor(predicates: [.visionPrescription()]).result(for: door.client).map(\.startDate)
    }

    @Test("a request always asks with the matching objects, and the selection may change")
    func selection() async throws {
        let asked = Mutex<[[Date]]>([])
        let isFirst = Mutex(true)
        let door = try PrivateDoor(
            .enforced,
            .closure { request in
                asked.withLock { $0.append(request.objects.map(\.date)) }
                var decision = HealthAuthorizationDecision()
                let choosesFirst = isFirst.withLock { $0 }
                for (place, object) in request.objects.enumerated() {
                    decision.objects[object.uuid] = (place == 0) == choosesFirst
                }
                return decision
            })
        try door.decide(share: [type])
        try await door.other.save([prescription(0), prescription(1)])
        try await door.client.save(prescription(2))
        let dates = [0, 1, 2].map { clock.addingTimeInterval(86_400 * $0) }
        // Own objects are readable without a request.
        #expect(try await found(door) == [dates[2]])
        let before = HKQuery.predicateForSamples(withStart: nil, end: dates[2], options: .strictStartDate)
        try await door.client.requestPerObjectReadAuthorization(for: type, predicate: before)
        #expect(asked.withLock { $0 } == [[dates[1], dates[0]]])
        #expect(try await found(door) == [dates[1], dates[2]])
        // The person takes both away that were first, and the own object.
        isFirst.withLock { $0 = false }
        try await door.client.requestPerObjectReadAuthorization(for: type, predicate: nil)
        #expect(asked.withLock { $0.last } == [dates[2], dates[1], dates[0]])
        #expect(try await found(door) == [dates[0], dates[1]])
        let page = try await HKAnchoredObjectQueryDescriptor(predicates: [.visionPrescription()], anchor: nil)
            .result(for: door.client)
        #expect(page.addedSamples.map(\.startDate).sorted() == [dates[0], dates[1]])
        let range = HKQuery.predicateForSamples(withStart: dates[1], end: nil, options: .strictStartDate)
        let part = try await HKSampleQueryDescriptor(predicates: [.visionPrescription(range)]).result(for: door.client)
        #expect(part.map(\.startDate) == [dates[1]])
        #expect(try door.owner.store().authorizedClients().first { $0.client == PrivateDoor.name }?.refusedObjects == 1)
    }

    @Test("a cancelled request changes nothing; other types are refused")
    func cancelled() async throws {
        let door = try PrivateDoor(.enforced, .closure { _ in throw HKError(.errorUserCanceled, reason: "no") })
        try await door.other.save(prescription(0))
        #expect(
            await code { try await door.client.requestPerObjectReadAuthorization(for: type, predicate: nil) }
                == .errorUserCanceled)
        #expect(try await found(door).isEmpty)
        let rate = HKQuantityType(.heartRate)
        #expect(
            await code { try await door.client.requestPerObjectReadAuthorization(for: rate, predicate: nil) }
                == .errorInvalidArgument)
    }
}
