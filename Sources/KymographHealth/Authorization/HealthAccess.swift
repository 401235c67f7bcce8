// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// The objects of a type that a client may read. Its own objects are readable in every case but one: objects that the
/// person took away.
enum ReadScope: Hashable, Sendable {
    /// The person did not decide; a query fails.
    case undetermined
    /// Only the objects of the client.
    case own
    /// Also the objects of other programs whose end is at or after an instant.
    case since(Date)
    case all
    /// Object by object: the allowed and the refused ones.
    case objects(allowed: Set<UUID>, refused: Set<UUID>)
    /// The doses of chosen medications, whichever program saved them.
    case doses(of: Set<UUID>)

    /// Returns the scope in which both scopes hold.
    func and(_ other: ReadScope) -> ReadScope {
        switch (self, other) {
        case (.undetermined, _), (_, .undetermined): .undetermined
        case (.own, _), (_, .own): .own
        case (.since(let a), .since(let b)): .since(max(a, b))
        case (.since, _): self
        case (_, .since): other
        case (.objects, _), (.doses, _): self
        case (_, .objects), (_, .doses): other
        case (.all, .all): .all
        }
    }
}

/// What a client may read and save, as of one decision. The rules are those of `Docs/Guide/Privacy.md`.
struct HealthAccess: Sendable {
    let client: HKSource
    let isGuest: Bool
    /// The number of the newest decision for the client.
    let number: Int64
    private let policy: AuthorizationPolicy?
    private var reads: [String: AuthorizationRow] = [:]
    private var shares: [String: AuthorizationRow] = [:]
    private var objects: [String: (allowed: Set<UUID>, refused: Set<UUID>, number: Int64)] = [:]

    /// - Parameter rows: the decisions for the client.
    init(_ client: HKSource, isGuest: Bool, _ rows: [AuthorizationRow], _ policy: AuthorizationPolicy?) {
        self.client = client
        self.isGuest = isGuest
        self.policy = policy
        var last: Int64 = 0
        for row in rows where row.client == client.bundleIdentifier && !row.isPending {
            last = max(last, row.number)
            switch row.direction {
            case .read: reads[row.type] = row
            case .share: shares[row.type] = row
            case .object where row.object.count == 16:
                let uuid = SampleIdentity(row.object).uuid
                var known = objects[row.type] ?? ([], [], 0)
                if row.isAllowed { known.allowed.insert(uuid) } else { known.refused.insert(uuid) }
                known.number = max(known.number, row.number)
                objects[row.type] = known
            case .object: break
            }
        }
        number = last
    }

    // MARK: - Types

    /// Returns whether objects of a type may be saved.
    func sharing(_ type: HKObjectType) -> HKAuthorizationStatus {
        guard AuthorizationRules.maySave(type) else {
            // A type that was asked for to read is decided.
            return reads[type.identifier] == nil ? .notDetermined : .sharingDenied
        }
        if let answer = policy?.share(type.identifier, client.bundleIdentifier) {
            return answer ? .sharingAuthorized : .sharingDenied
        }
        guard let row = shares[type.identifier] else { return .notDetermined }
        return row.isAllowed ? .sharingAuthorized : .sharingDenied
    }

    /// Returns which objects of a type may be read.
    func reading(_ type: HKObjectType) -> ReadScope {
        if type is HKMedicationDoseEventType {
            return .doses(of: isClosed(type.identifier) ? [] : chosenMedications)
        }
        return Self.whole(reading(type.identifier, type.requiresPerObjectAuthorization()), of: type)
    }

    /// The identities of the medications that the person chose.
    var chosenMedications: Set<UUID> {
        let type = HKDataTypeIdentifierUserAnnotatedMedicationConcept
        return isClosed(type) ? [] : objects[type]?.allowed ?? []
    }

    /// Returns whether the content of a document may be read; nil if the person did not decide.
    func mayReadContent(of sample: HKDocumentSample) -> Bool? {
        let known = objects[sample.sampleType.identifier]
        if !isClosed(sample.sampleType.identifier), known?.allowed.contains(sample.uuid) ?? false { return true }
        if known?.refused.contains(sample.uuid) ?? false { return false }
        if sample.source == client { return true }
        return isClosed(sample.sampleType.identifier) ? false : nil
    }

    /// Whether the policy file leaves only the client's own objects of a type.
    private func isClosed(_ type: String) -> Bool { policy?.read(type, client.bundleIdentifier) == .own }

