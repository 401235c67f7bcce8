// SPDX-License-Identifier: Apache-2.0

public import HealthModel

/// How often a program wants to be told of changes. Raw values are HealthKit's.
public enum HKUpdateFrequency: Int, Hashable, Sendable, CaseIterable {
    /// After each change.
    case immediate = 1
    /// Once in an hour, at most.
    case hourly = 2
    /// Once in a day, at most.
    case daily = 3
    /// Once in a week, at most.
    case weekly = 4

    /// The least time between two calls.
    var interval: Duration {
        switch self {
        case .immediate: .zero
        case .hourly: .seconds(3_600)
        case .daily: .seconds(86_400)
        case .weekly: .seconds(7 * 86_400)
        }
    }
}

// Being told of all changes, also of those that happen while the program does not run: `Docs/BackgroundDelivery.md`.
extension HKHealthStore {
    /// Lets this program's observer queries of a type be told of every change from now on, over restarts: a query that
    /// is executed later is told at once of what happened since it last said that it was done.
    ///
    /// Nothing starts a program here, as iOS does; a service that always runs, or `kymo watch --exec`, takes that part.
    /// - Parameters:
    ///   - type: a type of samples, but for correlations.
    ///   - frequency: how often at most. A second call changes it, and keeps what was acknowledged.
    /// - Throws: ``HKError``: `errorInvalidArgument` for another type, `errorDatabaseInaccessible`.
    public func enableBackgroundDelivery(for type: HKObjectType, frequency: HKUpdateFrequency) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.enableDelivery(for: type, frequency) }
    }

    /// Turns delivery on; the handler is called on a thread of the store. See
    /// `enableBackgroundDelivery(for:frequency:)`.
    public func enableBackgroundDelivery(
        for type: HKObjectType, frequency: HKUpdateFrequency,
        withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        complete(completion) { () throws(HKError) in try self.enableDelivery(for: type, frequency) }
    }

    /// Ends the delivery of a type; does nothing where there is none.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func disableBackgroundDelivery(for type: HKObjectType) async throws {
        try await BlockingQueue.result { () throws(HKError) in
            try self.store().endSubscription(of: self.owner, to: type.identifier)
        }
    }

    /// Ends the delivery of a type; the handler is called on a thread of the store. See
    /// `disableBackgroundDelivery(for:)`.
    public func disableBackgroundDelivery(
        for type: HKObjectType, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        complete(completion) { () throws(HKError) in
            try self.store().endSubscription(of: self.owner, to: type.identifier)
        }
    }

    /// Ends all deliveries of this program.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func disableAllBackgroundDelivery() async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.disableAllDelivery() }
    }

    /// Ends all deliveries of this program; the handler is called on a thread of the store.
    public func disableAllBackgroundDelivery(
        withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        complete(completion) { () throws(HKError) in try self.disableAllDelivery() }
    }

    /// Whose subscriptions this program's are.
    var owner: String { revision.source.bundleIdentifier }

    private func enableDelivery(for type: HKObjectType, _ frequency: HKUpdateFrequency) throws(HKError) {
        guard let type = type as? HKSampleType, !(type is HKCorrelationType) else {
            throw HKError(
                .errorInvalidArgument, reason: "changes of this type are not delivered", place: type.identifier,
                advice: "ask for a type of samples; for a correlation, ask for its members' types")
        }
        let health = try store()
        do {
            try health.begin(
                Subscription(
                    owner: owner, type: type.identifier, frequency: frequency, anchor: health.feedPosition().text))
        } catch {
            throw HKError(any: error)
        }
    }

    private func disableAllDelivery() throws(HKError) {
        let health = try store()
        do {
            for one in try health.subscriptions(of: owner) {
                try health.endSubscription(of: one.owner, to: one.type)
            }
        } catch {
            throw HKError(any: error)
        }
    }

    private func complete(
        _ completion: @escaping @Sendable (Bool, (any Error)?) -> Void,
        _ work: @escaping @Sendable () throws(HKError) -> Void
    ) {
        BlockingQueue.run {
            do throws(HKError) {
                try work()
                completion(true, nil)
            } catch {
                completion(false, error)
            }
        }
    }
}
