// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat

/// Encodes and decodes the list of a tombstone. `Docs/Format/Catalog.md` describes the bytes.
struct TombstoneCodec {
    /// The version of the encoding.
    static let version: UInt8 = 1
    /// Bytes after a block that its decoder may read.
    private static let spare = 64
    /// The value in place of a segment's id in the identity of the blocks.
    private static let segment = Array("kymo tombstone!!".utf8)

    let store: [UInt8]
    private var encoder = BlockEncoder()
    private var decoder = BlockDecoder()
    private let block = BlockBuffer()

    init(store: [UInt8]) { self.store = store }

    /// Returns the catalog's row of a tombstone.
    mutating func row(_ one: Tombstone) throws(StoreError) -> TombstoneRow {
        var body: [UInt8]?
        if let listed = one.listed {
            body = try inFormat("tombstone \(one.id)") { () throws(FormatError) in
                try encode(listed, identity(one.series, one.id))
            }
        }
        return TombstoneRow(
            id: one.id, series: one.series, born: one.born, start: one.range.start, end: one.range.end,
            count: one.count, body: body)
    }

    private mutating func encode(_ listed: ListedSamples, _ place: BlockIdentity) throws(FormatError) -> [UInt8] {
        var body = ByteWriter(capacity: 256)
        body.put(Self.version)
        var at = 0
        while at < listed.count {
            let end = min(listed.count, at + SegmentFormat.usualSamples)
            block.reset()
            block.count = end - at
            for i in at..<end {
                block.starts[i - at] = listed.starts[i]
                block.values[i - at] = 0
            }
            block.identityHigh = .values(Array(listed.highs[at..<end])).simplified(count: end - at)
            block.identityLow = .values(Array(listed.lows[at..<end])).simplified(count: end - at)
            var one = ByteWriter(capacity: 256)
            _ = try encoder.encode(block, identity: place, into: &one)
            body.put(varint: UInt64(one.count))
            body.put(bytes: one.bytes)
            at = end
        }
        return body.bytes
    }

    /// Verifies and returns the tombstone of a row.
    mutating func tombstone(_ row: TombstoneRow) throws(StoreError) -> Tombstone {
        var listed: ListedSamples?
        do throws(ByteError) {
            if let body = row.body { listed = try decode(body, row) }
        } catch {
            throw StoreError(
                .corrupt, "the list of deleted samples is damaged: \(error.what)", path: "tombstone \(row.id)",
                offset: UInt64(error.offset))
        }
        return Tombstone(
            id: row.id, series: row.series, born: row.born, range: TimeRange(row.start, row.end), count: row.count,
            listed: listed)
    }

    private mutating func decode(_ body: [UInt8], _ row: TombstoneRow) throws(ByteError) -> ListedSamples {
        var reader = ByteReader(body)
        guard try reader.u8() == Self.version else {
            throw ByteError(offset: 0, what: "unknown version")
        }
        var listed = ListedSamples()
        while reader.remaining > 0 {
            let start = reader.offset
            let length = try reader.varint()
            guard length <= UInt64(reader.remaining) else {
                throw ByteError(offset: start, what: "a block of \(length) bytes")
            }
            let bytes = Array(try reader.bytes(Int(length))) + [UInt8](repeating: 0, count: Self.spare)
            do throws(FormatError) {
                try decoder.decode(
                    bytes, at: 0, length: Int(length), identity: identity(row.series, row.id),
                    columns: [.starts, .identity], into: block)
            } catch {
                throw ByteError(offset: start, what: error.description)
            }
            for i in 0..<block.count {
                guard !block.identityHigh.isAbsent, row.start <= block.starts[i], block.starts[i] < row.end,
                    listed.starts.last ?? .min <= block.starts[i]
                else { throw ByteError(offset: start, what: "a sample is out of order or outside of the range") }
                listed.append(block.starts[i], block.identityHigh.at(i), block.identityLow.at(i))
            }
        }
        guard !listed.isEmpty else { throw ByteError(offset: 0, what: "the list is empty") }
        return listed
    }

    private func identity(_ series: Int64, _ id: Int64) -> BlockIdentity {
        BlockIdentity(store: store, segment: Self.segment, series: UInt64(series), position: UInt64(id))
    }
}
