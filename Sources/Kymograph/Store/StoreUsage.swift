// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// The bytes of one encoding of one column.
public struct ColumnUsage: Hashable, Sendable {
    /// `start`, `end`, `value`, a side column such as `provenance`, or `(block)` for headers and trailers.
    public var column: String
    /// The encoding, as named in `Docs/Format/Columns.md`.
    public var encoding: String
    /// Blocks in which the column has this encoding.
    public var blocks: Int
    /// Samples in these blocks.
    public var samples: Int
    /// Bytes of the column in these blocks.
    public var bytes: Int
}

/// The bytes of a series on disk, column by column.
public struct SeriesUsage: Hashable, Sendable {
    /// The series.
    public var series: Series
    /// Samples of its blocks, including deleted samples.
    public var samples: Int
    /// Deleted samples that still take space.
    public var deletedSamples: Int
    /// Its blocks, including blocks of the tail.
    public var blocks: Int
    /// Bytes of its blocks, all columns together, without the index and the catalog, which all series share.
    public var bytes: Int
    /// The columns in the order on disk; within a column the encoding with the most bytes first.
    public var columns: [ColumnUsage]
}

extension TimeSeriesStore {
    /// Returns the bytes of each series on disk, by column and encoding, in the order of the series' numbers.
    ///
    /// Reads every block and checks its checksum, but decodes no column.
    /// - Throws: `closed`, `corrupt`, `inputOutput`.
    /// - Complexity: O(bytes of the store).
    public func usage() throws(StoreError) -> [SeriesUsage] {
        try requireOpen()
        let snapshot = snapshot()
        var result = [SeriesUsage]()
        for series in snapshot.series {
            var counter = UsageCounter()
            for run in snapshot.runs(series.id) {
                switch run {
                case .tail(let block):
                    try counter.add(block.bytes, length: block.length, block.identity, path: "tail row \(block.seq)")
                case .segment(let index):
                    var bytes = [UInt8]()
                    for entry in try index.blocks(startingIn: .all, nil) {
                        let key = try index.file.copy(entry.offset, entry.length, into: &bytes)
                        try counter.add(
                            &bytes, length: Int(entry.length), index.identity(entry.offset), key,
                            path: index.file.path)
                    }
                }
            }
            result.append(
                counter.usage(
                    of: series, deleted: snapshot.version.tombstones[series.id.rawValue]?.hidden ?? 0))
        }
        return result
    }
}

/// Adds up the columns of blocks.
private struct UsageCounter {
    private var found: [String: [String: ColumnUsage]] = [:]
    private var samples = 0
    private var blocks = 0
    private var bytes = 0
    private let scratch = BlockBuffer()
    private var decoder = BlockDecoder()
    private var opener = UnitOpener()

    /// Adds a block of a segment, which is opened in place if the segment is encrypted.
    mutating func add(
        _ block: inout [UInt8], length: Int, _ identity: BlockIdentity, _ key: SegmentKey?, path: String
    ) throws(StoreError) {
        decoder.isVerifying = key == nil
        defer { decoder.isVerifying = true }
        guard let key else { return try add(block, length: length, identity, path: path) }
        var plain = length
        do throws(FormatError) {
            plain = try opener.open(&block, at: 0, length: length, of: identity, key: key, "block")
        } catch { throw StoreError(error, path: path) }
        try add(block, length: plain, identity, path: path)
        add("(tag)", "of the encrypted block", 0, length - plain)
        bytes += length - plain
    }

    mutating func add(
        _ block: [UInt8], length: Int, _ identity: BlockIdentity, path: String
    ) throws(StoreError) {
        let anatomy: BlockAnatomy
        do throws(FormatError) {
            // Verifies the checksum, but decodes no column.
            try decoder.decode(block, at: 0, length: length, identity: identity, columns: [], into: scratch)
            anatomy = try BlockAnatomy(block, at: 0)
        } catch {
            throw StoreError(error, path: path)
        }
        let count = anatomy.header.count
        samples += count
        blocks += 1
        bytes += length
        add("(block)", "header and trailer", count, BlockHeader.size + SegmentFormat.trailerBytes)
        for place in anatomy.columns {
            add(place.name, place.encodingName(block, anatomy.header), count, place.range.count)
        }
    }

    private mutating func add(_ column: String, _ encoding: String, _ samples: Int, _ bytes: Int) {
        var use =
            found[column, default: [:]][encoding]
            ?? ColumnUsage(column: column, encoding: encoding, blocks: 0, samples: 0, bytes: 0)
        use.blocks += 1
        use.samples += samples
        use.bytes += bytes
        found[column, default: [:]][encoding] = use
    }

    func usage(of series: Series, deleted: Int) -> SeriesUsage {
        let names = ["(block)", "(tag)", "start", "end", "value"] + IntegerColumn.allCases.dropFirst(2).map(\.name)
        let columns = names.flatMap { name in
            (found[name].map { Array($0.values) } ?? []).sorted { ($0.bytes, $1.encoding) > ($1.bytes, $0.encoding) }
        }
        return SeriesUsage(
            series: series, samples: samples, deletedSamples: deleted, blocks: blocks, bytes: bytes, columns: columns)
    }
}
