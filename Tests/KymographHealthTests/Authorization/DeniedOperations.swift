// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

@testable import HealthModel
@testable import KymographHealth

// Answers as cells of a table.
extension DeniedScene {
    /// Returns the cell for the programs whose objects a client got.
    static func cell(_ names: Set<String>) -> String {
        switch names {
        case []: "none"
        case ["own"]: "own"
        case ["own", "late"]: "recent"
        // A guest has no new objects of its own.
        case ["own", "early", "late"], ["early", "late"]: "all"
        case ["early"]: "chosen"
        case ["own", "early"]: "own, chosen"
        default: names.sorted().joined(separator: " and ")
        }
    }

    static func cell(_ error: HKError) -> String {
        switch error.code {
        case .errorAuthorizationNotDetermined: "not asked"
        case .errorAuthorizationDenied: "refused"
        case .errorInvalidArgument: "not found"
        case .errorNotPermissibleForGuestUserMode: "guest"
        case .errorNoData: "none"
        default: "\(error.code)"
        }
    }

    static func name(_ source: HKSource) -> String {
        switch source.bundleIdentifier {
        case PrivateDoor.name: "own"
        default: source.bundleIdentifier
        }
    }

    static func cell(_ samples: [HKSample]) -> String { cell(Set(samples.map { name($0.source) })) }

    /// Returns the cell of a call that returns nothing.
    func done(_ body: () async throws -> Void) async throws -> String {
        try await body()
        return "done"
    }

    /// Returns the cell for the programs for whose objects a body returns true. An object that is not found is not
    /// there; other errors are those of the row.
    func each(_ body: (Objects) async throws -> Bool) async throws -> String {
        var found: Set<String> = []
        for (name, one) in objects {
            do {
                if try await body(one) { found.insert(name) }
            } catch HKError.errorInvalidArgument {
                continue
            }
        }
        return Self.cell(found)
    }

    func samples(_ type: HKSampleType, _ predicate: NSPredicate? = nil) async throws -> [HKSample] {
        try await HKSampleQueryDescriptor(predicates: [.sample(type: type, predicate: predicate)]).result(for: client)
    }

    func workouts(_ predicate: NSPredicate? = nil) async throws -> [HKWorkout] {
        try await HKSampleQueryDescriptor(predicates: [.workout(predicate)]).result(for: client)
    }

    /// Returns the cell for a sum of the numbers of the programs: 1, 10 and 100.
    static func cell(ofSum sum: Double?) -> String {
        let sum = Int(sum ?? 0)
        return cell(Set(zip(names, [1, 10, 100]).filter { sum / $0.1 % 10 == 1 }.map(\.0)))
    }

    // MARK: - Changes

    /// Returns the changes of steps since an anchor.
    func changes(
        since anchor: HKQueryAnchor?
    ) async throws -> HKAnchoredObjectQueryDescriptor<HKQuantitySample>.Result {
        try await HKAnchoredObjectQueryDescriptor(predicates: [.quantitySample(type: Self.step)], anchor: anchor)
            .result(for: client)
    }

    /// Returns the cell for the deletions that an anchored query reports.
    func deletions() async throws -> String {
        let anchor = try await changes(since: nil).newAnchor
        let mode = try door.owner.store().authorizationMode()
        try door.owner.store().setAuthorizationMode(.open)
        for (name, one) in objects { try await Self.program(door, name).delete(one.steps) }
        try door.owner.store().setAuthorizationMode(mode)
        let gone = Set(try await changes(since: anchor).deletedObjects.map(\.uuid))
        return Self.cell(Set(objects.filter { gone.contains($0.value.steps.uuid) }.map(\.key)))
    }

    /// Returns the cell for the programs whose saves call an observer query.
    func observer() async throws -> String {
        let calls = Mutex<(count: Int, error: HKError?)>((0, nil))
        let query = HKObserverQuery(sampleType: Self.step, predicate: nil) { _, done, error in
            calls.withLock { $0 = ($0.count + 1, error as? HKError) }
            done()
        }
        func count(atLeast wanted: Int, _ milliseconds: Int) async throws -> Int {
            for _ in 0..<milliseconds where calls.withLock({ $0.count }) < wanted {
                try await Task.sleep(for: .milliseconds(1))
            }
            return calls.withLock { $0.count }
        }
        client.execute(query)
        defer { client.stop(query) }
        _ = try await count(atLeast: 1, 20_000)
        if let error = calls.withLock({ $0.error }) { throw error }
        if state != .guest { try door.decide(share: [Self.step]) }
        var found: Set<String> = []
        for (name, start) in [("early", 100.0), ("late", 20_100), ("own", 5_100)] {
            if name == "own", state == .guest { continue }
            let before = try await count(atLeast: .max, 30)
            try await (name == "own" ? client : door.owner).save(steps(3, at: start))
            // An own change calls the query for certain. For other changes the test waits briefly.
            if try await count(atLeast: before + 1, name == "own" ? 20_000 : 500) > before { found.insert(name) }
        }
        return Self.cell(found)
    }

    // MARK: - References

    func places(_ one: Objects) async throws -> Bool {
        for try await _ in HKWorkoutRouteQueryDescriptor(one.route).results(for: client) { return true }
        return false
    }

    func voltages(_ one: Objects) async throws -> Bool {
        for try await _ in HKElectrocardiogramQueryDescriptor(one.electrocardiogram).results(for: client) {
            return true
        }
        return false
    }

    func heartbeats(_ one: Objects) async throws -> Bool {
        for try await _ in HKHeartbeatSeriesQueryDescriptor(one.beats).results(for: client) { return true }
        return false
    }

    func quantities() async throws -> String {
        let query = HKQuantitySeriesSampleQueryDescriptor(predicate: .quantitySample(type: Self.power))
        var sum = 0.0
        for try await found in query.results(for: client) { sum += found.quantity.doubleValue(for: .watt()) }
        return Self.cell(ofSum: sum)
    }
}
