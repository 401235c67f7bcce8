// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A query of verifiable records. It gives access once: in the mode `enforced` each run asks the person for the
/// matching records, and nothing of the answer is kept.
open class HKVerifiableClinicalRecordQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives the records, or the error.
    public typealias Handler =
        @Sendable (HKVerifiableClinicalRecordQuery, [HKVerifiableClinicalRecord]?, (any Error)?) -> Void

    /// The types that a record must have.
    public let recordTypes: [String]
    /// The formats of which a record must have one.
    public let sourceTypes: [HKVerifiableClinicalRecordSourceType]
    private let handler: Handler

    /// Creates a query of SMART Health Cards. See `init(recordTypes:sourceTypes:predicate:resultsHandler:)`.
    @preconcurrency public convenience init(
        recordTypes: [String], predicate: NSPredicate?, resultsHandler: @escaping Handler
    ) {
        self.init(
            recordTypes: recordTypes, sourceTypes: [.smartHealthCard], predicate: predicate,
            resultsHandler: resultsHandler)
    }

    /// Creates a query of verifiable records.
    ///
    /// - Parameters:
    ///   - recordTypes: the types that a record must have, all of them; HealthKit does not publish its rule.
    ///   - sourceTypes: the formats of which a record must have one.
    ///   - predicate: of `predicateForVerifiableClinicalRecords`; nil for all records.
    ///   - resultsHandler: called once, on a thread of the store.
    @preconcurrency public init(
        recordTypes: [String], sourceTypes: [HKVerifiableClinicalRecordSourceType], predicate: NSPredicate?,
        resultsHandler: @escaping Handler
    ) {
        self.recordTypes = recordTypes
        self.sourceTypes = sourceTypes
        handler = resultsHandler
        super.init(objectType: nil, predicate: predicate)
    }

    func run(in store: HKHealthStore) throws {
        let request = VerifiableRequest(types: recordTypes, sources: sourceTypes, predicate: try condition.get())
        let task = Task { [self] in
            do {
                let found = try await store.verifiableRecords(request)
                if !lifecycle.isStopped { handler(self, found, nil) }
            } catch {
                if !lifecycle.isStopped { fail(HKError(any: error)) }
            }
        }
        lifecycle.whenStopped { task.cancel() }
    }

    func fail(_ error: HKError) { handler(self, nil, error) }
}

/// A query of verifiable records that gives access once. See ``HKVerifiableClinicalRecordQuery``.
public struct HKVerifiableClinicalRecordQueryDescriptor: HKAsyncQuery, Sendable {
    /// The types that a record must have.
    public var recordTypes: [HKVerifiableClinicalRecordCredentialType]
    /// The formats of which a record must have one.
    public var sourceTypes: [HKVerifiableClinicalRecordSourceType]
    private var read: ReadPredicate

    /// Creates a query of verifiable records.
    ///
    /// - Parameters:
    ///   - recordTypes: the types that a record must have, all of them.
    ///   - sourceTypes: the formats of which a record must have one.
    ///   - predicate: of `predicateForVerifiableClinicalRecords`; nil for all records.
    public init(
        recordTypes: [HKVerifiableClinicalRecordCredentialType], sourceTypes: [HKVerifiableClinicalRecordSourceType],
        predicate: NSPredicate? = nil
    ) {
        self.recordTypes = recordTypes
        self.sourceTypes = sourceTypes
        read = ReadPredicate(predicate)
    }

    /// The predicate; nil if none was given. An unreadable predicate is replaced by `NSPredicate(value: false)`.
    public var predicate: NSPredicate? {
        get { read.nsPredicate }
        set { read = ReadPredicate(newValue) }
    }

    /// Returns the records by their relevant date, after the person allowed it.
    ///
    /// - Throws: ``HKError``: `errorUserCanceled` if the person gave no answer, `errorInvalidArgument` for an
    ///   unreadable predicate and without a purpose, `errorDatabaseInaccessible`; `CancellationError`.
    /// - Complexity: O(records).
    public func result(for healthStore: HKHealthStore) async throws -> [HKVerifiableClinicalRecord] {
        let found = try await healthStore.verifiableRecords(
            VerifiableRequest(
                types: recordTypes.map(\.rawValue), sources: sourceTypes, predicate: try read.condition.get()))
        try Task.checkCancellation()
        return found
    }
}

/// A request for verifiable records.
struct VerifiableRequest: Sendable {
    let types: [String]
    let sources: [HKVerifiableClinicalRecordSourceType]
    let predicate: SamplePredicate

    func matches(_ record: HKVerifiableClinicalRecord) -> Bool {
        types.allSatisfy(record.recordTypes.contains) && record.sourceType.map(sources.contains) ?? false
    }
}

extension HKHealthStore {
    /// Returns the matching records, after the person allowed it.
    func verifiableRecords(_ request: VerifiableRequest) async throws -> [HKVerifiableClinicalRecord] {
        let type = VerifiableRecordType.only
        let (found, asks) = try await BlockingQueue.result { () throws(HKError) in
            try HKError.converting {
                let store = try self.store()
                let access = try store.access()
                if access?.isGuest ?? false { return ([HKVerifiableClinicalRecord](), false) }
                var found: [HKVerifiableClinicalRecord] = []
                try store.owner.search(SampleSearch(type: type, predicate: request.predicate)) { batch in
                    found += batch.samples.ofClass(HKVerifiableClinicalRecord.self).filter(request.matches)
                    return true
                }
                return (found, access != nil)
            }
        }
        // The person is asked also without a record: an error must not show that there is one.
        guard asks else { return found }
        let objects = found.map { one in
            HealthAuthorizationRequest.Object(
                uuid: one.uuid, type: type, date: one.relevantDate,
                title: "once the record \"\(one.itemNames.joined(separator: ", ").prefix(100))\" of "
                    + one.subject.fullName.prefix(100))
        }
        let decision = try await decide(about: objects, type)
        return found.filter { decision[$0.uuid] ?? false }
    }
}