    private func reading(_ type: String, _ isByObject: Bool = false) -> ReadScope {
        if isByObject {
            let known = objects[type]
            return .objects(allowed: isClosed(type) ? [] : known?.allowed ?? [], refused: known?.refused ?? [])
        }
        if let answer = policy?.read(type, client.bundleIdentifier) { return answer }
        guard let row = reads[type] else { return .undetermined }
        if !row.isAllowed { return .own }
        return row.since.map { .since(StoredTime.date($0)) } ?? .all
    }

    /// Returns a scope without a limited history for a type whose objects have no end: the limit is one of samples.
    private static func whole(_ scope: ReadScope, of type: HKObjectType) -> ReadScope {
        if case .since = scope, !(type is HKSampleType) { return .all }
        return scope
    }

    /// Returns which objects of a sample type may be read; for a correlation by the types of its members.
    func readingSamples(_ type: HKObjectType) -> ReadScope {
        guard type is HKCorrelationType else { return reading(type) }
        if let members = AuthorizationRules.members(of: type.identifier) {
            return members.reduce(.all) { $0.and(reading($1)) }
        }
        // The members may be of any dietary type; objects are tested one by one.
        let scopes = HealthTypes.all.filter { $0.identifier.contains("IdentifierDietary") }.map {
            reading($0.identifier)
        }
        let decided = scopes.filter { $0 != .undetermined }
        if decided.isEmpty { return .undetermined }
        return decided.allSatisfy { $0 == .own } ? .own : .all
    }

    /// Returns whether all objects of all programs of a type may be read.
    func readsAll(_ type: HKObjectType) -> Bool { readingSamples(type) == .all }

    /// Returns whether a value of a type may be read from an object of another program that ends at an instant.
    func mayRead(_ type: String, endingAt end: Date) -> Bool {
        switch reading(type) {
        case .all: true
        case .since(let first): end >= first
        case .undetermined, .own, .objects, .doses: false
        }
    }

    /// The number of the newest decision about a type; a change restarts the type's part of an anchor.
    func decision(_ type: HKObjectType) -> Int64 {
        if type is HKCorrelationType {
            guard let members = AuthorizationRules.members(of: type.identifier) else {
                let newest = reads.filter { $0.key.contains("IdentifierDietary") }.map(\.value.number).max() ?? 0
                return newest &+ (policy?.version ?? 0)
            }
            return members.map { decision($0) }.max() ?? 0
        }
        if type is HKMedicationDoseEventType { return decision(HKObjectType.userAnnotatedMedicationType()) }
        let number = max(reads[type.identifier]?.number ?? 0, objects[type.identifier]?.number ?? 0)
        return number &+ (policy?.version ?? 0)
    }

    // MARK: - Checks

    /// - Throws: `errorAuthorizationNotDetermined` for a type without a decision.
    func requireReading(_ type: HKObjectType) throws(HKError) {
        guard case .undetermined = readingSamples(type) else { return }
        throw Self.undetermined(type.identifier, "requestAuthorization(toShare:read:)")
    }

    /// - Throws: `errorNotPermissibleForGuestUserMode`, `errorAuthorizationNotDetermined`, `errorAuthorizationDenied`.
    func requireSharing(_ types: some Sequence<String>) throws(HKError) {
        try requireNoGuest()
        for type in types {
            switch sharing(HKObjectType.type(for: type)) {
            case .sharingAuthorized: continue
            case .notDetermined: throw Self.undetermined(type, "requestAuthorization(toShare:read:)")
            case .sharingDenied:
                throw HKError(
                    .errorAuthorizationDenied, reason: "the person did not allow to save objects of this type",
                    place: type, advice: "ask the person to allow it")
            }
        }
    }

    /// - Throws: `errorNotPermissibleForGuestUserMode`.
    func requireNoGuest() throws(HKError) {
        guard isGuest else { return }
        throw HKError(
            .errorNotPermissibleForGuestUserMode, reason: "a guest saves and deletes nothing",
            place: client.bundleIdentifier)
    }

    /// Returns whether objects of a type may be read, or saved.
    ///
    /// - Throws: `errorAuthorizationNotDetermined` without a decision about either.
    func mayReadOrShare(_ type: HKObjectType) throws(HKError) -> Bool {
        let (read, share) = (reading(type), sharing(type))
        if read == .undetermined, share == .notDetermined {
            throw Self.undetermined(type.identifier, "requestAuthorization(toShare:read:)")
        }
        return share == .sharingAuthorized || read != .own && read != .undetermined
    }

    private static func undetermined(_ type: String, _ call: String) -> HKError {
        HKError(
            .errorAuthorizationNotDetermined, reason: "the person was not asked for this type", place: type,
            advice: "call \(call) with the type first")
    }
}
