// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A request of a program to read and to save. Not part of HealthKit.
public struct HealthAuthorizationRequest: Sendable {
    /// An object that the person may choose.
    public struct Object: Hashable, Sendable {
        /// The identity; for a medication that of its concept.
        public let uuid: UUID
        /// The type.
        public let type: HKObjectType
        /// The start; for a medication the time of its last change.
        public let date: Date
        /// A short description for the person.
        public let title: String
    }

    /// The program.
    public let client: HKSource
    /// The reasons of the program.
    public let purpose: HealthPurpose
    /// The undecided types to save.
    public let share: Set<HKSampleType>
    /// The undecided types to read.
    public let read: Set<HKObjectType>
    /// The objects to choose from; empty in a request for types.
    public let objects: [Object]
}

/// The answer to a request. Types and objects that it does not name stay undecided. Not part of HealthKit.
public struct HealthAuthorizationDecision: Sendable {
    /// The types that may be saved, or not.
    public var share: [HKSampleType: Bool]
    /// The types that may be read, or not.
    public var read: [HKObjectType: Bool]
    /// The earliest end of readable objects of other programs; nil for no limit.
    public var readFrom: Date?
    /// The objects that may be read, or not.
    public var objects: [UUID: Bool]
    /// Whether the person is to be asked later, by another process. The request then fails with `errorUserCanceled`,
    /// and its types are pending: `kymo clients` lists them, and ``HKHealthStore/handleAuthorizationForExtension()``
    /// asks for them.
    public var isPending = false

    /// The answer of a provider that cannot ask the person.
    public static var pending: HealthAuthorizationDecision {
        var decision = HealthAuthorizationDecision()
        decision.isPending = true
        return decision
    }

    /// Creates an answer.
    public init(
        share: [HKSampleType: Bool] = [:], read: [HKObjectType: Bool] = [:], readFrom: Date? = nil,
        objects: [UUID: Bool] = [:]
    ) {
        self.share = share
        self.read = read
        self.readFrom = readFrom
        self.objects = objects
    }

    /// Creates the same answer for everything that is requested.
    public init(_ isAllowed: Bool, to request: HealthAuthorizationRequest, readFrom: Date? = nil) {
        self.init(
            share: Dictionary(uniqueKeysWithValues: request.share.map { ($0, isAllowed) }),
            read: Dictionary(uniqueKeysWithValues: request.read.map { ($0, isAllowed) }), readFrom: readFrom,
            objects: Dictionary(request.objects.map { ($0.uuid, isAllowed) }) { first, _ in first })
    }
}

/// Decides about the requests of programs: asks the person, or follows a rule. Not part of HealthKit.
///
/// ```swift
/// let health = HKHealthStore(directory: path, client: "com.example.coach", authorization: .allow)
/// ```
public protocol HealthAuthorizationProvider: Sendable {
    /// Returns the decision about a request.
    ///
    /// - Throws: `HKError` with `errorUserCanceled` if the person gave no answer. Nothing is recorded then.
    func decide(_ request: HealthAuthorizationRequest) async throws -> HealthAuthorizationDecision
}

/// A provider with the same answer to all requests. Not part of HealthKit.
public struct HealthAuthorizationRule: HealthAuthorizationProvider {
    fileprivate let isAllowed: Bool

    /// Returns the rule's answer.
    public func decide(_ request: HealthAuthorizationRequest) async throws -> HealthAuthorizationDecision {
        HealthAuthorizationDecision(isAllowed, to: request)
    }
}

/// A provider that leaves requests to the person. Not part of HealthKit.
public struct HealthAuthorizationDeferral: HealthAuthorizationProvider {
    /// Returns ``HealthAuthorizationDecision/pending``.
    public func decide(_ request: HealthAuthorizationRequest) async throws -> HealthAuthorizationDecision { .pending }
}

/// A provider that calls a function. Not part of HealthKit.
public struct HealthAuthorizationClosure: HealthAuthorizationProvider {
    fileprivate let body: @Sendable (HealthAuthorizationRequest) async throws -> HealthAuthorizationDecision

    /// Returns the function's answer.
    public func decide(_ request: HealthAuthorizationRequest) async throws -> HealthAuthorizationDecision {
        try await body(request)
    }
}

extension HealthAuthorizationProvider where Self == HealthAuthorizationRule {
    /// A provider that allows every request.
    public static var allow: HealthAuthorizationRule { HealthAuthorizationRule(isAllowed: true) }
    /// A provider that refuses every request.
    public static var deny: HealthAuthorizationRule { HealthAuthorizationRule(isAllowed: false) }
}

extension HealthAuthorizationProvider where Self == HealthAuthorizationDeferral {
    /// A provider that leaves every request to the person: for extensions and services.
    public static var later: HealthAuthorizationDeferral { HealthAuthorizationDeferral() }
}

extension HealthAuthorizationProvider where Self == HealthAuthorizationClosure {
    /// Returns a provider that calls a function.
    public static func closure(
        _ body: @escaping @Sendable (HealthAuthorizationRequest) async throws -> HealthAuthorizationDecision
    ) -> HealthAuthorizationClosure {
        HealthAuthorizationClosure(body: body)
    }
}

extension HealthAuthorizationProvider where Self == TerminalAuthorization {
    /// A provider that asks the person on the terminal of the process.
    public static var terminal: TerminalAuthorization { TerminalAuthorization() }
}
