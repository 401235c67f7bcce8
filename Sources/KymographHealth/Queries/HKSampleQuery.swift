// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// As a limit: all.
public let HKObjectQueryNoLimit = 0
/// Sorts by when samples start, in an `NSSortDescriptor`.
public let HKSampleSortIdentifierStartDate = "startDate"
/// Sorts by when samples end, in an `NSSortDescriptor`.
public let HKSampleSortIdentifierEndDate = "endDate"

extension NSSortDescriptor {
    /// Sorts samples by one of `HKSampleSortIdentifierStartDate` and `HKSampleSortIdentifierEndDate`. A query with
    /// another key fails.
    ///
    /// Foundation has no keys on Linux; this makes a descriptor with the key path.
    public convenience init(key: String, ascending: Bool) {
        switch key {
        case HKSampleSortIdentifierStartDate: self.init(keyPath: \HKSample.startDate, ascending: ascending)
        case HKSampleSortIdentifierEndDate: self.init(keyPath: \HKSample.endDate, ascending: ascending)
        default: self.init(keyPath: \HKSample.description, ascending: ascending)
        }
    }
}

/// A type and what is asked of its samples: one of several things that a query asks for.
public final class HKQueryDescriptor: NSObject, Sendable {
    /// The type.
    public let sampleType: HKSampleType
    private let read: ReadPredicate

    /// Asks for the samples of a type that a predicate means; for all, without one.
    public init(sampleType: HKSampleType, predicate: NSPredicate?) {
        self.sampleType = sampleType
        read = ReadPredicate(predicate)
    }

    /// The predicate, nil where none was given; one that a store cannot read comes back as one that nothing fulfils.
    public var predicate: NSPredicate? { read.nsPredicate }

    /// What is searched.
    func part() throws(HKError) -> SampleSearch.Part {
        SampleSearch.Part(type: sampleType, predicate: try read.condition.get())
    }
}

/// Gives the samples of one or several types that predicates mean, once.
public final class HKSampleQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Takes the samples, or says why there are none.
    public typealias Handler = @Sendable (HKSampleQuery, [HKSample]?, (any Error)?) -> Void

    /// The most samples; ``HKObjectQueryNoLimit`` for all.
    public let limit: Int
    private let descriptors: [HKQueryDescriptor]
    private let order: Result<SampleOrder<HKSample>, HKError>
    private let handler: Handler

    /// A query over the samples of one type.
    ///
    /// - Parameters:
    ///   - predicate: which samples; all, without one.
    ///   - limit: the most samples, the first ones in the order; ``HKObjectQueryNoLimit`` for all.
    ///   - sortDescriptors: by start or end (``HKSampleSortIdentifierStartDate``), the first one first; without any,
    ///     by start.
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

    /// A query over the samples of several types, which come in one order.
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

    /// How the samples are sorted; nil where nothing was asked for.
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
                        .errorInvalidArgument, reason: "samples are sorted by their start or end",
                        place: "sortDescriptors",
                        advice: "use HKSampleSortIdentifierStartDate or HKSampleSortIdentifierEndDate, and sort what "
                            + "comes by anything else")
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

/// Limits as HealthKit has them.
enum QueryLimit {
    /// The most that a limit means; 0 and less is no limit.
    static func count(_ limit: Int?) -> Int { limit.map { $0 > 0 ? $0 : .max } ?? .max }
}
