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

extension SampleOrder where S == HKSample {
    /// Creates the order of a query of some types.
    ///
    /// - Throws: `errorInvalidArgument` for a key that does not sort the samples of the types.
    init(_ descriptors: [NSSortDescriptor]?, of types: [HKSampleType]) throws(HKError) {
        let isOfWorkouts = types.allSatisfy { $0.identifier == HKObjectType.workoutType().identifier }
        var found: [SortDescriptor<HKSample>] = []
        for one in descriptors ?? [] {
            let order: Foundation.SortOrder = one.ascending ? .forward : .reverse
            switch SampleSortKey(one.keyPath) {
            case .start?: found.append(SortDescriptor(\HKSample.startDate, order: order))
            case .end?: found.append(SortDescriptor(\HKSample.endDate, order: order))
            case let key? where isOfWorkouts: found.append(SortDescriptor(key.workoutNumber, order: order))
            default:
                throw HKError(
                    .errorInvalidArgument,
                    reason: "samples can be sorted only by start or end, and workouts by duration and totals",
                    place: "sortDescriptors",
                    advice: "use HKSampleSortIdentifierStartDate or HKSampleSortIdentifierEndDate, and sort the "
                        + "results by any other key")
            }
        }
        self.init(descriptors: found)
    }

    /// The order as the descriptors of a query; nil for the order of the store.
    var sortDescriptors: [NSSortDescriptor]? {
        if descriptors.isEmpty { return nil }
        return descriptors.compactMap { one in
            SampleSortKey(one.keyPath).map { NSSortDescriptor(key: $0.rawValue, ascending: one.order == .forward) }
        }
    }
}

extension HealthStore {
    /// Returns the first samples of some types in an order.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of samples.
    ///   - lifecycle: the query's lifecycle; reading stops when it is stopped.
    ///   - documents: how much of documents is returned.
    /// - Complexity: O(returned samples) for an order by start; otherwise O(matching samples), with memory for a few
    ///   times `limit` samples.
    func samples<S: HKSample>(
        _ parts: [SampleSearch.Part], in order: SampleOrder<S>, limit: Int, _ lifecycle: QueryLifecycle,
        documents: DocumentPart = .none
    ) throws -> [S] {
        var search = SampleSearch(parts, backward: order.searchesBackward ?? false)
        if order.isStored { search.limit = limit }
        search.documents = documents
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
