// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// A query of the quantities of samples, one by one: all quantities of a series, or the only quantity of another
/// sample.
///
/// Quantities are sorted by their start, across overlapping samples, or sample by sample with
/// ``orderByQuantitySampleStartDate``. All are of one state of the store.
open class HKQuantitySeriesSampleQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives a quantity, its interval and, if requested, its sample; then whether it is the last one; or the error.
    /// Without any quantity, it is called once with nil and true.
    public typealias Handler =
        @Sendable (
            HKQuantitySeriesSampleQuery, HKQuantity?, DateInterval?, HKQuantitySample?, Bool, (any Error)?
        ) -> Void

    private let sample: HKQuantitySample?
    private let handler: Handler
    private let options = Mutex<HKQuantitySeriesSampleQueryDescriptor.Options>([])

    /// Creates a query of the quantities of the samples of a type that match a predicate; nil for all samples.
    ///
    /// - Parameter quantityHandler: called once for each quantity, on a thread of the store.
    @preconcurrency public init(
        quantityType: HKQuantityType, predicate: NSPredicate?, quantityHandler: @escaping Handler
    ) {
        sample = nil
        handler = quantityHandler
        super.init(objectType: quantityType, predicate: predicate)
    }

    /// Creates a query of the quantities of one sample.
    ///
    /// - Parameter quantityHandler: called once for each quantity, with its start, on a thread of the store.
    @preconcurrency public init(
        sample quantitySample: HKQuantitySample,
        quantityHandler:
            @escaping @Sendable (
                HKQuantitySeriesSampleQuery, HKQuantity?, Date?, Bool, (any Error)?
            ) -> Void
    ) {
        sample = quantitySample
        handler = { query, quantity, interval, _, done, error in
            quantityHandler(query, quantity, interval?.start, done, error)
        }
        super.init(objectType: quantitySample.quantityType, predicate: nil)
    }

    /// Creates a query of the quantities of one sample: the name of ``init(sample:quantityHandler:)`` before its
    /// release.
    @available(*, deprecated, renamed: "init(sample:quantityHandler:)")
    @preconcurrency public convenience init(
        quantitySample: HKQuantitySample,
        quantityHandler:
            @escaping @Sendable (
                HKQuantitySeriesSampleQuery, HKQuantity?, Date?, Bool, (any Error)?
            ) -> Void
    ) {
        self.init(sample: quantitySample, quantityHandler: quantityHandler)
    }

    /// Whether each quantity has its sample; false by default. Set it before the query is executed.
    public var includeSample: Bool {
        get { options.withLock { $0.contains(.includeSample) } }
        set { set(.includeSample, newValue) }
    }

    /// Whether quantities are sorted sample by sample, by the starts of the samples; false by default. Set it before
    /// the query is executed.
    public var orderByQuantitySampleStartDate: Bool {
        get { options.withLock { $0.contains(.orderByQuantitySampleStartDate) } }
        set { set(.orderByQuantitySampleStartDate, newValue) }
    }

    private func set(_ option: HKQuantitySeriesSampleQueryDescriptor.Options, _ isSet: Bool) {
        options.withLock { options in
            if isSet { options.insert(option) } else { options.remove(option) }
        }
    }

    func run(in store: HKHealthStore) throws {
        let store = try store.store()
        var pager = try pager(store)
        // One quantity is held back, so that the last one can be reported as the last.
        var held: SeriesQuantity?
        while let page = try pager.next(store) {
            for one in page {
                if lifecycle.isStopped { return }
                if let held { callHandler(held, false) }
                held = one
            }
        }
        if lifecycle.isStopped { return }
        if let held { callHandler(held, true) } else { handler(self, nil, nil, nil, true, nil) }
    }

    private func pager(_ store: HealthStore) throws -> SeriesPager {
        if let sample { return try SeriesPager(store, of: sample) }
        guard let type = objectType as? HKQuantityType else {
            throw HKError(.errorInvalidArgument, reason: "the query has no quantity type", place: "\(self)")
        }
        return try SeriesPager(store, options.withLock { $0 }.request(type, condition.get()))
    }

    private func callHandler(_ one: SeriesQuantity, _ isLast: Bool) {
        handler(self, one.quantity, one.interval, one.sample, isLast, nil)
    }

    func fail(_ error: HKError) { handler(self, nil, nil, nil, false, error) }
}

