// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The domain of ``HKError``.
public let HKErrorDomain = "com.apple.healthkit"

/// What a health store refuses, under HealthKit's codes; with what, where, and what to do.
///
/// `catch HKError.errorAuthorizationDenied` catches one code.
public struct HKError: CustomNSError, LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// Raw values are HealthKit's.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// Something that has no code.
        case unknownError = 0
        /// There is no health store here.
        case errorHealthDataUnavailable = 1
        /// A policy forbids the health store.
        case errorHealthDataRestricted = 2
        /// The caller's data or request is not valid.
        case errorInvalidArgument = 3
        /// The person said no.
        case errorAuthorizationDenied = 4
        /// The person was not asked yet.
        case errorAuthorizationNotDetermined = 5
        /// The store cannot be read now.
        case errorDatabaseInaccessible = 6
        /// The person closed the request.
        case errorUserCanceled = 7
        /// Another program started a workout.
        case errorAnotherWorkoutSessionStarted = 8
        /// The person left the workout.
        case errorUserExitedWorkoutSession = 9
        /// A type that has to be allowed was not.
        case errorRequiredAuthorizationDenied = 10
        /// There is nothing to compute from.
        case errorNoData = 11
        /// The activity cannot be done now.
        case errorWorkoutActivityNotAllowed = 12
        /// There is too much of it.
        case errorDataSizeExceeded = 13
        /// A workout cannot begin in the background.
        case errorBackgroundWorkoutSessionNotAllowed = 14
        /// Not for a guest.
        case errorNotPermissibleForGuestUserMode = 15
    }

    /// HealthKit's code.
    public let code: Code
    /// What happened: `the end of the sample is before its start`.
    public let reason: String
    /// Where: the object, property or key that it is about; nil where it is about no single one.
    public let place: String?
    /// What to do; nil where there is nothing.
    public let advice: String?
    /// Whether nobody can tell if what was asked for is done: the disk failed while it was made durable. It is there
    /// as a whole or not at all, and a store that is opened again knows. Not part of HealthKit.
    public let isOutcomeUnknown: Bool

    /// An error with this code, and what a person should know.
    public init(
        _ code: Code, reason: String, place: String? = nil, advice: String? = nil, isOutcomeUnknown: Bool = false
    ) {
        self.code = code
        self.reason = reason
        self.place = place
        self.advice = advice
        self.isOutcomeUnknown = isOutcomeUnknown
    }

    /// The whole sentence for a person.
    public var description: String {
        let prefix = place.map { "\($0): " } ?? ""
        let what = advice.map { "\(reason); \($0)" } ?? reason
        return "\(prefix)\(what) (\(Self.errorDomain) \(code.rawValue), \(code))"
    }

    /// The whole sentence for a person.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { reason }
    /// What to do.
    public var recoverySuggestion: String? { advice }

    /// `com.apple.healthkit`
    public static var errorDomain: String { HKErrorDomain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// What, where, and what to do; where is under `HKErrorPlace`, which is ours.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description, NSLocalizedFailureReasonErrorKey: reason]
        if let place { info["HKErrorPlace"] = place }
        if let advice { info[NSLocalizedRecoverySuggestionErrorKey] = advice }
        return info
    }
}

extension HKError.Code {
    /// Whether an error is an ``HKError`` with this code: `catch HKError.errorNoData`.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? HKError)?.code == code }
}

// The codes as members, so that `HKError.errorNoData` compiles as it does with HealthKit.
extension HKError {
    /// ``Code/unknownError``
    public static var unknownError: Code { .unknownError }
    /// ``Code/errorHealthDataUnavailable``
    public static var errorHealthDataUnavailable: Code { .errorHealthDataUnavailable }
    /// ``Code/errorHealthDataRestricted``
    public static var errorHealthDataRestricted: Code { .errorHealthDataRestricted }
    /// ``Code/errorInvalidArgument``
    public static var errorInvalidArgument: Code { .errorInvalidArgument }
    /// ``Code/errorAuthorizationDenied``
    public static var errorAuthorizationDenied: Code { .errorAuthorizationDenied }
    /// ``Code/errorAuthorizationNotDetermined``
    public static var errorAuthorizationNotDetermined: Code { .errorAuthorizationNotDetermined }
    /// ``Code/errorDatabaseInaccessible``
    public static var errorDatabaseInaccessible: Code { .errorDatabaseInaccessible }
    /// ``Code/errorUserCanceled``
    public static var errorUserCanceled: Code { .errorUserCanceled }
    /// ``Code/errorAnotherWorkoutSessionStarted``
    public static var errorAnotherWorkoutSessionStarted: Code { .errorAnotherWorkoutSessionStarted }
    /// ``Code/errorUserExitedWorkoutSession``
    public static var errorUserExitedWorkoutSession: Code { .errorUserExitedWorkoutSession }
    /// ``Code/errorRequiredAuthorizationDenied``
    public static var errorRequiredAuthorizationDenied: Code { .errorRequiredAuthorizationDenied }
    /// ``Code/errorNoData``
    public static var errorNoData: Code { .errorNoData }
    /// ``Code/errorWorkoutActivityNotAllowed``
    public static var errorWorkoutActivityNotAllowed: Code { .errorWorkoutActivityNotAllowed }
    /// ``Code/errorDataSizeExceeded``
    public static var errorDataSizeExceeded: Code { .errorDataSizeExceeded }
    /// ``Code/errorBackgroundWorkoutSessionNotAllowed``
    public static var errorBackgroundWorkoutSessionNotAllowed: Code { .errorBackgroundWorkoutSessionNotAllowed }
    /// ``Code/errorNotPermissibleForGuestUserMode``
    public static var errorNotPermissibleForGuestUserMode: Code { .errorNotPermissibleForGuestUserMode }
}
