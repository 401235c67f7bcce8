// SPDX-License-Identifier: Apache-2.0

/// A rule by which a synchronisation decides what two stores have. `Docs/Guide/Sync.md` has the table.
public enum SyncRule: String, Sendable, CaseIterable {
    /// The object is stored already, under the same identity.
    case known
    /// The object was deleted in one of the stores; the deletion counts.
    case deletion
    /// The store has a higher version of the sync identifier.
    case higherVersion
    /// Both stores have the same version of a sync identifier; the object with the lower identity counts.
    case lowerIdentity
    /// Of two values of a characteristic or setting the later one counts; at the same time, that of the store with the
    /// higher id.
    case laterValue
    /// Of two decisions about a program the later one counts.
    case laterDecision
    /// Of two decisions of the same time the refusal counts, or the narrower permission.
    case denial
    /// A decision answers a request of the other store.
    case answer
    /// A request of the other store that has no answer.
    case request
    /// All decisions about a program were removed.
    case reset
}

/// A use of a rule in a synchronisation.
public struct SyncConflict: Sendable, Hashable {
    /// The rule.
    public let rule: SyncRule
    /// The object or value: a type and an identity, the key of a setting, or a program and a type.
    public let subject: String
}
