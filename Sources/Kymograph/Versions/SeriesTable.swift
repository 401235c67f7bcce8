// SPDX-License-Identifier: Apache-2.0

import Catalog

/// The series of a version, found by number and by name.
///
/// Their rows lie in pages, one for each 1,024 numbers. A version shares with the one before all pages but those that
/// changed, so that a new series costs the same however many there are.
struct SeriesTable: Sendable {
    /// Ascending; none is empty.
    private var pages: [SeriesPage] = []
    private var order = PageOrder()
    /// Nil where there never was a series.
    private var names: SeriesNames?
    private(set) var count = 0

    init() {}

    /// An empty table that is found by the same index of names.
    init(sharingNamesOf other: SeriesTable) { names = other.names }

    var isEmpty: Bool { count == 0 }

    /// - Parameter rows: ascending by id, of known kinds.
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

    /// The series of a number. O(text of the series): where its kind is enough, ask for that.
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

    /// The series of a name and labels. The first call after an opening is O(series).
    subscript(key: SeriesKey) -> Series? {
        let labels = Labels.comparable(key.labelText)
        return names?.first(key.name, labels) { id in
            guard let (page, place) = find(id) else { return false }
            let texts = pages[page].rows.texts(at: place)
            return texts.name == key.name && Labels.comparable(texts.labels) == labels
        }.flatMap { self[$0] }
    }

    /// All of them, ascending by number.
    var all: some Sequence<Series> { pages.lazy.flatMap { $0.rows.lazy.compactMap { Series($0) } } }

    /// Their numbers, ascending.
    var ids: [Int64] { pages.flatMap(\.rows.ids) }

    mutating func add(_ one: Series) { add(one, SeriesKey(name: one.name, labels: one.labels)) }

    /// - Parameter key: of the series.
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

    /// The table of those series whose numbers are wanted.
    func part(_ numbers: RangeSet<Int64>) -> SeriesTable {
        var part = SeriesTable(sharingNamesOf: self)
        for page in pages.lazy.map(\.rows) {
            part.append(page.ids.allSatisfy { numbers.contains($0) } ? page : page.filtered { numbers.contains($0) })
        }
        return part
    }

    /// Adds the series of another table that shares its names and whose numbers are not here. Whole pages are shared.
    ///
    /// - Returns: the rows that were added.
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

    /// Adds rows of one page, whose names are known.
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

    /// The place of the page of a number.
    @inline(__always)
    private func place(of number: Int64) -> Int? {
        order.place(of: number, pages.count) { pages[$0].number }
    }

    /// The place of the page of a number, which is made where there is none.
    private mutating func page(_ number: Int64) -> Int { place(of: number) ?? insert(SeriesRows(), number) }

    @discardableResult
    private mutating func insert(_ rows: SeriesRows, _ number: Int64) -> Int {
        // An empty page has no number of its own yet; it is filled before it is looked for.
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
    /// The kinds by slot, 0 where there is no series: what every query asks for.
    private(set) var kinds: [UInt8]

    init(_ rows: SeriesRows) {
        self.rows = rows
        kinds = [UInt8](repeating: 0, count: rows.ids.last.map { PageNumber.slot(of: $0) + 1 } ?? 0)
        for (at, id) in rows.ids.enumerated() { kinds[PageNumber.slot(of: id)] = rows.kind(at: at) }
    }

    /// Of a page that is not empty.
    var number: Int64 { PageNumber.of(rows.ids[0]) }

    /// Puts a row in its place; whether its id was not there.
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

    /// Nil where the kind is unknown.
    init?(_ row: SeriesRow) {
        guard let kind = SeriesKind(rawValue: row.kind) else { return nil }
        self.init(id: SeriesID(rawValue: row.id), name: row.name, labels: row.labels, kind: kind)
    }
}
