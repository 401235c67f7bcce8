// SPDX-License-Identifier: Apache-2.0

public import HealthModel

/// The maximum frequency of change deliveries to a program. Raw values are HealthKit's.
public enum HKUpdateFrequency: Int, Hashable, Sendable, CaseIterable {
    /// After each change.
    case immediate = 1
    /// At most once an hour.
    case hourly = 2
    /// At most once a day.
    case daily = 3
    /// At most once a week.
    case weekly = 4

    /// The minimum time between two calls.
    var interval: Duration {
        switch self {
        case .immediate: .zero
        case .hourly: .seconds(3_600)
        case .daily: .seconds(86_400)
        case .weekly: .seconds(7 * 86_400)
        }
    }
}

// Background delivery reports all changes, including changes while the program does not run:
// `Docs/Guide/HealthStore.md`.
extension HKHealthStore {
    /// Enables background delivery of a type to this program's observer queries, from now on and across restarts. A
    /// query that is executed later reports at once any changes since the last acknowledged call.
    ///
    /// Unlike iOS, nothing starts the program. Use a permanent service, or `kymo watch --exec`.
    /// - Parameters:
    ///   - type: a sample type, except correlations.
    ///   - frequency: the maximum frequency. A second call changes it and keeps the acknowledged position.
    /// - Throws: ``HKError``: `errorInvalidArgument` for another type, `errorDatabaseInaccessible`.
    public func enableBackgroundDelivery(for type: HKObjectType, frequency: HKUpdateFrequency) async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.enableDelivery(for: type, frequency) }
    }

    /// Enables background delivery; the handler is called on a thread of the store. See
    /// `enableBackgroundDelivery(for:frequency:)`.
    public func enableBackgroundDelivery(
        for type: HKObjectType, frequency: HKUpdateFrequency,
        withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.enableDelivery(for: type, frequency) }
    }

    /// Disables background delivery of a type; does nothing if it is not enabled.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func disableBackgroundDelivery(for type: HKObjectType) async throws {
        try await BlockingQueue.result { () throws(HKError) in
            try self.store().endSubscription(of: self.owner, to: type.identifier)
        }
    }

    /// Disables background delivery of a type; the handler is called on a thread of the store. See
    /// `disableBackgroundDelivery(for:)`.
    public func disableBackgroundDelivery(
        for type: HKObjectType, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in
            try self.store().endSubscription(of: self.owner, to: type.identifier)
        }
    }

    /// Disables all background delivery of this program.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func disableAllBackgroundDelivery() async throws {
        try await BlockingQueue.result { () throws(HKError) in try self.disableAllDelivery() }
    }

    /// Disables all background delivery of this program; the handler is called on a thread of the store.
    public func disableAllBackgroundDelivery(
        withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in try self.disableAllDelivery() }
    }

    /// The owner of this program's subscriptions.
    var owner: String { revision.source.bundleIdentifier }

    private func enableDelivery(for type: HKObjectType, _ frequency: HKUpdateFrequency) throws(HKError) {
        guard let type = type as? HKSampleType, !(type is HKCorrelationType) else {
            throw HKError(
                .errorInvalidArgument, reason: "changes of this type are not delivered", place: type.identifier,
                advice: "use a sample type; for a correlation, use its members' types")
        }
        let health = try store()
        try HKError.converting {
            try health.begin(
                Subscription(
                    owner: owner, type: type.identifier, frequency: frequency, anchor: health.feedPosition().text))
        }
    }

    private func disableAllDelivery() throws(HKError) {
        let health = try store()
        try HKError.converting {
            for one in try health.subscriptions(of: owner) {
                try health.endSubscription(of: one.owner, to: one.type)
            }
        }
    }
}
