// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A query of the samples that match predicates.
public struct HKSampleQueryDescriptor<Sample: HKSample>: HKAsyncQuery {
    /// The types, each with a predicate for its samples. A sample matches if any predicate matches.
    public var predicates: [HKSamplePredicate<Sample>]
    /// The order, most significant descriptor first; empty for ascending start.
    public var sortDescriptors: [SortDescriptor<Sample>]
    /// The maximum number of samples, counted in the given order; nil for all.
    public var limit: Int?

    /// Creates a query of samples.
    public init(
        predicates: [HKSamplePredicate<Sample>], sortDescriptors: [SortDescriptor<Sample>] = [], limit: Int? = nil
    ) {
        self.predicates = predicates
        self.sortDescriptors = sortDescriptors
        self.limit = limit
    }

    /// Returns the samples.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for an unreadable predicate, `errorDatabaseInaccessible`;
    ///   `CancellationError`.
    /// - Complexity: O(returned samples) for an order by start; otherwise O(matching samples).
    public func result(for healthStore: HKHealthStore) async throws -> [Sample] {
        try await BlockingQueue.answer { course in
            try healthStore.store().samples(
                parts(), in: SampleOrder(descriptors: sortDescriptors), limit: QueryLimit.count(limit), course)
        }
    }

    /// Returns a sequence of batches: the first small batch comes at once, and memory is bounded. All batches are of
    /// the same state of the store. Not part of HealthKit.
    ///
    /// For an order other than by start, all samples are read before the first batch.
    public func batches(for healthStore: HKHealthStore) -> Batches {
        Batches(healthStore: healthStore, descriptor: self)
    }

    func parts() throws(HKError) -> [SampleSearch.Part] {
        try SampleSearch.parts(predicates)
    }

    /// The result of a query, in batches.
    public struct Batches: AsyncSequence, Sendable {
        /// Some samples in order; never empty.
        public typealias Element = [Sample]

        fileprivate let healthStore: HKHealthStore
        fileprivate let descriptor: HKSampleQueryDescriptor<Sample>

        /// Starts to read.
        public func makeAsyncIterator() -> Iterator { Iterator(healthStore: healthStore, descriptor: descriptor) }

        /// An iterator that reads each batch when it is requested.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let descriptor: HKSampleQueryDescriptor<Sample>
            fileprivate var pager: SamplePager?
            fileprivate var isOver = false

            /// Returns the next samples; nil at the end.
            ///
            /// - Throws: the errors of ``HKSampleQueryDescriptor/result(for:)``.
            public mutating func next() async throws -> [Sample]? {
                if isOver { return nil }
                let order = SampleOrder(descriptors: descriptor.sortDescriptors)
                guard order.isStored else {
                    isOver = true
                    let all = try await descriptor.result(for: healthStore)
                    return all.isEmpty ? nil : all
                }
                let (known, descriptor, healthStore) = (pager, descriptor, healthStore)
                let (pager, page) = try await BlockingQueue.answer { _ in
                    let store = try healthStore.store()
                    var pager =
                        try known
                        ?? SamplePager(
                            store,
                            SampleSearch(
                                descriptor.parts(), backward: order.searchesBackward ?? false,
                                limit: QueryLimit.count(descriptor.limit)))
                    let page = try pager.next(store)
                    return (pager, page?.ofClass(Sample.self))
                }
                self.pager = pager
                if page == nil { isOver = true }
                return page
            }
        }
    }
}
