// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import Foundation
import KymographHealth

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows what comes and goes in a type, as it happens.",
        discussion: """
            EXAMPLES
              kymo watch heartRate                       from now on, until Ctrl-C
              kymo watch stepCount --source "Ann's Watch" --jsonl
              kymo watch bodyMass --all --once --jsonl   everything so far, and the anchor to go on from
              kymo watch bodyMass --since 01e0...9a --once --jsonl

            With --jsonl each line is one JSON object: {"added": ...} for a sample, {"deleted": ...} for a deletion, \
            and {"anchor": "..."} after all that one or several commits did: the text that --since takes to go on \
            from there.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var type: TypeArgument
    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("Begin with what changed since this anchor.", valueName: "anchor"))
    var since: String?

    @Flag(help: "Begin with all samples that are there.")
    var all = false

    @Flag(help: "End as soon as there is nothing more.")
    var once = false

    @OptionGroup var source: SourceOption
    @OptionGroup var unit: UnitOption

    @Flag(help: "Write JSON lines.")
    var jsonl = false

    func validate() throws {
        if all && since != nil { throw ValidationError("--all has no place beside --since.") }
        if let since, ChangeAnchor(text: since) == nil {
            throw ValidationError("--since is no anchor: it is the text behind \"anchor\" of an earlier --jsonl.")
        }
    }

    func run() throws {
        try perform { output in
            Interrupt.catchRequests()
            let zone = try zone.resolved()
            let store = try store.open()
            let type = try type.resolved(store)
            let request = SampleRequest(
                type, limit: 10_000, sources: try source.resolved(store), unit: try unit.resolved(type))
            var anchor = since.flatMap { ChangeAnchor(text: $0) } ?? (all ? nil : store.engine.currentAnchor())
            var lines = WatchLines(output, zone, type, asJSON: jsonl)
            var isFirst = true
            while output.isOpen && !Interrupt.isRequested {
                let before = anchor
                let page = try store.changes(
                    request, since: anchor,
                    onDeletions: { all throws(HealthStoreError) in lines.delete(all) },
                    { samples throws(HealthStoreError) in
                        lines.add(samples)
                        return true
                    })
                anchor = page.anchor
                if page.isComplete, isFirst || page.anchor != before { lines.end(at: page.anchor) }
                if page.isComplete { isFirst = false }
                try lines.flush()
                if once && page.isComplete { return .done }
                if page.isComplete { usleep(50_000) }
            }
            return .done
        }
    }
}

/// What a watch says, line by line.
private struct WatchLines {
    private let output: Output
    private let zone: CivilZone
    private let type: HealthType
    private let asJSON: Bool
    private var json = JSONWriter(lines: 0)
    private var text = ""

    init(_ output: Output, _ zone: CivilZone, _ type: HealthType, asJSON: Bool) {
        self.output = output
        self.zone = zone
        self.type = type
        self.asJSON = asJSON
    }

    mutating func add(_ samples: [HealthSample]) {
        for sample in samples {
            guard asJSON else {
                let value = sample.valueName ?? NumberText.json(sample.value)
                let parts = [value, sample.unit ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
                text += "\(date(sample.start))  + \(parts)  \(TextWidth.printable(sample.source))\n"
                continue
            }
            begin("added")
            json.field("start", sample.start, zone)
            json.field("end", sample.end, zone)
            json.field("value", sample.value)
            json.field("valueName", sample.valueName)
            json.field("unit", sample.unit)
            json.field("source", sample.source)
            json.field("uuid", sample.uuid.uuidString)
            end()
        }
    }

    mutating func delete(_ deletions: [HealthDeletion]) {
        for one in deletions {
            guard asJSON else {
                let what = one.uuids.map { NumberText.count($0.count, "sample") } ?? "all samples"
                text += "\(date(one.range.start))  - \(what) to \(date(one.range.end))  "
                text += "\(TextWidth.printable(one.source))\n"
                continue
            }
            begin("deleted")
            json.field("from", one.range.start, zone)
            json.field("to", one.range.end, zone)
            json.field("source", one.source)
            if let uuids = one.uuids { json.field("uuids", uuids.map(\.uuidString)) }
            end()
        }
    }

    /// All that some commits did has been told.
    mutating func end(at anchor: ChangeAnchor) {
        guard asJSON else { return }
        json.beginObject()
        json.field("anchor", anchor.text)
        json.endObject()
        json.endLine()
    }

    mutating func flush() throws {
        if asJSON { try output.write(json.take()) } else { try output.write(Array(text.utf8)) }
        text = ""
        try output.finish()
    }

    private mutating func begin(_ name: String) {
        json.beginObject()
        json.key(name)
        json.beginObject()
    }

    private mutating func end() {
        json.endObject()
        json.endObject()
        json.endLine()
    }

    /// A time, or nothing for one that no sample has.
    private func date(_ instant: Int64) -> String {
        guard instant >= TimeLimits.earliest, instant <= TimeLimits.latest else {
            return instant < 0 ? "first" : "last"
        }
        return Civil.format(instant, zone: zone, fractionDigits: 0, style: .spaced)
    }
}
