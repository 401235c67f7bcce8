// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import Kymograph
import KymographHealth
import TestSupport

/// A health store on a simulated disk, used through the public API as a program uses it.
final class HealthLife {
    private let simulated: SimulatedStore
    private(set) var store: HealthStore?
    private var door: HKHealthStore?

    /// - Parameter remembersDeletions: whether deletions are remembered for a year, as by default, and not forgotten by
    ///   the next merge.
    init(_ disk: any Disk, remembersDeletions: Bool = false) throws {
        simulated = try SimulatedStore(disk)
        simulated.options.largeAppend = 300
        if remembersDeletions { simulated.options.deletionsKept = StoreOptions().deletionsKept }
    }

    deinit { store?.close() }

    func open() throws {
        close()
        // A crash between the two changes of names leaves the store at the second one.
        let disk = simulated.disk
        if try !disk.exists(SimulatedStore.path), try disk.exists(Self.former) {
            try disk.rename(Self.former, to: SimulatedStore.path)
        }
        let store = try HealthStore.openOrCreate(at: SimulatedStore.path, mode: .shared, options: simulated.options)
        self.store = store
        door = HKHealthStore(store)
    }

    func close() {
        store?.close()
        (store, door) = (nil, nil)
    }

    private static let former = SimulatedStore.path + ".former"

    private func encrypt() throws {
        close()
        let (path, options) = (SimulatedStore.path, simulated.options)
        guard let key = options.key else { return try open() }
        TemporaryDirectory.removeTree(Self.former, simulated.disk)
        try HealthStore.encrypt(at: path, keepingFormerAt: Self.former, key: key, options: options)
        try open()
    }

    /// Returns the content visible to a program.
    func lines() throws -> [String] {
        let door = try opened()
        return try Self.awaited { try await HealthLines.all(door) }
    }

    func opened() throws -> HKHealthStore {
        if let door { return door }
        throw StoreError(.closed, "the store is not open")
    }

    func perform(_ operation: HealthOperation) throws {
        if case .reopen = operation { return try open() }
        if case .encrypt = operation { return try encrypt() }
        let door = try opened()
        switch operation {
        case .seal: try door.store().engine.seal()
        case .compact: try door.store().compact()
        default: try Self.awaited { try await Self.perform(operation, door) }
        }
    }

