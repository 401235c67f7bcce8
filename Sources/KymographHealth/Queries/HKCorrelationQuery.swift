// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A query of the correlations of a type that match a predicate and whose members match other predicates.
open class HKCorrelationQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives the correlations, or the error.
    public typealias Handler = @Sendable (HKCorrelationQuery, [HKCorrelation]?, (any Error)?) -> Void

    /// The type.
    public let correlationType: HKCorrelationType
    private let members: [HKSampleType: ReadPredicate]
    private let handler: Handler

    /// - Parameters:
    ///   - predicate: selects the correlations; nil for all correlations.
    ///   - samplePredicates: predicates by type; at least one member of the type must match.
    ///   - completion: called once, on a thread of the store, with the correlations sorted by start.
    @preconcurrency public init(
        type correlationType: HKCorrelationType, predicate: NSPredicate?,
        samplePredicates: [HKSampleType: NSPredicate]?, completion: @escaping Handler
    ) {
        self.correlationType = correlationType
        members = (samplePredicates ?? [:]).mapValues { ReadPredicate($0) }
        handler = completion
        super.init(objectType: correlationType, predicate: predicate)
    }

    /// The predicates for members, by type; nil for none.
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
            return !lifecycle.isStopped
        }
        if !lifecycle.isStopped { handler(self, found, nil) }
    }

    func fail(_ error: HKError) { handler(self, nil, error) }
}
