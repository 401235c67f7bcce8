// SPDX-License-Identifier: Apache-2.0

import FileSystem
import HealthCatalog
import HealthModel
import Synchronization

/// The mode of a store's authorization, and the number of its last decision: a setting of the store.
struct AuthorizationState: Hashable, Sendable {
    var mode: HealthAuthorizationMode
    /// The number of the last decision.
    var number: Int64

    /// Parses the setting; nil stands for a store without decisions, which is open. A damaged setting enforces the
    /// decisions.
    init(_ setting: String?) {
        guard let setting else {
            (mode, number) = (.open, 0)
            return
        }
        let parts = setting.split(separator: " ").map(String.init)
        if parts.count == 2, let mode = HealthAuthorizationMode(rawValue: parts[0]), let number = Int64(parts[1]) {
            (self.mode, self.number) = (mode, number)
        } else {
            (mode, number) = (.enforced, 0)
        }
    }

    var text: String { "\(mode.rawValue) \(number)" }
}

/// The access of a client to a store. The decisions are read again when their number or the policy file changed.
final class ClientAccess: Sendable {
    let client: HKSource

    private struct Known {
        let setting: String
        let mark: FileMark?
        let access: HealthAccess
        /// The time of the last look at the policy file, in nanoseconds.
        var looked: Int64
    }

    /// The nanoseconds for which a look at the policy file counts.
    private static let freshness: Int64 = 20_000

    private let known = Mutex<Known?>(nil)

    init(_ client: HKSource) { self.client = client }

    /// Returns the access as of a state of the store; nil for an open store.
    ///
    /// - Complexity: a look at the policy file, at most every 20 microseconds; O(decisions for the client) after a
    ///   change.
    func access(_ tables: HealthTables, _ store: HealthStore) throws -> HealthAccess? {
        guard let setting = tables.rows.settings[HealthCatalog.authorizationKey] else { return nil }
        let state = AuthorizationState(setting)
        if state.mode == .open { return nil }
        let now = SystemClock.monotonicNanoseconds()
        let last = known.withLock { $0 }
        if let last, last.setting == setting, now &- last.looked < Self.freshness { return last.access }
        let path = AuthorizationPolicy.path(store.path)
        let mark = FileMark(path)
        if let last, last.setting == setting, last.mark == mark {
            known.withLock { $0?.looked = now }
            return last.access
        }
        let policy = AuthorizationPolicy.find(path, mark)
        let name = client.bundleIdentifier
        let rows = try store.catalog([AuthorizationRow]()) { try HealthCatalog.authorizations(client: name, $0) }
        let access = HealthAccess(client, isGuest: state.mode == .guest, rows, policy)
        known.withLock { $0 = Known(setting: setting, mark: mark, access: access, looked: now) }
        return access
    }
}

extension HealthStore {
    /// Returns what the client of this instance may read and save; nil for no limits.
    func access(_ tables: HealthTables) throws -> HealthAccess? { try client?.access(tables, self) }

    /// Returns the current access of the client of this instance; nil for no limits.
    func access() throws(HKError) -> HealthAccess? {
        guard client != nil else { return nil }
        return try HKError.converting { try access(currentView().tables) }
    }

    /// - Throws: an error unless the client may save objects of the types.
    func requireSharing(_ types: some Sequence<String>) throws(HKError) { try access()?.requireSharing(types) }

    /// - Throws: `errorAuthorizationDenied` for a client with limits, because only the person may do this.
    func requireOwner(_ what: String) throws(HKError) {
        if try access() == nil { return }
        throw HKError(
            .errorAuthorizationDenied, reason: "only the person may change this", place: what,
            advice: "use kymo, or a HealthStore")
    }
}
