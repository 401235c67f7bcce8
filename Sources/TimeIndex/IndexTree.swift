// SPDX-License-Identifier: Apache-2.0

import Kernels

/// The source of index pages; the engine reads and caches them.
@usableFromInline
package protocol IndexPageSource {
    /// Returns the decoded page at an offset.
    ///
    /// - Requires: the implementation checks level and bounds of the page.
    func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage
}

/// The treatment of an entry during a walk.
@frozen
package enum Visit: Sendable {
    /// Skip the entry and all pages below it.
    case skip
    /// Use the entry's summary and skip the pages below it.
    case whole
    /// Descend into the page, or pass the block to the caller.
    case descend
    /// End the walk.
    case stop
}

/// The location of a tree's root, as recorded in a run directory.
@usableFromInline
package struct IndexRoot: Sendable {
    @usableFromInline package var offset: UInt64
    @usableFromInline package var length: UInt32
    /// 1 if the root is a leaf; 0 for a tree without entries.
    @usableFromInline package var levels: UInt8

    @inlinable
    package init(offset: UInt64, length: UInt32, levels: UInt8) {
        self.offset = offset
        self.length = length
        self.levels = levels
    }
}

/// Walks the index tree of a run.
///
/// `decide` is called for every entry that the walk reaches, in order; `block` is called for an entry of a leaf for
/// which `decide` returned `descend`. The optimiser can inline both closures into the loop.
///
/// Decoding validates single pages; the walk validates their relations: each page has the level that its position
/// requires, covers the times stated in its parent, and no walk visits more pages than fit before the root's end. Pages
/// that form a cycle or are shared therefore cause an error and not an endless walk.
package enum IndexTree {
    /// Visits the entries in time order.
    @inlinable
    package static func walk<Source: IndexPageSource>(
        _ source: Source, root: IndexRoot,
        decide: (_ entry: borrowing IndexEntry, _ isLeaf: Bool) -> Visit,
        block: (_ entry: IndexEntry) throws -> Void
    ) throws {
        guard root.levels > 0 else { return }
        var stack = WalkStack(root)
        var page = try stack.open(source, root.offset, root.length, root.levels - 1)
        var index = 0
        while true {
            let list = page.entries
            let entries = list.span
            let isLeaf = page.level == 0
            var found = Visit.skip
            while index < entries.count {
                found = decide(entries[index], isLeaf)
                if found == .descend || found == .stop { break }
                index += 1
            }
            if found == .stop { return }
            if index == entries.count {
                guard let up = stack.pop() else { return }
                (page, index) = (up.page, up.index + 1)
            } else if isLeaf {
                try block(entries[index])
                index += 1
            } else {
                let child = try stack.open(source, entries[index], below: page)
                stack.push(page, index)
                (page, index) = (child, 0)
            }
        }
    }
}

/// The ancestors of the current page, and the checks that keep a walk finite.
@usableFromInline
struct WalkStack {
    @usableFromInline var frames: [(page: IndexPage, index: Int)] = []
    /// Number of pages that may still be visited: initially, all that fit between the file's start and the root's end.
    @usableFromInline var pagesLeft: UInt64

    @usableFromInline
    init(_ root: IndexRoot) {
        let (end, overflow) = root.offset.addingReportingOverflow(UInt64(root.length))
        pagesLeft = 1 + (overflow ? 0 : end / UInt64(IndexFormat.minimumPageBytes))
    }

    @usableFromInline
    mutating func open<Source: IndexPageSource>(
        _ source: Source, _ offset: UInt64, _ length: UInt32, _ level: UInt8
    ) throws(IndexError) -> IndexPage {
        guard level < IndexFormat.maximumLevels else { throw IndexError(.malformed, at: offset, "level \(level)") }
        guard pagesLeft > 0 else {
            throw IndexError(.malformed, at: offset, "pages are shared: more visits than the file can have pages")
        }
        pagesLeft -= 1
        let page = try source.page(offset: offset, length: length, level: level)
        guard page.level == level, !page.entries.isEmpty else {
            throw IndexError(.malformed, at: offset, "level \(page.level) instead of level \(level)")
        }
        return page
    }

    /// Returns the child page of an entry; throws unless its times match the entry.
    @usableFromInline
    mutating func open<Source: IndexPageSource>(
        _ source: Source, _ entry: IndexEntry, below page: IndexPage
    ) throws(IndexError) -> IndexPage {
        let child = try open(source, entry.offset, entry.length, page.level - 1)
        guard child.entries[0].summary.firstStart == entry.summary.firstStart,
            child.entries[child.entries.count - 1].summary.lastStart == entry.summary.lastStart
        else { throw IndexError(.malformed, at: entry.offset, "the page's times differ from those in its parent") }
        return child
    }

    @usableFromInline
    mutating func push(_ page: IndexPage, _ index: Int) { frames.append((page, index)) }

    @usableFromInline
    mutating func pop() -> (page: IndexPage, index: Int)? { frames.popLast() }
}
