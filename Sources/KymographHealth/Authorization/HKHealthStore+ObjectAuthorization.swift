// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

extension HKHealthStore {
    /// Asks the person which objects of a type this program may read, for prescriptions and medications. Always asks,
    /// with all objects that match. A chosen medication includes its dose events.
    ///
    /// - Parameter predicate: selects the objects to ask for; nil for all.
    /// - Throws: ``HKError``: `errorInvalidArgument` for a type that is not authorized object by object, and for an
    ///   unreadable predicate; `errorUserCanceled` if the person gave no answer; `errorDatabaseInaccessible`.
    public func requestPerObjectReadAuthorization(for type: HKObjectType, predicate: NSPredicate?) async throws {
        try await ask(type, Self.condition(predicate))
    }

    /// Asks the person which objects of a type this program may read; the handler is called on a thread of the store.
    /// See ``requestPerObjectReadAuthorization(for:predicate:)``.
    @preconcurrency public func requestPerObjectReadAuthorization(
        for type: HKObjectType, predicate: NSPredicate?,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let condition = Self.condition(predicate)
        Task {
            do {
                try await ask(type, condition)
                completion(true, nil)
            } catch {
                completion(false, error)
            }
        }
    }

    private static func condition(_ predicate: NSPredicate?) -> Result<SamplePredicate, HKError>? {
        predicate.map { predicate in Result { () throws(HKError) in try SamplePredicate(predicate) } }
    }

    private func ask(_ type: HKObjectType, _ predicate: Result<SamplePredicate, HKError>?) async throws {
        guard type is HKPrescriptionType || type is HKUserAnnotatedMedicationType else {
            throw HKError(
                .errorInvalidArgument, reason: "objects of this type are not authorized one by one",
                place: type.identifier,
                advice: type is HKMedicationDoseEventType
                    ? "request userAnnotatedMedicationType(); it includes the doses of the chosen medications"
                    : "call requestAuthorization(toShare:read:)")
        }
        let condition = try predicate?.get() ?? .always(true)
        let found = try await BlockingQueue.result { () throws(HKError) in
            let store = try self.store()
            guard let access = try store.access(), !access.isGuest else {
                return [HealthAuthorizationRequest.Object]?.none
            }
            return switch type {
            case let type as HKSampleType: try Self.objects(type, condition, store.owner)
            default: try Self.medications(condition, store.owner)
            }
        }
        guard let found else { return }
        let decision = try await decide(about: found, type, isKept: true)
        try await record(found, decision, type)
    }

    /// Asks the person which objects of a type this program may read.
    ///
    /// - Parameter isKept: whether a request that the person does not answer stays pending.
    func decide(
        about objects: [HealthAuthorizationRequest.Object], _ type: HKObjectType, isKept: Bool = false
    ) async throws -> [UUID: Bool] {
        let purpose = HealthPurpose.current
        try purpose.check(share: [], read: [type])
        let request = HealthAuthorizationRequest(
            client: revision.source, purpose: purpose, share: [], read: [], objects: objects)
        let decision = try await authorization.decide(request)
        if decision.isPending {
            if isKept {
                try await BlockingQueue.result { () throws(HKError) in
                    try self.store().leavePending(share: [], read: [type], of: self.owner)
                }
            }
            throw Self.unanswered(request.client)
        }
        return decision.objects
    }

    /// Stores the answers of the person about objects that this program asked for.
    func record(
        _ objects: [HealthAuthorizationRequest.Object], _ decision: [UUID: Bool], _ type: HKObjectType
    ) async throws(HKError) {
        var change = AuthorizationChange(client: owner, origin: "request")
        change.objectType = type
        for object in objects { change.objects[object.uuid] = decision[object.uuid] }
        try await record(change)
    }

    /// Returns the matching medications, the last changed one first.
    private static func medications(
        _ predicate: SamplePredicate, _ store: HealthStore
    ) throws(HKError) -> [HealthAuthorizationRequest.Object] {
        try HKError.converting {
            try store.medications(matching: predicate).reversed().map {
                HealthAuthorizationRequest.Object(
                    uuid: $0.identity.uuid, type: HKObjectType.userAnnotatedMedicationType(),
                    date: StoredTime.date($0.changed), title: $0.medication.description)
            }
        }
    }

    /// Returns the matching objects of all programs, newest first.
    private static func objects(
        _ type: HKSampleType, _ predicate: SamplePredicate, _ store: HealthStore
    ) throws(HKError) -> [HealthAuthorizationRequest.Object] {
        try HKError.converting {
            var found: [HealthAuthorizationRequest.Object] = []
            try store.search(SampleSearch(type: type, predicate: predicate, backward: true)) { batch in
                for sample in batch.samples {
                    found.append(
                        HealthAuthorizationRequest.Object(
                            uuid: sample.uuid, type: type, date: sample.startDate,
                            title:
                                "\(type.plainName) of \(sample.startDate.formatted(date: .abbreviated, time: .omitted))"
                        ))
                }
                return true
            }
            return found
        }
    }
}
