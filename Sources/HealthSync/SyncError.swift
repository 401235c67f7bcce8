// SPDX-License-Identifier: Apache-2.0

public import KymographHealth

/// An error of a synchronisation. Pages that were acknowledged before stay; the next synchronisation continues there.
public struct SyncError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public enum Kind: Sendable, Hashable {
        /// The connection ended too early, or failed.
        case connection
        /// The other program does not follow the protocol, or the connection changed its bytes.
        case malformed
        /// The other program speaks a newer version of the protocol.
        case newerVersion
        /// The two stores cannot be synchronised: they are the same one, or only one of them is encrypted.
        case refused
        /// The other program reports an error of its own.
        case other
        /// An error of this program's store.
        case store(HealthStoreError.Kind)
        /// The caller ended the synchronisation.
        case cancelled
    }

    /// The kind of the error.
    public let kind: Kind
    /// What failed, and what to do next.
    public let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case let error as HealthStoreError: self.init(.store(error.kind), error.description)
        default: self.init(.connection, "\(error)")
        }
    }

    /// The message.
    public var description: String { message }
}
