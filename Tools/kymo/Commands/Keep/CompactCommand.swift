// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph
import KymographHealth

struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Merge files, and remove bytes of deleted samples.",
        discussion: """
            EXAMPLES
              kymo compact
              kymo compact ~/health

            Programs that keep a store open compact it in the background. Afterwards no file of the store holds a \
            sample that was deleted before. Files that another program still reads are removed when the store is next \
            opened for writing. An interrupted compaction leaves the store intact, and the next one continues it.

            EXIT STATUS
              0    the files are merged
              1    the compaction failed or is incomplete
              3    the store is damaged
              130  interrupted
            """)

    @Argument(help: ArgumentHelp("The store, if not the default one.", valueName: "store"), completion: .directory)
    var place: String?

    @OptionGroup var store: StoreOption

    @OptionGroup var reporting: ReportOptions

    func run() throws {
        try perform { output in
            if let place, place.isEmpty || store.path != nil { throw Failure.usage("give only one store") }
            let store = try Stores.open(at: place ?? store.resolved(), mode: .shared)
            defer { store.close() }
            let before = try store.info()
            Interrupt.catchRequests()
            let line = Progress("compact", isShown: !reporting.quiet)
            defer { line.clear() }
            let report = try store.compact { state in
                line.show(
                    done: UInt64(state.samplesWritten), of: UInt64(max(before.samples, state.samplesWritten)),
                    records: state.samplesWritten)
                return !Interrupt.isRequested
            }
            line.clear()
            try say(report, before, store.info(), output)
            return .done
        }
    }

    private func say(_ report: CompactionReport, _ before: StoreInfo, _ after: StoreInfo, _ output: Output) throws {
        if reporting.json {
            var json = JSONWriter(lines: 1)
            json.beginObject()
            json.field("sequence", Int(report.sequence))
            json.field("steps", report.steps)
            json.field("segmentsRead", report.segmentsRead)
            json.field("segmentsWritten", report.segmentsWritten)
            json.field("bytesRead", Int(report.bytesRead))
            json.field("bytesWritten", Int(report.bytesWritten))
            json.field("samplesRemoved", report.samplesRemoved)
            json.field("bytesBefore", Int(before.bytes))
            json.field("bytes", Int(after.bytes))
            json.field("retiredBytes", Int(after.retiredBytes))
            json.endObject()
            json.endLine()
            return try output.write(json.take())
        }
        let segments = "\(NumberText.count(before.segments, "segment")) became \(NumberText.grouped(after.segments))"
        let bytes = "\(NumberText.bytes(before.bytes)) became \(NumberText.bytes(after.bytes))"
        try output.line(
            "\(segments), \(bytes), \(NumberText.count(report.samplesRemoved, "deleted sample")) removed")
        if after.retiredBytes > 0 {
            try output.line("\(NumberText.bytes(after.retiredBytes)) remain until their readers finish")
        }
    }
}
