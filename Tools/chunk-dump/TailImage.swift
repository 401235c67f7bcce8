// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat

// A row of the catalog's tail (`Docs/Format/Tail.md`), represented as a small segment: blocks without an index.
extension SegmentImage {
    /// The supported version of a row's body.
    private static let tailVersion: UInt8 = 1

    /// Reads the blocks of a row; errors are added to the problems.
    init(tailRow seq: Int64, body: [UInt8], store: [UInt8]) {
        self.init(
            path: "tail row \(seq)", bytes: body + [UInt8](repeating: 0, count: SegmentFormat.spareBytes),
            size: body.count, tailPosition: UInt64(bitPattern: seq))
        assumed.store = store
        var reader = ByteReader(body)
        do throws(ByteError) {
            let version = try reader.u8()
            guard version == Self.tailVersion else {
                throw ByteError(offset: 0, what: "version \(version) is not supported, only \(Self.tailVersion)")
            }
            while reader.remaining > 0 {
                let series = try reader.varint()
                let length = try reader.varint()
                guard length <= UInt64(reader.remaining) else {
                    throw ByteError(offset: reader.offset, what: "a block of \(length) bytes extends beyond the end")
                }
                addTailBlock(at: reader.offset, Int(length), series)
                try reader.skip(Int(length))
            }
        } catch {
            problems.append("\(path): \(error)")
        }
    }

    private mutating func addTailBlock(at offset: Int, _ length: Int, _ series: UInt64) {
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        var info = BlockInfo(
            number: blocks.count, offset: UInt64(offset), length: length, series: series, state: .intact,
            stored: length >= 4 ? little32(offset + length - 4) : nil, computed: nil, summary: nil, isIndexed: true)
        if let error = decode(info, &decoder, buffer) {
            info = BlockInfo(
                number: info.number, offset: info.offset, length: length, series: series, state: .damaged,
                stored: info.stored, computed: nil, summary: nil, isIndexed: true)
            problems.append("\(path), block \(info.number): \(error)")
        } else {
            info.summary = SegmentImage.summary(buffer)
        }
        blocks.append(info)
    }
}
