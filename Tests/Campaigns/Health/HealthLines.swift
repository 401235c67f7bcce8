// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel
import KymographHealth

/// Objects as lines of text: two stores have the same content if their lines are equal.
enum HealthLines {
    static func device(_ number: Int) -> HKDevice {
        HKDevice(
            name: "Device \(number)", manufacturer: "maker", model: "m\(number)", hardwareVersion: nil,
            firmwareVersion: nil, softwareVersion: "\(number).0", localIdentifier: nil, udiDeviceIdentifier: nil)
    }

    /// Returns the line of an object that is not a series.
    ///
    /// - Parameter isThere: returns true for a member of a correlation that still exists.
    static func line(_ sample: HKSample, _ isThere: (HKSample) -> Bool = { _ in true }) -> String {
        var parts = ["\(sample.uuid)", sample.sampleType.identifier, time(sample.startDate), time(sample.endDate)]
        switch sample {
        case let one as HKQuantitySample: parts.append("\(one.quantity.value.bitPattern) \(one.quantity.unit)")
        case let one as HKCategorySample: parts.append("\(one.value)")
        case let one as HKVisionPrescription: parts.append("\(one.prescriptionType)")
        case let one as HKCorrelation: parts += one.objects.filter(isThere).map { "\($0.uuid)" }.sorted()
        default: parts.append("another class: \(Swift.type(of: sample))")
        }
        parts.append(sample.sourceRevision.source.bundleIdentifier)
        if let device = sample.device { parts.append("\(device.name ?? "") \(device.softwareVersion ?? "")") }
        for (key, value) in (sample.metadata ?? [:]).sorted(by: { $0.key < $1.key }) { parts.append("\(key)=\(value)") }
        return parts.joined(separator: " ")
    }

    static func series(start: Int, values: [Double], _ sync: HealthSync?) -> String {
        let first = HealthScript.date(start)
        let parts = values.enumerated().map { "\(time(first.addingTimeInterval(Double($0.offset)))) \($0.element)" }
        return "\(HealthScript.power.identifier) \(time(first)) \(values.count) \(name(sync)): "
            + parts.joined(separator: ", ")
    }

    static func heartbeats(start: Int, _ beats: [(since: Double, isAfterGap: Bool)]) -> String {
        let parts = beats.map { beat($0.since, $0.isAfterGap) }
        return "\(HKSeriesType.heartbeat().identifier) \(time(HealthScript.date(start))): "
            + parts.joined(separator: ", ")
    }

    static func electrocardiogram(
        start: Int, _ millivolts: [Double], _ classification: HKElectrocardiogram.Classification
    ) -> String {
        let first = HealthScript.date(start)
        return "\(HealthScript.electrocardiogram.identifier) \(time(first)) \(classification.rawValue): "
            + millivolts.map { "\($0)" }.joined(separator: " ")
    }

    /// Returns the line of a workout.
    ///
    /// - Parameters:
    ///   - sum: the steps; nil for those of the workout's own samples.
    ///   - events: the number of events; nil for all events of the workout.
    static func line(_ workout: HealthWorkout, steps sum: Double? = nil, events: Int? = nil) -> String {
        let zones = workout.rates.isEmpty ? 0 : (try? HealthWorkout.zones().zones.count) ?? 0
        let heights = (0..<workout.places).reduce(0.0) { $0 + Double($1) }
        return line(
            workout.start, sum ?? workout.steps.reduce(0.0) { $0 + $1.quantity.value },
            events ?? HealthWorkout.events(workout.parts[...]), zones,
            "route of \(workout.places), \(heights) \(name(workout.sync))")
    }

    private static func line(_ start: Int, _ steps: Double, _ events: Int, _ zones: Int, _ rest: String) -> String {
        "\(HealthScript.workout.identifier) \(time(HealthScript.date(start))) \(steps) steps, \(events) events, "
            + "1 activity, \(zones) zones, \(rest)"
    }

    /// Returns the line of the effort samples that are related to a workout; nil without any.
    static func efforts(of start: Int, _ samples: [UUID]) -> String? {
        samples.isEmpty ? nil : "efforts of \(start): " + samples.map(\.uuidString).sorted().joined(separator: ", ")
    }

    /// Returns the days with energy, and their goal.
    static func days(_ energy: [Int: Double], _ goal: Int?) -> [String] {
        energy.sorted { $0.key < $1.key }.map { "day \($0.key): \($0.value) of \(Double(goal ?? 0))" }
    }

    /// Returns the name of a decision: direction and type.
    static func decision(_ type: HKObjectType, _ isSharing: Bool) -> String {
        (isSharing ? "share " : "read ") + type.identifier
    }

    static func decisions(_ all: [String: Bool]) -> [String] {
        all.sorted { $0.key < $1.key }.map { "decision \($0.key) \($0.value)" }
    }

    static func deliveries(_ all: [String: HKUpdateFrequency]) -> [String] {
        all.sorted { $0.key < $1.key }.map { "delivery \($0.key) \($0.value)" }
    }

    private static func name(_ sync: HealthSync?) -> String { sync.map { "\($0.name) \($0.version)" } ?? "" }

    private static func time(_ date: Date) -> String { "\(date.timeIntervalSince1970)" }

    private static func beat(_ since: Double, _ isAfterGap: Bool) -> String {
        "\((since * 1_000).rounded())\(isAfterGap ? " after a gap" : "")"
    }

