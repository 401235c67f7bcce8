// SPDX-License-Identifier: Apache-2.0

import Catalog

/// The series of a version, by number and by name.
///
/// The rows are in pages, one page for each 1,024 numbers. A new version shares all unchanged pages with the one
/// before, so the cost of a new series does not depend on the number of series.
struct SeriesTable: Sendable {
    /// The pages, ascending by number; none is empty.
    private var pages: [SeriesPage] = []
    private var order = PageOrder()
    /// The index of names; nil if the table never had a series.
    private var names: SeriesNames?
    private(set) var count = 0

    init() {}

    /// Creates an empty table that shares an index of names.
    init(sharingNamesOf other: SeriesTable) { names = other.names }

    var isEmpty: Bool { count == 0 }

    /// - Parameter rows: ascending by id, with known kinds.
    init(_ rows: SeriesRows) {
        var first = 0
        while first < rows.count {
            let page = PageNumber.of(rows.ids[first])
            var end = first
            while end < rows.count, PageNumber.of(rows.ids[end]) == page { end += 1 }
            var some = SeriesRows()
            some.append(rows, first..<end)
            pages.append(SeriesPage(some))
            first = end
        }
        count = rows.count
        order = PageOrder(pages.count) { pages[$0].number }
        names = SeriesNames(pages.map(\.rows))
    }

    /// The series with a number. O(text of the series); `kind(of:)` is cheaper.
    subscript(id: Int64) -> Series? {
        guard let (page, place) = find(id) else { return nil }
        return Series(pages[page].rows[place])
    }

    func has(_ id: Int64) -> Bool { kindByte(of: id) != 0 }

    func kind(of id: Int64) -> SeriesKind? { SeriesKind(rawValue: kindByte(of: id)) }

    private func kindByte(of id: Int64) -> UInt8 {
        guard let page = place(of: PageNumber.of(id)) else { return 0 }
        let slot = PageNumber.slot(of: id)
        return slot < pages[page].kinds.count ? pages[page].kinds[slot] : 0
    }

    /// The series with a name and labels. The first call after an opening is O(series).
    subscript(key: SeriesKey) -> Series? {
        let labels = Labels.comparable(key.labelText)
        return names?.first(key.name, labels) { id in
            guard let (page, place) = find(id) else { return false }
            let texts = pages[page].rows.texts(at: place)
            return texts.name == key.name && Labels.comparable(texts.labels) == labels
        }.flatMap { self[$0] }
    }

    /// All series, ascending by number.
    var all: some Sequence<Series> { pages.lazy.flatMap { $0.rows.lazy.compactMap { Series($0) } } }

    mutating func add(_ one: Series) { add(one, SeriesKey(name: one.name, labels: one.labels)) }

    /// - Parameter key: the key of the series.
    mutating func add(_ one: Series, _ key: SeriesKey) {
        let page = page(PageNumber.of(one.id.rawValue))
        put(page, one.id.rawValue, one.kind.rawValue, key.name, key.labelText)
        if pages[page].rows.count == PageNumber.size { pages[page].rows.shrink() }
        let known = names ?? SeriesNames([])
        known.add(one.id.rawValue, key.name, key.labelText)
        names = known
    }

    private mutating func put(_ page: Int, _ id: Int64, _ kind: UInt8, _ name: String, _ labels: String) {
        if pages[page].put(id, kind, name, labels) { count += 1 }
    }

    func part(_ numbers: RangeSet<Int64>) -> SeriesTable {
        var part = SeriesTable(sharingNamesOf: self)
        for page in pages.lazy.map(\.rows) {
            part.append(page.ids.allSatisfy { numbers.contains($0) } ? page : page.filtered { numbers.contains($0) })
        }
        return part
    }

    /// Adds the series of another table that are missing here. Whole pages are shared.
    /// - Requires: both tables share an index of names.
    ///
    /// - Returns: the added rows.
    mutating func add(_ other: SeriesTable) -> [SeriesRows] {
        var added = [SeriesRows]()
        for page in other.pages.lazy.map(\.rows) {
            let fresh = page.ids.contains { has($0) } ? page.filtered { !has($0) } : page
            if fresh.isEmpty { continue }
            added.append(fresh)
            append(fresh)
        }
        return added
    }

    /// Adds rows of one page.
    /// - Requires: the names are in the index.
    private mutating func append(_ rows: SeriesRows) {
        guard let first = rows.ids.first else { return }
        let number = PageNumber.of(first)
        if place(of: number) == nil {
            insert(rows, number)
            count += rows.count
            return
        }
        let page = page(number)
        for (at, id) in rows.ids.enumerated() {
            let (name, labels) = rows.texts(at: at)
            put(page, id, rows.kind(at: at), name, labels)
        }
    }

    private func find(_ id: Int64) -> (page: Int, place: Int)? {
        guard let page = place(of: PageNumber.of(id)), let place = pages[page].rows.place(of: id) else { return nil }
        return (page, place)
    }

    /// Returns the position of the page with a number.
    @inline(__always)
    private func place(of number: Int64) -> Int? {
        order.place(of: number, pages.count) { pages[$0].number }
    }

    /// Returns the position of the page with a number, after creating it if necessary.
    private mutating func page(_ number: Int64) -> Int { place(of: number) ?? insert(SeriesRows(), number) }

    @discardableResult
    private mutating func insert(_ rows: SeriesRows, _ number: Int64) -> Int {
        // An empty page has no number yet; the caller fills it before the next search.
        let place = order.insertion(of: number, pages.count) { pages[$0].number }
        pages.insert(SeriesPage(rows), at: place)
        order = PageOrder(pages.count) { at in at == place ? number : pages[at].number }
        return place
    }
}

/// The series of one page.
private struct SeriesPage: Sendable {
    /// Ascending by id.
    var rows: SeriesRows
    /// The kinds by slot, 0 for no series. Every query reads them.
    private(set) var kinds: [UInt8]

    init(_ rows: SeriesRows) {
        self.rows = rows
        kinds = [UInt8](repeating: 0, count: rows.ids.last.map { PageNumber.slot(of: $0) + 1 } ?? 0)
        for (at, id) in rows.ids.enumerated() { kinds[PageNumber.slot(of: id)] = rows.kind(at: at) }
    }

    /// The number of the page.
    /// - Requires: the page is not empty.
    var number: Int64 { PageNumber.of(rows.ids[0]) }

    /// Inserts or replaces a row. Returns true if its id is new.
    mutating func put(_ id: Int64, _ kind: UInt8, _ name: String, _ labels: String) -> Bool {
        let slot = PageNumber.slot(of: id)
        while kinds.count <= slot { kinds.append(0) }
        let isNew = kinds[slot] == 0
        kinds[slot] = kind
        rows.put(id: id, kind: kind, name: name, labels: labels)
        return isNew
    }
}

extension Series {
    var row: SeriesRow { SeriesRow(id: id.rawValue, name: name, labels: labels, kind: kind.rawValue) }

    /// Returns nil if the kind is unknown.
    init?(_ row: SeriesRow) {
        guard let kind = SeriesKind(rawValue: row.kind) else { return nil }
        self.init(id: SeriesID(rawValue: row.id), name: row.name, labels: row.labels, kind: kind)
    }
}
