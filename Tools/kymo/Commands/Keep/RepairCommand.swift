// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import KymographHealth

struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Create a store from the intact parts of another.",
        discussion: """
            EXAMPLES
              kymo repair --to ~/health-repaired
              kymo repair /media/old/kymograph --to new --json > lost.json

            The damaged store is only read. Intact segments are copied, the intact blocks of damaged segments are \
            kept, and losses are listed: file, type, range of time, number of samples. The new directory must be empty \
            or not exist, and becomes a store only when it is complete. The exit status is 0 if nothing was lost, 3 if \
            something was lost, 1 if no store could be created.
            """)

    @Argument(
        help: ArgumentHelp("The damaged store. Default: the store of --store.", valueName: "store"),
        completion: .directory)
    var damaged: String?

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption

    @Option(name: .customLong("to"), help: "Directory of the new store.", completion: .directory)
    var target: String

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        try perform { output in
            let zone = try zone.resolved()
            let path = try store.resolved(or: damaged)
            if target.isEmpty { throw Failure.usage("--to is empty; give a directory") }
            let report = try HealthStore.repair(from: path, to: target, options: Stores.options())
            let lost =
                report.engine.losses.map { FoundProblem($0) }
                + report.losses.map { FoundProblem(message: $0.message, range: $0.range) }
            if json {
                try write(report, lost, output, zone, path)
            } else {
                try say(report, lost, output, zone)
            }
            return report.isComplete ? .done : .corrupt
        }
    }

    private func write(
        _ report: HealthRepairReport, _ lost: [FoundProblem], _ output: Output, _ zone: CivilZone, _ path: String
    ) throws {
        var json = JSONWriter(lines: 1)
        json.beginObject()
        json.field("from", path)
        json.field("to", target)
        json.field("complete", report.isComplete)
        json.field("samples", report.engine.samples)
        json.field("blocks", report.engine.blocks)
        json.field("samplesLost", report.engine.samplesLost)
        json.field("segmentsCopied", report.engine.segmentsCopied)
        json.field("segmentsRewritten", report.engine.segmentsRewritten)
        json.field("segmentsLost", report.engine.segmentsLost)
        json.field("tailRows", report.engine.tailRows)
        json.field("sources", report.sources)
        json.field("metadata", report.metadata)
        json.field("objects", report.objects)
        json.field("documents", report.documents)
        json.field("attachments", report.attachments)
        json.key("lost")
        json.beginArray()
        for one in lost { one.write(&json, zone) }
        json.endArray()
        json.field("remarks", report.engine.remarks + report.remarks)
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }

    private func say(
        _ report: HealthRepairReport, _ lost: [FoundProblem], _ output: Output, _ zone: CivilZone
    ) throws {
        let engine = report.engine
        let kept = [
            "\(NumberText.count(engine.samples, "sample")) in \(NumberText.count(engine.blocks, "block"))",
            NumberText.count(report.sources, "source"), NumberText.count(report.metadata, "metadata set"),
            NumberText.count(report.objects, "object"), NumberText.count(report.documents, "document"),
            report.attachments > 0 ? NumberText.count(report.attachments, "attachment") : nil,
        ].compactMap(\.self).joined(separator: ", ")
        for remark in engine.remarks + report.remarks { Messages.write(remark) }
        try output.line("\(TerminalText.printable(target)): kept \(kept)")
        if report.isComplete { return try output.line(output.style.green("nothing lost")) }
        try output.line(output.style.red("lost") + ": \(NumberText.count(lost.count, "thing"))")
        for one in lost { try output.line("  " + one.text(zone)) }
    }
}
