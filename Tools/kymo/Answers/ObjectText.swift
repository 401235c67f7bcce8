// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import Foundation
import HealthModel
import KymographHealth

/// The text output of an object, line by line.
struct ObjectText {
    private let object: StoredObject
    private let zone: CivilZone
    private let limit: Int
    private static let width = 10

    /// - Parameter limit: the most events of a workout.
    init(_ object: StoredObject, _ zone: CivilZone, limit: Int) {
        self.object = object
        self.zone = zone
        self.limit = limit
    }

    func write(_ output: Output) throws {
        try output.line(output.style.bold(TerminalText.printable(object.sample.sampleType.identifier)))
        for (name, text) in lines {
            let head = name + String(repeating: " ", count: max(1, Self.width - name.count))
            try output.line(output.style.dim(head) + TerminalText.printable(text))
        }
    }

    private var lines: [(String, String)] {
        let sample = object.sample
        var lines = [("uuid", sample.uuid.uuidString), ("class", "\(Swift.type(of: sample))")]
        lines.append(("start", date(object.start)))
        lines.append(("end", sample.endDate == .distantFuture ? "open" : date(object.end)))
        if let created = object.created { lines.append(("saved", date(created))) }
        lines += value
        lines.append(("source", source))
        if let device = sample.device {
            let fields = ObjectFields.device(device).map { "\($0.name) \($0.value)" }
            lines.append(("device", fields.joined(separator: ", ")))
        }
        for entry in ObjectFields.metadata(object) {
            lines.append(("metadata", "\(entry.key) = \(entry.text) (\(entry.kind))"))
        }
        if let beats = object.metadata.beats {
            let texts = beats.map { "\($0.bpm) at \($0.time)" }
            lines.append(("beats", texts.isEmpty ? "none" : texts.joined(separator: ", ")))
        }
        return lines + parts
    }

    private var value: [(String, String)] {
        var lines = [(String, String)]()
        switch object.sample {
        case let sample as HKQuantitySample:
            let number = Self.text(sample.quantity)
            let many = sample.count > 1 ? ", of \(NumberText.count(sample.count, "value"))" : ""
            lines.append(("value", number + many))
        case let sample as HKCategorySample:
            lines.append(("value", object.valueName.map { "\($0) (\(sample.value))" } ?? "\(sample.value)"))
        case let sample as HKWorkout: lines += WorkoutFields(workout: sample, zone: zone, limit: limit).lines
        case let sample as HKWorkoutRoute: lines.append(("locations", NumberText.grouped(sample.count)))
        case let sample as HKHeartbeatSeriesSample: lines.append(("beats", NumberText.grouped(sample.count)))
        case let sample as HKElectrocardiogram:
            lines.append(("rhythm", "\(sample.classification)"))
            lines.append(("symptoms", "\(sample.symptomsStatus)"))
            if let rate = sample.averageHeartRate { lines.append(("heart rate", "\(rate)")) }
            let frequency = sample.samplingFrequency.map { " at \($0)" } ?? ""
            lines.append(("voltages", NumberText.grouped(sample.numberOfVoltageMeasurements) + frequency))
        default: lines += SampleFields(object.sample).lines
        }
        if object.metadata.hasNoValue { lines.append(("written", "without a value")) }
        if object.sample is HKQuantitySample, let text = object.metadata.valueText { lines.append(("written", text)) }
        return lines
    }

    private var source: String {
        let revision = object.sample.sourceRevision
        var text = revision.source.name
        if let version = revision.version { text += " " + version }
        var more = [String]()
        if revision.source.bundleIdentifier != revision.source.name { more.append(revision.source.bundleIdentifier) }
        if let product = revision.productType { more.append(product) }
        if let system = ObjectFields.system(revision) { more.append("system \(system)") }
        return more.isEmpty ? text : text + " (" + more.joined(separator: ", ") + ")"
    }

    private var parts: [(String, String)] {
        var lines = [(String, String)]()
        if let correlation = object.sample as? HKCorrelation {
            for member in ObjectFields.members(correlation) {
                let amount = (member as? HKQuantitySample).map { Self.text($0.quantity) }
                let value = amount ?? (member as? HKCategorySample).map { "\($0.value)" } ?? ""
                lines.append(("member", "\(member.sampleType.identifier) \(value) \(member.uuid)"))
            }
        }
        for one in object.attachments {
            let size = NumberText.bytes(Int64(one.size))
            lines.append(("file", "\(one.identifier)  \(one.contentType), \(size)  \(one.name)"))
        }
        for one in object.correlations { lines.append(("part of", "\(one.type) \(one.uuid)")) }
        let shown = ShownUnit((object.sample as? HKQuantitySample)?.quantity.unit.unitString)
        for one in object.quantities {
            lines.append(("part", "\(date(one.start))  \(NumberText.json(shown.number(one.value)))"))
        }
        lines += rest(of: (object.sample as? HKQuantitySample)?.count, after: object.quantities.count)
        for beat in object.heartbeats {
            lines.append(("beat", "\(NumberText.json(beat.time)) s\(beat.isAfterGap ? ", after a gap" : "")"))
        }
        lines += rest(of: (object.sample as? HKHeartbeatSeriesSample)?.count, after: object.heartbeats.count)
        for one in object.voltages { lines.append(("voltage", "\(NumberText.json(one.time)) s  \(one.voltage)")) }
        lines += rest(
            of: (object.sample as? HKElectrocardiogram)?.numberOfVoltageMeasurements, after: object.voltages.count)
        return lines
    }

    /// Returns a line with the number of omitted parts; no line if all parts were shown.
    private func rest(of whole: Int?, after shown: Int) -> [(String, String)] {
        guard let whole, shown > 0, whole > shown else { return [] }
        return [("", "and \(NumberText.grouped(whole - shown)) more; --parts \(whole) shows all")]
    }

    private static func text(_ quantity: HKQuantity) -> String {
        ShownUnit(quantity.unit.unitString).text(quantity.value)
    }

    private func date(_ instant: Int64) -> String { Civil.format(instant, zone: zone, style: .spaced) }
}
