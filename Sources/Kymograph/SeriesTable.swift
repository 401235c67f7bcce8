// SPDX-License-Identifier: Apache-2.0

import Catalog

/// The series of a version, found by number and by name.
///
/// Their rows lie in pages, one for each 1,024 numbers. A version shares with the one before all pages but those that
/// changed, so that a new series costs the same however many there are.
struct SeriesTable: Sendable {
    /// Ascending; none is empty.
    private var pages: [SeriesRows] = []
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
            let page = PageNumber(rows.ids[first])
            var end = first
            while end < rows.count, PageNumber(rows.ids[end]) == page { end += 1 }
            var some = SeriesRows()
            some.append(rows, first..<end)
            pages.append(some)
            first = end
        }
        count = rows.count
        names = SeriesNames(pages)
    }

    /// The series of a number. O(text of the series): where its kind is enough, ask for that.
    subscript(id: Int64) -> Series? {
        guard let (page, place) = find(id) else { return nil }
        return Series(pages[page][place])
    }

    func has(_ id: Int64) -> Bool { find(id) != nil }

    func kind(of id: Int64) -> SeriesKind? {
        find(id).flatMap { page, place in SeriesKind(rawValue: pages[page].kind(at: place)) }
    }

    /// The series of a name and labels. The first call after an opening is O(series).
    subscript(key: SeriesKey) -> Series? {
        let labels = key.labelText
        return names?.first(key.name, labels) { id in
            guard let (page, place) = find(id) else { return false }
            return pages[page].texts(at: place) == (key.name, labels)
        }.flatMap { self[$0] }
    }

    /// All of them, ascending by number.
    var all: some Sequence<Series> { pages.lazy.flatMap { $0.lazy.compactMap { Series($0) } } }

    /// Their numbers, ascending.
    var ids: [Int64] { pages.flatMap(\.ids) }

    mutating func add(_ one: Series) { add(one, SeriesKey(name: one.name, labels: one.labels)) }

    /// - Parameter key: of the series.
    mutating func add(_ one: Series, _ key: SeriesKey) {
        let number = PageNumber(one.id.rawValue)
        let place = place(of: number)
        if place == pages.count || PageNumber(of: pages[place]) != number { pages.insert(SeriesRows(), at: place) }
        let before = pages[place].count
        pages[place].put(id: one.id.rawValue, kind: one.kind.rawValue, name: key.name, labels: key.labelText)
        count += pages[place].count - before
        if pages[place].count == PageNumber.size { pages[place].shrink() }
        let known = names ?? SeriesNames([])
        known.add(one.id.rawValue, key.name, key.labelText)
        names = known
    }

    /// The table of those series whose numbers are wanted.
    func part(_ numbers: RangeSet<Int64>) -> SeriesTable {
        var part = SeriesTable(sharingNamesOf: self)
        for page in pages {
            part.append(page.ids.allSatisfy { numbers.contains($0) } ? page : page.filtered { numbers.contains($0) })
        }
        return part
    }

    /// Adds the series of another table that shares its names and whose numbers are not here. Whole pages are shared.
    ///
    /// - Returns: the rows that were added.
    mutating func add(_ other: SeriesTable) -> [SeriesRows] {
        var added = [SeriesRows]()
        for page in other.pages {
            let fresh = page.ids.contains { has($0) } ? page.filtered { !has($0) } : page
            if fresh.isEmpty { continue }
            added.append(fresh)
            append(fresh)
        }
        return added
    }

    /// Adds rows of one page, whose names are known.
    private mutating func append(_ rows: SeriesRows) {
        if rows.isEmpty { return }
        let number = PageNumber(of: rows)
        let place = place(of: number)
        count += rows.count
        if place == pages.count || PageNumber(of: pages[place]) != number {
            pages.insert(rows, at: place)
        } else {
            for (at, id) in rows.ids.enumerated() {
                let (name, labels) = rows.texts(at: at)
                pages[place].put(id: id, kind: rows.kind(at: at), name: name, labels: labels)
            }
        }
    }

    private func find(_ id: Int64) -> (page: Int, place: Int)? {
        let number = PageNumber(id)
        let page = place(of: number)
        guard page < pages.count, let place = pages[page].place(of: id) else { return nil }
        return (page, place)
    }

    /// The place of a page, or where it would be.
    private func place(of number: PageNumber) -> Int {
        number.place(among: pages.count) { PageNumber(of: pages[$0]) }
    }
}

extension PageNumber {
    fileprivate init(of rows: SeriesRows) { self.init(rows.ids.first ?? 0) }
}

/// The number of the page that holds what belongs to a series.
struct PageNumber: Hashable, Comparable, Sendable {
    /// How many numbers a page has.
    static let size = 1024

    let rawValue: Int64

    init(_ series: Int64) { rawValue = series >> 10 }

    /// The place of a series in its page.
    static func slot(of series: Int64) -> Int { Int(series & 1023) }

    /// The number of the series in a slot.
    func series(at slot: Int) -> Int64 { rawValue << 10 | Int64(slot) }

    static func < (a: PageNumber, b: PageNumber) -> Bool { a.rawValue < b.rawValue }

    /// The first place of ascending numbers whose number is not less. O(1) where none is missing.
    func place(among count: Int, _ number: (Int) -> PageNumber) -> Int {
        if count == 0 { return 0 }
        let (guess, overflow) = rawValue.subtractingReportingOverflow(number(0).rawValue)
        if !overflow, guess >= 0, guess < count, number(Int(guess)) == self { return Int(guess) }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if number(middle) < self { low = middle + 1 } else { high = middle }
        }
        return low
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
