// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import Cipher
import FileSystem

/// The contents of a store's catalog, as far as they are readable.
struct CatalogReport {
    /// The name of the catalog in a store directory.
    static let fileName = "kymograph.sqlite"

    private let image: CatalogImage?
    private let path: String
    /// Whether the catalog is encrypted, and there is no key.
    let isClosed: Bool
    /// The reason why the catalog is unreadable or forged; nil if it is sound or closed.
    private(set) var problem: String?

    /// - Throws: if the catalog is unreadable for a reason other than damage.
    init(store: String, _ keys: DumpKeys) throws(DumpFailure) {
        path = store + "/" + Self.fileName
        let pages = try keys.pageKeys()
        isClosed = pages == nil && CatalogDatabase.isEncrypted(at: path)
        if isClosed {
            image = nil
            if !keys.exist { problem = "\(path): the catalog is encrypted, and KEYS and KEYS.2 are missing" }
            return
        }
        do throws(CatalogError) {
            let database = try CatalogDatabase.open(at: path, readOnly: true, keys: pages)
            image = try database.load()
            try? database.close()
            if keys.image != nil, pages == nil { problem = "\(path): forged: a plain catalog in an encrypted store" }
        } catch {
            if error.isRefusal {
                let reason = error.systemError.map { DiskError("open", error.path, $0) } ?? Self.shortage
                let advice = reason?.advice.map { "; \($0)" } ?? ""
                throw DumpFailure(message: "\(error)\(advice)")
            }
            image = nil
            problem = "\(error)"
        }
    }

    /// The error if the process cannot open the four files of a catalog (database, locks, log, log index); nil if it
    /// can. SQLite reports only that a file could not be opened.
    private static var shortage: DiskError? {
        do throws(DiskError) { try Machine.requireDescriptors(4) } catch { return error }
        return nil
    }

    /// Returns the damaged pages of an encrypted catalog; a catalog that could be read was verified then.
    func damagedPages(_ keys: DumpKeys) throws(DumpFailure) -> [String] {
        guard image == nil, keys.ring == nil, let id = keys.image?.store.bytes else { return [] }
        do throws(CatalogError) {
            return try CatalogDatabase.damagedPages(at: path, storeID: id).map { "\($0)" }
        } catch { throw DumpFailure(message: "\(error)") }
    }

    /// Returns the differences between the catalog and the segment files: missing files, other sizes, other checksums.
    func disagreements(with files: [StoreImage.File]) -> [String] {
        var found: [String] = []
        for row in image?.segments ?? [] {
            let name = "segments/" + Text.uuid(row.uuid) + ".kseg"
            guard let file = files.first(where: { $0.name == name }) else {
                found.append("\(name): the catalog names this file, but it does not exist")
                continue
            }
            if UInt64(bitPattern: row.bytes) != file.bytes {
                found.append("\(name): \(file.bytes) bytes, the catalog says \(row.bytes)")
            }
            if let footer = file.footer, footer.checksum != row.checksum {
                let (stored, named) = (Text.hex(footer.checksum), Text.hex(row.checksum))
                found.append("\(name): footer checksum \(stored), the catalog says \(named)")
            }
        }
        return found
    }

    /// The rows of the tail, each represented as a small segment.
    var tail: [SegmentImage] {
        guard let image else { return [] }
        return image.tail.map { SegmentImage(tailRow: $0.seq, body: $0.body, store: image.storeID) }
    }

    /// Returns the segment files without a catalog row: left over from a crash or waiting for deletion; not damage.
    func unnamed(_ files: [StoreImage.File]) -> [String] {
        guard let image else { return [] }
        let named = Set(image.segments.map { "segments/" + Text.uuid($0.uuid) + ".kseg" })
        return files.filter { $0.isSegment && !named.contains($0.name) }.map(\.name)
    }

