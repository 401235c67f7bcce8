// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat

/// A row of the tail, possibly with damaged blocks. Each block is verified and decoded whole.
struct TailSalvage {
    /// The row with its intact blocks only; nil if none is intact.
    private(set) var row: TailRow?
    private(set) var blocks = 0
    private(set) var samples = 0
    private(set) var series: Set<Int64> = []
    private(set) var losses: [RepairReport.Loss] = []
    /// The greatest metadata number of a sample.
    private(set) var highestMetadata: Int64 = 0
    /// The numbers in the provenance column, each with a series that uses it.
    private(set) var provenances: [Int64: Int64] = [:]
    private let path: String
    private let seq: Int64

    /// - Parameters:
    ///   - known: samples found elsewhere; a block with only such samples is left out.
    init(_ row: TailRow, store: [UInt8], path: String, leavingOut known: Set<SampleMark> = []) {
        self.path = path
        seq = row.seq
        var body = ByteWriter(capacity: row.body.count)
        body.put(TailCodec.version)
        let buffer = BlockBuffer()
        var decoder = BlockDecoder()
        do throws(ByteError) {
            var reader = ByteReader(row.body)
            guard try reader.u8() == TailCodec.version else {
                throw ByteError(offset: 0, what: "unknown version of the row")
            }
            while reader.remaining > 0 {
                let start = reader.offset
                let series = try reader.varint()
                let length = try reader.varint()
                guard length <= UInt64(reader.remaining), series > 0, series <= UInt64(Int64.max / 2) else {
                    throw ByteError(offset: start, what: "an invalid block of \(length) bytes of series \(series)")
                }
                let bytes = Array(try reader.bytes(Int(length)))
                let place = BlockIdentity(
                    store: store, segment: TailBlock.noSegment, series: series, position: UInt64(row.seq))
                do throws(FormatError) {
                    try decoder.decode(
                        bytes, at: 0, length: bytes.count, identity: place, columns: .all, into: buffer)
                } catch {
                    lose(Int64(series), start, error.description, Self.count(bytes, series))
                    continue
                }
                if SampleMark.areAll(Int64(series), of: buffer, in: known) { continue }
                body.put(varint: series)
                body.put(varint: length)
                body.put(bytes: bytes)
                blocks += 1
                samples += buffer.count
                highestMetadata = max(highestMetadata, buffer.metadata.bounds(count: buffer.count)?.greatest ?? 0)
                buffer.noteProvenances(Int64(series), in: &provenances)
                self.series.insert(Int64(series))
            }
        } catch {
            lose(nil, error.offset, error.what)
        }
        if blocks > 0 { self.row = TailRow(seq: row.seq, body: body.bytes) }
    }

    /// Returns the number of samples in a damaged block according to its header; nil if the header is implausible.
    private static func count(_ bytes: [UInt8], _ series: UInt64) -> Int? {
        guard let header = try? BlockHeader.decode(bytes, at: 0, end: bytes.count), header.series == series,
            header.length == bytes.count
        else { return nil }
        return header.count
    }

    private mutating func lose(_ series: Int64?, _ offset: Int, _ what: String, _ count: Int? = nil) {
        let held = count.map { " (perhaps \($0) samples)" } ?? ""
        let unknown = series == nil ? "their series and times are unknown" : "their times are unknown"
        losses.append(
            RepairReport.Loss(
                path: path, series: series.map { SeriesID(rawValue: $0) },
                message: "the tail's row of commit \(seq) is damaged at its byte \(offset)\(held); \(unknown): "
                    + what))
    }
}

extension BlockBuffer {
    /// Records the numbers in the provenance column, each with a series that uses it.
    func noteProvenances(_ series: Int64, in found: inout [Int64: Int64]) {
        if case .constant(let number) = provenance {
            found[number] = series
            return
        }
        for row in 0..<count {
            if let number = provenance.value(at: row) { found[number] = series }
        }
    }
}
