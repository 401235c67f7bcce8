// SPDX-License-Identifier: Apache-2.0

import Bytes
import HealthCatalog
import Kymograph
import KymographHealth

/// Encodes and decodes pages of changes. `Docs/Format/Sync.md` describes the bytes.
enum PageCodec {
    /// The most items of a list.
    private static let mostItems: UInt64 = 1 << 22

    static func encode(_ page: SyncPage) -> [UInt8] {
        var writer = ByteWriter(capacity: page.bytes.count + 4_096)
        putNames(page, &writer)
        putDeletions(page, &writer)
        putObjects(page, &writer)
        putAttachments(page, &writer)
        put(page.values.isEmpty ? [] : page.values.bytes, &writer)
        writer.put(varint: UInt64(page.blocks.count))
        for block in page.blocks {
            writer.put(varint: UInt64(block.series))
            writer.put(varint: UInt64(block.range.count))
        }
        writer.put(varint: UInt64(page.samples))
        writer.put(string: page.position)
        writer.put(page.isLast ? 1 : 0 as UInt8)
        writer.put(bytes: page.bytes)
        return writer.bytes
    }

    private static func putNames(_ page: SyncPage, _ writer: inout ByteWriter) {
        put(page.sources, &writer) { row, writer in
            writer.put(varint: UInt64(row.id))
            writer.put(string: row.name)
            put(row.bundle, &writer)
        }
        put(page.devices, &writer) { row, writer in
            writer.put(varint: UInt64(row.id))
            writer.put(string: row.text)
        }
        put(page.provenances, &writer) { row, writer in
            writer.put(varint: UInt64(row.id))
            writer.put(varint: UInt64(row.source))
            put(row.version, &writer)
            writer.put(varint: UInt64(row.device ?? 0))
            put(row.product, &writer)
            put(row.system, &writer)
        }
        put(page.metadata, &writer) { row, writer in
            writer.put(varint: UInt64(row.id))
            put(row.body, &writer)
        }
        put(page.series, &writer) { row, writer in
            writer.put(varint: UInt64(row.series))
            writer.put(string: row.type)
            writer.put(varint: UInt64(row.source))
            put(row.unit, &writer)
        }
    }

    private static func putDeletions(_ page: SyncPage, _ writer: inout ByteWriter) {
        put(page.deadObjects, &writer) { one, writer in
            writer.put(bytes: one.uuid)
            writer.put(string: one.type)
            writer.put(one.start)
        }
        put(page.deadSamples, &writer) { one, writer in
            writer.put(varint: UInt64(one.series))
            for number in [one.identity.high, one.identity.low, one.range.start, one.range.end] { writer.put(number) }
        }
        put(page.deadVersions, &writer) { one, writer in
            writer.put(bytes: one.uuid)
            writer.put(string: one.type)
            writer.put(varint: UInt64(one.source))
            writer.put(string: one.identifier)
            writer.put(Int64(bitPattern: one.version.bitPattern))
            writer.put(one.start)
        }
    }

    private static func putObjects(_ page: SyncPage, _ writer: inout ByteWriter) {
        put(page.elements, &writer) { row, writer in
            for number in [row.id, row.kind, row.digest] { writer.put(number) }
            put(row.start, &writer)
            put(row.end, &writer)
            put(row.body, &writer)
        }
        put(page.elementKeys, &writer) { key, writer in
            for number in [key.id, key.kind, key.digest] { writer.put(number) }
        }
        put(page.documents, &writer) { one, writer in
            writer.put(string: one.row.path)
            writer.put(one.row.digest)
            writer.put(one.row.bytes)
            put(one.body, &writer)
        }
        put(page.objects, &writer) { row, writer in
            writer.put(bytes: row.uuid)
            for number in [row.id, row.kind, row.provenance, row.metadata, row.start, row.end] { writer.put(number) }
            writer.put(string: row.type)
            put(row.created, &writer)
            put(row.body, &writer)
        }
    }

    private static func putAttachments(_ page: SyncPage, _ writer: inout ByteWriter) {
        put(page.attachments, &writer) { one, writer in
            writer.put(bytes: one.row.uuid)
            writer.put(bytes: one.row.object)
            writer.put(string: one.row.name)
            writer.put(string: one.row.type)
            writer.put(one.row.created)
            put(one.row.metadata ?? [], &writer)
            put(one.named?.identifier, &writer)
            if let named = one.named {
                writer.put(string: named.type)
                writer.put(varint: UInt64(named.source))
            }
            put(one.content, &writer)
        }
    }

