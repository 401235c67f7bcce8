// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// The value of a query limit for all objects.
public let HKObjectQueryNoLimit = 0
/// The key of an `NSSortDescriptor` to sort samples by start.
public let HKSampleSortIdentifierStartDate = "startDate"
/// The key of an `NSSortDescriptor` to sort samples by end.
public let HKSampleSortIdentifierEndDate = "endDate"

extension NSSortDescriptor {
    /// Creates a sort descriptor with a key such as ``HKSampleSortIdentifierStartDate`` or
    /// ``HKWorkoutSortIdentifierDuration``. A query with an unknown key fails.
    ///
    /// Foundation has no keys on Linux, so the descriptor uses a key path.
    public convenience init(key: String, ascending: Bool) {
        switch SampleSortKey(rawValue: key) {
        case .start: self.init(keyPath: \HKSample.startDate, ascending: ascending)
        case .end: self.init(keyPath: \HKSample.endDate, ascending: ascending)
        case let key?: self.init(keyPath: key.workoutNumber, ascending: ascending)
        case nil: self.init(keyPath: \HKSample.description, ascending: ascending)
        }
    }
}

/// A sample type with a predicate: one of several in a query.
public final class HKQueryDescriptor: NSObject, Sendable {
    /// The type.
    public let sampleType: HKSampleType
    private let read: ReadPredicate

    /// Creates a descriptor of the samples of a type that match a predicate; nil for all samples.
    public init(sampleType: HKSampleType, predicate: NSPredicate?) {
        self.sampleType = sampleType
        read = ReadPredicate(predicate)
    }

    /// The predicate; nil if none was given. An unreadable predicate matches nothing.
    public var predicate: NSPredicate? { read.nsPredicate }

    func part() throws(HKError) -> SampleSearch.Part {
        SampleSearch.Part(type: sampleType, predicate: try read.condition.get())
    }
}

/// A query of the samples of one or several types that match predicates.
open class HKSampleQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives the samples, or the error.
    public typealias Handler = @Sendable (HKSampleQuery, [HKSample]?, (any Error)?) -> Void

    /// The maximum number of samples; ``HKObjectQueryNoLimit`` for all.
    public let limit: Int
    private let descriptors: [HKQueryDescriptor]
    private let order: Result<SampleOrder<HKSample>, HKError>
    private let handler: Handler

    /// Creates a query of the samples of one type.
    ///
    /// - Parameters:
    ///   - predicate: selects the samples; nil for all samples.
    ///   - limit: the maximum number of samples, counted in the given order; ``HKObjectQueryNoLimit`` for all.
    ///   - sortDescriptors: the order, by start or end (``HKSampleSortIdentifierStartDate``), and for workouts by
    ///     duration or a total, most significant first; nil or empty for ascending start.
    ///   - resultsHandler: called once, on a thread of the store.
    @preconcurrency public init(
        sampleType: HKSampleType, predicate: NSPredicate?, limit: Int, sortDescriptors: [NSSortDescriptor]?,
        resultsHandler: @escaping Handler
    ) {
        self.limit = limit
        descriptors = [HKQueryDescriptor(sampleType: sampleType, predicate: predicate)]
        order = Result { () throws(HKError) in try SampleOrder(sortDescriptors, of: [sampleType]) }
        handler = resultsHandler
        super.init(objectType: sampleType, predicate: predicate)
    }

    /// Creates a query of the samples of several types, in one order.
    @preconcurrency public init(
        queryDescriptors: [HKQueryDescriptor], limit: Int, sortDescriptors: [NSSortDescriptor]? = nil,
        resultsHandler: @escaping Handler
    ) {
        self.limit = limit
        descriptors = queryDescriptors
        let types = queryDescriptors.map(\.sampleType)
        order = Result { () throws(HKError) in try SampleOrder(sortDescriptors, of: types) }
        handler = resultsHandler
        super.init(objectType: nil, predicate: nil)
    }

    /// The order of the samples; nil if none was given.
    public var sortDescriptors: [NSSortDescriptor]? {
        (try? order.get()).flatMap(\.sortDescriptors)
    }

    func run(in store: HKHealthStore) throws {
        let found = try store.store().samples(
            descriptors.map { one throws(HKError) in try one.part() }, in: order.get(),
            limit: QueryLimit.count(limit), lifecycle)
        if !lifecycle.isStopped { handler(self, found, nil) }
    }

    func fail(_ error: HKError) { handler(self, nil, error) }
}

/// Query limits with HealthKit's meaning.
enum QueryLimit {
    /// Returns the maximum count of a limit; 0 and less is no limit.
    static func count(_ limit: Int?) -> Int { limit.map { $0 > 0 ? $0 : .max } ?? .max }
}

/// A query of the samples that match predicates.
public struct HKSampleQueryDescriptor<Sample: HKSample>: HKAsyncQuery, Sendable {
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
        try await BlockingQueue.answer { lifecycle in
            try healthStore.store().samples(
                parts(), in: SampleOrder(descriptors: sortDescriptors), limit: QueryLimit.count(limit), lifecycle)
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
