// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// The order that a query asks for, and what of it the store's own order gives.
struct SampleOrder<S: HKSample>: Sendable {
    let descriptors: [SortDescriptor<S>]

    /// The direction of a search that brings the samples in the order of the first descriptor; nil where none does.
    var searchesBackward: Bool? {
        guard let first = descriptors.first else { return false }
        return first.keyPath == \S.startDate ? first.order == .reverse : nil
    }

    /// Whether a search brings all samples in order.
    var isStored: Bool { descriptors.isEmpty || descriptors.count == 1 && searchesBackward != nil }
}

extension HealthStore {
    /// The first samples of some types in an order.
    ///
    /// - Parameters:
    ///   - limit: the most samples.
    ///   - course: no more is read once it is stopped.
    /// - Complexity: by start, it reads what it gives; in other orders it reads all that match, and keeps a few times
    ///   `limit` of them.
    func samples<S: HKSample>(
        _ parts: [SampleSearch.Part], in order: SampleOrder<S>, limit: Int, _ course: QueryLifecycle
    ) throws -> [S] {
        var search = SampleSearch(parts, backward: order.searchesBackward ?? false)
        if order.isStored { search.limit = limit }
        let byStart = order.searchesBackward != nil
        var found = [S]()
        try self.search(search) { batch in
            if course.isStopped { return false }
            // What starts together with the last one may come before it in the order.
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
