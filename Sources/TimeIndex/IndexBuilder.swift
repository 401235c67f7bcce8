// SPDX-License-Identifier: Apache-2.0

import Bytes
package import Kernels

/// Builds the indexes of runs from their blocks, one run after the other.
///
/// Full leaves are encoded at once, so the builder needs memory for the encoded pages (about 40 bytes per block), not
/// for all summaries.
package struct IndexBuilder {
    /// The bytes of a tree and the location of its root.
    package struct Tree: Sendable {
        /// All pages, leaves first, the root last, to be written at the offset given to `finish`.
        package let bytes: [UInt8]
        package let rootOffset: UInt64
        package let rootLength: UInt32
        /// 1 if the root is a leaf; 0, without bytes, if there were no blocks.
        package let levels: UInt8
        /// The combined summary of all blocks.
        package let summary: Summary
        /// Number of blocks.
        package let blocks: UInt32
    }

    /// The index of a run before its position in the file is known; about 350 bytes if one page holds all blocks.
    package struct Draft: Sendable {
        package fileprivate(set) var series: UInt64
        fileprivate var leaves: [Body] = []
        fileprivate var bodies: [UInt8] = []
        package fileprivate(set) var blocks: UInt32 = 0
    }

    /// An encoded page: its range in the encoded bytes, and its summary for the parent's entry.
    fileprivate struct Body {
        let start: Int
        let length: Int
        let summary: Summary
    }

    private var identity: IndexIdentity
    private var encoder = IndexPageEncoder()
    private var waiting: [IndexEntry] = []
    private var leaves: [Body] = []
    private var bodies = ByteWriter()
    private var blocks: UInt32 = 0
    private var lastStart = Int64.min

    /// Creates a builder for a series of a segment; both ids have 16 bytes.
    package init(store: [UInt8], segment: [UInt8], series: UInt64) {
        identity = IndexIdentity(store: store, segment: segment, series: series)
        waiting.reserveCapacity(IndexFormat.fanOut)
    }

    /// Appends a block.
    ///
    /// - Throws: `misuse` for blocks out of order and for entries that no page can hold. Pages are checked as a whole,
    ///   so a later block or `finish` may throw the error.
    package mutating func add(_ entry: IndexEntry) throws(IndexError) {
        guard entry.summary.firstStart >= lastStart else {
            throw IndexError(.misuse, at: entry.offset, "a block that starts before the last start of its run")
        }
        lastStart = entry.summary.lastStart
        waiting.append(entry)
        blocks += 1
        if waiting.count == IndexFormat.fanOut { try closeLeaf() }
    }

    private mutating func closeLeaf() throws(IndexError) {
        let page = IndexPage(level: 0, entries: waiting)
        leaves.append(try Self.encodeBody(page, identity.series, &encoder, into: &bodies))
        waiting.removeAll(keepingCapacity: true)
    }

    private static func encodeBody(
        _ page: IndexPage, _ series: UInt64, _ encoder: inout IndexPageEncoder, into writer: inout ByteWriter
    ) throws(IndexError) -> Body {
        let start = writer.count
        try encoder.encodeBody(page, series: series, into: &writer)
        return Body(start: start, length: writer.count - start, summary: page.summary)
    }

    /// Returns the index of all blocks added, for later placement, and starts the index of series `next`.
    package mutating func take(next series: UInt64) throws(IndexError) -> Draft {
        if !waiting.isEmpty { try closeLeaf() }
        let draft = Draft(
            series: identity.series, leaves: leaves, bodies: Array(bodies.bytes[0..<bodies.count]), blocks: blocks)
        identity.series = series
        leaves = []
        bodies.bytes.removeAll(keepingCapacity: true)
        blocks = 0
        lastStart = .min
        return draft
    }

    /// Returns the pages of all blocks added, to be written at `fileOffset`. The builder is then empty.
    ///
    /// - Parameter additional: the number of bytes by which a page in the file is longer than the encoded page.
    package mutating func finish(at fileOffset: UInt64, additional: Int = 0) throws(IndexError) -> Tree {
        try place(take(next: identity.series), at: fileOffset, additional: additional)
    }

    /// Returns the pages of a draft of this builder, to be written at `fileOffset`.
    ///
    /// - Parameter additional: the number of bytes by which a page in the file is longer than the encoded page.
    package mutating func place(
        _ draft: Draft, at fileOffset: UInt64, additional: Int = 0
    ) throws(IndexError) -> Tree {
        var fileOffset = fileOffset
        let root = fileOffset
        let owner = IndexIdentity(store: identity.store, segment: identity.segment, series: draft.series)
        var writer = ByteWriter(capacity: draft.bodies.count + draft.bodies.count / 32)
        var entries: [IndexEntry] = []
        for leaf in draft.leaves {
            let start = writer.count
            writer.put(bytes: draft.bodies[leaf.start..<leaf.start + leaf.length])
            var entry = try Self.close(leaf.summary, from: start, owner, fileOffset, &writer)
            entry.length &+= UInt32(truncatingIfNeeded: additional)
            fileOffset &+= UInt64(truncatingIfNeeded: additional)
            entries.append(entry)
        }
        var levels: UInt8 = entries.isEmpty ? 0 : 1
        while entries.count > 1 {
            var parents: [IndexEntry] = []
            for first in stride(from: 0, to: entries.count, by: IndexFormat.fanOut) {
                let children = Array(entries[first..<min(first + IndexFormat.fanOut, entries.count)])
                let page = IndexPage(level: levels, entries: children)
                let body = try Self.encodeBody(page, owner.series, &encoder, into: &writer)
                var entry = try Self.close(body.summary, from: body.start, owner, fileOffset, &writer)
                entry.length &+= UInt32(truncatingIfNeeded: additional)
                fileOffset &+= UInt64(truncatingIfNeeded: additional)
                parents.append(entry)
            }
            entries = parents
            levels += 1
        }
        return Tree(
            bytes: writer.bytes, rootOffset: entries.first?.offset ?? root,
            rootLength: entries.first?.length ?? 0, levels: levels, summary: entries.first?.summary ?? Summary(),
            blocks: draft.blocks)
    }

    /// Appends the trailer of the page that starts at `start` of the writer; returns the page's entry.
    private static func close(
        _ summary: Summary, from start: Int, _ owner: IndexIdentity, _ fileOffset: UInt64, _ writer: inout ByteWriter
    ) throws(IndexError) -> IndexEntry {
        let position = fileOffset &+ UInt64(start)
        try IndexPageEncoder.close(&writer, from: start, identity: owner, position: position)
        return IndexEntry(offset: position, length: UInt32(writer.count - start), summary: summary)
    }
}
