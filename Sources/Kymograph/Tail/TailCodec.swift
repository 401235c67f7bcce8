// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Kernels

/// The encoder and decoder of a row of the tail, which holds the blocks of one commit. `Docs/Format/Tail.md` describes
/// the bytes.
struct TailCodec {
    /// The version of written rows.
    static let version: UInt8 = 1
    /// Bytes after a block that its decoder may read.
    private static let spare = 64

    let store: [UInt8]
    private var unitChecksum = UnitChecksum()
    private let block = BlockBuffer()

    init(store: [UInt8]) { self.store = store }

    /// Encodes the row of commit `seq` from drafts, one after the other.
    ///
    /// - Parameter first: the index of the first block in the row.
    mutating func close(
        _ drafts: [TailDraft], seq: Int64, from first: Int = 0
    ) throws(FormatError) -> (body: [UInt8], blocks: [TailBlock]) {
        var body = ByteWriter(capacity: drafts.reduce(16) { $0 + $1.bytes + 32 * $1.parts.count })
        var blocks = [TailBlock]()
        body.put(Self.version)
        for part in drafts.lazy.flatMap(\.parts) {
            var one = part.bytes
            try unitChecksum.close(&one, from: 0, of: identity(part.series, seq))
            let length = one.count
            body.put(varint: UInt64(part.series))
            body.put(varint: UInt64(length))
            body.put(bytes: one.bytes)
            one.bytes.append(contentsOf: repeatElement(0, count: Self.spare))
            var summary = part.summary
            if part.isBornNow { (summary.minBorn, summary.maxBorn) = (seq, seq) }
            blocks.append(
                TailBlock(
                    seq: seq, ordinal: UInt64(first + blocks.count), series: part.series, store: store,
                    bytes: one.bytes,
                    length: length, summary: summary))
        }
        return (body.bytes, blocks)
    }

    /// Decodes the blocks of a row. Each block is verified, and decoded once for its summary.
    mutating func decode(_ body: [UInt8], seq: Int64) throws(StoreError) -> [TailBlock] {
        let place = "tail row \(seq)"
        var blocks = [TailBlock]()
        do throws(ByteError) {
            var reader = ByteReader(body)
            let version = try reader.u8()
            guard version == Self.version else {
                throw ByteError(offset: 0, what: "version \(version) of the tail is unknown")
            }
            while reader.remaining > 0 {
                let series = try reader.varint()
                let length = try reader.varint()
                guard length <= UInt64(reader.remaining), series > 0, series <= UInt64(Int64.max) else {
                    throw ByteError(offset: reader.offset, what: "invalid block: \(length) bytes of series \(series)")
                }
                var bytes = [UInt8]()
                bytes.reserveCapacity(Int(length) + Self.spare)
                bytes.append(contentsOf: try reader.bytes(Int(length)))
                bytes.append(contentsOf: [UInt8](repeating: 0, count: Self.spare))
                blocks.append(try summarized(bytes, Int(length), Int64(series), seq, UInt64(blocks.count)))
            }
        } catch {
            throw StoreError(.corrupt, error.what, path: place, offset: UInt64(error.offset))
        }
        return blocks
    }

    private func summarized(
        _ bytes: [UInt8], _ length: Int, _ series: Int64, _ seq: Int64, _ ordinal: UInt64
    ) throws(ByteError) -> TailBlock {
        var decoder = BlockDecoder()
        do throws(FormatError) {
            try decoder.decode(
                bytes, at: 0, length: length, identity: identity(series, seq),
                columns: [.starts, .ends, .values, .born],
                into: block)
        } catch {
            throw ByteError(offset: Int(clamping: error.offset), what: error.description)
        }
        let born = block.born.bounds(count: block.count) ?? (seq, seq)
        let summary = Kernel.summarize(
            starts: block.starts, ends: block.hasEnds ? block.ends : nil, values: block.values,
            range: 0..<block.count, minBorn: born.0, maxBorn: born.1)
        return TailBlock(
            seq: seq, ordinal: ordinal, series: series, store: store, bytes: bytes, length: length, summary: summary)
    }

    private func identity(_ series: Int64, _ seq: Int64) -> BlockIdentity {
        BlockIdentity(store: store, segment: TailBlock.noSegment, series: UInt64(series), position: UInt64(seq))
    }
}

/// Samples of one series in the tail: one encoded block of one row.
final class TailBlock: Sendable {
    let seq: Int64
    /// The index of the block in its row.
    let ordinal: UInt64
    let series: Int64
    let store: [UInt8]
    /// The encoded block, followed by spare bytes for the decoder.
    let bytes: [UInt8]
    let length: Int
    let summary: Summary

    init(
        seq: Int64, ordinal: UInt64, series: Int64, store: [UInt8], bytes: [UInt8], length: Int, summary: Summary
    ) {
        self.seq = seq
        self.ordinal = ordinal
        self.series = series
        self.store = store
        self.bytes = bytes
        self.length = length
        self.summary = summary
    }

    /// The segment id of blocks in the tail: all zeros.
    static let noSegment = [UInt8](repeating: 0, count: 16)

    var identity: BlockIdentity {
        BlockIdentity(store: store, segment: Self.noSegment, series: UInt64(series), position: UInt64(seq))
    }

    func explained(_ error: FormatError) -> StoreError {
        StoreError(error, path: "tail row \(seq)").concerning(series, TimeRange(of: summary))
    }
}
