// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport

@testable import HealthModel
@testable import KymographHealth

/// A store in the mode `enforced`, with its owner, another program and the client under test.
final class PrivateDoor: Sendable {
    let directory: TemporaryDirectory
    let path: String
    /// The owner, who sees everything.
    let owner: HKHealthStore
    /// A program with objects of its own, whose permissions are complete.
    let other: HKHealthStore
    /// The program under test.
    let client: HKHealthStore

    static let name = "com.example.client"

    init(_ mode: HealthAuthorizationMode = .enforced, _ provider: any HealthAuthorizationProvider = .deny) throws {
        HealthPurpose.set(read: "tests read", share: "tests save", clinical: "tests read records")
        directory = try TemporaryDirectory()
        path = directory.file("store")
        owner = HKHealthStore(path: path, isOwner: true)
        other = HKHealthStore(directory: path, client: "com.example.other")
        client = HKHealthStore(directory: path, client: Self.name, authorization: provider)
        let store = try owner.store()
        try store.setAuthorizationMode(mode)
        var all = AuthorizationChange(client: "com.example.other", origin: "test")
        for type in HKObjectType.allKnown {
            all.read[type] = true
            all.share[type] = true
        }
        try store.decide(all)
    }

    /// Decides about the client.
    func decide(
        read: [HKObjectType] = [], share: [HKObjectType] = [], _ isAllowed: Bool = true, from: Date? = nil
    ) throws {
        var change = AuthorizationChange(client: Self.name, origin: "test")
        for type in read { change.read[type] = isAllowed }
        for type in share { change.share[type] = isAllowed }
        change.readFrom = from
        try owner.store().decide(change)
    }

    /// Returns the values of quantity samples that a program sees.
    func values(_ type: HKQuantityType, _ health: HKHealthStore? = nil) async throws -> [Double] {
        let found = try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: type)])
            .result(for: health ?? client)
        return found.map { $0.quantity.value }
    }

    deinit { owner.close() }
}

/// Returns a sample of heartbeats per minute.
func beats(_ value: Double, at seconds: Double, lasting: Double = 0) -> HKQuantitySample {
    let date = clock.addingTimeInterval(seconds)
    return HKQuantitySample(
        type: HKQuantityType(.heartRate),
        quantity: HKQuantity(unit: .count().unitDivided(by: .minute()), doubleValue: value), start: date,
        end: date.addingTimeInterval(lasting))
}

/// Returns a sample of steps.
func steps(_ count: Double, at seconds: Double, lasting: Double = 60) -> HKQuantitySample {
    let date = clock.addingTimeInterval(seconds)
    return HKQuantitySample(
        type: HKQuantityType(.stepCount), quantity: HKQuantity(unit: .count(), doubleValue: count), start: date,
        end: date.addingTimeInterval(lasting))
}