    private static func put<T>(_ all: [T], _ writer: inout ByteWriter, _ one: (T, inout ByteWriter) -> Void) {
        writer.put(varint: UInt64(all.count))
        for item in all { one(item, &writer) }
    }

    private static func put(_ bytes: [UInt8], _ writer: inout ByteWriter) {
        writer.put(varint: UInt64(bytes.count))
        writer.put(bytes: bytes)
    }

    private static func put(_ text: String?, _ writer: inout ByteWriter) {
        writer.put(text == nil ? 0 : 1 as UInt8)
        if let text { writer.put(string: text) }
    }

    private static func put(_ number: Int64?, _ writer: inout ByteWriter) {
        writer.put(number == nil ? 0 : 1 as UInt8)
        if let number { writer.put(number) }
    }

    // MARK: - Decoding

    /// - Throws: `malformed` for other bytes.
    static func decode(_ bytes: [UInt8]) throws(SyncError) -> SyncPage {
        var reader = ByteReader(bytes)
        do throws(ByteError) {
            return try page(bytes, &reader)
        } catch {
            throw SyncError(.malformed, "a page of changes from the other store is damaged at \(error.description)")
        }
    }

    private static func page(_ bytes: [UInt8], _ reader: inout ByteReader) throws(ByteError) -> SyncPage {
        var page = SyncPage()
        try readNames(&page, &reader)
        try readDeletions(&page, &reader)
        try readObjects(&page, &reader)
        try readAttachments(&page, &reader)
        let values = try data(&reader)
        if !values.isEmpty {
            var inner = ByteReader(values)
            page.values = try SyncValues(&inner)
        }
        var at = 0
        let lengths = try list(&reader) { reader throws(ByteError) in (try id(&reader), try reader.varint()) }
        page.samples = Int(clamping: try reader.varint())
        page.position = try reader.string()
        page.isLast = try reader.u8() == 1
        for (series, length) in lengths {
            guard length <= UInt64(reader.remaining - at) else {
                throw ByteError(offset: reader.offset, what: "a block of \(length) bytes")
            }
            page.blocks.append(.init(series: series, range: at..<at + Int(length)))
            at += Int(length)
        }
        guard at == reader.remaining else {
            throw ByteError(offset: reader.offset + at, what: "\(reader.remaining - at) bytes too many")
        }
        page.bytes = Array(try reader.bytes(at))
        return page
    }

    private static func readNames(_ page: inout SyncPage, _ reader: inout ByteReader) throws(ByteError) {
        page.sources = try list(&reader) { reader throws(ByteError) in
            SourceRow(id: try id(&reader), name: try reader.string(), bundle: try text(&reader))
        }
        page.devices = try list(&reader) { reader throws(ByteError) in
            DeviceRow(id: try id(&reader), text: try reader.string())
        }
        page.provenances = try list(&reader) { reader throws(ByteError) in
            let (number, source, version) = (try id(&reader), try id(&reader), try text(&reader))
            let device = try id(&reader)
            return ProvenanceRow(
                id: number, source: source, version: version, device: device == 0 ? nil : device,
                product: try text(&reader), system: try text(&reader))
        }
        page.metadata = try list(&reader) { reader throws(ByteError) in
            MetadataRow(id: try id(&reader), body: try data(&reader))
        }
        page.series = try list(&reader) { reader throws(ByteError) in
            let (number, type) = (try id(&reader), try reader.string())
            return HealthSeriesRow(series: number, type: type, source: try id(&reader), unit: try text(&reader))
        }
    }

