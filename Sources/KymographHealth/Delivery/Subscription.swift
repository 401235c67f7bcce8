// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

/// A durable subscription to the changes of a type, with its acknowledged position. It is a setting of the store.
package struct Subscription: Hashable, Sendable {
    /// The owner: a program's bundle identifier, or a name given by a person.
    package let owner: String
    package let type: String
    /// The minimum time between two calls.
    package var frequency: HKUpdateFrequency
    /// The acknowledged position: the text of an anchor.
    package var anchor: String
    /// The time of the acknowledgement, in nanoseconds since 1970-01-01 UTC; 0 for never.
    package var acknowledged: Int64

    package init(
        owner: String, type: String, frequency: HKUpdateFrequency, anchor: String, acknowledged: Int64 = 0
    ) {
        self.owner = owner
        self.type = type
        self.frequency = frequency
        self.anchor = anchor
        self.acknowledged = acknowledged
    }

    private static let version = "d1"

    /// Returns the setting's key. No type identifier contains tabs; tabs of an owner are removed.
    static func key(_ owner: String, _ type: String) -> String {
        "delivery\t\(owner.filter { $0 != "\t" })\t\(type)"
    }

    var key: String { Self.key(owner, type) }
    var value: String { "\(Self.version) \(frequency.rawValue) \(acknowledged) \(anchor)" }

    /// Parses the subscription of a setting; nil for any other setting.
    init?(key: String, value: String) {
        let names = key.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        let parts = value.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard names.count == 3, names[0] == "delivery", parts.count == 4, parts[0] == Self.version,
            let frequency = Int(parts[1]).flatMap({ HKUpdateFrequency(rawValue: $0) }), let time = Int64(parts[2]),
            time >= 0
        else { return nil }
        self.init(owner: names[1], type: names[2], frequency: frequency, anchor: parts[3], acknowledged: time)
    }
}

extension HealthStore {
    /// Returns an owner's subscription to a type; nil if there is none.
    package func subscription(of owner: String, to type: String) throws(HealthStoreError) -> Subscription? {
        let key = Subscription.key(owner, type)
        return try currentView().tables.rows.settings[key].flatMap { Subscription(key: key, value: $0) }
    }

    package func subscriptions(of owner: String) throws(HealthStoreError) -> [Subscription] {
        let own = owner.filter { $0 != "\t" }
        return try currentView().tables.rows.settings.compactMap { Subscription(key: $0.key, value: $0.value) }
            .filter { $0.owner == own }.sorted { $0.type < $1.type }
    }

    /// Stores a subscription, durably, and replaces a subscription of the same owner and type.
    ///
    /// - Parameter isWanted: called after a long wait for another writing process; returns whether to wait again.
    package func keep(_ subscription: Subscription, again isWanted: () -> Bool = { false }) throws(HKError) {
        try write({ try HealthCatalog.set(setting: subscription.key, to: subscription.value, $0) }, again: isWanted)
    }

    /// Changes the current subscription, durably; does nothing if there is none.
    func change(
        subscriptionOf owner: String, to type: String, _ body: @escaping @Sendable (inout Subscription) -> Void
    ) throws(HKError) {
        let key = Subscription.key(owner, type)
        try write { transaction in
            let kept = try HealthCatalog.settings(transaction)[key].flatMap { Subscription(key: key, value: $0) }
            guard var subscription = kept else { return }
            body(&subscription)
            try HealthCatalog.set(setting: key, to: subscription.value, transaction)
        }
    }

    /// Stores a subscription, durably. For an existing subscription of the same owner and type, only the frequency
    /// changes.
    func begin(_ subscription: Subscription) throws(HKError) {
        let key = subscription.key
        try write { transaction in
            let kept = try HealthCatalog.settings(transaction)[key].flatMap { Subscription(key: key, value: $0) }
            var found = kept ?? subscription
            found.frequency = subscription.frequency
            try HealthCatalog.set(setting: key, to: found.value, transaction)
        }
    }

    /// Removes a subscription; does nothing if there is none.
    package func endSubscription(of owner: String, to type: String) throws(HKError) {
        let key = Subscription.key(owner, type)
        try write { try HealthCatalog.set(setting: key, to: nil, $0) }
    }
}
