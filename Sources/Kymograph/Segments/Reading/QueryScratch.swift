// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import Synchronization

/// The working memory of a query: one decoded block and its encoded bytes. A scratch must be used by one thread at a
/// time.
///
/// The large parts come from a pool and return to it at the end, so a scratch is cheap to create.
final class QueryScratch {
    private let workspace: Workspace
    let explanation: QueryExplanation?
    private var ahead = ReadAhead()

    init(_ explanation: QueryExplanation?) {
        self.explanation = explanation
        workspace = Workspace.pool.withLock { $0.popLast() } ?? Workspace()
    }

    deinit { workspace.giveBack() }

    var block: BlockBuffer { workspace.block }

    /// Decodes a block of a segment into `block`.
    func load(_ run: RunIndex, _ offset: UInt64, _ length: UInt32, _ columns: ColumnSet) throws(StoreError) {
        let length = try read(run, offset, length)
        do throws(FormatError) {
            try workspace.decoder.decode(
                workspace.bytes, at: 0, length: length, identity: run.identity(offset), columns: columns,
                into: block)
        } catch {
            throw run.explained(StoreError(error, path: run.file.path), at: offset)
        }
        note(length, block.count)
    }

    /// Decodes all columns of a block of a segment into `block`. An error does not name the affected samples.
    func loadPlainly(_ run: RunIndex, _ offset: UInt64, _ length: UInt32) throws(StoreError) {
        let length = try fetch(run, offset, length)
        try inFormat(run.file.path) { () throws(FormatError) in
            try workspace.decoder.decode(
                workspace.bytes, at: 0, length: length, identity: run.identity(offset), columns: .all, into: block)
        }
    }

    /// Decodes a block of the tail into `block`.
    func load(_ tail: TailBlock, _ columns: ColumnSet) throws(StoreError) {
        do throws(FormatError) {
            try workspace.tailDecoder.decode(
                tail.bytes, at: 0, length: tail.length, identity: tail.identity, columns: columns, into: block)
        } catch {
            throw tail.explained(error)
        }
        note(tail.length, block.count)
    }

    /// Decodes a block of a segment into `block`, without the samples that a mask hides.
    func load(
        _ run: RunIndex, _ offset: UInt64, _ length: UInt32, _ columns: ColumnSet, _ mask: Mask?
    ) throws(StoreError) {
        guard let mask else { return try load(run, offset, length, columns) }
        try load(run, offset, length, columns.union(mask.columns))
        hide(mask)
    }

    /// Decodes a block of the tail into `block`, without the samples that a mask hides.
    func load(_ tail: TailBlock, _ columns: ColumnSet, _ mask: Mask?) throws(StoreError) {
        guard let mask else { return try load(tail, columns) }
        if mask.overlap(tail.summary.firstStart, tail.summary.lastStart) == .all { return block.reset() }
        try load(tail, columns.union(mask.columns))
        hide(mask)
    }

    private func hide(_ mask: Mask) {
        explanation?.blocksMasked += 1
        mask.apply(to: block)
    }

    /// Decodes a whole block of a segment into `entry.count` rows of a sink.
    func load(_ run: RunIndex, _ entry: BlockEntry, into sink: SampleSink, row: Int) throws(StoreError) {
        let length = try read(run, entry.offset, entry.length)
        do throws(FormatError) {
            try workspace.decoder.decode(
                workspace.bytes, at: 0, length: length, identity: run.identity(entry.offset),
                into: sink.rows(from: row, Int(entry.count)))
        } catch {
            throw run.explained(StoreError(error, path: run.file.path), at: entry.offset)
        }
        note(Int(entry.length), Int(entry.count))
    }

    /// Decodes the samples of a block of a segment that start in a range into rows of a sink. Returns their number.
    func load(
        _ run: RunIndex, _ entry: BlockEntry, _ range: TimeRange, into sink: SampleSink, row: Int
    ) throws(StoreError) -> Int {
        if range.isEmpty { return 0 }
        let length = try read(run, entry.offset, entry.length)
        do throws(FormatError) {
            let count = try workspace.decoder.decode(
                workspace.bytes, at: 0, length: length, identity: run.identity(entry.offset),
                startingIn: range.start..<range.end,
                into: sink.rows(from: row, min(Int(entry.count), sink.room - row)))
            note(Int(entry.length), Int(entry.count))
            return count
        } catch {
            throw run.explained(StoreError(error, path: run.file.path), at: entry.offset)
        }
    }

