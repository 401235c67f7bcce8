// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import KymographHealth

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Show the samples of a type with all their properties.",
        discussion: """
            EXAMPLES
              kymo query pulse --reverse --limit 5       the five latest
              kymo query sleepAnalysis --from 2024-01-01 --to 2024-01-07
              kymo query bodyMass --unit kg --csv > weight.csv
              kymo query steps --source watch --jsonl | head
              kymo query heartRate --points 1000 --csv > plot.csv
              kymo query heartRate --points 400 --envelope --json
              kymo query bodyMass --as-of 812
              kymo query bp --unit kPa                   systolic and diastolic in one row
              kymo query ecg                             "kymo show" prints the voltages
              kymo query workouts --last 30d             "kymo workouts" has more
              kymo query pulse --client com.example.run  what a program may read

            A sample belongs to the range that contains its start. \(RangeOptions.explanation)

            With --points there are at most that many samples, chosen so that their curve looks like that of all \
            samples (largest triangles); with --envelope, that many equal slices of time with the first, last, minimum \
            and maximum sample of each.

            For electrocardiogram and heartbeatSeries the output has times, the number of voltages or beats, source \
            and identity, and for electrocardiogram also rhythm and heart rate; for workout it has times, activity, \
            duration, distance, energy, source and identity. "kymo show" prints the rest.

            A table shows \(defaultLimit) samples unless --limit is given; other formats contain all samples.
            """)

    /// The default number of samples in a table.
    static let defaultLimit = 20

    @OptionGroup var store: StoreOption
    @OptionGroup var type: TypeArgument
    @OptionGroup var range: RangeOptions
    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("Maximum number of samples.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Show the latest samples first.")
    var reverse = false

    @Option(help: ArgumentHelp("Reduce the samples to this number, preserving the shape of the curve.", valueName: "n"))
    var points: Int?

    @Flag(help: "With --points: show slices of time with first, last, minimum and maximum sample.")
    var envelope = false

    @OptionGroup var source: SourceOption
    @OptionGroup var unit: UnitOption
    @OptionGroup var asOf: AsOfOption
    @OptionGroup var client: ClientOption
    @OptionGroup var format: FormatOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1; got \(limit).") }
        if let points, !((envelope ? 1 : 3)...Snapshot.maximumBuckets).contains(points) {
            throw ValidationError("--points must be from \(envelope ? 1 : 3) to \(Snapshot.maximumBuckets).")
        }
        if envelope, points == nil { throw ValidationError("--envelope requires --points.") }
        if points != nil, limit != nil || reverse {
            throw ValidationError("--points cannot be combined with --limit or --reverse.")
        }
        if points != nil, client.client != nil { throw ValidationError("--points cannot be combined with --client.") }
    }

    func run() throws {
        try perform { output in
            let whole = try store.open()
            let zone = try zone.resolved(whole, asOf: asOf.commit)
            let range = try range.resolved(zone)
            let store = client.view(of: whole)
            if PressurePairs.isMeant(type.name) { return try pressures(range, zone, store, output) }
            if let listed = ListedType.find(type.name) { return try list(listed, range, zone, store, output) }
            let type = try type.resolved(store)
            let shown = limit ?? (format.format == nil ? Self.defaultLimit : Int.max)
            let request = SampleRequest(
                type, range: range, limit: shown, order: reverse ? .backward : .forward,
                sources: try source.resolved(store, asOf: asOf.commit), unit: try unit.resolved(type),
                asOf: asOf.commit)
            if let client = client.client {
                try ClientSamples(client: client, request: request, zone: zone).write(store, output, format.format)
            } else if let points {
                if type.kind == .category {
                    throw Failure.usage("\(type.shortName) is a category and has no curve")
                }
                try CurveAnswer(store, request, points, envelope, zone).write(output, format.format)
            } else if let format = format.format {
                var writer = SampleWriter(output, format, zone)
                try Self.each(store, request) { sample in
                    try writer.append(sample)
                    return output.isOpen
                }
                try writer.finish()
            } else {
                try Self.table(store, request, zone, output)
            }
            return .done
        }
    }

    /// Lists samples without a value.
    private func list(
        _ type: ListedType, _ range: TimeRange, _ zone: CivilZone, _ store: HealthStore, _ output: Output
    ) throws -> ExitStatus {
        if points != nil || unit.unit != nil {
            throw Failure.usage("\(type.rawValue) has no values: omit --points, --envelope and --unit")
        }
        let samples = ListedSamples(
            type: type, zone: zone, range: range,
            limit: limit ?? (format.format == nil ? Self.defaultLimit : Int.max), isBackward: reverse,
            sources: try source.names.isEmpty ? nil : SourceOption.matching(source.names, among: type.sources(store)),
            commit: asOf.commit)
        if let format = format.format {
            try samples.write(store, output, format)
        } else {
            try samples.table(store, output)
        }
        return .done
    }

    /// Lists blood pressures as pairs.
    private func pressures(
        _ range: TimeRange, _ zone: CivilZone, _ store: HealthStore, _ output: Output
    ) throws -> ExitStatus {
        if points != nil {
            throw Failure.usage(
                "a blood pressure is a pair of values: --points needs bloodPressureSystolic or bloodPressureDiastolic"
            )
        }
        let pairs = PressurePairs(
            unit: try unit.resolved(HealthTypes.type(for: .bloodPressureSystolic)), zone: zone, range: range,
            limit: limit ?? (format.format == nil ? Self.defaultLimit : Int.max), isBackward: reverse,
            sources: source.names, commit: asOf.commit)
        if let format = format.format {
            try pairs.write(store, output, format)
        } else {
            try pairs.table(store, output)
        }
        return .done
    }

    /// Passes the samples one by one to `body`; rethrows its errors.
    private static func each(
        _ store: HealthStore, _ request: SampleRequest, _ body: (HealthSample) throws -> Bool
    ) throws {
        var failure: (any Error)?
        try store.samples(request) { batch throws(HealthStoreError) in
            do {
                for sample in batch where try !body(sample) { return false }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    private static func table(
        _ store: HealthStore, _ request: SampleRequest, _ zone: CivilZone, _ output: Output
    ) throws {
        var table = SampleTable(request.type, zone, output)
        try each(store, request) { sample in
            try table.append(sample)
            return output.isOpen
        }
        try table.finish()
        if table.count == 0 {
            Messages.write(EmptyRange.message(request.type, store, zone))
        } else if table.count >= request.limit {
            let all = try store.statistics(
                StatisticsRequest(
                    request.type, range: request.range, sources: request.sources, merging: .union,
                    asOf: request.asOf))
            let left = (all.rows.first?.count ?? 0) - table.count
            if left > 0 {
                try output.finish()
                Messages.line("... and \(NumberText.grouped(left)) more; --limit \(all.rows[0].count) shows all")
            }
        }
    }
}
