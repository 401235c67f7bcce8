// SPDX-License-Identifier: Apache-2.0

/// The b-trees of a catalog, as far as their pages are sound. If an interior page is damaged, its tree falls into
/// several parts, each with a root of its own.
///
/// - Invariant: every page with the header of a tree page belongs to a tree; freed pages are overwritten with zeros.
struct BTreeFragments {
    /// A tree, or a part of a tree whose parent page is damaged.
    struct Part {
        let root: UInt32
        let isOfTable: Bool
        /// Pages with rows, in key order.
        var pages: [UInt32] = []
        /// Damaged pages of this part that held rows.
        var holes: [Hole] = []
        /// Whether an interior page above the leaves is damaged, so that other parts may belong below it.
        var lacksBranch = false
        /// The number of interior pages.
        var branches = 0
    }

    /// A damaged page that held rows with keys greater than `after` and at most `last`; nil if the bound is unknown.
    struct Hole {
        let page: UInt32
        let after: Int64?
        let last: Int64?
    }

    let file: PageFile
    private(set) var parts: [Part] = []
    /// Damaged pages whose former content is unknown.
    private(set) var unexplained: Set<UInt32> = []
    /// Damaged pages.
    let unsound: Set<UInt32>
    private var kinds: [UInt32: TreePage.Kind] = [:]
    private var children: [UInt32: [(page: UInt32, last: Int64?)]] = [:]
    /// Levels above the leaves, where a sound page determines them.
    private var heights: [UInt32: Int] = [:]
    /// Upper limit for the height of a tree.
    private static let mostLevels = 32

    init(_ file: PageFile) {
        self.file = file
        var unsound: Set<UInt32> = []
        if file.count > 0 {
            for number in 1...file.count where number != PageFile.lockPage {
                guard let bytes = file.page(number) else {
                    unsound.insert(number)
                    continue
                }
                guard let kind = TreePage.Kind(rawValue: bytes[number == 1 ? 100 : 0]) else { continue }
                guard let page = TreePage(bytes, number: number, usable: file.usable) else {
                    unsound.insert(number)
                    continue
                }
                kinds[number] = kind
                if page.isLeaf { continue }
                let isOfTable = page.isOfTable
                children[number] =
                    page.cells.map { ($0.child, isOfTable ? $0.key : nil) } + [(page.rightmost, nil)]
            }
        }
        self.unsound = unsound
        unexplained = unsound.subtracting([1])
        measure()
        grow()
        explainFreePages()
    }

    func isSound(_ page: UInt32) -> Bool { kinds[page] != nil }

    mutating func explain(_ page: UInt32) { unexplained.remove(page) }

    private func isOfTable(_ page: UInt32) -> Bool? {
        kinds[page].map { $0 == .tableLeaf || $0 == .tableInterior }
    }

    private func isLeaf(_ page: UInt32) -> Bool { kinds[page] == .tableLeaf || kinds[page] == .indexLeaf }

    /// Computes the height of every page, from the leaves upwards.
    private mutating func measure() {
        for (page, _) in kinds where isLeaf(page) { heights[page] = 0 }
        for level in 1..<Self.mostLevels {
            var found: [UInt32] = []
            for (page, below) in children where heights[page] == nil {
                if below.contains(where: { heights[$0.page] == level - 1 && isOfTable($0.page) == isOfTable(page) }) {
                    found.append(page)
                }
            }
            if found.isEmpty { break }
            for page in found { heights[page] = level }
        }
    }

    private mutating func grow() {
        var isBelow: Set<UInt32> = []
        for (page, below) in children {
            for child in below where child.page != page && isOfTable(child.page) == isOfTable(page) {
                isBelow.insert(child.page)
            }
        }
        var seen: Set<UInt32> = []
        for root in kinds.keys.sorted() where root == 1 || !isBelow.contains(root) {
            var part = Part(root: root, isOfTable: isOfTable(root) ?? false)
            grow(&part, root, nil, nil, 0, &seen)
            parts.append(part)
        }
        // Pages that point only at each other: no table owns their rows.
        unexplained.formUnion(kinds.keys.filter { !seen.contains($0) })
    }

    private mutating func grow(
        _ part: inout Part, _ page: UInt32, _ after: Int64?, _ last: Int64?, _ level: Int, _ seen: inout Set<UInt32>
    ) {
        guard level < Self.mostLevels, seen.insert(page).inserted else { return }
        guard let below = children[page] else { return part.pages.append(page) }
        part.branches += 1
        if !part.isOfTable { part.pages.append(page) }
        var from = after
        for child in below {
            let to = child.last ?? last
            if isOfTable(child.page) == part.isOfTable {
                grow(&part, child.page, from, to, level + 1, &seen)
            } else {
                explain(child.page)
                let height = heights[page].map { $0 - 1 }
                if height != 0 { part.lacksBranch = true }
                if height == 0 || height == nil || !part.isOfTable {
                    part.holes.append(Hole(page: child.page, after: from, last: to))
                }
            }
            from = to
        }
    }

    /// Explains damaged pages of the free list: they held no rows. Page 1 holds the start of the list.
    private mutating func explainFreePages() {
        if unexplained.isEmpty { return }
        guard !unsound.contains(1), let first = file.page(1) else { return }
        var next = TreePage.number(first, 32)
        var seen: Set<UInt32> = []
        while next > 1, seen.insert(next).inserted {
            explain(next)
            guard let trunk = file.page(next) else { return }
            let count = min(Int(TreePage.number(trunk, 4)), file.usable / 4 - 2)
            for i in 0..<count { explain(TreePage.number(trunk, 8 + 4 * i)) }
            next = TreePage.number(trunk, 0)
        }
    }

    /// Explains damaged overflow pages, which held the rest of a long row. Reading that row reports the damage.
    mutating func explainLongRows() {
        for part in parts where !unexplained.isEmpty {
            for number in part.pages {
                guard let page = file.page(number).flatMap({ TreePage($0, number: number, usable: file.usable) }) else {
                    continue
                }
                for cell in page.cells where cell.overflow > 0 {
                    if let blame = file.record(cell, of: page).blame { explain(blame) }
                }
            }
        }
    }

    /// Calls `body` for each row of a page; does nothing for a damaged page or an interior page of a table.
    func rows(on number: UInt32, _ body: (TreePage.Cell, TreePage) -> Void) {
        guard let page = file.page(number).flatMap({ TreePage($0, number: number, usable: file.usable) }) else {
            return
        }
        if page.kind == .tableInterior { return }
        for cell in page.cells { body(cell, page) }
    }
}
