// SPDX-License-Identifier: Apache-2.0

package import Kernels

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

/// The number of pages that a traversal of a tree may still open: at most all pages that fit before the root's end.
/// Pages that form a cycle or are shared exhaust the budget, so no traversal is endless.
@usableFromInline
package struct PageBudget: Sendable {
    @usableFromInline var left: UInt64

    @inlinable
    package init(_ root: IndexRoot) {
        let (end, overflow) = root.offset.addingReportingOverflow(UInt64(root.length))
        left = 1 + (overflow ? 0 : end / UInt64(IndexFormat.minimumPageBytes))
    }

    /// Takes one page from the budget. Returns false if none is left.
    @inlinable
    package mutating func take() -> Bool {
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}

/// A scan of the whole index tree of a run that continues past damage. It holds one page of each level.
///
/// Decoding validates single pages; the scan validates their relations: each page has the level that its position
/// requires, and its entries add up to the summary in its parent.
package struct IndexScan {
    /// A result of the scan, in the order of the tree.
    package enum Finding {
        /// A block listed in an intact leaf.
        case block(IndexEntry)
        /// An unusable page, with the parent's summary of everything below it.
        case lost(offset: UInt64, below: Summary, why: IndexError)
        /// An intact page whose entries add up to another summary than its parent states.
        case contradiction(offset: UInt64, below: Summary, entries: Summary)
    }

    private let root: IndexRoot
    private let summary: Summary
    private let agree: (Summary, Summary) -> Bool
    private let page: (UInt64, UInt32, UInt8) throws(IndexError) -> IndexPage
    private var budget: PageBudget

    /// - Parameters:
    ///   - summary: the summary of the run, recorded beside the root.
    ///   - agree: compares the summary of a page's entries with the summary in its parent.
    ///   - page: decodes a page, given its offset, length and level.
    package init(
        _ root: IndexRoot, summary: Summary, agree: @escaping (Summary, Summary) -> Bool = { $0.agrees(with: $1) },
        page: @escaping (UInt64, UInt32, UInt8) throws(IndexError) -> IndexPage
    ) {
        self.root = root
        self.summary = summary
        self.agree = agree
        self.page = page
        budget = PageBudget(root)
    }

    package mutating func run(_ body: (Finding) -> Void) {
        guard root.levels > 0 else { return }
        visit(root.offset, root.length, root.levels - 1, summary, body)
    }

    private mutating func visit(
        _ offset: UInt64, _ length: UInt32, _ level: UInt8, _ below: Summary, _ body: (Finding) -> Void
    ) {
        let found: IndexPage
        do throws(IndexError) {
            found = try read(offset, length, level)
        } catch {
            return body(.lost(offset: offset, below: below, why: error))
        }
        let entries = found.summary
        if !agree(entries, below) { body(.contradiction(offset: offset, below: below, entries: entries)) }
        for entry in found.entries {
            if level == 0 {
                body(.block(entry))
            } else {
                visit(entry.offset, entry.length, level - 1, entry.summary, body)
            }
        }
    }

    private mutating func read(_ offset: UInt64, _ length: UInt32, _ level: UInt8) throws(IndexError) -> IndexPage {
        guard level < IndexFormat.maximumLevels else { throw IndexError(.malformed, at: offset, "level \(level)") }
        guard budget.take() else {
            throw IndexError(.malformed, at: offset, "the index refers to more pages than the segment can hold")
        }
        let found = try page(offset, length, level)
        guard found.level == level else {
            throw IndexError(.malformed, at: offset, "level \(found.level) instead of level \(level)")
        }
        if found.entries.isEmpty { throw IndexError(.malformed, at: offset, "the page has no entries") }
        return found
    }
}
