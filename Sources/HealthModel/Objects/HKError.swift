// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The domain of ``HKError``.
public let HKErrorDomain = "com.apple.healthkit"

/// An error of a health store with HealthKit's code, the reason, the place and advice.
///
/// `catch HKError.errorAuthorizationDenied` catches one code.
public struct HKError: CustomNSError, LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The error codes. Raw values are HealthKit's.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// An error without a code of its own.
        case unknownError = 0
        /// The device has no health store.
        case errorHealthDataUnavailable = 1
        /// A policy forbids the health store.
        case errorHealthDataRestricted = 2
        /// The data or the request of the caller is not valid.
        case errorInvalidArgument = 3
        /// The person denied access.
        case errorAuthorizationDenied = 4
        /// The person was not asked for access yet.
        case errorAuthorizationNotDetermined = 5
        /// The store is currently not readable.
        case errorDatabaseInaccessible = 6
        /// The person cancelled the request.
        case errorUserCanceled = 7
        /// Another program started a workout.
        case errorAnotherWorkoutSessionStarted = 8
        /// The person ended the workout.
        case errorUserExitedWorkoutSession = 9
        /// The person denied access to a required type.
        case errorRequiredAuthorizationDenied = 10
        /// There is no data to compute the result from.
        case errorNoData = 11
        /// The activity is currently not allowed.
        case errorWorkoutActivityNotAllowed = 12
        /// The data is too large.
        case errorDataSizeExceeded = 13
        /// A workout cannot begin in the background.
        case errorBackgroundWorkoutSessionNotAllowed = 14
        /// Not permitted for a guest.
        case errorNotPermissibleForGuestUserMode = 15
    }

    /// HealthKit's code.
    public let code: Code
    /// The reason: `the end of the sample is before its start`.
    public let reason: String
    /// The object, property or key concerned; nil if there is no single one.
    public let place: String?
    /// The action to take; nil if there is none.
    public let advice: String?
    /// True if the disk failed while a write was made durable. The write is then stored completely or not at all;
    /// reopening the store decides which. Not part of HealthKit.
    public let isOutcomeUnknown: Bool
    /// Whether another process wrote the store for so long that nothing was done. The call can be repeated.
    package private(set) var isBusy = false
    /// The dictionary that the error was created with; nil if it was created with a reason.
    private var given: GivenInfo?

    /// Creates an error with a code, a reason, a place and advice.
    public init(
        _ code: Code, reason: String, place: String? = nil, advice: String? = nil, isOutcomeUnknown: Bool = false
    ) {
        self.code = code
        self.reason = reason
        self.place = place
        self.advice = advice
        self.isOutcomeUnknown = isOutcomeUnknown
    }

    /// Creates the error of a store that another process writes.
    package init(busy reason: String) {
        self.init(.errorDatabaseInaccessible, reason: reason)
        isBusy = true
    }

    /// Creates an error from the entries of a dictionary, as in HealthKit.
    ///
    /// The reason is the value of `NSLocalizedFailureReasonErrorKey`, else of `NSLocalizedDescriptionKey`, else the
    /// name of the code; the advice is the value of `NSLocalizedRecoverySuggestionErrorKey`.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        func text(_ key: String) -> String? { userInfo[key] as? String }
        let reason = text(NSLocalizedFailureReasonErrorKey) ?? text(NSLocalizedDescriptionKey)
        self.init(
            code, reason: reason ?? "\(code)", place: text(Self.placeKey),
            advice: text(NSLocalizedRecoverySuggestionErrorKey))
        if !userInfo.isEmpty { given = GivenInfo(userInfo) }
    }

    /// The dictionary of the error: the entries that it was created with, and ``errorUserInfo``.
    public var userInfo: [String: Any] { errorUserInfo }

    /// The complete message.
    public var description: String {
        let prefix = place.map { "\($0): " } ?? ""
        let what = advice.map { "\(reason); \($0)" } ?? reason
        return "\(prefix)\(what) (\(Self.errorDomain) \(code.rawValue), \(code))"
    }

    /// The complete message.
    public var errorDescription: String? { (given?.entries[NSLocalizedDescriptionKey] as? String) ?? description }
    /// The reason.
    public var failureReason: String? { reason }
    /// The action to take.
    public var recoverySuggestion: String? { advice }

    /// The domain, `com.apple.healthkit`.
    public static var errorDomain: String { HKErrorDomain }
    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// The message, the reason, the advice, and the place under the key `HKErrorPlace`, which HealthKit does not have.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description, NSLocalizedFailureReasonErrorKey: reason]
        if let place { info[Self.placeKey] = place }
        if let advice { info[NSLocalizedRecoverySuggestionErrorKey] = advice }
        return given.map { info.merging($0.entries) { _, given in given } } ?? info
    }

    private static let placeKey = "HKErrorPlace"
}

/// The entries of a dictionary that a program created an error with. They are constant; the compiler cannot check that
/// the values are `Sendable`.
private final class GivenInfo: Hashable, @unchecked Sendable {
    let entries: [String: Any]

    init(_ entries: [String: Any]) { self.entries = entries }

    static func == (a: GivenInfo, b: GivenInfo) -> Bool {
        a === b || NSDictionary(dictionary: a.entries) == NSDictionary(dictionary: b.entries)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(entries.count) }
}

extension HKError.Code {
    /// The older name of ``unknownError``, both with the number 0.
    public static var noError: Self { .unknownError }

    /// Returns whether an error is an ``HKError`` with this code, for `catch HKError.errorNoData`.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? HKError)?.code == code }
}

// The codes as members, so that `HKError.errorNoData` compiles as with HealthKit.
extension HKError {
    /// ``Code/noError``
    public static var noError: Code { .noError }
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
