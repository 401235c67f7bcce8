// SPDX-License-Identifier: Apache-2.0

import Bytes
package import Kernels

/// Builds the indexes of runs from their blocks, one run after the other.
///
/// Full leaves are turned into bytes at once, so that it needs memory for the encoded pages (some 40 bytes a block),
/// not for all summaries.
package struct IndexBuilder {
    /// A tree's bytes and where it begins.
    package struct Tree: Sendable {
        /// All pages, leaves first, the root last; they stand at the offset given to `finish`.
        package let bytes: [UInt8]
        package let rootOffset: UInt64
        package let rootLength: UInt32
        /// 1 when the root is a leaf; 0, with no bytes, when there were no blocks.
        package let levels: UInt8
        /// The fold of all blocks' summaries.
        package let summary: Summary
        /// Number of blocks.
        package let blocks: UInt32
    }

    /// The index of a run before its place in the file is known: some 350 bytes where one page holds all blocks.
    package struct Draft: Sendable {
        package fileprivate(set) var series: UInt64
        fileprivate var leaves: [Body] = []
        fileprivate var bodies: [UInt8] = []
        package fileprivate(set) var blocks: UInt32 = 0
    }

    /// A page whose body is encoded: where that begins in the bodies, and what its parent needs.
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

    /// An index for a series of a segment; both ids have 16 bytes.
    package init(store: [UInt8], segment: [UInt8], series: UInt64) {
        identity = IndexIdentity(store: store, segment: segment, series: series)
        waiting.reserveCapacity(IndexFormat.fanOut)
    }

    /// Appends a block. Blocks out of order, and entries that no page can hold, are an error of kind `misuse`; it may
    /// come with a later block or with `finish`, because pages are checked as a whole.
    package mutating func add(_ entry: IndexEntry) throws(IndexError) {
        guard entry.summary.firstStart >= lastStart else {
            throw IndexError(.misuse, at: entry.offset, "a block that begins before the last start of the one before")
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

    /// The index of all blocks added, to be placed later. What is added now is of another series.
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

    /// The pages of all blocks added, to be written at `fileOffset`. The builder is empty afterwards.
    package mutating func finish(at fileOffset: UInt64) throws(IndexError) -> Tree {
        try place(take(next: identity.series), at: fileOffset)
    }

    /// The pages of a draft of this builder, to be written at `fileOffset`.
    package mutating func place(_ draft: Draft, at fileOffset: UInt64) throws(IndexError) -> Tree {
        let owner = IndexIdentity(store: identity.store, segment: identity.segment, series: draft.series)
        var writer = ByteWriter(capacity: draft.bodies.count + draft.bodies.count / 32)
        var entries: [IndexEntry] = []
        for leaf in draft.leaves {
            let start = writer.count
            writer.put(bytes: draft.bodies[leaf.start..<leaf.start + leaf.length])
            entries.append(try Self.close(leaf.summary, from: start, owner, fileOffset, &writer))
        }
        var levels: UInt8 = entries.isEmpty ? 0 : 1
        while entries.count > 1 {
            var parents: [IndexEntry] = []
            for first in stride(from: 0, to: entries.count, by: IndexFormat.fanOut) {
                let children = Array(entries[first..<min(first + IndexFormat.fanOut, entries.count)])
                let page = IndexPage(level: levels, entries: children)
                let body = try Self.encodeBody(page, owner.series, &encoder, into: &writer)
                parents.append(try Self.close(body.summary, from: body.start, owner, fileOffset, &writer))
            }
            entries = parents
            levels += 1
        }
        return Tree(
            bytes: writer.bytes, rootOffset: entries.first?.offset ?? fileOffset,
            rootLength: entries.first?.length ?? 0, levels: levels, summary: entries.first?.summary ?? Summary(),
            blocks: draft.blocks)
    }

    /// Ends the page that began at `start` of the writer with its trailer; the result is its entry.
    private static func close(
        _ summary: Summary, from start: Int, _ owner: IndexIdentity, _ fileOffset: UInt64, _ writer: inout ByteWriter
    ) throws(IndexError) -> IndexEntry {
        let position = fileOffset &+ UInt64(start)
        try IndexPageEncoder.close(&writer, from: start, identity: owner, position: position)
        return IndexEntry(offset: position, length: UInt32(writer.count - start), summary: summary)
    }
}
