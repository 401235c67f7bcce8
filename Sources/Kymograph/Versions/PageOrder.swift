// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The pages that hold the rows of series, one page for each 1,024 series numbers.
enum PageNumber {
    /// The number of series numbers of a page.
    static let size = 1_024

    static func of(_ series: Int64) -> Int64 { series >> 10 }

    static func slot(of series: Int64) -> Int { Int(series & 1023) }

    static func series(_ page: Int64, _ slot: Int) -> Int64 { page << 10 | Int64(slot) }
}

/// Finds pages by their ascending numbers: in O(1) if the numbers have no gaps, otherwise by binary search.
struct PageOrder: Sendable {
    private var first: Int64 = 0
    private var isDense = true

    init() {}

    /// - Parameter number: returns the page number at a position, from 0.
    init(_ count: Int, _ number: (Int) -> Int64) {
        if count == 0 { return }
        first = number(0)
        isDense = number(count - 1) == first + Int64(count - 1)
    }

    /// Returns the position of a page; nil if the page is absent.
    @inline(__always)
    func place(of page: Int64, _ count: Int, _ number: (Int) -> Int64) -> Int? {
        // Page numbers are far from the limits of Int64, so this cannot overflow.
        let distance = page &- first
        if isDense { return distance >= 0 && distance < count ? Int(distance) : nil }
        let place = insertion(of: page, count, number)
        return place < count && number(place) == page ? place : nil
    }

    /// Returns the first position whose number is at least `page`.
    func insertion(of page: Int64, _ count: Int, _ number: (Int) -> Int64) -> Int {
        (0..<count).partitioningIndex { number($0) >= page }
    }
}
