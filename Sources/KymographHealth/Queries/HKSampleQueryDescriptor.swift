// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// Asks for the samples that predicates mean, once.
public struct HKSampleQueryDescriptor<Sample: HKSample>: HKAsyncQuery {
    /// Which types, and what is asked of their samples. Of several, what any of them means.
    public var predicates: [HKSamplePredicate<Sample>]
    /// The order, the first descriptor first; by start, without any.
    public var sortDescriptors: [SortDescriptor<Sample>]
    /// The most samples, the first ones in the order; nil for all.
    public var limit: Int?

    /// Asks for samples.
    public init(
        predicates: [HKSamplePredicate<Sample>], sortDescriptors: [SortDescriptor<Sample>] = [], limit: Int? = nil
    ) {
        self.predicates = predicates
        self.sortDescriptors = sortDescriptors
        self.limit = limit
    }

    /// The samples.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a predicate that no store can read,
    ///   `errorDatabaseInaccessible`; `CancellationError`.
    /// - Complexity: by start, it reads what it gives; in other orders, all that match.
    public func result(for healthStore: HKHealthStore) async throws -> [Sample] {
        try await BlockingQueue.answer { course in
            try healthStore.store().samples(
                parts(), in: SampleOrder(descriptors: sortDescriptors), limit: QueryLimit.count(limit), course)
        }
    }

    /// The samples, some at a time, while the caller uses the ones before: the first few come at once, and memory is
    /// bounded. They are of one state of the store, that of the first. Not part of HealthKit.
    ///
    /// In an order other than by start all samples are read before the first come.
    public func batches(for healthStore: HKHealthStore) -> Batches {
        Batches(healthStore: healthStore, descriptor: self)
    }

    func parts() throws(HKError) -> [SampleSearch.Part] {
        try SampleSearch.parts(predicates)
    }

    /// The answer of a query, some samples at a time.
    public struct Batches: AsyncSequence, Sendable {
        /// Some samples, in order; never none.
        public typealias Element = [Sample]

        fileprivate let healthStore: HKHealthStore
        fileprivate let descriptor: HKSampleQueryDescriptor<Sample>

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(healthStore: healthStore, descriptor: descriptor) }

        /// Reads on with each batch.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let descriptor: HKSampleQueryDescriptor<Sample>
            private var pager: SamplePager?
            private var isOver = false

            fileprivate init(healthStore: HKHealthStore, descriptor: HKSampleQueryDescriptor<Sample>) {
                self.healthStore = healthStore
                self.descriptor = descriptor
            }

            /// The next samples; nil at the end.
            ///
            /// - Throws: as ``HKSampleQueryDescriptor/result(for:)``.
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
