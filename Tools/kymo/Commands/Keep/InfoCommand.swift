// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import KymographHealth

struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show the contents of the store and its size on disk.",
        discussion: """
            EXAMPLES
              kymo info
              kymo info --columns        size of each type, by column and encoding
              kymo info --json | jq .bytesPerSample
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption

    @Flag(help: "Show the bytes of each type by column and encoding. Reads every block.")
    var columns = false

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        try perform { output in
            let store = try store.open()
            let zone = try zone.resolved(store)
            let facts = StoreFacts(
                path: store.path, info: try store.info(), locations: try store.locations(),
                home: try store.homeZone().identifier,
                types: try store.types().count,
                sources: try store.sources().count, objects: try store.objectCounts(),
                documents: try store.documents(), attachments: try store.attachmentCount(),
                imports: try store.imports(), history: try store.historyDay(),
                usage: columns ? TypeUsage.all(try store.usage()) : nil)
            if json { try facts.write(output, zone) } else { try facts.table(output, zone) }
            return .done
        }
    }
}

/// The output of `info`.
private struct StoreFacts {
    var path: String
    var info: StoreInfo
    /// The locations of routes, and the numbers that store them.
    var locations: (count: Int, numbers: Int)
    /// The home zone of the person.
    var home: String
    var types: Int
    var sources: Int
    var objects: [ImportedElementKind: Int]
    var documents: [HealthDocument]
    var attachments: (count: Int, bytes: Int64)
    var imports: [ImportLogEntry]
    /// The first day of the kept history; nil if the store keeps everything.
    var history: String?
    /// The disk usage of each type; nil unless requested.
    var usage: [TypeUsage]?

    /// The number of samples without the numbers of locations.
    private var samples: Int { max(0, info.samples - locations.numbers) }
    /// The bytes of the store per sample or location.
    private var bytesPerSample: Double { Double(info.bytes) / Double(max(1, samples + locations.count)) }

    private var kinds: [(name: String, count: Int)] {
        ImportedElementKind.allCases.compactMap { kind in
            objects[kind].flatMap { $0 > 0 ? ("\(kind)", $0) : nil }
        }
    }

    /// Returns a count with the words of a name: `12 activity summaries`.
    private static func words(_ count: Int, _ name: String) -> String {
        var noun = ""
        for letter in name { noun += letter.isUppercase ? " " + letter.lowercased() : String(letter) }
        return NumberText.count(count, noun, noun.hasSuffix("y") ? noun.dropLast() + "ies" : nil)
    }

    /// The home zone, and the zone at whose midnights blocks end, if it differs.
    private var zones: String { home == info.homeZone ? home : "\(home), blocks by days of \(info.homeZone)" }

    func write(_ output: Output, _ zone: CivilZone) throws {
        var json = JSONWriter(lines: 1)
        json.beginObject()
        json.field("path", path)
        json.field("storeID", info.storeID)
        json.field("homeZone", home)
        json.field("blockZone", info.homeZone)
        json.field("sequence", Int(info.sequence))
        json.field("oldestCommit", Int(info.oldestCommit))
        json.field("historyBegin", history)
        json.field("samples", samples)
        json.field("locations", locations.count)
        json.field("deletedSamples", info.deletedSamples)
        json.field("deletedBytes", Int(info.deletedBytes))
        json.field("deletions", info.deletions)
        json.field("types", types)
        json.field("sources", sources)
        json.field("series", info.series)
        json.field("bytes", Int(info.bytes))
        json.field("bytesPerSample", bytesPerSample)
        json.field("ballastBytes", Int(info.ballastBytes))
        json.field("segments", info.segments)
        json.field("segmentBytes", Int(info.segmentBytes))
        json.field("retiredSegments", info.retiredSegments)
        json.field("retiredBytes", Int(info.retiredBytes))
        json.field("catalogBytes", Int(info.catalogBytes))
        json.field("blocks", info.blocks)
        json.field("tailSamples", info.tailSamples)
        json.field("tailBatches", info.tailBatches)
        writeHeld(&json)
        json.key("objects")
        json.beginObject()
        for kind in kinds { json.field(kind.name, kind.count) }
        json.endObject()
        json.field("documents", documents.count)
        json.field("documentBytes", documents.reduce(0) { $0 + $1.bytes })
        json.field("attachments", attachments.count)
        json.field("attachmentBytes", Int(attachments.bytes))
        json.key("imports")
        json.beginArray()
        for one in imports {
            json.beginObject()
            json.field("file", one.file)
            json.field("at", one.at, zone)
            json.field("records", one.records)
            json.field("added", one.added)
            json.field("skipped", one.skipped)
            json.field("repaired", one.repaired)
            json.field("note", one.note)
            json.endObject()
        }
        json.endArray()
        if let usage {
            json.key("columns")
            TypeUsage.write(usage, &json)
        }
        json.endObject()
        json.endLine()
        try output.write(json.take())
    }

    private func writeHeld(_ json: inout JSONWriter) {
        json.key("heldCommits")
        json.beginArray()
        for commit in info.heldCommits { json.integer(commit) }
        json.endArray()
        json.key("held")
        json.beginArray()
        for one in info.held {
            json.beginObject()
            json.field("commit", Int(one.commit))
            if let age = one.age { json.field("seconds", Int(age.components.seconds)) }
            json.key("processes")
            json.beginArray()
            for process in one.processes { json.integer(Int64(process)) }
            json.endArray()
            json.endObject()
        }
        json.endArray()
    }

    func table(_ output: Output, _ zone: CivilZone) throws {
        let blocks = NumberText.count(info.blocks, "block")
        let each = NumberText.fixed(bytesPerSample, decimals: 2)
        let batches = NumberText.count(info.tailBatches, "batch", "batches")
        let segments = NumberText.count(info.segments, "segment")
        var lines = [
            ("path", path),
            ("store", "\(info.storeID), commit \(info.sequence), home zone \(zones)"),
            (
                "samples",
                "\(NumberText.grouped(samples)) of \(NumberText.count(types, "type")) "
                    + "from \(NumberText.count(sources, "source")), in \(info.series) series"
            ),
            ("size", "\(NumberText.bytes(info.bytes)), \(each) bytes per sample"),
            ("segments", "\(segments) with \(blocks), \(NumberText.bytes(info.segmentBytes))"),
            ("catalog", NumberText.bytes(info.catalogBytes)),
            ("tail", "\(NumberText.count(info.tailSamples, "sample")) in \(batches)"),
            ("past", "available from commit \(info.oldestCommit) with --as-of"),
            ("ballast", "\(NumberText.bytes(info.ballastBytes)) reserved for a full disk"),
        ]
        if let history { lines.append(("history", "begins on \(history); older data is in other stores")) }
        if locations.count > 0 { lines.append(("routes", "\(NumberText.count(locations.count, "location"))")) }
        if info.deletedSamples > 0 {
            let text = "\(NumberText.count(info.deletedSamples, "sample")) that still take space"
            let bytes = info.deletedBytes > 0 ? ", about \(NumberText.bytes(info.deletedBytes))" : ""
            lines.append(("deleted", text + bytes))
        }
        if info.deletions > 0 {
            lines.append(("deletions", "\(NumberText.grouped(info.deletions)) recorded"))
        }
        if info.retiredSegments > 0 {
            let text = NumberText.count(info.retiredSegments, "segment")
            lines.append(("retired", "\(text) replaced, \(NumberText.bytes(info.retiredBytes))"))
        }
        if let oldest = info.held.first {
            let who = oldest.processes.map(String.init).joined(separator: ", ")
            let by = who.isEmpty ? "" : ", by process \(who)"
            let text = "the oldest reads commit \(oldest.commit), \(info.sequence - oldest.commit) before the latest"
            lines.append(("readers", text + by))
        }
        if !kinds.isEmpty {
            lines.append(
                ("objects", kinds.map { Self.words($0.count, $0.name) }.joined(separator: ", ")))
        }
        if !documents.isEmpty {
            let bytes = Int64(documents.reduce(0) { $0 + $1.bytes })
            lines.append(("documents", "\(NumberText.grouped(documents.count)), \(NumberText.bytes(bytes)) unpacked"))
        }
        if attachments.count > 0 {
            let bytes = NumberText.bytes(attachments.bytes)
            lines.append(("attachments", "\(NumberText.grouped(attachments.count)), \(bytes)"))
        }
        for one in imports.suffix(5) {
            let at = Civil.format(one.at, zone: zone, fractionDigits: 0, style: .spaced)
            lines.append(("import", "\(at)  \(one.file)  \(NumberText.count(one.added, "sample")) added"))
        }
        let width = lines.map(\.0.count).max() ?? 0
        for (name, text) in lines {
            let blank = String(repeating: " ", count: width - name.count + 2)
            let parts = FoldedText.words(TerminalText.printable(text))
            let folded = FoldedText.folded(
                [name + blank + (parts.first ?? "")] + parts.dropFirst(), width: output.tableWidth, indent: width + 2)
            try output.line(output.style.bold(name) + folded.dropFirst(name.count))
        }
        if let usage {
            try output.line("")
            try TypeUsage.table(usage, output)
        }
    }
}