    /// Returns the lines of all queries of a store.
    static func all(_ health: HKHealthStore) async throws -> [String] {
        var lines = [String]()
        // A route is in the line of its workout.
        for type in HealthScript.types where type != HKSeriesType.workoutRoute() {
            let descriptor = HKSampleQueryDescriptor(predicates: [.sample(type: type)])
            for sample in try await descriptor.result(for: health) {
                lines.append(try await line(sample, health))
                if let workout = sample as? HKWorkout, let efforts = try await efforts(of: workout, health) {
                    lines.append(efforts)
                }
                if type == HealthScript.prescription, let scans = try await HealthScan.line(of: sample, health) {
                    lines.append(scans)
                }
            }
        }
        let reported = try health.store().subscriptions(of: HKSource.default().bundleIdentifier)
        let deliveries = Dictionary(uniqueKeysWithValues: reported.map { ($0.type, $0.frequency) })
        let clients = try health.store().authorizedClients()
        let decided = clients.flatMap(\.decisions).map { (decision($0.type, $0.isSharing), $0.isAllowed) }
        return lines.sorted() + (try await days(health)) + Self.deliveries(deliveries)
            + Self.decisions(Dictionary(uniqueKeysWithValues: decided))
            + ["sex \(try health.biologicalSex().biologicalSex.rawValue)"]
    }

    /// Returns the activity summaries.
    private static func days(_ health: HKHealthStore) async throws -> [String] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let first = DateComponents(calendar: calendar, year: 2_023, month: 1, day: 1)
        let last = DateComponents(calendar: calendar, year: 2_023, month: 12, day: 31)
        let predicate = HKQuery.predicate(forActivitySummariesBetweenStart: first, end: last)
        var lines = [String]()
        for one in try await HKActivitySummaryQueryDescriptor(predicate: predicate).result(for: health) {
            let midnight = one.dateComponents(for: calendar).date ?? .distantPast
            lines.append(
                "day \(Int(midnight.timeIntervalSince1970) / 86_400): "
                    + "\(one.activeEnergyBurned.doubleValue(for: .kilocalorie())) of "
                    + "\(one.activeEnergyBurnedGoal.doubleValue(for: .kilocalorie()))")
        }
        return lines
    }

    private static func line(_ sample: HKSample, _ health: HKHealthStore) async throws -> String {
        switch sample {
        case let one as HKHeartbeatSeriesSample:
            var beats = [String]()
            for try await found in HKHeartbeatSeriesQueryDescriptor(one).results(for: health) {
                beats.append(beat(found.timeIntervalSinceStart, found.precededByGap))
            }
            return "\(one.sampleType.identifier) \(time(one.startDate)): " + beats.joined(separator: ", ")
        case let one as HKElectrocardiogram:
            var millivolts = [String]()
            let unit = HKUnit.voltUnit(with: .milli)
            for try await found in HKElectrocardiogramQueryDescriptor(one).results(for: health) {
                millivolts.append("\(found.quantity(for: .appleWatchSimilarToLeadI)?.doubleValue(for: unit) ?? .nan)")
            }
            return "\(one.sampleType.identifier) \(time(one.startDate)) \(one.classification.rawValue): "
                + millivolts.joined(separator: " ")
        case let one as HKQuantitySample where one.sampleType == HealthScript.power:
            var quantities = [String]()
            let descriptor = HKQuantitySeriesSampleQueryDescriptor(
                predicate: .quantitySample(
                    type: HealthScript.power, predicate: HKQuery.predicateForObject(with: one.uuid)))
            for try await found in descriptor.results(for: health) {
                quantities.append("\(time(found.dateInterval.start)) \(found.quantity.value)")
            }
            return "\(one.sampleType.identifier) \(time(one.startDate)) \(one.count) \(name(HealthScript.sync(one))): "
                + quantities.joined(separator: ", ")
        case let one as HKWorkout: return try await workout(one, health)
        default: return line(sample)
        }
    }

    private static func workout(_ one: HKWorkout, _ health: HKHealthStore) async throws -> String {
        let steps = one.statistics(for: HealthScript.steps)?.sumQuantity()?.doubleValue(for: .count()) ?? 0
        let own = HKQuery.predicateForObjects(from: one)
        var (places, heights) = (0, 0.0)
        for route in try await HKSampleQueryDescriptor(predicates: [.workoutRoute(own)]).result(for: health) {
            for try await location in HKWorkoutRouteQueryDescriptor(route).results(for: health) {
                places += 1
                heights += location.altitude
            }
        }
        guard one.workoutActivities.count == 1 else { return "\(one) has \(one.workoutActivities.count) activities" }
        return line(
            HealthScript.second(one.startDate), steps, one.workoutEvents?.count ?? 0,
            one.zoneGroup(for: HealthScript.rate)?.configuration.zones.count ?? 0,
            "route of \(places), \(heights) " + name(HealthScript.sync(one)))
    }

    private static func efforts(of workout: HKWorkout, _ health: HKHealthStore) async throws -> String? {
        let related = HKQuery.predicateForWorkoutEffortSamplesRelated(workout: workout, activity: nil)
        let query = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: HealthScript.effort, predicate: related)])
        return efforts(of: HealthScript.second(workout.startDate), try await query.result(for: health).map(\.uuid))
    }
}
