// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The rows that a damaged catalog still holds, assigned to tables: by the catalog's list of tables if it is readable,
/// else by the shape of the rows.
struct TableGuess {
    /// The remains of one table.
    struct Found {
        var shapes: [TableShape] = []
        var parts: [BTreeFragments.Part] = []
        /// Leaves with their first and last key, ascending, without overlap; empty in a table without row numbers.
        var leaves: [(page: UInt32, first: Int64, last: Int64)] = []
        var holes: [BTreeFragments.Hole] = []
        /// The reason why rows outside the known holes may be missing; nil if there is none.
        var lossReason: String?
        /// Whether any part of the table is known or suspected to be damaged.
        var isDamaged: Bool {
            lossReason != nil || !holes.isEmpty || parts.contains(where: \.lacksBranch) || lacksRoot
        }
        var lacksRoot = false

        func shape(for types: [Int64]) -> TableShape? { shapes.first { $0.fits(types) } }

        /// Return the number of leaves that end before a key, or begin at or before it. O(log leaves).
        func leaves(endingBefore key: Int64) -> Int {
            leaves.indices.partitioningIndex { leaves[$0].last >= key }
        }
        func leaves(beginningUpTo key: Int64) -> Int {
            leaves.indices.partitioningIndex { leaves[$0].first > key }
        }
    }

    private(set) var forest: BTreeFragments
    private(set) var found: [String: Found] = [:]
    /// The tables in the catalog's list; nil if no part of the list is left.
    private(set) var listed: Set<String>?
    /// The root page of each listed object, with the table's name; nil for an index.
    private var roots: [UInt32: String?] = [:]
    private var ambiguous: [String: Int] = [:]

    init(_ file: PageFile, _ shapes: [TableShape]) {
        forest = BTreeFragments(file)
        for shape in shapes { found[shape.name, default: Found()].shapes.append(shape) }
        let isListWhole = readList()
        var rest: [BTreeFragments.Part] = []
        for part in forest.parts where part.root != 1 {
            switch roots[part.root] {
            case .some(.some(let name)): take(part, name)
            case .some(.none): break
            case .none: rest.append(part)
            }
        }
        let empty = sort(rest)
        forest.explainLongRows()
        for (root, name) in roots where forest.unsound.contains(root) { missRoot(root, name) }
        markPossibleLosses(isListWhole: isListWhole, empty: empty)
        for name in found.keys { order(name) }
    }

    /// Whether no row of any table is left.
    var isEmpty: Bool { found.values.allSatisfy(\.parts.isEmpty) }

    /// Whether the table may have existed.
    func mayHave(_ name: String) -> Bool { hasAny([name]) || found[name]?.lossReason != nil }

    /// Whether a row or a page of these tables, or their entry in the list, is left.
    func hasAny(_ names: [String]) -> Bool {
        names.contains { name in listed?.contains(name) ?? false || !(found[name]?.parts.isEmpty ?? true) }
    }

    // MARK: The list of tables

    /// Reads the list of tables; returns whether the list is complete.
    private mutating func readList() -> Bool {
        guard let shape = TableShape.schema else { return false }
        var lists = forest.parts.filter { $0.root == 1 }
        let isRootSound = !lists.isEmpty
        if !isRootSound || lists.contains(where: \.lacksBranch) {
            lists += forest.parts.filter { $0.root != 1 && $0.isOfTable && isList($0, shape) }
        }
        if lists.isEmpty { return false }
        var names: Set<String> = []
        for part in lists {
            for page in part.pages {
                forest.rows(on: page) { cell, page in
                    guard let bytes = forest.file.record(cell, of: page).bytes,
                        let values = TreeRecord.values(bytes), values.count == 5, case .text(let type) = values[0],
                        case .text(let name) = values[1], case .int(let root) = values[3],
                        let root = UInt32(exactly: root), root > 1
                    else { return }
                    let isTable = String(decoding: type, as: UTF8.self) == "table"
                    let text = String(decoding: name, as: UTF8.self)
                    if isTable { names.insert(text) }
                    roots[root] = .some(isTable ? text : nil)
                }
            }
            if part.root != 1 { roots[part.root] = .some(nil) }
        }
        listed = names
        return isRootSound && lists.allSatisfy { $0.holes.isEmpty && !$0.lacksBranch }
            || !isRootSound && lists.allSatisfy { $0.holes.isEmpty } && forest.unexplained.isEmpty
    }

    private func isList(_ part: BTreeFragments.Part, _ shape: TableShape) -> Bool {
        var count = 0
        var isRight = true
        for page in part.pages where isRight {
            forest.rows(on: page) { cell, page in
                count += 1
                guard let types = TreeRecord.types(page.bytes[cell.local]), shape.fits(types) else {
                    isRight = false
                    return
                }
            }
        }
        return isRight && count > 0
    }

    // MARK: Parts of trees to tables

    private mutating func take(_ part: BTreeFragments.Part, _ name: String) {
        guard let table = found[name], table.shapes[0].hasNumber == part.isOfTable else { return }
        found[name]?.parts.append(part)
        found[name]?.holes += part.holes
    }

