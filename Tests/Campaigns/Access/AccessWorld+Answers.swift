// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import Synchronization

// The answers to the questions of the client, as lines without identities.
extension AccessWorld {
    func answer(_ question: AccessQuestion) async -> [String] {
        await lines {
            switch question {
            case .samples(let type, let place): try await self.samples(type, self.predicate(place))
            case .changes(let type): try await self.changes(type)
            case .sources(let type):
                try await HKSourceQueryDescriptor(predicate: .sample(type: type)).result(for: self.client).map {
                    $0.bundleIdentifier
                }.sorted()
            case .statistics(let type): try await self.statistics(type)
            case .collection(let type): try await self.collection(type)
            case .quantities(let type): try await self.quantities(type, nil)
            case .correlations(let type): try await self.correlations(type)
            case .workouts(let place): try await self.samples(AccessTypes.workout, Self.workouts(place))
            case .members(let number, let type): try await self.members(number, type)
            case .objects(let number): try await self.objects(number)
            case .content(let number): await self.content(number)
            case .effort(let number): try await self.effort(number)
            case .summaries: try await self.summaries()
            case .person: try await self.person()
            case .permissions(let type): try await self.permissions(type)
            }
        }
    }

    // MARK: - Samples

    private func samples(_ type: HKSampleType, _ predicate: NSPredicate?) async throws -> [String] {
        let query = HKSampleQueryDescriptor(predicates: [.sample(type: type, predicate: predicate)])
        return try await query.result(for: client).map { line($0) }
    }

    /// Follows a type with an anchor. A line says whether the anchor changed.
    private func changes(_ type: HKSampleType) async throws -> [String] {
        let old = anchors[type.identifier]
        do {
            let page = try await HKAnchoredObjectQueryDescriptor(predicates: [.sample(type: type)], anchor: old)
                .result(for: client)
            anchors[type.identifier] = page.newAnchor
            // Two stores save shared objects in different commits, so the order differs.
            let isSame = page.newAnchor == old && page.newAnchor.text == old?.text
            return page.addedSamples.map { line($0) }.sorted()
                + page.deletedObjects.map { "gone: \(name($0.uuid))" }
                .sorted() + [isSame ? "the same anchor" : "another anchor"]
        } catch {
            // A client without a valid anchor starts again.
            if (error as? HKError)?.code == .errorInvalidArgument { anchors[type.identifier] = nil }
            throw error
        }
    }

    private func members(_ number: Int, _ type: HKSampleType) async throws -> [String] {
        guard let workout = made[number]?.first as? HKWorkout else { return [] }
        let members = HKQuery.predicateForObjects(from: workout)
        let others = NSCompoundPredicate(notPredicateWithSubpredicate: members)
        return try await samples(type, members) + ["others"] + samples(type, others)
    }

    private func objects(_ number: Int) async throws -> [String] {
        guard let objects = made[number], let type = objects.first?.sampleType else { return [] }
        return try await samples(type, HKQuery.predicateForObjects(with: Set(objects.map(\.uuid))))
    }

