// SPDX-License-Identifier: Apache-2.0

import HealthModel

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
    /// The owner of this program's subscriptions.
    var owner: String { revision.source.bundleIdentifier }

    func enableDelivery(for type: HKObjectType, _ frequency: HKUpdateFrequency) throws(HKError) {
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

    func disableAllDelivery() throws(HKError) {
        let health = try store()
        try HKError.converting {
            for one in try health.subscriptions(of: owner) {
                try health.endSubscription(of: one.owner, to: one.type)
            }
        }
    }
}
