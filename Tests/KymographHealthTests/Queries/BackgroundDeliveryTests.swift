// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-49 background delivery survives restarts and repeats each call until it is acknowledged")
struct BackgroundDeliveryTests {
    private func query(
        _ received: Answers<Int>, patience: ObserverRun.Patience = .init(first: .seconds(600)),
        acknowledges: Bool = true
    ) -> HKObserverQuery {
        HKObserverQuery(sampleType: bodyMass, predicate: nil, patience: patience) { _, completion, error in
            received.put(error == nil ? 1 : 0)
            if acknowledges { completion() }
        }
    }

    /// Waits until a subscription's anchor changes, for at most twenty seconds.
    private func acknowledged(_ health: HKHealthStore, since old: Subscription?) async throws -> Bool {
        for _ in 0..<4_000 {
            let now = try health.store().subscription(of: health.owner, to: bodyMass.identifier)
            if now?.anchor != old?.anchor { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    @Test("changes without a running query are delivered to the next query, and never again after an acknowledgement")
    func restarts() async throws {
        let door = try TestDoor()
        let health = door.health
        try await health.save(mass(1))
        try await health.enableBackgroundDelivery(for: bodyMass, frequency: .immediate)
        let old = try health.store().subscription(of: health.owner, to: bodyMass.identifier)
        try await health.save(mass(2, at: 1))
        health.close()
        // Without an acknowledgement the change is delivered again.
        for _ in 0..<2 {
            let received = Answers<Int>()
            let deaf = query(received, acknowledges: false)
            health.execute(deaf)
            #expect(await received.first(1) == [1])
            health.stop(deaf)
            health.close()
        }
        let received = Answers<Int>()
        let one = query(received)
        health.execute(one)
        #expect(await received.first(1) == [1])
        #expect(try await acknowledged(health, since: old))
        health.stop(one)
        health.close()
        // After an acknowledgement only the execution is reported, until the next change.
        let later = Answers<Int>()
        let two = query(later)
        health.execute(two)
        #expect(await later.first(1) == [1])
        try await Task.sleep(for: .milliseconds(300))
        #expect(later.count == 1)
        try await health.deleteObjects(of: bodyMass, predicate: NSPredicate(value: true))
        #expect(await later.first(2) == [1, 1])
        health.stop(two)
    }

    @Test("an unacknowledged call is made three times, each after a longer pause")
    func patience() async throws {
        let door = try TestDoor()
        try await door.health.enableBackgroundDelivery(for: bodyMass, frequency: .immediate)
        try await door.health.save(mass(1))
        let received = Answers<Int>()
        let deaf = query(received, patience: .init(first: .milliseconds(50), calls: 3), acknowledges: false)
        door.health.execute(deaf)
        #expect(await received.first(3) == [1, 1, 1])
        try await Task.sleep(for: .milliseconds(600))
        #expect(received.count == 3)
        door.health.stop(deaf)
    }

    @Test("calls are at most as frequent as requested, and changes in between are not lost")
    func frequency() async throws {
        let door = try TestDoor()
        let health = door.health
        try await health.enableBackgroundDelivery(for: bodyMass, frequency: .hourly)
        let received = Answers<Int>()
        let one = query(received)
        health.execute(one)
        #expect(await received.first(1) == [1])
        let old = try health.store().subscription(of: health.owner, to: bodyMass.identifier)
        try await health.save(mass(1))
        #expect(await received.first(2) == [1, 1])
        #expect(try await acknowledged(health, since: old))
        try await health.save(mass(2, at: 1))
        try await Task.sleep(for: .milliseconds(300))
        #expect(received.count == 2)
        health.stop(one)
        // Simulates that an hour has passed.
        var later = try #require(try health.store().subscription(of: health.owner, to: bodyMass.identifier))
        later.acknowledged -= 3_600_000_000_000
        try health.store().keep(later)
        let two = query(received)
        health.execute(two)
        #expect(await received.first(3) == [1, 1, 1])
        health.stop(two)
    }

    @Test("changes whose details the store has forgotten are delivered as a change, and deliveries go on")
    func forgotten() async throws {
        let door = try TestDoor()
        let health = door.health
        try await health.save([mass(1), mass(2, at: 1), mass(3, at: 2)])
        try await health.enableBackgroundDelivery(for: bodyMass, frequency: .immediate)
        let old = try health.store().subscription(of: health.owner, to: bodyMass.identifier)
        let start = try #require(StoredTime.nanoseconds(clock))
        let type = HealthTypes.type(for: bodyMass.identifier)
        try health.store().delete(type, startingIn: TimeRange(start, start + 500_000_000))
        try health.store().engine.seal()
        _ = try health.store().engine.compact()
        health.close()
        let received = Answers<Int>()
        let one = query(received)
        health.execute(one)
        #expect(await received.first(1) == [1])
        #expect(try await acknowledged(health, since: old))
        health.stop(one)
    }

    @Test("after delivery is disabled a query goes on as a plain one, and an acknowledgement restores no subscription")
    func turnedOff() async throws {
        let door = try TestDoor()
        let health = door.health
        try await health.enableBackgroundDelivery(for: bodyMass, frequency: .immediate)
        try await health.save(mass(1))
        let received = Answers<Int>()
        let late = Answers<@Sendable () -> Void>()
        let one = HKObserverQuery(sampleType: bodyMass, predicate: nil, patience: .init(first: .seconds(600))) {
            _, completion, error in
            late.put(completion)
            received.put(error == nil ? 1 : 0)
        }
        health.execute(one)
        #expect(await received.first(1) == [1])
        try await health.disableBackgroundDelivery(for: bodyMass)
        try await health.save(mass(2, at: 1))
        #expect(await received.first(2) == [1, 1])
        await late.first(1).first?()
        try await health.save(mass(3, at: 2))
        #expect(await received.first(3) == [1, 1, 1])
        #expect(try health.store().subscription(of: health.owner, to: bodyMass.identifier) == nil)
        health.stop(one)
    }

    @Test("types without samples of their own are refused; deliveries are disabled one by one or all at once")
    func ends() async throws {
        let door = try TestDoor()
        let health = door.health
        for type in [HKCorrelationType(.bloodPressure), HKObjectType.characteristicType(forIdentifier: .bloodType)] {
            let type = try #require(type)
            #expect(
                await code { try await health.enableBackgroundDelivery(for: type, frequency: .daily) }
                    == .errorInvalidArgument)
        }
        let types = [bodyMass, HKQuantityType(.height), HKQuantityType(.stepCount)]
        for type in types { try await health.enableBackgroundDelivery(for: type, frequency: .daily) }
        try await health.enableBackgroundDelivery(for: bodyMass, frequency: .weekly)
        try await door.other("com.example.scale").enableBackgroundDelivery(for: bodyMass, frequency: .daily)
        health.close()
        func all() throws -> [String] { try health.store().subscriptions(of: health.owner).map(\.type) }
        #expect(try all() == types.map(\.identifier).sorted())
        #expect(try health.store().subscription(of: health.owner, to: bodyMass.identifier)?.frequency == .weekly)
        try await health.disableBackgroundDelivery(for: bodyMass)
        try await health.disableBackgroundDelivery(for: bodyMass)
        #expect(try all().count == 2)
        try await health.disableAllBackgroundDelivery()
        #expect(try all().isEmpty)
        #expect(try health.store().subscriptions(of: "com.example.scale").count == 1)
    }
}