    private static func perform(_ operation: HealthOperation, _ door: HKHealthStore) async throws {
        switch operation {
        case .save(let objects): try await door.save(objects)
        case .saveTwice(let objects):
            do {
                try await door.save(objects)
            } catch let error as HKError where error.code == .errorInvalidArgument {
                return
            }
            throw StoreError(.identityTaken, "an object was saved twice")
        case .series(let start, let values, let sync):
            let builder = HKQuantitySeriesSampleBuilder(
                healthStore: door, quantityType: HealthScript.power, startDate: HealthScript.date(start), device: nil)
            try builder.insert(
                values: values, unit: .watt(), starts: values.indices.map { HealthScript.date(start + $0) })
            let metadata = sync.map {
                [HKMetadataKeySyncIdentifier: $0.name, HKMetadataKeySyncVersion: $0.version] as [String: Any]
            }
            _ = try await builder.finishSeries(metadata: metadata)
        case .heartbeats(let start, let beats):
            let builder = HKHeartbeatSeriesBuilder(
                healthStore: door, device: nil, start: HealthScript.date(start))
            for beat in beats { try await builder.addHeartbeat(at: beat.since, precededByGap: beat.isAfterGap) }
            _ = try await builder.finishSeries()
        case .electrocardiogram(let start, let millivolts, let classification):
            let builder = HealthElectrocardiogramBuilder(
                healthStore: door, device: nil, start: HealthScript.date(start),
                samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
            try builder.append(voltages: millivolts, unit: .voltUnit(with: .milli))
            _ = try await builder.finish(classification: classification)
        case .workout(let one): try await one.perform(door)
        case .extend(let start, let samples): try await door.addSamples(samples, to: workout(start, door))
        case .relate(let effort, let start):
            try await door.relateWorkoutEffortSample(effort, with: workout(start, door), activity: nil)
        case .unrelate(let effort, let start):
            let own = HKQuery.predicateForObject(with: effort)
            let found = HKSampleQueryDescriptor(
                predicates: [.quantitySample(type: HealthScript.effort, predicate: own)])
            guard let sample = try await found.result(for: door).first else { return }
            try await door.unrelateWorkoutEffortSample(sample, from: workout(start, door), activity: nil)
        case .attach(let scan, let prescription): try await scan.perform(door, prescription)
        case .detach(let prescription): try await HealthScan.removeFirst(door, prescription)
        case .delete(let objects): try await door.delete(objects)
        case .deleteRange(let type, let range):
            let predicate = HKQuery.predicateForSamples(
                withStart: HealthScript.date(range.lowerBound), end: HealthScript.date(range.upperBound),
                options: .strictStartDate)
            try await door.deleteObjects(of: type, predicate: predicate)
        case .sex(let sex): try await door.set(sex)
        case .goal(let goal):
            var goals = HealthActivityGoals()
            goals.activeEnergyBurned = goal.map { HKQuantity(unit: .kilocalorie(), doubleValue: Double($0)) }
            try await door.setActivityGoals(goals)
        case .delivery(let type, let frequency?):
            try await door.enableBackgroundDelivery(for: type, frequency: frequency)
        case .decision(let type, let isSharing, let isAllowed):
            var change = AuthorizationChange(client: "com.example.other", origin: "campaign")
            if isSharing { change.share[type] = isAllowed } else { change.read[type] = isAllowed }
            try door.store().decide(change)
        case .resetDecisions: try door.store().resetAuthorization()
        case .delivery(let type, nil): try await door.disableBackgroundDelivery(for: type)
        case .seal, .compact, .reopen, .encrypt: return
        }
    }

    /// Returns the saved workout with a start.
    private static func workout(_ start: Int, _ door: HKHealthStore) async throws -> HKWorkout {
        let date = HealthScript.date(start)
        let time = HKQuery.predicateForSamples(
            withStart: date, end: date.addingTimeInterval(0.5), options: .strictStartDate)
        let found = try await HKSampleQueryDescriptor(predicates: [.workout(time)]).result(for: door)
        guard found.count == 1 else { throw CampaignError("\(found.count) workouts start at \(start), expected one") }
        return found[0]
    }

    /// Runs an asynchronous body on this thread and waits for it.
    static func awaited<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        try AwaitingThread().result(body)
    }
}

/// A program that repeatedly reads additions and deletions and keeps a list.
struct HealthMirror: Sendable {
    private var anchor: HKQueryAnchor?
    private(set) var known: Set<UUID> = []

    /// Reads some of the changes at a time and compares the list with the store. Returns a description of a difference,
    /// or nil.
    mutating func fault(after door: HKHealthStore, limit: Int) throws -> String? {
        if let fault = try update(door, limit: limit) { return fault }
        let there = try HealthLife.awaited {
            var found = Set<UUID>()
            for type in HealthScript.types {
                let all = HKSampleQueryDescriptor(predicates: [.sample(type: type)])
                for one in try await all.result(for: door) { found.insert(one.uuid) }
            }
            return found
        }
        if known == there { return nil }
        return "the feed has \(known.count) objects, the store \(there.count); they differ"
    }

    private mutating func update(_ door: HKHealthStore, limit: Int) throws -> String? {
        while true {
            let descriptor = HKAnchoredObjectQueryDescriptor(
                predicates: HealthScript.types.map { .sample(type: $0) }, anchor: anchor, limit: limit)
            let page = try HealthLife.awaited { try await descriptor.result(for: door) }
            for deleted in page.deletedObjects where known.remove(deleted.uuid) == nil {
                // An object that was added and deleted between two reads is reported as deleted.
                continue
            }
            for added in page.addedSamples where !known.insert(added.uuid).inserted {
                return "\(added) was reported twice"
            }
            anchor = page.newAnchor
            if page.addedSamples.count + page.deletedObjects.count < limit { return nil }
        }
    }
}
