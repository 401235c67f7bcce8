// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import KymographHealth

/// The output of a downsampled curve as a table or as rows.
struct CurveAnswer {
    private enum Curve {
        case samples([Sample])
        case slices([EnvelopeSlice])
    }

    private let curve: Curve
    private let type: HealthType
    private let unit: String?
    private let zone: CivilZone
    /// What to say if there are no samples.
    private let nothing: String

    init(
        _ store: HealthStore, _ request: SampleRequest, _ points: Int, _ isEnvelope: Bool, _ zone: CivilZone
    ) throws(HealthStoreError) {
        if isEnvelope {
            let found = try store.envelope(request, points: points)
            curve = .slices(found.slices)
            unit = found.unit
        } else {
            let found = try store.downsampled(request, to: points)
            curve = .samples(found.samples)
            unit = found.unit
        }
        type = request.type
        nothing = EmptyRange.message(request.type, store, zone)
        self.zone = zone
    }

    func write(_ output: Output, _ format: RowFormat?) throws(DiskError) {
        switch (curve, format) {
        case (.samples(let samples), let format?): try write(samples, output, format)
        case (.slices(let slices), let format?): try write(slices, output, format)
        case (.samples(let samples), nil): try table(samples, output)
        case (.slices(let slices), nil): try table(slices, output)
        }
    }

    private func write(_ samples: [Sample], _ output: Output, _ format: RowFormat) throws(DiskError) {
        var writer = RowWriter(output, format, columns: ["start", "end", "value", "unit"])
        for sample in samples {
            writer.beginRow()
            writer.instant("start", sample.start, zone)
            writer.instant("end", sample.end, zone)
            writer.number("value", sample.value)
            writer.text("unit", unit)
            try writer.endRow()
        }
        try writer.finish()
    }

    private func write(_ slices: [EnvelopeSlice], _ output: Output, _ format: RowFormat) throws(DiskError) {
        let names = ["first", "last", "min", "max"]
        var writer = RowWriter(
            output, format, columns: ["start", "end", "count"] + names.flatMap { [$0, "\($0)Start"] } + ["unit"])
        for slice in slices {
            writer.beginRow()
            writer.instant("start", slice.start, zone)
            writer.instant("end", slice.end, zone)
            writer.integer("count", slice.count)
            for (name, sample) in zip(names, [slice.first, slice.last, slice.min, slice.max]) {
                writer.number(name, sample?.value)
                writer.instant("\(name)Start", sample?.start, zone)
            }
            writer.text("unit", unit)
            try writer.endRow()
        }
        try writer.finish()
    }

    private func title(_ output: Output, _ isEmpty: Bool) throws(DiskError) {
        if isEmpty {
            Messages.write(nothing)
            return
        }
        let name = TerminalText.printable(unit.map { "\(type.shortName) (\(ShownUnit($0).name))" } ?? type.shortName)
        try output.line(output.style.bold(name) + output.style.dim(", times in \(zone.identifier)"))
    }

    private func table(_ samples: [Sample], _ output: Output) throws(DiskError) {
        try title(output, samples.isEmpty)
        if samples.isEmpty { return }
        let shown = ShownUnit(unit)
        var table = Table([.init(title: "start"), .init(title: "value", alignment: .right)])
        for (sample, value) in zip(samples, NumberText.column(samples.map { shown.number($0.value) })) {
            table.append([TimeText.table(sample.start, zone), value])
        }
        try table.write(to: output)
    }

    private func table(_ slices: [EnvelopeSlice], _ output: Output) throws(DiskError) {
        try title(output, slices.isEmpty)
        if slices.isEmpty { return }
        let shown = ShownUnit(unit)
        let parts: [(title: String, sample: (EnvelopeSlice) -> Sample?)] = [
            ("first", { $0.first }), ("min", { $0.min }), ("max", { $0.max }), ("last", { $0.last }),
        ]
        var table = Table(
            [.init(title: "start"), .init(title: "samples", alignment: .right)]
                + parts.map { .init(title: $0.title, alignment: .right) })
        let columns = parts.map { part in NumberText.column(slices.map { shown.number(part.sample($0)?.value) }) }
        for (i, slice) in slices.enumerated() {
            table.append(
                [Civil.format(slice.start, zone: zone, fractionDigits: 0, style: .spaced), String(slice.count)]
                    + columns.map { $0[i] })
        }
        try table.write(to: output)
    }
}
