// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

extension HKHealthStore {
    /// Asks the person. See `requestAuthorization(toShare:read:)`.
    ///
    /// - Parameter required: the identifiers of the types without which the program is of no use; nil if it names none.
    func request(
        _ share: Set<HKSampleType>, _ read: Set<HKObjectType>, required: [String]? = HKHealthStore.requiredTypes
    ) async throws {
        try AuthorizationRules.check(share: share, read: read)
        let required = try AuthorizationRules.required(required, in: read)
        guard let undecided = try await undecided(share, read) else { return }
        let purpose = HealthPurpose.current
        try purpose.check(share: share, read: read)
        if undecided.isGuest { return }
        if !undecided.share.isEmpty || !undecided.read.isEmpty {
            try await decide(undecided, purpose)
        }
        try await check(required: required)
    }

    /// Asks the person for the types that are not decided, and records the answer.
    private func decide(_ undecided: Undecided, _ purpose: HealthPurpose) async throws {
        let request = HealthAuthorizationRequest(
            client: revision.source, purpose: purpose, share: undecided.share, read: undecided.read, objects: [])
        let decision = try await authorization.decide(request)
        if decision.isPending {
            try await BlockingQueue.result { () throws(HKError) in
                try self.store().leavePending(share: undecided.share, read: undecided.read, of: self.owner)
            }
            throw Self.unanswered(request.client)
        }
        var change = AuthorizationChange(client: owner, origin: "request")
        for type in undecided.share { change.share[type] = decision.share[type] }
        for type in undecided.read { change.read[type] = decision.read[type] }
        change.readFrom = decision.readFrom
        try await record(change)
    }

    /// Returns the error of a request that another process has to answer.
    static func unanswered(_ client: HKSource) -> HKError {
        HKError(
            .errorUserCanceled, reason: "this process cannot ask the person", place: client.bundleIdentifier,
            advice: "let the person run kymo allow, or run the program in a terminal")
    }

    /// Asks the person for the types that other processes of this program, such as its extensions, left pending.
    func handlePending() async throws {
        let pending = try await BlockingQueue.result { () throws(HKError) in
            try self.store().pendingTypes(of: self.owner)
        }
        guard let undecided = try await undecided(pending.share, pending.read), !undecided.isGuest else { return }
        if !undecided.share.isEmpty || !undecided.read.isEmpty {
            let purpose = HealthPurpose.current
            try purpose.check(share: undecided.share, read: undecided.read)
            try await decide(undecided, purpose)
        }
        for type in pending.read.sorted(by: { $0.identifier < $1.identifier })
        where type.requiresPerObjectAuthorization() {
            try await requestPerObjectReadAuthorization(for: type, predicate: nil)
        }
    }

    /// Returns whether this program may save objects of a type.
    func status(of type: HKObjectType) -> HKAuthorizationStatus {
        do throws(HKError) {
            guard let access = try store().access() else { return .sharingAuthorized }
            return access.sharing(type)
        } catch {
            return .notDetermined
        }
    }

    /// Returns whether a request would ask the person.
    func requestStatus(
        _ share: Set<HKSampleType>, _ read: Set<HKObjectType>
    ) async throws -> HKAuthorizationRequestStatus {
        try AuthorizationRules.check(share: share, read: read)
        guard let undecided = try await undecided(share, read), !undecided.isGuest else { return .unnecessary }
        return undecided.share.isEmpty && undecided.read.isEmpty ? .unnecessary : .shouldRequest
    }

    /// Returns true: a store can hold clinical records.
    public func supportsHealthRecords() -> Bool { true }

    /// Returns the earliest end of readable objects of other programs, for the types with such a limit. A type without
    /// a limit is missing, and so is a type that may not be read.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func earliestAuthorizedSampleDate(for types: Set<HKObjectType>) async throws -> [HKObjectType: Date] {
        try await BlockingQueue.result { () throws(HKError) in
            guard let access = try self.store().access() else { return [:] }
            var found: [HKObjectType: Date] = [:]
            for type in types {
                if case .since(let date) = access.readingSamples(type) { found[type] = date }
            }
            return found
        }
    }

    /// Reports the earliest end of readable objects; the handler is called on a thread of the store. See
    /// ``earliestAuthorizedSampleDate(for:)``.
    @preconcurrency public func getEarliestAuthorizedSampleDate(
        for types: Set<HKObjectType>, completion: @escaping @Sendable ([HKObjectType: Date]?, (any Error)?) -> Void
    ) {
        Task {
            do {
                completion(try await earliestAuthorizedSampleDate(for: types), nil)
            } catch {
                completion(nil, error)
            }
        }
    }

    /// Stores the answers of a person.
    func record(_ change: AuthorizationChange) async throws(HKError) {
        try await BlockingQueue.result { () throws(HKError) in try self.store().decide(change) }
    }

    private struct Undecided: Sendable {
        var share: Set<HKSampleType>
        var read: Set<HKObjectType>
        var isGuest: Bool
    }

    /// Returns the types that are not decided; nil in an open store.
    private func undecided(
        _ share: Set<HKSampleType>, _ read: Set<HKObjectType>
    ) async throws(HKError) -> Undecided? {
        try await BlockingQueue.result { () throws(HKError) in
            guard let access = try self.store().access() else { return nil }
            return Undecided(
                share: share.filter { access.sharing($0) == .notDetermined },
                read: read.filter { access.reading($0) == .undetermined }, isGuest: access.isGuest)
        }
    }

    /// The types that the program's `Info.plist` requires; nil if it names none.
    private static var requiredTypes: [String]? {
        Bundle.main.object(forInfoDictionaryKey: AuthorizationRules.requiredKey) as? [String]
    }

    /// Throws if a required type was refused, without its name.
    private func check(required types: Set<HKObjectType>) async throws(HKError) {
        if types.isEmpty { return }
        try await BlockingQueue.result { () throws(HKError) in
            guard let access = try self.store().access() else { return }
            if types.contains(where: { access.reading($0) == .own }) {
                throw HKError(
                    .errorRequiredAuthorizationDenied, reason: "the person refused a required type",
                    place: AuthorizationRules.requiredKey)
            }
        }
    }
}