    private static func readDeletions(_ page: inout SyncPage, _ reader: inout ByteReader) throws(ByteError) {
        page.deadObjects = try list(&reader) { reader throws(ByteError) in
            let uuid = Array(try reader.bytes(16))
            return .init(uuid: uuid, type: try reader.string(), start: try reader.i64())
        }
        page.deadSamples = try list(&reader) { reader throws(ByteError) in
            let series = try id(&reader)
            let identity = SampleIdentity(high: try reader.i64(), low: try reader.i64())
            return .init(series: series, identity: identity, range: TimeRange(try reader.i64(), try reader.i64()))
        }
        page.deadVersions = try list(&reader) { reader throws(ByteError) in
            let (uuid, type, source) = (Array(try reader.bytes(16)), try reader.string(), try id(&reader))
            let (identifier, bits) = (try reader.string(), try reader.i64())
            return .init(
                uuid: uuid, type: type, source: source, identifier: identifier,
                version: Double(bitPattern: UInt64(bitPattern: bits)), start: try reader.i64())
        }
    }

    private static func readObjects(_ page: inout SyncPage, _ reader: inout ByteReader) throws(ByteError) {
        page.elements = try list(&reader) { reader throws(ByteError) in
            let (number, kind, digest) = (try reader.i64(), try reader.i64(), try reader.i64())
            let (start, end) = (try number64(&reader), try number64(&reader))
            return ElementRow(
                id: number, kind: kind, start: start, end: end, digest: digest, body: try data(&reader))
        }
        page.elementKeys = try list(&reader) { reader throws(ByteError) in
            .init(id: try reader.i64(), kind: try reader.i64(), digest: try reader.i64())
        }
        page.documents = try list(&reader) { reader throws(ByteError) in
            let path = try reader.string()
            let row = DocumentRow(id: 0, path: path, digest: try reader.i64(), bytes: try reader.i64())
            return .init(row: row, body: try data(&reader))
        }
        page.objects = try list(&reader) { reader throws(ByteError) in
            let uuid = Array(try reader.bytes(16))
            var numbers = [Int64]()
            for _ in 0..<6 { numbers.append(try reader.i64()) }
            let (type, created) = (try reader.string(), try number64(&reader))
            return SavedObjectRow(
                id: numbers[0], uuid: uuid, kind: numbers[1], type: type, provenance: numbers[2], metadata: numbers[3],
                start: numbers[4], end: numbers[5], created: created, body: try data(&reader))
        }
    }

    private static func readAttachments(_ page: inout SyncPage, _ reader: inout ByteReader) throws(ByteError) {
        page.attachments = try list(&reader) { reader throws(ByteError) in
            let (uuid, object) = (Array(try reader.bytes(16)), Array(try reader.bytes(16)))
            let (name, type, created) = (try reader.string(), try reader.string(), try reader.i64())
            let (metadata, identifier) = (try data(&reader), try text(&reader))
            let named = try identifier.map { text throws(ByteError) in
                SyncPage.Named(type: try reader.string(), source: try id(&reader), identifier: text)
            }
            let content = try data(&reader)
            let row = AttachmentRow(
                uuid: uuid, object: object, name: name, type: type, bytes: Int64(content.count), created: created,
                metadata: metadata.isEmpty ? nil : metadata)
            return .init(row: row, content: content, named: named)
        }
    }

    private static func list<T>(
        _ reader: inout ByteReader, _ one: (inout ByteReader) throws(ByteError) -> T
    ) throws(ByteError) -> [T] {
        let count = try reader.varint()
        // Each item takes at least a byte, and some of them many more in memory.
        guard count <= UInt64(reader.remaining), count <= mostItems else {
            throw ByteError(offset: reader.offset, what: "\(count) items in \(reader.remaining) bytes")
        }
        var all = [T]()
        for _ in 0..<count { all.append(try one(&reader)) }
        return all
    }

    private static func id(_ reader: inout ByteReader) throws(ByteError) -> Int64 {
        let number = try reader.varint()
        guard let id = Int64(exactly: number) else { throw ByteError(offset: reader.offset, what: "number \(number)") }
        return id
    }

    private static func data(_ reader: inout ByteReader) throws(ByteError) -> [UInt8] {
        let count = try reader.varint()
        guard count <= UInt64(reader.remaining) else {
            throw ByteError(offset: reader.offset, what: "\(count) of \(reader.remaining) bytes")
        }
        return Array(try reader.bytes(Int(count)))
    }

    private static func text(_ reader: inout ByteReader) throws(ByteError) -> String? {
        try reader.u8() == 0 ? nil : try reader.string()
    }

    private static func number64(_ reader: inout ByteReader) throws(ByteError) -> Int64? {
        try reader.u8() == 0 ? nil : try reader.i64()
    }
}
