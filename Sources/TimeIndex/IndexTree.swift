// SPDX-License-Identifier: Apache-2.0

import Kernels

/// Where the pages come from; the engine reads and keeps them.
@usableFromInline
package protocol IndexPageSource {
    /// The decoded page at an offset. Whoever decodes it gives it the level and the bounds that it must have.
    func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage
}

/// What to do with an entry.
@frozen
package enum Visit: Sendable {
    /// Nothing below it matters.
    case skip
    /// Its summary was enough.
    case whole
    /// Go into the page, or hand over the block.
    case descend
    /// The walk is over.
    case stop
}

/// Where a tree begins: what a run directory says of it.
@usableFromInline
package struct IndexRoot: Sendable {
    @usableFromInline package var offset: UInt64
    @usableFromInline package var length: UInt32
    /// 1 when the root is a leaf; 0 for a tree without entries.
    @usableFromInline package var levels: UInt8

    @inlinable
    package init(offset: UInt64, length: UInt32, levels: UInt8) {
        self.offset = offset
        self.length = length
        self.levels = levels
    }
}

/// Walks through the tree of a run.
///
/// `decide` is asked for every entry that is met, in order; `block` is called for an entry of a leaf that was answered
/// with `descend`. Both are ordinary closures that a caller's optimiser can melt into the loop.
///
/// Pages were checked one by one when they were decoded; the walk checks that they fit together: each page has the
/// level that its place demands, begins and ends in time where its parent says, and no walk visits more pages than fit
/// below the root. So pages that point in circles, or at one page many times, end in an error and not in an endless
/// walk.
package enum IndexTree {
    /// Entries in time order, from the first.
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

    /// Entries against time, from the last: most recent first.
    @inlinable
    package static func walkBackward<Source: IndexPageSource>(
        _ source: Source, root: IndexRoot,
        decide: (_ entry: borrowing IndexEntry, _ isLeaf: Bool) -> Visit,
        block: (_ entry: IndexEntry) throws -> Void
    ) throws {
        guard root.levels > 0 else { return }
        var stack = WalkStack(root)
        var page = try stack.open(source, root.offset, root.length, root.levels - 1)
        var index = page.entries.count - 1
        while true {
            let list = page.entries
            let entries = list.span
            let isLeaf = page.level == 0
            var found = Visit.skip
            while index >= 0 {
                found = decide(entries[index], isLeaf)
                if found == .descend || found == .stop { break }
                index -= 1
            }
            if found == .stop { return }
            if index < 0 {
                guard let up = stack.pop() else { return }
                (page, index) = (up.page, up.index - 1)
            } else if isLeaf {
                try block(entries[index])
                index -= 1
            } else {
                let child = try stack.open(source, entries[index], below: page)
                stack.push(page, index)
                (page, index) = (child, child.entries.count - 1)
            }
        }
    }
}

/// The pages above the one in hand, and the checks that keep a walk finite.
@usableFromInline
struct WalkStack {
    @usableFromInline var frames: [(page: IndexPage, index: Int)] = []
    /// Pages that may still be visited: all that fit between the file's start and the root's end.
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
            throw IndexError(.malformed, at: offset, "pages are shared: more visits than pages can be there")
        }
        pagesLeft -= 1
        let page = try source.page(offset: offset, length: length, level: level)
        guard page.level == level, !page.entries.isEmpty else {
            throw IndexError(.malformed, at: offset, "level \(page.level) where level \(level) must be")
        }
        return page
    }

    /// The page that an entry of an inner page names, which must begin and end as the entry says.
    @usableFromInline
    mutating func open<Source: IndexPageSource>(
        _ source: Source, _ entry: IndexEntry, below page: IndexPage
    ) throws(IndexError) -> IndexPage {
        let child = try open(source, entry.offset, entry.length, page.level - 1)
        guard child.entries[0].summary.firstStart == entry.summary.firstStart,
            child.entries[child.entries.count - 1].summary.lastStart == entry.summary.lastStart
        else { throw IndexError(.malformed, at: entry.offset, "the page spans other times than its parent says") }
        return child
    }

    @usableFromInline
    mutating func push(_ page: IndexPage, _ index: Int) { frames.append((page, index)) }

    @usableFromInline
    mutating func pop() -> (page: IndexPage, index: Int)? { frames.popLast() }
}
