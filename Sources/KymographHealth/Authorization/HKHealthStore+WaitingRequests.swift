// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel
import Synchronization

extension HKHealthStore {
    /// Calls a handler when a request of this program waits for an answer: another process of the program left it, or
    /// it came from a synchronised store. Not part of HealthKit, where the system calls
    /// `applicationShouldRequestHealthAuthorization(_:)` of the program's delegate.
    ///
    /// ```swift
    /// let waiting = health.whenShouldRequestAuthorization { health in
    ///     try? await health.handleAuthorizationForExtension()
    /// }
    /// ```
    ///
    /// The handler is called once for each further type that is asked for, and not again after an answer, wherever the
    /// person gave it.
    ///
    /// - Parameter handler: runs in the returned task; the next call waits for its end.
    /// - Returns: the task; cancel it to end the calls. It throws ``HKError``: `errorDatabaseInaccessible`.
    @discardableResult
    public func whenShouldRequestAuthorization(
        _ handler: @escaping @Sendable (HKHealthStore) async -> Void
    ) -> Task<Void, any Error> {
        Task { [self] in
            var loop = try await CommitLoop(self)
            var known: Set<WaitingType> = []
            while try await loop.wait() {
                let waiting = try await waitingTypes()
                let isNew = !waiting.isSubset(of: known)
                known = waiting
                if isNew, !Task.isCancelled { await handler(self) }
            }
        }
    }

    /// A type without an answer: its identifier, and whether it is to be saved.
    private struct WaitingType: Hashable {
        let type: String
        let isSharing: Bool
    }

    private func waitingTypes() async throws(HKError) -> Set<WaitingType> {
        let pending = try await BlockingQueue.result { () throws(HKError) in
            try self.store().pendingTypes(of: self.owner)
        }
        return Set(pending.share.map { WaitingType(type: $0.identifier, isSharing: true) })
            .union(pending.read.map { WaitingType(type: $0.identifier, isSharing: false) })
    }
}
