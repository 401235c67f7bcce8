// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FoundationEssentials
import KymographHealth

/// The output of samples without a value of their own; `kymo show` prints their parts.
struct ListedSamples {
    let type: ListedType
    let zone: CivilZone
    let range: TimeRange
    let limit: Int
    let isBackward: Bool
    let sources: Set<String>?
    let commit: Int64?

    /// Passes up to `limit` samples to the body; returns the number of further samples if `countsAll` is true.
    private func each(
        _ store: HealthStore, countsAll: Bool = false, _ body: (ListedSample) throws -> Bool
    ) throws -> Int {
        var count = 0
        try store.list(type.sampleType, startingIn: range, backward: isBackward, asOf: commit) { one in
            if let sources, !sources.contains(one.sample.sourceRevision.source.name) { return true }
            count += 1
            if count > limit { return countsAll }
            return try body(one)
        }
        return max(0, count - limit)
    }

    func write(_ store: HealthStore, _ output: Output, _ format: RowFormat) throws {
        var writer = RowWriter(output, format, columns: ["start", "end"] + fields + ["source", "uuid"])
        _ = try each(store) { one in
            writer.beginRow()
            writer.instant("start", one.start, zone)
            writer.instant("end", one.end, zone)
            switch one.sample {
            case let sample as HKElectrocardiogram:
                writer.text("classification", "\(sample.classification)")
                writer.number("averageHeartRate", Self.rate(sample))
            case let sample as HKWorkout:
                writer.text("activity", sample.content.unknownActivity ?? sample.workoutActivityType.name)
                writer.number("duration", sample.duration)
                writer.number("distance", Self.number(sample.content.totals.distance, .meter()))
                writer.number("energy", Self.number(sample.content.totals.energy, .kilocalorie()))
            default: break
            }
            if type.hasSummary {
                writer.text("summary", SampleFields.summary(one.sample))
            } else if type != .workout {
                writer.integer("count", Self.count(one.sample))
            }
            writer.text("source", one.sample.sourceRevision.source.name)
            writer.text("uuid", one.sample.uuid.uuidString)
            try writer.endRow()
            return output.isOpen
        }
        try writer.finish()
    }

    /// The names of the fields between the times and the source.
    private var fields: [String] {
        switch type {
        case .electrocardiogram: ["classification", "averageHeartRate", "count"]
        case .heartbeatSeries, .workoutRoute: ["count"]
        case .workout: ["activity", "duration", "distance", "energy"]
        default: ["summary"]
        }
    }

    /// The columns between the length and the source.
    private var columns: [Table.Column] {
        switch type {
        case .electrocardiogram:
            [
                .init(title: "rhythm"), .init(title: "heart rate", alignment: .right),
                .init(title: "voltages", alignment: .right, omission: 1),
            ]
        case .heartbeatSeries: [.init(title: "beats", alignment: .right, omission: 1)]
        case .workoutRoute: [.init(title: "locations", alignment: .right, omission: 1)]
        case .workout:
            [
                .init(title: "activity", limit: 36, least: 10),
                .init(title: "distance", alignment: .right, omission: 1),
            ]
        default: [.init(title: "summary", limit: 60, least: 12)]
        }
    }

    /// Returns the cells of these columns.
    private static func cells(_ sample: HKSample) -> [String] {
        switch sample {
        case let sample as HKElectrocardiogram:
            return [
                "\(sample.classification)", rate(sample).map { NumberText.json($0) } ?? "",
                NumberText.grouped(count(sample)),
            ]
        case let sample as HKWorkout:
            let distance = number(sample.content.totals.distance, .meter())
            return [
                ActivityName.words(sample.content.unknownActivity ?? sample.workoutActivityType.name),
                distance.map { WorkoutText(unit: .km).distance($0, sample.workoutActivityType) } ?? "",
            ]
        case is HKSeriesSample: return [NumberText.grouped(count(sample))]
        default: return [SampleFields.summary(sample)]
        }
    }

    func table(_ store: HealthStore, _ output: Output) throws {
        var table = Table(
            [.init(title: "start"), .init(title: "length", alignment: .right, omission: 2)] + columns
                + [.init(title: "source", limit: 32, least: 8), .init(title: "uuid")])
        let left = try each(store, countsAll: true) { one in
            let seconds = (one.sample as? HKWorkout)?.duration ?? Double(UInt64(bitPattern: one.end &- one.start)) / 1e9
            table.append(
                [
                    Civil.format(one.start, zone: zone, fractionDigits: 0, style: .spaced),
                    NumberText.clock(seconds: seconds),
                ] + Self.cells(one.sample) + [one.sample.sourceRevision.source.name, one.sample.uuid.uuidString])
            return true
        }
        if table.isEmpty { return Messages.write(try emptyMessage(store)) }
        let shown = table.count
        try output.line(output.style.bold(type.rawValue) + output.style.dim(", times in \(zone.identifier)"))
        table.fit(output.tableWidth)
        try table.write(to: output)
        if left > 0 {
            try output.finish()
            Messages.line("... and \(NumberText.grouped(left)) more; --limit \(shown + left) shows all")
        }
    }

    private func emptyMessage(_ store: HealthStore) throws -> String {
        switch type {
        case .electrocardiogram: return EmptyRange.message("electrocardiograms", of: type.sampleType, store, zone)
        case .workout:
            if try type.overview(store) == nil, let kept = WorkoutMessages.kept(store) { return kept }
            return EmptyRange.message("workouts", of: type.sampleType, store, zone)
        default:
            return EmptyRange.message("samples of \(type.rawValue)", of: type.sampleType, store, zone)
        }
    }

    /// Returns a total in a unit; nil if it is unknown or does not convert.
    private static func number(_ quantity: HKQuantity?, _ unit: HKUnit) -> Double? {
        quantity.flatMap { $0.is(compatibleWith: unit) ? $0.doubleValue(for: unit) : nil }
    }

    /// Returns the average heart rate in beats per minute; nil if unknown.
    private static func rate(_ sample: HKElectrocardiogram) -> Double? {
        sample.averageHeartRate?.doubleValue(for: .count().unitDivided(by: .minute()))
    }

    /// Returns the number of voltages or beats.
    private static func count(_ sample: HKSample) -> Int {
        (sample as? HKElectrocardiogram)?.numberOfVoltageMeasurements ?? (sample as? HKSeriesSample)?.count ?? 0
    }
}
