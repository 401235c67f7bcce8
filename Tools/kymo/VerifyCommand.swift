// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import KymographHealth

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads everything in the store and checks it.",
        discussion: """
            EXAMPLES
              kymo verify && echo sound
              kymo verify --json | jq '.problems[] | .type, .from'

            Every checksum is computed anew, every block is decoded and held against its summary, every object is \
            unpacked. Nothing is changed. The exit status is 0 for a sound store and 3 for a damaged one.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        try perform { output in
            let zone = try zone.resolved()
            let store = try store.open()
            let report = try store.verify()
            let series = Dictionary(store.engine.snapshot().series.map { ($0.id, $0) }) { first, _ in first }
            let problems = report.engine.problems.map { problem in
                FoundProblem(problem, type: problem.series.flatMap { series[$0]?.name })
            }
            let all = problems + report.problems.map { FoundProblem(message: $0) }
            if json {
                try Self.write(report, all, output, zone)
            } else {
                try Self.say(report, all, output, zone)
            }
            return report.isSound ? .done : .corrupt
        }
    }

    private static func write(
        _ report: HealthVerifyReport, _ problems: [FoundProblem], _ output: Output, _ zone: CivilZone
    ) throws {
        var json = JSONWriter(lines: 1)
        json.beginObject()
        json.field("sound", report.isSound)
        json.field("segments", report.engine.segments)
        json.field("blocks", report.engine.blocks)
        json.field("samples", report.engine.samples)
        json.field("bytes", Int(report.engine.bytes))
        json.field("metadata", report.metadata)
        json.field("objects", report.objects)
        json.field("documents", report.documents)
        json.key("problems")
        json.beginArray()
        for problem in problems {
            json.beginObject()
            json.field("message", problem.message)
            json.field("path", problem.path)
            json.field("offset", problem.offset.map { Int(clamping: $0) })
            json.field("type", problem.type)
            json.field("series", problem.series)
            json.field("from", problem.range?.start, zone)
            json.field("to", problem.range?.end, zone)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }

    private static func say(
        _ report: HealthVerifyReport, _ problems: [FoundProblem], _ output: Output, _ zone: CivilZone
    ) throws {
        let engine = report.engine
        let read = [
            "\(NumberText.count(engine.samples, "sample")) in \(NumberText.count(engine.blocks, "block"))",
            "\(NumberText.count(engine.segments, "segment")) (\(NumberText.bytes(engine.bytes)))",
            NumberText.count(report.metadata, "metadata set"), NumberText.count(report.objects, "object"),
            NumberText.count(report.documents, "document"),
        ].joined(separator: ", ")
        if report.isSound {
            try output.line(output.style.green("sound") + ": " + read)
            return
        }
        try output.line(output.style.red("damaged") + ": \(NumberText.count(problems.count, "problem")) in \(read)")
        for problem in problems { try output.line("  " + problem.text(zone)) }
        try output.finish()
        Messages.write("the store is damaged; keep a copy of it before anything else, then import the exports anew")
    }
}

/// Something that is wrong, with as much of its place as is known.
private struct FoundProblem {
    var message: String
    var path: String?
    var offset: UInt64?
    var series: Int?
    var type: String?
    var range: TimeRange?

    init(message: String) { self.message = message }

    init(_ problem: VerifyReport.Problem, type: String?) {
        message = problem.message
        path = problem.path
        offset = problem.offset
        series = problem.series.map { Int($0.rawValue) }
        self.type = type
        range = problem.range
    }

    func text(_ zone: CivilZone) -> String {
        var place: [String] = []
        if let path { place.append(path + (offset.map { " at byte \($0)" } ?? "")) }
        if let type { place.append(HealthTypes.type(for: type).shortName + (series.map { " (series \($0))" } ?? "")) }
        if let range {
            func text(_ instant: Int64) -> String { Civil.format(instant, zone: zone, fractionDigits: 0) }
            place.append("\(text(range.start)) to \(text(range.end))")
        }
        return TextWidth.printable(place.isEmpty ? message : place.joined(separator: ", ") + ": " + message)
    }
}
