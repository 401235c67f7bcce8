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
    /// Creates a sort descriptor with the key `HKSampleSortIdentifierStartDate` or `HKSampleSortIdentifierEndDate`. A
    /// query with any other key fails.
    ///
    /// Foundation has no keys on Linux, so the descriptor uses a key path.
    public convenience init(key: String, ascending: Bool) {
        switch key {
        case HKSampleSortIdentifierStartDate: self.init(keyPath: \HKSample.startDate, ascending: ascending)
        case HKSampleSortIdentifierEndDate: self.init(keyPath: \HKSample.endDate, ascending: ascending)
        default: self.init(keyPath: \HKSample.description, ascending: ascending)
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
public final class HKSampleQuery: HKQuery, @unchecked Sendable, RunnableQuery {
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
    ///   - sortDescriptors: the order, by start or end (``HKSampleSortIdentifierStartDate``), most significant first;
    ///     nil or empty for ascending start.
    ///   - resultsHandler: called once, on a thread of the store.
    public init(
        sampleType: HKSampleType, predicate: NSPredicate?, limit: Int, sortDescriptors: [NSSortDescriptor]?,
        resultsHandler: @escaping Handler
    ) {
        self.limit = limit
        descriptors = [HKQueryDescriptor(sampleType: sampleType, predicate: predicate)]
        order = Self.order(sortDescriptors)
        handler = resultsHandler
        super.init(objectType: sampleType, predicate: predicate)
    }

    /// Creates a query of the samples of several types, in one order.
    public init(
        queryDescriptors: [HKQueryDescriptor], limit: Int, sortDescriptors: [NSSortDescriptor]? = nil,
        resultsHandler: @escaping Handler
    ) {
        self.limit = limit
        descriptors = queryDescriptors
        order = Self.order(sortDescriptors)
        handler = resultsHandler
        super.init(objectType: nil, predicate: nil)
    }

    /// The order of the samples; nil if none was given.
    public var sortDescriptors: [NSSortDescriptor]? {
        guard case .success(let order) = order, !order.descriptors.isEmpty else { return nil }
        return order.descriptors.map {
            let isStart = $0.keyPath == \HKSample.startDate
            return NSSortDescriptor(
                key: isStart ? HKSampleSortIdentifierStartDate : HKSampleSortIdentifierEndDate,
                ascending: $0.order == .forward)
        }
    }

    private static func order(_ descriptors: [NSSortDescriptor]?) -> Result<SampleOrder<HKSample>, HKError> {
        Result { () throws(HKError) in
            SampleOrder(
                descriptors: try (descriptors ?? []).map { one throws(HKError) in
                    let order: Foundation.SortOrder = one.ascending ? .forward : .reverse
                    if one.keyPath == \HKSample.startDate as AnyKeyPath {
                        return SortDescriptor(\HKSample.startDate, order: order)
                    }
                    if one.keyPath == \HKSample.endDate as AnyKeyPath {
                        return SortDescriptor(\HKSample.endDate, order: order)
                    }
                    throw HKError(
                        .errorInvalidArgument, reason: "samples can be sorted only by start or end",
                        place: "sortDescriptors",
                        advice: "use HKSampleSortIdentifierStartDate or HKSampleSortIdentifierEndDate, and sort the "
                            + "results by any other key")
                })
        }
    }

    func run(in store: HKHealthStore) throws {
        let found = try store.store().samples(
            descriptors.map { one throws(HKError) in try one.part() }, in: order.get(),
            limit: QueryLimit.count(limit), course)
        if !course.isStopped { handler(self, found, nil) }
    }

    func fail(_ error: HKError) { handler(self, nil, error) }
}

/// Query limits with HealthKit's meaning.
enum QueryLimit {
    /// Returns the maximum count of a limit; 0 and less is no limit.
    static func count(_ limit: Int?) -> Int { limit.map { $0 > 0 ? $0 : .max } ?? .max }
}
