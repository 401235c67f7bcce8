// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import Synchronization
import TimeIndex

/// The blocks of one series in one segment. Index pages are read on demand.
final class RunIndex: IndexRootHolder, Sendable {
    let file: SegmentFile
    let series: Int64
    let summary: Summary
    let root: IndexRoot
    /// The number of blocks.
    let blocks: Int64
    /// The root page while it is in memory. It refers to the pages below it.
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

    /// Returns the root page; nil for a run without blocks.
    func rootNode() throws(StoreError) -> IndexNode? {
        guard levels > 0 else { return nil }
        if let known = top.withLock({ $0 }) {
            known.touch()
            return known
        }
        let fresh = try load(root.offset, root.length, level: levels - 1, below: summary)
        // The pages below the root directly precede it. A large index is read on demand instead.
        if fresh.level > 0, fresh.offset(0) < root.offset, root.offset - fresh.offset(0) <= 1 << 20 {
            file.willNeed(fresh.offset(0)..<root.offset)
        }
        file.cache.keep(fresh, rootOf: self)
        return fresh
    }

    func hang(_ root: IndexNode) { top.withLock { $0 = root } }

    func forget(_ root: IndexNode) { top.withLock { if $0 === root { $0 = nil } } }

    /// Reads and decodes a page as columns. An error names the time range of `below`, the summary in the parent page.
    func load(
        _ offset: UInt64, _ length: UInt32, level: UInt8, below: @autoclosure () -> Summary
    ) throws(StoreError) -> IndexNode {
        do throws(IndexError) {
            return IndexNode(try page(offset: offset, length: length, level: level))
        } catch {
            let found = unusable(error, below: below())
            if found.kind == .inputOutput, file.isExpired { throw file.expiry }
            if found.isDamage { file.telemetry?.noteDamage(found) }
            throw found
        }
    }

    /// Returns the error for an unusable page.
    func unusable(_ error: IndexError, below: Summary) -> StoreError {
        StoreError(
            error.storeKind, error.description, path: file.path,
            offset: error.offset
        ).concerning(series, TimeRange(of: below))
    }

    /// Reads and decodes a page.
    func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage {
        guard level < IndexFormat.maximumLevels else { throw IndexError(.malformed, at: offset, "level \(level)") }
        var bytes = [UInt8]()
        let owner = IndexIdentity(store: file.store, segment: file.row.uuid, series: UInt64(series))
        let key: SegmentKey?
        do throws(StoreError) {
            key = try file.copy(offset, length, into: &bytes)
        } catch {
            if error.kind == .forged { throw IndexError(.forged, at: offset, error.message) }
            throw IndexError(error.isDamage ? .damaged : .unreadable, at: offset, error.message)
        }
        guard let key else {
            return try IndexPage.decode(bytes, length: Int(length), identity: owner, position: offset, level: level)
        }
        let plain = try opened(&bytes, length, at: offset, key)
        return try IndexPage.decode(opened: bytes, length: plain, identity: owner, position: offset, level: level)
    }

    /// Opens a page of an encrypted segment in place. Returns the length of the plain page.
    private func opened(
        _ bytes: inout [UInt8], _ length: UInt32, at offset: UInt64, _ key: SegmentKey
    ) throws(IndexError) -> Int {
        guard length <= IndexFormat.maximumPageBytes else {
            throw IndexError(.truncated, at: offset, "a page of \(length) bytes")
        }
        var opener = UnitOpener()
        var identity = identity(offset)
        identity.series = 0
        do throws(FormatError) {
            return try opener.open(&bytes, at: 0, length: Int(length), of: identity, key: key, "page")
        } catch {
            let kind: IndexError.Kind =
                switch error.kind {
                case .forged: .forged
                case .checksum: .checksum
                case .truncated: .truncated
                default: .unreadable
                }
            throw IndexError(kind, at: error.offset, error.what)
        }
    }

    /// Returns the identity to which the trailers of this run's blocks and pages are bound.
    func identity(_ position: UInt64) -> BlockIdentity {
        BlockIdentity(store: file.store, segment: file.row.uuid, series: UInt64(series), position: position)
    }

    /// Adds the affected samples to an error at a block: the block's time range if the index is readable, otherwise the
    /// run's.
    func explained(_ error: StoreError, at offset: UInt64) -> StoreError {
        var range = TimeRange(of: summary)
        scan { finding in
            if case .block(let entry) = finding, entry.offset == offset { range = TimeRange(of: entry.summary) }
        }
        let found = error.concerning(series, range)
        file.telemetry?.noteDamage(found)
        return found
    }
}
