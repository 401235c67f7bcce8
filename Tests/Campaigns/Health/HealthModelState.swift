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
    }

    struct SeriesKey: Hashable, Sendable {
        let type: String
        let start: Int
    }

    var lines: [String] {
        // A deleted object is no longer a member.
        (samples.values.map { one in HealthLines.line(one) { samples[$0.uuid] != nil } }
            + series.values.joined().map(\.line)
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
        case .saveTwice, .seal, .compact, .reopen: return
        case .series(let start, let values, let sync):
            let key = SeriesKey(type: HealthScript.power.identifier, start: start)
            insert(SeriesEntry(line: HealthLines.series(start: start, values: values, sync), sync: sync), key)
        case .workout(let one):
            let key = SeriesKey(type: HealthScript.workout.identifier, start: one.start)
            insert(SeriesEntry(line: HealthLines.line(one), sync: one.sync), key)
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

    /// A newer series or workout with the same sync identifier replaces the older one.
    private mutating func insert(_ entry: SeriesEntry, _ key: SeriesKey) {
        if let sync = entry.sync {
            let known = series.values.joined().first { $0.sync?.name == sync.name }
            if let known, let old = known.sync, old.version >= sync.version { return }
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
