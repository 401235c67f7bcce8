// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// Gives the correlations of a type that a predicate means and whose members are as asked for, once.
public final class HKCorrelationQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Takes the correlations, or says why there are none.
    public typealias Handler = @Sendable (HKCorrelationQuery, [HKCorrelation]?, (any Error)?) -> Void

    /// The type.
    public let correlationType: HKCorrelationType
    private let members: [HKSampleType: ReadPredicate]
    private let handler: Handler

    /// - Parameters:
    ///   - predicate: which correlations; all, without one.
    ///   - samplePredicates: for some types, what one of the correlation's samples of that type has to be.
    ///   - completion: called once, on a thread of the store, with the correlations by their starts.
    public init(
        type correlationType: HKCorrelationType, predicate: NSPredicate?,
        samplePredicates: [HKSampleType: NSPredicate]?, completion: @escaping Handler
    ) {
        self.correlationType = correlationType
        members = (samplePredicates ?? [:]).mapValues { ReadPredicate($0) }
        handler = completion
        super.init(objectType: correlationType, predicate: predicate)
    }

    /// What is asked of members, by type; nil for nothing.
    public var samplePredicates: [HKSampleType: NSPredicate]? {
        members.isEmpty ? nil : members.compactMapValues(\.nsPredicate)
    }

    func run(in store: HKHealthStore) throws {
        let wanted = try members.mapValues { one throws(HKError) in try one.condition.get() }
        let part = SampleSearch.Part(type: correlationType, predicate: try condition.get())
        var found = [HKCorrelation]()
        try store.store().search(SampleSearch([part])) { batch in
            for case let correlation as HKCorrelation in batch.samples {
                let isMeant = wanted.allSatisfy { type, predicate in
                    correlation.objects(for: type).contains { predicate.matches($0) }
                }
                if isMeant { found.append(correlation) }
            }
            return !course.isStopped
        }
        if !course.isStopped { handler(self, found, nil) }
    }

    func fail(_ error: HKError) { handler(self, nil, error) }
}
