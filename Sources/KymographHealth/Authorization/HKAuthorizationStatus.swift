// SPDX-License-Identifier: Apache-2.0

/// Whether a program may save objects of a type. Raw values are HealthKit's.
///
/// There is no status for reading: a program cannot tell a refusal from missing data.
public enum HKAuthorizationStatus: Int, Hashable, Sendable, CaseIterable {
    /// The person was not asked.
    case notDetermined = 0
    /// The person refused.
    case sharingDenied = 1
    /// The person allowed it.
    case sharingAuthorized = 2
}

/// Whether a request for authorization would ask the person. Raw values are HealthKit's.
public enum HKAuthorizationRequestStatus: Int, Hashable, Sendable, CaseIterable {
    /// An error prevented the answer.
    case unknown = 0
    /// At least one type is undecided.
    case shouldRequest = 1
    /// All types are decided.
    case unnecessary = 2
}

/// Who may read and save. Not part of HealthKit.
public enum HealthAuthorizationMode: String, Hashable, Sendable, CaseIterable {
    /// Every program reads and saves everything. The default.
    case open
    /// Each program reads and saves what the person allowed.
    case enforced
    /// As ``enforced``, but requests do not ask the person, and saves fail with `errorNotPermissibleForGuestUserMode`.
    case guest
}