    /// Writes the catalog as text.
    func write(_ output: Output) throws(DumpFailure) {
        if isClosed { try output.line("catalog: encrypted") }
        if let problem, image != nil || isClosed { try output.alarm("problem: \(problem)") }
        if isClosed { return }
        guard let image else { return try output.alarm("catalog is unreadable: \(problem ?? "")") }
        var out = "catalog\n  store \(Text.uuid(image.storeID)), format \(image.formatVersion), "
        out += "commit \(image.seq), home zone \(TerminalText.printable(image.homeZone))\n"
        let tailBytes = image.tail.reduce(0) { $0 + $1.body.count }
        let segmentNoun = image.segments.count == 1 ? "segment" : "segments"
        out += "  \(image.series.count) series, \(image.segments.count) \(segmentNoun), "
        out += "\(Text.count(image.tail.count, "row")) in the tail (\(Text.count(tailBytes, "byte")))\n"
        var series = Table(["series", "kind", "blocks", "name", "labels"], left: [3, 4])
        for row in image.series {
            let blocks = image.segments.flatMap(\.runs).filter { $0.series == row.id }.reduce(0) { $0 + $1.blocks }
            let labels = row.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            series.add([String(row.id), String(row.kind), String(blocks), row.name, labels])
        }
        try output.put(out)
        try output.put(series)
        var segments = Table(["segment", "file", "bytes", "checksum", "born", "died", "runs"], left: [1])
        for row in image.segments {
            segments.add([
                String(row.id), Text.uuid(row.uuid), String(row.bytes), Text.hex(row.checksum), String(row.born),
                row.died.map(String.init) ?? "-", String(row.runs.count),
            ])
        }
        try output.put(segments)
        var tombstones = Table(["tombstone", "series", "born", "samples", "listed in", "from", "to"], left: [4])
        for row in image.deletions.tombstones {
            tombstones.add([
                String(row.id), String(row.series), String(row.born), String(row.count),
                row.body.map { Text.count($0.count, "byte") } ?? "-", Text.instant(row.start), Text.instant(row.end),
            ])
        }
        try output.put(tombstones)
        out = ""
        if let horizon = image.history.horizon { out += "  horizon: commit \(horizon)\n" }
        for (series, born) in image.history.feedHorizons.sorted(by: { $0.key < $1.key }) {
            out += "  deletions of series \(series) forgotten up to commit \(born)\n"
        }
        for epoch in image.history.epochs { out += "  epoch \(epoch.number) after commit \(epoch.start)\n" }
        try output.put(out)
    }

    var json: JSON {
        if isClosed {
            return .object([("encrypted", .bool(true))] + (problem.map { [("problem", .string($0))] } ?? []))
        }
        guard let image else { return .object([("problem", .string(problem ?? ""))]) }
        let series = image.series.map { row in
            JSON.object([
                ("id", .integer(row.id)), ("name", .string(row.name)), ("kind", .int(Int(row.kind))),
                (
                    "labels",
                    .object(row.labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
                ),
            ])
        }
        let segments = image.segments.map { row in
            JSON.object([
                ("id", .integer(row.id)), ("file", .string(Text.uuid(row.uuid))), ("bytes", .integer(row.bytes)),
                ("checksum", .string(Text.hex(row.checksum))), ("born", .integer(row.born)),
                ("died", .optional(row.died)), ("runs", .int(row.runs.count)),
            ])
        }
        let tombstones = image.deletions.tombstones.map { row in
            JSON.object([
                ("id", .integer(row.id)), ("series", .integer(row.series)), ("born", .integer(row.born)),
                ("samples", .integer(row.count)), ("start", .integer(row.start)), ("end", .integer(row.end)),
                ("listBytes", .optional(row.body.map { Int64($0.count) })),
            ])
        }
        let epochs = image.history.epochs.map { row in
            JSON.object([("number", .integer(row.number)), ("start", .integer(row.start))])
        }
        let forgotten = image.history.feedHorizons.sorted { $0.key < $1.key }.map { series, born in
            JSON.object([("series", .integer(series)), ("born", .integer(born))])
        }
        return .object(
            [
                ("store", .string(Text.uuid(image.storeID))), ("format", .int(image.formatVersion)),
                ("commit", .integer(image.seq)), ("homeZone", .string(image.homeZone)), ("series", .array(series)),
                ("segments", .array(segments)), ("tailRows", .int(image.tail.count)),
                ("tailBytes", .int(image.tail.reduce(0) { $0 + $1.body.count })), ("tombstones", .array(tombstones)),
                ("horizon", .optional(image.history.horizon)), ("epochs", .array(epochs)),
                ("forgotten", .array(forgotten)),
            ] + (problem.map { [("problem", .string($0))] } ?? []))
    }
}
