// SPDX-License-Identifier: Apache-2.0

/// The treatment of identities that a caller supplies.
package enum IdentityRule: Sendable {
    /// They are stored as they are; the caller knows that they are new.
    case unchecked
    /// None of them may be in the store.
    case new
    /// Samples that are stored already, the same in series, times and value, are passed over.
    case known
}
