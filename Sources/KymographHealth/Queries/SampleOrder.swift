// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The order of a query, and the part of it that the store's order provides.
struct SampleOrder<S: HKSample>: Sendable {
    let descriptors: [SortDescriptor<S>]

    /// The direction of a search in the order of the first descriptor; nil if no direction provides it.
    var searchesBackward: Bool? {
        guard let first = descriptors.first else { return false }
        return first.keyPath == \S.startDate ? first.order == .reverse : nil
    }

    /// Whether a search returns the samples in this order.
    var isStored: Bool { descriptors.isEmpty || descriptors.count == 1 && searchesBackward != nil }
}

extension HealthStore {
    /// Returns the first samples of some types in an order.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of samples.
    ///   - lifecycle: the query's lifecycle; reading stops when it is stopped.
    /// - Complexity: O(returned samples) for an order by start; otherwise O(matching samples), with memory for a few
    ///   times `limit` samples.
    func samples<S: HKSample>(
        _ parts: [SampleSearch.Part], in order: SampleOrder<S>, limit: Int, _ lifecycle: QueryLifecycle
    ) throws -> [S] {
        var search = SampleSearch(parts, backward: order.searchesBackward ?? false)
        if order.isStored { search.limit = limit }
        let byStart = order.searchesBackward != nil
        var found = [S]()
        try self.search(search) { batch in
            if lifecycle.isStopped { return false }
            // Samples with the same start as the last one may precede it in the order.
            if byStart, !order.isStored, found.count >= limit, let last = found.last, let next = batch.samples.first,
                last.startDate != next.startDate
            {
                return false
            }
            found += batch.samples.ofClass(S.self)
            if !byStart, found.count / 4 > limit {
                found.sort(using: order.descriptors)
                found.removeLast(found.count - limit)
            }
            return true
        }
        if !order.isStored {
            found.sort(using: order.descriptors)
            if found.count > limit { found.removeLast(found.count - limit) }
        }
        return found
    }
}
