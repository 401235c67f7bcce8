// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// A search answered page by page, all of one state of the store. Between pages only that state is held.
struct SamplePager: Sendable {
    private let view: HealthView
    private var search: SampleSearch
    private var isOver = false
    /// The size of the next page. The first page is small, so that it comes soon.
    private var size = 256
    private static let fullSize = 8_192

    init(_ store: HealthStore, _ search: SampleSearch) throws(HealthStoreError) {
        view = try store.currentView()
        self.search = search
    }

    /// Creates a pager of a given state.
    init(_ view: HealthView, _ search: SampleSearch) {
        self.view = view
        self.search = search
    }

    /// Returns the next samples; nil at the end. Samples with the same start are never in two pages.
    mutating func next(_ store: HealthStore) throws -> [HKSample]? {
        if isOver || search.limit <= 0 { return nil }
        var page = FoundSamples()
        var isFull = false
        try store.search(search, in: view) { found in
            for (sample, start) in zip(found.samples, found.starts) {
                if page.samples.count >= size, page.starts.last != start {
                    isFull = true
                    return false
                }
                page.append(sample, start)
            }
            return true
        }
        isOver = !isFull
        size = Self.fullSize
        guard let last = page.starts.last else { return nil }
        if search.limit != .max { search.limit -= page.samples.count }
        if search.backward { search.range.end = last } else { search.range.start = last + 1 }
        return page.samples
    }
}