    /// Decodes the samples of a block of the tail that start in a range into rows of a sink. Returns their number.
    func load(_ tail: TailBlock, _ range: TimeRange, into sink: SampleSink, row: Int) throws(StoreError) -> Int {
        if range.isEmpty { return 0 }
        do throws(FormatError) {
            let count = try workspace.tailDecoder.decode(
                tail.bytes, at: 0, length: tail.length, identity: tail.identity, startingIn: range.start..<range.end,
                into: sink.rows(from: row, min(Int(tail.summary.count), sink.room - row)))
            note(tail.length, Int(tail.summary.count))
            return count
        } catch {
            throw tail.explained(error)
        }
    }

    /// Copies the bytes of a block into the workspace, as `fetch` does.
    private func read(_ run: RunIndex, _ offset: UInt64, _ length: UInt32) throws(StoreError) -> Int {
        ahead.note(run.file, offset, length)
        do throws(StoreError) { return try fetch(run, offset, length) } catch {
            throw run.explained(error, at: offset)
        }
    }

    /// Copies the bytes of a block into the workspace, and opens the block of an encrypted segment.
    ///
    /// - Returns: the length of the block that the decoder gets.
    private func fetch(_ run: RunIndex, _ offset: UInt64, _ length: UInt32) throws(StoreError) -> Int {
        if let opened = run.file.openedBlocks { return try open(run, offset, length, opened) }
        try run.file.copy(offset, length, into: &workspace.bytes)
        workspace.decoder.isVerifying = true
        return Int(length)
    }

    /// Takes a decrypted block, or copies and decrypts it.
    private func open(
        _ run: RunIndex, _ offset: UInt64, _ length: UInt32, _ opened: OpenedBlocks
    ) throws(StoreError) -> Int {
        let (workspace, file) = (workspace, run.file)
        workspace.decoder.isVerifying = false
        if let block = opened.find(file.number, offset), !file.isExpired {
            workspace.bytes = block.bytes
            return block.length
        }
        // The array may be shared with the kept blocks, and a copy of its old content would be wasted.
        workspace.bytes = []
        guard let key = try file.copy(offset, length, into: &workspace.bytes) else {
            workspace.decoder.isVerifying = true
            return Int(length)
        }
        let identity = run.identity(offset)
        let plain = try inFormat(file.path) { () throws(FormatError) in
            try workspace.opener.open(&workspace.bytes, at: 0, length: Int(length), of: identity, key: key, "block")
        }
        opened.keep(OpenedBlocks.Block(bytes: workspace.bytes, length: plain), file.number, offset)
        return plain
    }

    /// Forgets prepared keys of unused scratches, when an encrypted store is closed.
    static func forgetKeys() { Workspace.pool.withLock { $0.removeAll() } }

    private func note(_ length: Int, _ samples: Int) {
        guard let explanation else { return }
        explanation.blocksDecoded += 1
        explanation.samplesDecoded += samples
        explanation.bytesRead += length
    }
}

/// The large parts of a scratch.
/// - Invariant: owned by the pool or by one scratch, never by both.
private final class Workspace: @unchecked Sendable {
    /// Unused workspaces, at most `limit`.
    static let pool = Mutex<[Workspace]>([])
    static let limit = 8
    /// A larger byte buffer is freed when the workspace returns to the pool.
    static let mostBytes = 65_536

    var block = BlockBuffer()
    /// Decodes blocks of segments; `fetch` sets whether it verifies.
    var decoder = BlockDecoder()
    /// Decodes blocks of the tail, and always verifies.
    var tailDecoder = BlockDecoder()
    /// Opens blocks of encrypted segments, and keeps the prepared key of the last one.
    var opener = UnitOpener()
    var bytes = [UInt8]()

    /// Returns the workspace to the pool, unless a caller still holds the block.
    func giveBack() {
        guard isKnownUniquelyReferenced(&block) else { return }
        if bytes.count > Self.mostBytes { bytes = [] }
        block.reset()
        Self.pool.withLock { if $0.count < Self.limit { $0.append(self) } }
    }
}
