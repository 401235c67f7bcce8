// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// A sync identifier with its version.
struct HealthSync: Hashable, Sendable {
    let name: String
    let version: Int
}

/// The expected content of a health store. Each object is a line of all its visible fields.
struct HealthModelState: Sendable, Equatable {
    /// Objects saved by programs, by identity.
    var samples: [UUID: HKSample] = [:]
    /// Lines of series, whose identities builders choose, by type and start.
    var series: [SeriesKey: [SeriesEntry]] = [:]
    /// The texts of the attachments of each prescription.
    var scans: [UUID: [String]] = [:]
    var sex = HKBiologicalSex.notSet
    var goal: Int?
    var deliveries: [String: HKUpdateFrequency] = [:]
    /// Decisions about a program, by direction and type.
    var decisions: [String: Bool] = [:]

    struct SeriesEntry: Hashable, Sendable {
        let line: String
        var sync: HealthSync?
        var workout: HealthWorkout?
        /// Samples that were added to the saved workout.
        var added: [HKQuantitySample] = []
        /// The identities of the effort samples that are related to the workout.
        var efforts: [UUID] = []

        init(line: String, sync: HealthSync? = nil) { (self.line, self.sync) = (line, sync) }

        init(_ workout: HealthWorkout) {
            line = ""
            sync = workout.sync
            self.workout = workout
        }

        /// Returns the lines of the entry.
        ///
        /// - Parameter isThere: returns whether a sample exists.
        func lines(_ isThere: (UUID) -> Bool) -> [String] {
            guard let workout else { return [line] }
            let steps = (workout.steps + added).reduce(0.0) { $0 + $1.quantity.value }
            let efforts = HealthLines.efforts(of: workout.start, efforts.filter(isThere))
            return [HealthLines.line(workout, steps: steps)] + (efforts.map { [$0] } ?? [])
        }
    }

    struct SeriesKey: Hashable, Sendable {
        let type: String
        let start: Int
    }

    var lines: [String] {
        // A deleted object is no longer a member.
        (samples.values.map { one in HealthLines.line(one) { samples[$0.uuid] != nil } }
            + series.values.joined().flatMap { one in one.lines { samples[$0] != nil } }
            + scans.compactMap { samples[$0.key] == nil ? nil : HealthScan.line($0.key, $0.value) })
            .sorted() + HealthLines.days(energy, goal) + HealthLines.deliveries(deliveries)
            + HealthLines.decisions(decisions) + ["sex \(sex.rawValue)"]
    }

    /// Kilocalories of each day, counted from 1970 in UTC.
    private var energy: [Int: Double] {
        var found: [Int: Double] = [:]
        for case let one as HKQuantitySample in samples.values where one.sampleType == HealthScript.energy {
            found[Int(one.startDate.timeIntervalSince1970) / 86_400, default: 0] += one.quantity.value
        }
        return found
    }

    mutating func apply(_ operation: HealthOperation) {
        switch operation {
        case .save(let objects): for object in objects { save(object) }
        case .saveTwice, .seal, .compact, .reopen, .encrypt: return
        case .series(let start, let values, let sync):
            let key = SeriesKey(type: HealthScript.power.identifier, start: start)
            insert(SeriesEntry(line: HealthLines.series(start: start, values: values, sync), sync: sync), key)
        case .workout(let one):
            let key = SeriesKey(type: HealthScript.workout.identifier, start: one.start)
            insert(SeriesEntry(one), key)
        case .extend(let start, let added): change(start) { $0.added += added }
        case .relate(let effort, let start):
            change(start) { if !$0.efforts.contains(effort.uuid) { $0.efforts.append(effort.uuid) } }
        case .unrelate(let effort, let start): change(start) { $0.efforts.removeAll { $0 == effort } }
        case .heartbeats(let start, let beats):
            let key = SeriesKey(type: HKSeriesType.heartbeat().identifier, start: start)
            series[key, default: []].append(SeriesEntry(line: HealthLines.heartbeats(start: start, beats)))
        case .electrocardiogram(let start, let millivolts, let classification):
            let key = SeriesKey(type: HealthScript.electrocardiogram.identifier, start: start)
            let line = HealthLines.electrocardiogram(start: start, millivolts, classification)
            series[key, default: []].append(SeriesEntry(line: line))
        case .attach(let scan, _): scans[scan.prescription, default: []].append(scan.text)
        case .detach(let one): if scans[one.uuid]?.isEmpty == false { scans[one.uuid]?.removeFirst() }
        case .delete(let objects): for object in objects { samples[object.uuid] = nil }
        case .deleteRange(let type, let range):
            samples = samples.filter { _, one in
                one.sampleType != type || !range.contains(HealthScript.second(one.startDate))
            }
            series = series.filter { key, _ in key.type != type.identifier || !range.contains(key.start) }
        case .sex(let sex): self.sex = sex
        case .goal(let goal): self.goal = goal
        case .delivery(let type, let frequency): deliveries[type.identifier] = frequency
        case .decision(let type, let isSharing, let isAllowed):
            decisions[HealthLines.decision(type, isSharing)] = isAllowed
        case .resetDecisions: decisions = [:]
        }
    }

    private func key(_ start: Int) -> SeriesKey { SeriesKey(type: HealthScript.workout.identifier, start: start) }

    /// The workouts that are the only ones at their start, in order of start.
    var workouts: [SeriesEntry] {
        let all = series.filter { $0.key.type == HealthScript.workout.identifier && $0.value.count == 1 }
        return all.values.joined().sorted { ($0.workout?.start ?? 0) < ($1.workout?.start ?? 0) }
    }

    private mutating func change(_ start: Int, _ body: (inout SeriesEntry) -> Void) {
        guard var one = series[key(start)]?.first else { return }
        body(&one)
        series[key(start)] = [one]
    }

    /// A newer series or workout with the same sync identifier replaces the older one.
    private mutating func insert(_ new: SeriesEntry, _ key: SeriesKey) {
        var entry = new
        if let sync = entry.sync {
            let known = series.values.joined().first { $0.sync?.name == sync.name }
            if let known, let old = known.sync, old.version >= sync.version { return }
            // The newer version of a workout takes over the efforts.
            if let known { entry.efforts = known.efforts }
            if let known { series = series.mapValues { $0.filter { $0 != known } } }
        }
        series[key, default: []].append(entry)
    }

    /// A newer object with the same sync identifier replaces the older one.
    private mutating func save(_ object: HKSample) {
        if let sync = HealthScript.sync(object) {
            for (uuid, other) in samples where other.sampleType == object.sampleType {
                guard let known = HealthScript.sync(other), known.name == sync.name else { continue }
                if known.version >= sync.version { return }
                samples[uuid] = nil
                // The newer version takes over the attachments.
                scans[object.uuid] = scans.removeValue(forKey: uuid)
                for member in (other as? HKCorrelation)?.objects ?? [] { samples[member.uuid] = nil }
            }
        }
        for member in (object as? HKCorrelation)?.objects ?? [] { samples[member.uuid] = member }
        samples[object.uuid] = object
    }
}
