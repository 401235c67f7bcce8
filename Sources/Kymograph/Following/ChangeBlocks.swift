// SPDX-License-Identifier: Apache-2.0

package import Bytes
import ChunkFormat

/// Encodes samples of changes as blocks for another store. `Docs/Format/Sync.md` describes the bytes.
///
/// The checksum of a block covers the sending store and the block's place in its page, so that lost, repeated and
/// exchanged blocks are found.
package struct ChangeBlockEncoder {
    /// The value in place of a segment's id in the identity of a block.
    static let segment = Array("kymograph change".utf8)

    private let store: [UInt8]
    private var encoder = BlockEncoder()
    private let block = BlockBuffer()
    private var series: Int64 = 0

    /// - Parameter store: the id of the sending store, 16 bytes.
    package init(store: [UInt8]) { self.store = store }

    /// The most samples of a block.
    package static var mostSamples: Int { SegmentFormat.maximumSamples }

    /// Appends the bytes of a block.
    ///
    /// - Parameters:
    ///   - rows: 1 to `mostSamples` samples, in the order of a run.
    ///   - series: the number of the series in the sending store.
    ///   - place: the number of the block in its page.
    package mutating func encode(
        _ rows: SampleRows, series: Int64, place: Int, into writer: inout ByteWriter
    ) throws(StoreError) {
        // The encoder adapts to the blocks of one series.
        if series != self.series { encoder.forget() }
        self.series = series
        rows.fill(block, 0..<rows.count)
        let identity = Self.identity(store, series, place)
        try inFormat("changes") { () throws(FormatError) in
            _ = try encoder.encode(block, identity: identity, into: &writer)
        }
    }

    fileprivate static func identity(_ store: [UInt8], _ series: Int64, _ place: Int) -> BlockIdentity {
        BlockIdentity(
            store: store, segment: segment, series: UInt64(bitPattern: series),
            position: UInt64(UInt(bitPattern: place)))
    }
}

/// Decodes the blocks of a `ChangeBlockEncoder`.
package struct ChangeBlockDecoder {
    private let store: [UInt8]
    private var decoder = BlockDecoder()
    private let block = BlockBuffer()

    /// - Parameter store: the id of the sending store, 16 bytes.
    package init(store: [UInt8]) { self.store = store }

    /// Verifies a block and appends its samples to rows of the same series.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of the page; a copy is made of the last block without 64 bytes after it.
    ///   - series: the number of the series in the sending store.
    ///   - place: the number of the block in its page.
    /// - Throws: `corrupt` for any other bytes, and for samples that no store holds.
    package mutating func decode(
        _ bytes: [UInt8], _ range: Range<Int>, series: Int64, place: Int, into rows: inout SampleRows
    ) throws(StoreError) {
        let identity = ChangeBlockEncoder.identity(store, series, place)
        try inFormat("changes") { () throws(FormatError) in
            try decoder.decode(
                bytes, at: range.lowerBound, length: range.count, identity: identity, columns: .all, into: block)
        }
        guard block.born.isAbsent, !block.identityHigh.isAbsent else {
            throw StoreError(.corrupt, "a block of changes without identities, or with commits", path: "changes")
        }
        for row in 0..<block.count {
            guard block.starts[row] >= TimeLimits.earliest, block.end(at: row) <= TimeLimits.latest else {
                throw StoreError(.corrupt, "a changed sample has a time that no store holds", path: "changes")
            }
        }
        rows.append(block)
    }
}

extension SampleBatch {
    /// The samples with all side columns except their commits, for another store.
    ///
    /// - Requires: the scan requested all columns.
    package var transferred: SampleRows {
        var result = SampleRows()
        result.append(block, rows, born: 0)
        result.born = .absent
        return result
    }

    /// The commit of all samples; nil if they may differ.
    ///
    /// - Requires: the scan requested commits.
    package var sharedCommit: Int64? {
        switch block.born {
        case .absent: runBorn
        case .constant(let commit): commit
        case .sequence, .values: nil
        }
    }
}

extension SampleRows {
    /// Makes room for starts and values of points, so that their arrays do not grow step by step.
    package mutating func reserve(_ count: Int) {
        starts.reserveCapacity(count)
        values.reserveCapacity(count)
    }

    /// Replaces the row numbers of provenances and metadata sets by those of another store.
    package mutating func replaceOrigins<E: Error>(
        provenance: (Int64) throws(E) -> Int64, metadata: (Int64) throws(E) -> Int64
    ) throws(E) {
        self.provenance = try Self.replaced(self.provenance, count, provenance)
        self.metadata = try Self.replaced(self.metadata, count, metadata)
    }

    private static func replaced<E: Error>(
        _ column: IntColumn, _ count: Int, _ new: (Int64) throws(E) -> Int64
    ) throws(E) -> IntColumn {
        switch column {
        case .absent: return .absent
        case .constant(let number): return .constant(try new(number))
        case .sequence(let first):
            var numbers = [Int64]()
            for place in 0..<count { numbers.append(try new(first &+ Int64(place))) }
            return IntColumn.values(numbers).simplified(count: count)
        case .values(let old):
            var numbers = [Int64]()
            numbers.reserveCapacity(old.count)
            var last: (old: Int64, new: Int64)?
            for number in old {
                let made = last?.old == number ? last?.new ?? 0 : try new(number)
                last = (number, made)
                numbers.append(made)
            }
            return IntColumn.values(numbers).simplified(count: count)
        }
    }

    /// The number of the metadata set that all rows share, 0 for none; nil if the numbers may differ.
    package var sharedMetadata: Int64? {
        switch metadata {
        case .absent: 0
        case .constant(let number): number
        case .sequence, .values: nil
        }
    }

    /// Whether all rows have the same provenance and the same metadata set.
    package var sharesOrigin: Bool {
        func isShared(_ column: IntColumn) -> Bool {
            switch column {
            case .absent, .constant: true
            case .sequence, .values: false
            }
        }
        return isShared(provenance) && isShared(metadata)
    }

    /// Returns the number of a row's metadata set; 0 for none, negative for a row of an object.
    package func metadata(of row: Int) -> Int64 { metadata.value(at: row) ?? 0 }

    /// Returns the number of a row's provenance.
    package func provenance(of row: Int) -> Int64 { provenance.value(at: row) ?? 0 }

    /// Returns the identity of a row.
    package func storedIdentity(_ row: Int) -> SampleIdentity { identity(row) }

    /// Appends rows of the same series.
    package mutating func append(rows other: SampleRows) { append(other) }
}

extension ChangeAnchor {
    /// Returns the anchor at the beginning of the samples of a range of commits, which ends with this anchor.
    ///
    /// - Parameter begin: the anchor at which the range begins; nil for the first commit.
    package func beginning(after begin: ChangeAnchor?) -> ChangeAnchor {
        rewound(from: begin, before: .min + 1, of: SeriesID(rawValue: 0))
    }
}

extension Snapshot {
    /// Returns the known deletions of a range of commits, in their order.
    package func deletions(of ids: [SeriesID], after first: Int64, through last: Int64) -> [ChangedDeletion] {
        deletions(of: ids, in: CommitRange(after: first, through: last))
    }
}

extension TimeSeriesStore {
    /// The id of the store, 16 bytes.
    package var storeIdentity: [UInt8] { context.storeID }

    /// Gives the memory of mapped files back, after a call that read much and read it once.
    package func releaseMappedPages() { for file in context.version.segments.values { file.releasePages() } }
}
