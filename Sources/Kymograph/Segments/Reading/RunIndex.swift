// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import Synchronization
import TimeIndex

/// The blocks of one series in one segment, found through the segment's index pages, which are read on demand.
final class RunIndex: IndexPageSource, IndexRootHolder, Sendable {
    let file: SegmentFile
    let series: Int64
    let summary: Summary
    let root: IndexRoot
    /// How many blocks it has.
    let blocks: Int64
    /// The root page while it is in memory; the pages below it hang on it.
    private let top = Mutex<IndexNode?>(nil)

    init(file: SegmentFile, row: RunRow, summary: Summary) {
        self.file = file
        self.series = row.series
        self.root = IndexRoot(
            offset: UInt64(clamping: row.rootOffset), length: UInt32(clamping: row.rootLength),
            levels: UInt8(clamping: row.levels))
        self.blocks = row.blocks
        self.summary = summary
    }

    var levels: UInt8 { root.levels }

    /// The root page; nil for a run without blocks.
    func rootNode() throws(StoreError) -> IndexNode? {
        guard levels > 0 else { return nil }
        if let known = top.withLock({ $0 }) {
            known.touch()
            return known
        }
        let fresh = try load(root.offset, root.length, level: levels - 1, below: summary)
        // The pages below stand right before it. A large index is read as it is needed.
        if fresh.level > 0, fresh.offset(0) < root.offset, root.offset - fresh.offset(0) <= 1 << 20 {
            file.willNeed(fresh.offset(0)..<root.offset)
        }
        file.cache.keep(fresh, rootOf: self)
        return fresh
    }

    func hang(_ root: IndexNode) { top.withLock { $0 = root } }

    func forget(_ root: IndexNode) { top.withLock { if $0 === root { $0 = nil } } }

    /// A page, read and decoded now, as columns. `below` is what the page above says of it.
    func load(
        _ offset: UInt64, _ length: UInt32, level: UInt8, below: @autoclosure () -> Summary
    ) throws(StoreError) -> IndexNode {
        do throws(IndexError) {
            return IndexNode(try page(offset: offset, length: length, level: level))
        } catch {
            let isDamage = error.kind != .unreadable
            if !isDamage, file.isExpired { throw file.expiry }
            let found = StoreError(
                isDamage ? .corrupt : .inputOutput, error.description, path: file.path, offset: error.offset
            ).concerning(series, TimeRange(of: below()))
            if isDamage { file.telemetry?.noteDamage(found) }
            throw found
        }
    }

    /// A page, read and decoded now.
    func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage {
        guard level < IndexFormat.maximumLevels else { throw IndexError(.malformed, at: offset, "level \(level)") }
        var bytes = [UInt8]()
        do throws(StoreError) {
            try file.copy(offset, length, into: &bytes)
        } catch {
            throw IndexError(error.isDamage ? .damaged : .unreadable, at: offset, error.message)
        }
        let owner = IndexIdentity(store: file.store, segment: file.row.uuid, series: UInt64(series))
        return try IndexPage.decode(bytes, length: Int(length), identity: owner, position: offset, level: level)
    }

    /// What the trailers of this run's units are bound to.
    func identity(_ position: UInt64) -> BlockIdentity {
        BlockIdentity(store: file.store, segment: file.row.uuid, series: UInt64(series), position: position)
    }

    /// An error at a block with the samples that it hides: those of the block, if its index names them, else the run's.
    func explained(_ error: StoreError, at offset: UInt64) -> StoreError {
        var range = TimeRange(of: summary)
        var survey = TolerantIndexScan(self)
        survey.run { finding in
            if case .block(let entry) = finding, entry.offset == offset { range = TimeRange(of: entry.summary) }
        }
        let found = error.concerning(series, range)
        file.telemetry?.noteDamage(found)
        return found
    }
}

/// Some samples of one series in the tail: one encoded block of one tail row.
final class TailBlock: Sendable {
    let seq: Int64
    /// The place of the block in its row.
    let ordinal: UInt64
    let series: Int64
    let store: [UInt8]
    /// The encoded block, with spare bytes behind it for the decoder.
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

    /// The segment of blocks that are in no segment.
    static let noSegment = [UInt8](repeating: 0, count: 16)

    var identity: BlockIdentity {
        BlockIdentity(store: store, segment: Self.noSegment, series: UInt64(series), position: UInt64(seq))
    }

    func explained(_ error: FormatError) -> StoreError {
        StoreError(error, path: "tail row \(seq)").concerning(series, TimeRange(of: summary))
    }
}

/// Samples of one series in order: a piece of a segment, or a batch in the tail.
enum Run: Sendable {
    case segment(RunIndex)
    case tail(TailBlock)

    var summary: Summary {
        switch self {
        case .segment(let run): run.summary
        case .tail(let block): block.summary
        }
    }

    // Of one field not the whole summary is copied: a query asks every run whether it matters.
    var firstStart: Int64 {
        switch self {
        case .segment(let run): run.summary.firstStart
        case .tail(let block): block.summary.firstStart
        }
    }
    var lastStart: Int64 {
        switch self {
        case .segment(let run): run.summary.lastStart
        case .tail(let block): block.summary.lastStart
        }
    }
    var maxEnd: Int64 {
        switch self {
        case .segment(let run): run.summary.maxEnd
        case .tail(let block): block.summary.maxEnd
        }
    }
}