    /// Assigns parts to tables by their rows; returns the number of empty trees with and without row numbers.
    private mutating func sort(_ parts: [BTreeFragments.Part]) -> (tables: Int, others: Int) {
        var empty = (tables: 0, others: 0)
        for part in parts {
            let (names, count) = candidates(part)
            if count == 0, part.holes.isEmpty, !part.lacksBranch {
                if part.isOfTable { empty.tables += 1 } else { empty.others += 1 }
            }
            if count == 0 { continue }
            if names.count == 1 {
                take(part, names[0])
            } else {
                for name in names { ambiguous[name, default: 0] += count }
            }
        }
        return empty
    }

    /// Returns the tables that could own all rows of a part, and the number of rows.
    private func candidates(_ part: BTreeFragments.Part) -> (names: [String], count: Int) {
        var fitting = found.values.flatMap(\.shapes).filter { $0.hasNumber == part.isOfTable }
        var count = 0
        for page in part.pages {
            forest.rows(on: page) { cell, page in
                count += 1
                let types = TreeRecord.types(page.bytes[cell.local]) ?? []
                fitting.removeAll { !$0.fits(types) }
            }
            if fitting.isEmpty { return ([], count) }
        }
        let all = Set(fitting.map(\.name)).sorted()
        if all.count < 2 { return (all, count) }
        for page in part.pages {
            forest.rows(on: page) { cell, page in
                let values = forest.file.record(cell, of: page).bytes.flatMap(TreeRecord.values) ?? []
                fitting.removeAll { !$0.holds(cell.key, values) }
            }
        }
        if fitting.count > 1 { fitting.removeAll(where: \.standsBack) }
        return (fitting.isEmpty ? all : Set(fitting.map(\.name)).sorted(), count)
    }

    // MARK: What may be missing

    /// Records a damaged root from the list. If parts are left, it was an interior page; if none is, it held all rows.
    private mutating func missRoot(_ root: UInt32, _ name: String?) {
        forest.explain(root)
        guard let name, let table = found[name] else { return }
        found[name]?.lacksRoot = true
        // In a table with numbers only leaves hold rows; in a table without, the root may have held rows, too.
        if table.parts.isEmpty || !table.shapes[0].hasNumber {
            found[name]?.holes.append(BTreeFragments.Hole(page: root, after: nil, last: nil))
        }
    }

    private mutating func markPossibleLosses(isListWhole: Bool, empty: (tables: Int, others: Int)) {
        let places = Dictionary(roots.compactMap { root, name in name.map { ($0, root) } }) { first, _ in first }
        let isUnsure = !forest.unexplained.isEmpty
        for (name, table) in found {
            if let count = ambiguous[name] {
                found[name]?.lossReason = "\(count) rows may belong to this table or to another"
                continue
            }
            let isRooted = places[name].map { forest.isSound($0) } ?? false
            if isRooted, !table.parts.contains(where: \.lacksBranch) { continue }
            if isListWhole, places[name] == nil { continue }
            if isUnsure {
                let count = forest.unexplained.count
                found[name]?.lossReason = "\(count) damaged pages may have held rows of it"
            }
        }
        if listed == nil { markLostTables(empty) }
    }

    /// Marks lost tables when the list is lost: every table of the engine has at least one page.
    private mutating func markLostTables(_ empty: (tables: Int, others: Int)) {
        let all = Set(CatalogSchema.tables.map(\.name))
        for (isNumbered, most) in [(true, empty.tables), (false, empty.others)] {
            let missing = all.filter { name in
                guard let table = found[name] else { return false }
                return table.shapes[0].hasNumber == isNumbered && table.parts.isEmpty && table.lossReason == nil
            }
            if missing.count <= most { continue }
            for name in missing { found[name]?.lossReason = "no page of the table is left" }
        }
    }

    /// Sorts the leaves of a table. Leaves with overlapping keys contradict each other: both become a hole.
    private mutating func order(_ name: String) {
        guard var table = found[name], table.shapes[0].hasNumber else { return }
        for part in table.parts {
            for number in part.pages {
                var keys: (first: Int64, last: Int64)?
                forest.rows(on: number) { cell, _ in keys = (keys?.first ?? cell.key, cell.key) }
                if let keys { table.leaves.append((number, keys.first, keys.last)) }
            }
        }
        table.leaves.sort { $0.first < $1.first }
        var kept: [(page: UInt32, first: Int64, last: Int64)] = []
        var refused: Int64?
        for leaf in table.leaves {
            if let last = kept.last, last.last >= leaf.first {
                kept.removeLast()
                refused = max(last.last, leaf.last)
                table.holes.append(BTreeFragments.Hole(page: last.page, after: last.first &- 1, last: refused))
            } else if let last = refused, last >= leaf.first {
                refused = max(last, leaf.last)
                table.holes.append(BTreeFragments.Hole(page: leaf.page, after: leaf.first &- 1, last: refused))
            } else {
                kept.append(leaf)
            }
        }
        table.leaves = kept
        found[name] = table
    }
}