    private func correlations(_ type: HKCorrelationType) async throws -> [String] {
        let found = Mutex<(lines: [String], error: (any Error)?)?>(nil)
        let limit = HKQuery.predicateForQuantitySamples(
            with: .greaterThan, quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: 120))
        let parts: [HKSampleType: NSPredicate]? = type == AccessTypes.pressure ? [AccessTypes.upper: limit] : nil
        let samples = await withCheckedContinuation { waiting in
            let query = HKCorrelationQuery(type: type, predicate: nil, samplePredicates: parts) { _, all, error in
                found.withLock { $0 = ([], error) }
                waiting.resume(returning: all ?? [])
            }
            client.execute(query)
        }
        if let error = found.withLock({ $0?.error }) { throw error }
        return samples.map { line($0) }
    }

    // MARK: - Numbers

    private func statistics(_ type: HKQuantityType) async throws -> [String] {
        let isSum = type.aggregationStyle == .cumulative
        let options: HKStatisticsOptions = isSum ? .cumulativeSum : [.discreteAverage, .discreteMin, .discreteMax]
        let found = try await HKStatisticsQueryDescriptor(
            predicate: .quantitySample(type: type), options: [options, .separateBySource, .mostRecent]
        ).result(for: client)
        return [found.map { line($0) } ?? "none"]
    }

    private func collection(_ type: HKQuantityType) async throws -> [String] {
        let isSum = type.aggregationStyle == .cumulative
        let found = try await HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: type), options: isSum ? .cumulativeSum : .discreteAverage,
            anchorDate: AccessMaker.begin, intervalComponents: DateComponents(hour: 1)
        ).result(for: client)
        return found.statistics().map { line($0) } + found.sources().map(\.bundleIdentifier).sorted()
    }

    private func summaries() async throws -> [String] {
        try await HKActivitySummaryQueryDescriptor(predicate: nil).result(for: client).map {
            "summary: \($0.activeEnergyBurned) of \($0.activeEnergyBurnedGoal)"
        }
    }

    private func person() async throws -> [String] {
        var answers = await lines { ["\(try self.client.biologicalSex().biologicalSex.rawValue)"] }
        for type in [AccessTypes.rate, AccessTypes.energy] {
            answers += await lines { try await self.client.preferredUnits(for: [type]).map { "in \($0.value)" } }
        }
        let dates = try await client.earliestAuthorizedSampleDate(for: Set(AccessTypes.decided))
        return answers + dates.map { "\($0.key.identifier) from \($0.value)" }.sorted()
    }

    private func permissions(_ type: HKObjectType) async throws -> [String] {
        let share = (type as? HKSampleType).map { Set([$0]) } ?? []
        let status = client.authorizationStatus(for: type)
        var answers = ["sharing \(status.rawValue)"]
        answers += await lines {
            let request = try await self.client.statusForAuthorizationRequest(toShare: [], read: [type])
            return ["reading is asked for: \(request.rawValue)"]
        }
        answers += await lines {
            let request = try await self.client.statusForAuthorizationRequest(toShare: share, read: [])
            return ["sharing is asked for: \(request.rawValue)"]
        }
        return answers
    }

    // MARK: - Predicates

    /// Returns the predicate of a number; 0 matches all samples.
    func predicate(_ place: Int) -> NSPredicate {
        switch place {
        case 0: HKQuery.predicateForSamples(withStart: nil, end: nil)
        case 1: HKQuery.predicateForObjects(from: HKSource(name: Self.otherName, bundleIdentifier: Self.otherName))
        case 2: HKQuery.predicateForSamples(withStart: AccessMaker.boundary, end: nil, options: .strictStartDate)
        case 3: HKQuery.predicateForObjectsWithNoCorrelation()
        default:
            NSCompoundPredicate(notPredicateWithSubpredicate: HKQuery.predicateForObjectsWithNoCorrelation())
        }
    }

    /// Returns a condition on workouts.
    private static func workouts(_ place: Int) -> NSPredicate? {
        let perMinute = HKUnit.count().unitDivided(by: .minute())
        let fast = HKQuery.predicateForWorkouts(
            operatorType: .greaterThan, quantityType: AccessTypes.rate,
            averageQuantity: HKQuantity(unit: perMinute, doubleValue: 100))
        let part = HKQuery.predicateForWorkoutActivities(
            operatorType: .greaterThan, quantityType: AccessTypes.rate,
            averageQuantity: HKQuantity(unit: perMinute, doubleValue: 100))
        let energy = HKQuantity(unit: .kilocalorie(), doubleValue: 30)
        return switch place {
        case 0: nil
        case 1: fast
        case 2: NSCompoundPredicate(notPredicateWithSubpredicate: fast)
        case 3: NSPredicate(format: "%K > %@", HKPredicateKeyPathWorkoutTotalEnergyBurned, energy)
        case 4:
            HKQuery.predicateForWorkouts(
                operatorType: .greaterThan, quantityType: AccessTypes.energy, sumQuantity: energy)
        case 5: HKQuery.predicateForWorkouts(activityPredicate: part)
        default: HKQuery.predicateForWorkouts(with: .yoga)
        }
    }
}
