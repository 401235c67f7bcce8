// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A query of the medications in the list of the person, in the order of their last change.
open class HKUserAnnotatedMedicationQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives a medication, whether it is the last one, and the error.
    public typealias Handler = (HKUserAnnotatedMedicationQuery, HKUserAnnotatedMedication?, Bool, (any Error)?) -> Void

    /// The maximum number of medications; ``HKObjectQueryNoLimit`` for all.
    public let limit: Int
    private let handler: Handler

    /// Creates a query of medications.
    ///
    /// - Parameters:
    ///   - predicate: of `predicateForUserAnnotatedMedications`; nil for all medications.
    ///   - limit: the maximum number of medications; ``HKObjectQueryNoLimit`` for all.
    ///   - resultsHandler: called on a thread of the store for each medication, with true for the last one. Without any
    ///     medication it is called once, with nil and true.
    @preconcurrency public init(predicate: NSPredicate?, limit: Int, resultsHandler: @escaping Handler) {
        self.limit = limit
        handler = resultsHandler
        super.init(objectType: HKObjectType.userAnnotatedMedicationType(), predicate: predicate)
    }

    func run(in store: HKHealthStore) throws {
        let found = try store.store().medications(matching: condition.get()).prefix(QueryLimit.count(limit))
        if found.isEmpty, !lifecycle.isStopped { handler(self, nil, true, nil) }
        for (place, one) in found.enumerated() where !lifecycle.isStopped {
            handler(self, one.medication, place == found.count - 1, nil)
        }
    }

    func fail(_ error: HKError) { handler(self, nil, true, error) }
}

/// A query of the medications in the list of the person, in the order of their last change.
public struct HKUserAnnotatedMedicationQueryDescriptor: HKAsyncQuery, Sendable {
    private var read: ReadPredicate
    /// The maximum number of medications; nil for all.
    public var limit: Int?

    /// Creates a query of medications.
    ///
    /// - Parameters:
    ///   - predicate: of `predicateForUserAnnotatedMedications`; nil for all medications.
    ///   - limit: the maximum number of medications; nil for all.
    public init(predicate: NSPredicate? = nil, limit: Int? = nil) {
        read = ReadPredicate(predicate)
        self.limit = limit
    }

    /// The predicate; nil if none was given. An unreadable predicate is replaced by `NSPredicate(value: false)`.
    public var predicate: NSPredicate? {
        get { read.nsPredicate }
        set { read = ReadPredicate(newValue) }
    }

    /// Returns the medications.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a predicate of samples, `errorDatabaseInaccessible`;
    ///   `CancellationError`.
    /// - Complexity: O(medications).
    public func result(for healthStore: HKHealthStore) async throws -> [HKUserAnnotatedMedication] {
        let (read, limit) = (read, QueryLimit.count(limit))
        return try await BlockingQueue.answer { _ in
            try healthStore.store().medications(matching: read.condition.get()).prefix(limit).map(\.medication)
        }
    }
}