/// A query of the quantities of samples, one by one: all quantities of a series, or the only quantity of another
/// sample.
public struct HKQuantitySeriesSampleQueryDescriptor: HKAsyncSequenceQuery, Sendable {
    /// Options for the quantities in the results.
    public struct Options: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Creates options from their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Each quantity has its sample.
        public static let includeSample = Options(rawValue: 1)
        /// Quantities are sorted sample by sample, by the starts of the samples; otherwise by their own starts, across
        /// samples.
        public static let orderByQuantitySampleStartDate = Options(rawValue: 2)

        func request(_ type: HKQuantityType, _ predicate: SamplePredicate) -> SeriesRequest {
            SeriesRequest(
                type: type, predicate: predicate, includesSample: contains(.includeSample),
                isBySample: contains(.orderByQuantitySampleStartDate))
        }
    }

    /// A quantity.
    public struct Result: Sendable {
        /// The amount.
        public let quantity: HKQuantity
        /// The interval of the quantity.
        public let dateInterval: DateInterval
        /// Its sample, if requested.
        public let sample: HKQuantitySample?
    }

    /// The type, and the predicate for its samples.
    public var predicate: HKSamplePredicate<HKQuantitySample>
    /// Options for the quantities in the results.
    public var options: Options

    /// Creates a query of quantities.
    public init(predicate: HKSamplePredicate<HKQuantitySample>, options: Options = []) {
        self.predicate = predicate
        self.options = options
    }

    /// Returns a sequence of the quantities, all of one state of the store. They are read in pages of some thousand, on
    /// demand.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, descriptor: self)
    }

    /// The quantities, one by one.
    public struct Results: AsyncSequence, Sendable {
        /// A quantity.
        public typealias Element = Result

        fileprivate let healthStore: HKHealthStore
        fileprivate let descriptor: HKQuantitySeriesSampleQueryDescriptor

        /// Starts to read.
        public func makeAsyncIterator() -> Iterator { Iterator(healthStore: healthStore, descriptor: descriptor) }

        /// An iterator that reads the next page when a page is consumed.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let descriptor: HKQuantitySeriesSampleQueryDescriptor
            fileprivate var pager: SeriesPager?
            fileprivate var page: [SeriesQuantity] = []
            fileprivate var place = 0
            fileprivate var isOver = false

            /// Returns the next quantity; nil at the end.
            ///
            /// - Throws: ``HKError``: `errorInvalidArgument` for an unreadable predicate, `errorDatabaseInaccessible`;
            ///   `CancellationError`.
            public mutating func next() async throws -> Result? {
                try Task.checkCancellation()
                if place == page.count {
                    if isOver { return nil }
                    try await readOn()
                    if isOver { return nil }
                }
                defer { place += 1 }
                let one = page[place]
                return Result(quantity: one.quantity, dateInterval: one.interval, sample: one.sample)
            }

            private mutating func readOn() async throws {
                let (known, descriptor, healthStore) = (pager, descriptor, healthStore)
                isOver = true
                let (pager, page) = try await BlockingQueue.answer { _ in
                    let store = try healthStore.store()
                    guard let type = descriptor.predicate.sampleType as? HKQuantityType else {
                        throw HKError(.errorInvalidArgument, reason: "the query has no quantity type")
                    }
                    let condition = try descriptor.predicate.condition.get()
                    var pager = try known ?? SeriesPager(store, descriptor.options.request(type, condition))
                    let page = try pager.next(store)
                    return (pager, page)
                }
                self.pager = pager
                (self.page, place) = (page ?? [], 0)
                isOver = self.page.isEmpty
            }
        }
    }
}
