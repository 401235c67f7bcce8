// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import Synchronization
import TestSupport

/// The observer queries of a client, and the number of their calls.
final class AccessObservers: Sendable {
    static let types: [HKSampleType] = [
        AccessTypes.steps, AccessTypes.sleep, AccessTypes.workout, AccessTypes.pressure, AccessTypes.prescription,
    ]

    private let counts = Mutex<[String: Int]>([:])
    private let queries: Mutex<[HKObserverQuery]> = Mutex([])
    private let client: HKHealthStore

    init(_ client: HKHealthStore) {
        self.client = client
        for type in Self.types {
            let query = HKObserverQuery(sampleType: type, predicate: nil) { [weak self] _, done, error in
                self?.note(error == nil ? type.identifier : "error")
                done()
            }
            queries.withLock { $0.append(query) }
            client.execute(query)
        }
    }

    private func note(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    func stop() { for query in queries.withLock({ $0 }) { client.stop(query) } }

    func count(_ type: HKSampleType) -> Int { counts.withLock { $0[type.identifier] ?? 0 } }

    var errors: Int { counts.withLock { $0["error"] ?? 0 } }

    /// Waits for at least a number of calls for a type, for at most ten seconds.
    func wait(for count: Int, _ type: HKSampleType) async throws -> Bool {
        for _ in 0..<20_000 where self.count(type) < count { try await Task.sleep(for: .microseconds(500)) }
        return self.count(type) >= count
    }
}

extension AccessTwins {
    /// An event of a history with observers.
    private struct Event {
        let step: AccessStep
        /// The types whose queries are called.
        var called: [HKSampleType] = []
    }

    /// The time after an event in which no further call is expected.
    private static let pause = Duration.milliseconds(3)

    /// Runs observer queries in both stores. Hidden objects must not cause a call; own saves and decisions must.
    func observe(_ seed: UInt64) async throws -> AccessResult {
        var random = SeededGenerator(seed: seed)
        let rules = AccessRules(&random, .denied)
        var maker = AccessMaker(random.split())
        let (world, twin) = try worlds(seed, rules)
        defer { close(world, twin) }
        for one in [world, twin] {
            _ = try await one.perform(.mode(.enforced))
            _ = try await one.perform(.decide(Self.everything()))
        }
        let observers = [AccessObservers(world.client), AccessObservers(twin.client)]
        defer { for one in observers { one.stop() } }
        var result = AccessResult()
        for one in observers {
            for type in AccessObservers.types where try await !one.wait(for: 1, type) {
                result.fault = "the query of \(type) was not called at its execution"
                return result
            }
        }
        for number in 0..<8 {
            let event = Self.event(number, &maker, &random)
            for (one, seen) in zip([world, twin], observers) {
                let before = AccessObservers.types.map { seen.count($0) }
                let lines = try await one.perform(event.step)
                for (type, count) in zip(AccessObservers.types, before) where event.called.contains(type) {
                    if try await !seen.wait(for: count + 1, type) {
                        result.fault = "event \(number), \(event.step) \(lines): the query of \(type) was not called"
                        return result
                    }
                }
                try await Task.sleep(for: Self.pause)
                for (type, count) in zip(AccessObservers.types, before) where !event.called.contains(type) {
                    if seen.count(type) != count {
                        result.fault = "event \(number), \(event.step): the query of \(type) was called"
                        return result
                    }
                }
            }
        }
        for one in observers where one.errors > 0 { result.fault = "an observer query failed" }
        result.calls = observers.reduce(0) { sum, one in sum + AccessObservers.types.reduce(0) { $0 + one.count($1) } }
        return result
    }

    private static func event(_ number: Int, _ maker: inout AccessMaker, _ random: inout SeededGenerator) -> Event {
        switch number {
        case 0: return Event(step: .save(0, maker.object(.prescription), .other, isHidden: true))
        case 1: return Event(step: .attach(0, .other, isHidden: true))
        case 2, 4:
            let kind = random.pick([AccessKind.steps, .sleep, .pressure, .workout, .total, .effort, .food])
            return Event(step: .save(number, maker.object(kind), .other, isHidden: true))
        case 3:
            return Event(step: .save(3, maker.object(.steps), .client, isHidden: false), called: [AccessTypes.steps])
        case 5: return Event(step: .delete(random.pick([0, 2, 4]), .other, isHidden: true))
        case 6:
            let isSleep = random.chance(0.5)
            var change = AuthorizationChange(client: AccessRules.client, origin: "campaign")
            change.read[isSleep ? AccessTypes.sleep : AccessTypes.workout] = false
            return Event(step: .decide(change), called: [isSleep ? AccessTypes.sleep : AccessTypes.workout])
        default: return Event(step: .delete(3, .client, isHidden: false), called: [AccessTypes.steps])
        }
    }

    /// Returns decisions about all types: to save them, and not to read them.
    private static func everything() -> AuthorizationChange {
        var change = AuthorizationChange(client: AccessRules.client, origin: "campaign")
        for type in AccessTypes.decided {
            change.read[type] = false
            if type is HKSampleType { change.share[type] = true }
        }
        return change
    }
}
