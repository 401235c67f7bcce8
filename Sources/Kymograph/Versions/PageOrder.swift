// SPDX-License-Identifier: Apache-2.0

/// The pages in which what belongs to series lies: one for each 1,024 numbers.
enum PageNumber {
    /// How many numbers a page has.
    static let size = 1_024

    /// The number of a series' page.
    static func of(_ series: Int64) -> Int64 { series >> 10 }

    /// The place of a series in its page.
    static func slot(of series: Int64) -> Int { Int(series & 1023) }

    /// The number of the series in a slot of a page.
    static func series(_ page: Int64, _ slot: Int) -> Int64 { page << 10 | Int64(slot) }
}

/// Finds pages by their numbers, which ascend: at once where none is missing between the first and the last.
struct PageOrder: Sendable {
    private var first: Int64 = 0
    private var isDense = true

    init() {}

    /// - Parameter number: of a place, from 0.
    init(_ count: Int, _ number: (Int) -> Int64) {
        if count == 0 { return }
        first = number(0)
        isDense = number(count - 1) == first + Int64(count - 1)
    }

    /// The place of a page, if it is there.
    @inline(__always)
    func place(of page: Int64, _ count: Int, _ number: (Int) -> Int64) -> Int? {
        // Numbers of pages are far from the ends of their type.
        let distance = page &- first
        if isDense { return distance >= 0 && distance < count ? Int(distance) : nil }
        let place = insertion(of: page, count, number)
        return place < count && number(place) == page ? place : nil
    }

    /// The first place whose number is not less.
    func insertion(of page: Int64, _ count: Int, _ number: (Int) -> Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if number(middle) < page { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
