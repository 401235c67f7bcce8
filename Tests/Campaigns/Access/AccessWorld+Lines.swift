// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel
import KymographHealth

// Objects and their content as lines, with everything that a client can read of them.
extension AccessWorld {
    func line(_ sample: HKSample) -> String {
        var parts = [name(sample.uuid), sample.sampleType.identifier, time(sample.startDate), time(sample.endDate)]
        switch sample {
        case let one as HKQuantitySample: parts.append("\(one.quantity) in \(one.count)")
        case let one as HKCategorySample: parts.append("\(one.value)")
        case let one as HKCorrelation: parts += one.objects.map { line($0) }.sorted()
        case let one as HKWorkout: parts += lines(of: one)
        case let one as HKElectrocardiogram:
            parts.append("\(one.numberOfVoltageMeasurements) \(one.classification.rawValue)")
        case let one as HKSeriesSample: parts.append("\(one.count)")
        default: break
        }
        parts.append(sample.sourceRevision.source.bundleIdentifier)
        if let device = sample.device { parts.append("\(device)") }
        for (key, value) in (sample.metadata ?? [:]).sorted(by: { $0.key < $1.key }) { parts.append("\(key)=\(value)") }
        return parts.joined(separator: " ")
    }

    private func lines(of workout: HKWorkout) -> [String] {
        let totals = workout.content.totals
        var parts = ["\(workout.workoutActivityType.rawValue) for \(workout.duration)", "\(totals)"]
        parts += workout.allStatistics.values.map { line($0) }.sorted()
        parts += workout.content.zones.keys.sorted().map { "zones of \($0)" }
        for activity in workout.workoutActivities {
            parts.append("activity for \(activity.duration)")
            parts += activity.allStatistics.values.map { line($0) }.sorted()
            parts += (activity.zoneGroupsByType ?? [:]).keys.map { "zones of \($0.identifier)" }.sorted()
        }
        return parts + ["\(workout.workoutEvents?.count ?? 0) events"]
    }

    func line(_ statistics: HKStatistics) -> String {
        func text(_ quantity: HKQuantity?) -> String { quantity.map { "\($0)" } ?? "-" }
        var parts = [statistics.quantityType.identifier, time(statistics.startDate), time(statistics.endDate)]
        parts += [statistics.sumQuantity(), statistics.averageQuantity()].map(text)
        parts += [statistics.minimumQuantity(), statistics.maximumQuantity(), statistics.mostRecentQuantity()].map(text)
        for source in (statistics.sources ?? []).sorted(by: { $0.bundleIdentifier < $1.bundleIdentifier }) {
            parts += [
                source.bundleIdentifier, text(statistics.sumQuantity(for: source)),
                text(statistics.averageQuantity(for: source)),
            ]
        }
        return parts.joined(separator: " ")
    }

    private func time(_ date: Date) -> String { "\(date.timeIntervalSince1970)" }

    // MARK: - Content

    /// Returns what the client reads with references to the objects of a step.
    func content(_ number: Int) async -> [String] {
        var all = [String]()
        for sample in made[number] ?? [] {
            all += await lines {
                switch sample {
                case let one as HKHeartbeatSeriesSample: try await self.beats(of: one)
                case let one as HKElectrocardiogram: try await self.voltages(of: one)
                case let one as HKVisionPrescription: try await self.scans(of: one)
                case let one as HKWorkout: try await self.routes(of: one)
                case let one as HKWorkoutRoute: try await self.places(of: one)
                case let one as HKQuantitySample:
                    try await self.quantities(one.quantityType, HKQuery.predicateForObject(with: one.uuid))
                default: []
                }
            }
        }
        return all
    }

    private func beats(of series: HKHeartbeatSeriesSample) async throws -> [String] {
        var times = [String]()
        for try await beat in HKHeartbeatSeriesQueryDescriptor(series).results(for: client) {
            times.append("beat \(beat.timeIntervalSinceStart)")
        }
        return times
    }

    private func voltages(of one: HKElectrocardiogram) async throws -> [String] {
        var values = [String]()
        for try await found in HKElectrocardiogramQueryDescriptor(one).results(for: client) {
            values.append("\(found.quantity(for: .appleWatchSimilarToLeadI)?.description ?? "-")")
        }
        return values
    }

    func quantities(_ type: HKQuantityType, _ predicate: NSPredicate?) async throws -> [String] {
        let query = HKQuantitySeriesSampleQueryDescriptor(
            predicate: .quantitySample(type: type, predicate: predicate), options: .includeSample)
        var values = [String]()
        for try await found in query.results(for: client) {
            let sample = found.sample.map { name($0.uuid) } ?? "-"
            values.append("\(found.quantity) at \(time(found.dateInterval.start)) of \(sample)")
        }
        return values
    }

    /// Returns the attachments of a prescription, and the bytes of all attachments that the client knows.
    private func scans(of prescription: HKVisionPrescription) async throws -> [String] {
        let scans = HKAttachmentStore(healthStore: client)
        var all = try await scans.attachments(for: prescription).map { "\(name($0.identifier)) \($0.name) \($0.size)" }
        for attachment in attachments.compactMap({ $0 }) {
            all += await lines { ["\(try await scans.dataReader(for: attachment).data.count) bytes"] }
        }
        return all
    }

    private func places(of route: HKWorkoutRoute) async throws -> [String] {
        var places = [String]()
        for try await location in HKWorkoutRouteQueryDescriptor(route).results(for: client) {
            places.append("\(location.altitude) at \(time(location.timestamp))")
        }
        return places
    }

    /// Returns the routes that the client finds of a workout.
    private func routes(of workout: HKWorkout) async throws -> [String] {
        let members = HKQuery.predicateForObjects(from: workout)
        let query = HKSampleQueryDescriptor(predicates: [.workoutRoute(members)])
        var all = [String]()
        for route in try await query.result(for: client) { all += [line(route)] + (try await places(of: route)) }
        return all
    }

    // MARK: - Effort

    func effort(_ number: Int) async throws -> [String] {
        let key = "effort"
        let old = anchors[key]
        let page = try await HKWorkoutEffortRelationshipQueryDescriptor(predicate: nil, anchor: old, option: .default)
            .result(for: client)
        anchors[key] = page.newAnchor
        var all = page.relationships.map(line).sorted()
        let whole = try await HKWorkoutEffortRelationshipQueryDescriptor(
            predicate: nil, anchor: nil, option: .mostRelevant
        ).result(for: client)
        all += ["of all"] + whole.relationships.map(line).sorted()
        if page.relationships.isEmpty { all.append(page.newAnchor == old ? "the same anchor" : "another anchor") }
        guard let workout = made[number]?.first as? HKWorkout else { return all }
        let related = HKQuery.predicateForWorkoutEffortSamplesRelated(workout: workout, activity: nil)
        let query = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: AccessTypes.effort, predicate: related)])
        return all + (await lines { try await query.result(for: self.client).map { self.line($0) } })
    }

    private func line(_ one: HKWorkoutEffortRelationship) -> String {
        let samples = one.samples.map { $0.map { name($0.uuid) }.sorted().joined(separator: " ") } ?? "none"
        return "effort of \(name(one.workout.uuid)): \(samples)"
    }
}
