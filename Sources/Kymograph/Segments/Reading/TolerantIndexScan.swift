// SPDX-License-Identifier: Apache-2.0

import Catalog
import Kernels
import TimeIndex

/// A scan of the whole index of a run that continues past damage. It reads every page from the file, even if it is in
/// memory, and holds one page of each level.
struct TolerantIndexScan {
    /// A result of the scan, in the order of the file.
    enum Finding {
        /// A block listed in an intact leaf.
        case block(IndexEntry)
        /// An unusable page, with the parent's summary of everything below it.
        case lost(offset: UInt64, below: Summary, why: StoreError)
        /// An intact page whose entries do not add up to the parent's summary.
        case contradiction(offset: UInt64, below: Summary)
    }

    private let root: IndexRoot
    private let summary: Summary
    private let path: String
    private let page: (UInt64, UInt32, UInt8) throws(IndexError) -> IndexPage
    private var budget: PageBudget

    /// - Parameter page: reads a page by offset, length and level.
    init(
        root: IndexRoot, summary: Summary, path: String,
        page: @escaping (UInt64, UInt32, UInt8) throws(IndexError) -> IndexPage
    ) {
        self.root = root
        self.summary = summary
        self.path = path
        self.page = page
        budget = PageBudget(root)
    }

    init(_ run: RunIndex) {
        self.init(root: run.root, summary: run.summary, path: run.file.path) {
            (offset, length, level) throws(IndexError) in
            try run.page(offset: offset, length: length, level: level)
        }
    }

    mutating func run(_ body: (Finding) -> Void) {
        guard root.levels > 0 else { return }
        visit(root.offset, root.length, root.levels - 1, summary, body)
    }

    private mutating func visit(
        _ offset: UInt64, _ length: UInt32, _ level: UInt8, _ below: Summary, _ body: (Finding) -> Void
    ) {
        let found: IndexPage
        do throws(StoreError) {
            try budget.take(offset, path)
            found = try read(offset, length, level)
        } catch {
            return body(.lost(offset: offset, below: below, why: error))
        }
        var total = found.entries[0].summary
        for entry in found.entries.dropFirst() { total.append(entry.summary) }
        if !total.agrees(with: below) { body(.contradiction(offset: offset, below: below)) }
        for entry in found.entries {
            if level == 0 {
                body(.block(entry))
            } else {
                visit(entry.offset, entry.length, level - 1, entry.summary, body)
            }
        }
    }

    private func read(_ offset: UInt64, _ length: UInt32, _ level: UInt8) throws(StoreError) -> IndexPage {
        do throws(IndexError) {
            let found = try page(offset, length, level)
            guard found.level == level, !found.entries.isEmpty else {
                throw IndexError(.malformed, at: offset, "level \(found.level) instead of level \(level)")
            }
            return found
        } catch {
            let kind: StoreError.Kind = error.kind == .unreadable ? .inputOutput : .corrupt
            throw StoreError(kind, error.description, path: path, offset: error.offset)
        }
    }
}
