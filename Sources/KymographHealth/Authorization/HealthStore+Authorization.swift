// SPDX-License-Identifier: Apache-2.0

import FileSystem
public import Foundation
import HealthCatalog
public import HealthModel

/// What a store knows about a program that asked for authorization, or that a person decided about.
public struct HealthClientOverview: Sendable, Hashable {
    /// A decision about one type.
    public struct Decision: Sendable, Hashable {
        /// The type.
        public let type: HKObjectType
        /// True for the permission to save, false for that to read.
        public let isSharing: Bool
        /// Whether the person allowed it.
        public let isAllowed: Bool
        /// The earliest end of readable objects of other programs; nil for no limit.
        public let readFrom: Date?
        /// The time of the decision.
        public let decided: Date
        /// Where the person decided: `request`, `kymo`.
        public let origin: String
    }

    /// A request that the person did not answer yet.
    public struct Request: Sendable, Hashable {
        /// The type.
        public let type: HKObjectType
        /// True for the permission to save, false for that to read.
        public let isSharing: Bool
        /// The time of the first request.
        public let asked: Date
    }

    /// The bundle identifier.
    public let client: String
    /// The requests without an answer, by type.
    public let requests: [Request]
    /// The decisions about types, by type.
    public let decisions: [Decision]
    /// The number of objects that were allowed one by one.
    public let allowedObjects: Int
    /// The number of objects that were refused one by one.
    public let refusedObjects: Int
}

/// A change of the decisions about a client.
package struct AuthorizationChange: Sendable {
    package var client: String
    package var share: [HKObjectType: Bool] = [:]
    package var read: [HKObjectType: Bool] = [:]
    package var readFrom: Date?
    package var objects: [UUID: Bool] = [:]
    /// The type of the objects.
    package var objectType: HKObjectType?
    package var origin: String

    package init(client: String, origin: String) {
        self.client = client
        self.origin = origin
    }
}

extension HealthStore {
    /// The mode of the authorization.
    ///
    /// - Throws: `corrupt`, `engine(.inputOutput)`.
    public func authorizationMode() throws(HealthStoreError) -> HealthAuthorizationMode {
        AuthorizationState(try currentView().tables.rows.settings[HealthCatalog.authorizationKey]).mode
    }

    /// Sets the mode of the authorization, durably. Running queries of all processes follow it.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`; `errorAuthorizationDenied` for a client.
    public func setAuthorizationMode(_ mode: HealthAuthorizationMode) throws(HKError) {
        try requireOwner("the mode of authorization")
        try write { transaction in
            var state = AuthorizationState(try HealthCatalog.setting(HealthCatalog.authorizationKey, transaction))
            state.mode = mode
            try HealthCatalog.set(setting: HealthCatalog.authorizationKey, to: state.text, transaction)
        }
    }

    /// Stores decisions about a client, durably, in one commit.
    package func decide(_ change: AuthorizationChange) throws(HKError) {
        // A date that cannot be stored must not become a wider permission: NaN is after all samples.
        let first = change.readFrom.map { StoredTime.clamped($0) }
        let objectType = change.objectType?.identifier
        let (share, read) = (Self.named(change.share), Self.named(change.read))
        if share.isEmpty, read.isEmpty, change.objects.isEmpty { return }
        let (client, origin, objects) = (change.client, change.origin, change.objects)
        try owner.write { transaction in
            let now = try HealthCatalog.nextDecision(client: client, transaction)
            var state = AuthorizationState(try HealthCatalog.setting(HealthCatalog.authorizationKey, transaction))
            state.number &+= 1
            func put(
                _ direction: AuthorizationRow.Direction, _ type: String, _ isAllowed: Bool, _ object: [UInt8] = []
            ) throws {
                let row = AuthorizationRow(
                    client: client, direction: direction, type: type, object: object, isAllowed: isAllowed,
                    since: direction == .read && isAllowed ? first : nil, number: state.number, decided: now,
                    origin: origin)
                try HealthCatalog.set(row, transaction)
            }
            for (type, isAllowed) in share { try put(.share, type, isAllowed) }
            for (type, isAllowed) in read { try put(.read, type, isAllowed) }
            for (uuid, isAllowed) in objects {
                try put(.object, objectType ?? "", isAllowed, SampleIdentity(uuid).bytes)
            }
            try HealthCatalog.set(setting: HealthCatalog.authorizationKey, to: state.text, transaction)
        }
    }

