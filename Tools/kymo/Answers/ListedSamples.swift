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
        let isECG = type == .electrocardiogram
        var writer = RowWriter(
            output, format,
            columns: ["start", "end"] + (isECG ? ["classification", "averageHeartRate"] : [])
                + ["count", "source", "uuid"])
        _ = try each(store) { one in
            writer.beginRow()
            writer.instant("start", one.start, zone)
            writer.instant("end", one.end, zone)
            if let sample = one.sample as? HKElectrocardiogram {
                writer.text("classification", "\(sample.classification)")
                writer.number("averageHeartRate", Self.rate(sample))
            }
            writer.integer("count", Self.count(one.sample))
            writer.text("source", one.sample.sourceRevision.source.name)
            writer.text("uuid", one.sample.uuid.uuidString)
            try writer.endRow()
            return output.isOpen
        }
        try writer.finish()
    }

    func table(_ store: HealthStore, _ output: Output) throws {
        let isECG = type == .electrocardiogram
        let own: [Table.Column] =
            isECG ? [.init(title: "rhythm"), .init(title: "heart rate", alignment: .right)] : []
        var table = Table(
            [.init(title: "start"), .init(title: "length", alignment: .right, omission: 2)] + own
                + [.init(title: isECG ? "voltages" : "beats", alignment: .right, omission: 1)]
                + [.init(title: "source", limit: 32, least: 8), .init(title: "uuid")])
        let left = try each(store, countsAll: true) { one in
            var cells = [
                Civil.format(one.start, zone: zone, fractionDigits: 0, style: .spaced),
                NumberText.clock(seconds: Double(UInt64(bitPattern: one.end &- one.start)) / 1e9),
            ]
            if let sample = one.sample as? HKElectrocardiogram {
                cells += ["\(sample.classification)", Self.rate(sample).map { NumberText.json($0) } ?? ""]
            }
            table.append(
                cells + [
                    NumberText.grouped(Self.count(one.sample)), one.sample.sourceRevision.source.name,
                    one.sample.uuid.uuidString,
                ])
            return true
        }
        if table.isEmpty {
            let name = isECG ? "electrocardiograms" : "samples of \(type.rawValue)"
            return Messages.write(EmptyRange.message(name, of: type.sampleType, store, zone))
        }
        let shown = table.count
        try output.line(output.style.bold(type.rawValue) + output.style.dim(", times in \(zone.identifier)"))
        table.fit(output.tableWidth)
        try table.write(to: output)
        if left > 0 {
            try output.finish()
            Messages.line("... and \(NumberText.grouped(left)) more; --limit \(shown + left) shows all")
        }
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
