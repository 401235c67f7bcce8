// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KymographHealth

/// How two stores are synchronised.
public struct SyncOptions: Sendable {
    /// Whether this store's changes go to the other store.
    public var sends = true
    /// Whether the other store's changes come to this store.
    public var receives = true
    /// Whether later changes are exchanged as they come, until the caller or the other side ends it.
    public var follows = false
    /// The types of the samples and objects to exchange; nil for all. Correlations are exchanged with the samples in
    /// them, workouts with their routes; elements and files of imports, settings and decisions are not.
    public var types: Set<HKObjectType>?
    /// The earliest start of the samples and objects to exchange; nil for all.
    public var from: Date?
    /// What the other store is called from now on: the path of its directory, or the command that reaches it. Nil for
    /// the name that it gives itself.
    public var peerName: String?
    /// Whether the report lists the uses of rules.
    public var explains = false
    /// Allows an encrypted store to exchange changes with a store that is not encrypted.
    public var allowsPlaintext = false
    /// Called after each page of changes, in any thread; returns false to end the synchronisation.
    public var progress: (@Sendable (SyncReport) -> Bool)?

    /// Asked again and again while the synchronisation follows; true ends it.
    public var isCancelled: (@Sendable () -> Bool)?

    /// Creates options: both directions, until there are no more changes.
    public init() {}

    /// The selected part of the stores.
    var selection: SyncSelection {
        SyncSelection(types: types.map { Set($0.map(\.identifier)) }, from: from.map { StoredTime.clamped($0) })
    }
}