    /// Stores that a client asked for types, durably, in one commit. Decided types stay decided.
    func leavePending(share: Set<HKSampleType>, read: Set<HKObjectType>, of client: String) throws(HKError) {
        let types: [(AuthorizationRow.Direction, String)] =
            share.map { (.share, $0.identifier) }
            + read.map { ($0.requiresPerObjectAuthorization() ? .object : .read, $0.identifier) }
        try owner.write { transaction in
            let now = try HealthCatalog.nextDecision(client: client, transaction)
            for (direction, type) in types {
                let row = AuthorizationRow(
                    client: client, direction: direction, type: type, isAllowed: false, isPending: true, decided: now,
                    origin: "request")
                try HealthCatalog.set(row, transaction)
            }
        }
    }

    /// Returns the types that a client asked for, and that are not decided. Types of which the person chooses objects
    /// are among those to read.
    func pendingTypes(of client: String) throws(HKError) -> (share: Set<HKSampleType>, read: Set<HKObjectType>) {
        let rows = try HKError.converting {
            _ = try currentView()
            return try catalog([AuthorizationRow]()) { try HealthCatalog.authorizations(client: client, $0) }
        }
        let pending = rows.filter(\.isPending)
        let share = pending.filter { $0.direction == .share }.map { HKObjectType.type(for: $0.type) }
        let read = pending.filter { $0.direction != .share }.map { HKObjectType.type(for: $0.type) }
        return (Set(share.compactMap { $0 as? HKSampleType }), Set(read))
    }

    private static func named(_ answers: [HKObjectType: Bool]) -> [String: Bool] {
        Dictionary(answers.map { ($0.key.identifier, $0.value) }) { first, _ in first }
    }

    /// Removes all decisions about a client, durably; nil removes those about all clients. All types are undecided
    /// then.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`; `errorAuthorizationDenied` for a client.
    public func resetAuthorization(client: String? = nil) throws(HKError) {
        try requireOwner("the decisions about programs")
        try write { transaction in
            var state = AuthorizationState(try HealthCatalog.setting(HealthCatalog.authorizationKey, transaction))
            state.number &+= 1
            let now = try HealthCatalog.nextDecision(client: client, transaction)
            try HealthCatalog.reset(AuthorizationResetRow(client: client ?? "", at: now), transaction)
            try HealthCatalog.set(setting: HealthCatalog.authorizationKey, to: state.text, transaction)
        }
    }

    /// Returns the programs with decisions, by name.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`; `errorAuthorizationDenied` for a client.
    public func authorizedClients() throws(HKError) -> [HealthClientOverview] {
        try requireOwner("the decisions about programs")
        let rows = try HKError.converting {
            _ = try currentView()
            return try catalog([AuthorizationRow]()) { try HealthCatalog.authorizations(client: nil, $0) }
        }
        return Dictionary(grouping: rows, by: \.client).sorted { $0.key < $1.key }.map { client, rows in
            let objects = rows.filter { $0.direction == .object && !$0.isPending }
            return HealthClientOverview(
                client: client,
                requests: rows.filter(\.isPending).map {
                    HealthClientOverview.Request(
                        type: HKObjectType.type(for: $0.type), isSharing: $0.direction == .share,
                        asked: StoredTime.date($0.decided))
                },
                decisions: rows.filter { $0.direction != .object && !$0.isPending }.map {
                    HealthClientOverview.Decision(
                        type: HKObjectType.type(for: $0.type), isSharing: $0.direction == .share,
                        isAllowed: $0.isAllowed, readFrom: $0.since.map { StoredTime.date($0) },
                        decided: StoredTime.date($0.decided), origin: $0.origin)
                },
                allowedObjects: objects.filter(\.isAllowed).count,
                refusedObjects: objects.filter { !$0.isAllowed }.count)
        }
    }

    /// Returns the path of the policy file, and the reason why it denies everything; nil without a file.
    package func authorizationPolicy() -> (path: String, fault: String?)? {
        let path = AuthorizationPolicy.path(self.path)
        return AuthorizationPolicy.find(path, FileMark(path)).map { (path, $0.fault) }
    }
}
