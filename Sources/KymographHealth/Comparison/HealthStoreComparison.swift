// SPDX-License-Identifier: Apache-2.0

/// The result of a comparison of two health stores by content.
public struct HealthStoreComparison: Sendable, Hashable {
    /// The stores that have an object.
    public enum Presence: Sendable, Hashable {
        /// Only the store whose method was called.
        case first
        /// Only the other store.
        case second
        /// Both stores, with different properties.
        case both
    }

    /// A difference between the stores.
    public struct Difference: Sendable, Hashable, CustomStringConvertible {
        /// The identifier of the sample type; of other content `element`, `file`, `attachment`, `characteristic` or
        /// `setting`.
        public var type: String
        /// The identity of a sample or an object as the text of a UUID, the path of a file, or a key; nil for a sample
        /// without an identity.
        public var name: String?
        /// The start in nanoseconds since 1970-01-01 UTC; nil for content without a time.
        public var start: Int64?
        /// The stores that have the object.
        public var presence: Presence
        /// The different properties with both values, or properties that describe the missing object.
        public var details: [String] = []

        /// The difference in words, without the time.
        public var description: String {
            let place =
                switch presence {
                case .first: "only in the first store"
                case .second: "only in the second store"
                case .both: "different"
                }
            let subject = [type, name ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
            return subject + ": " + ([place] + details).joined(separator: "; ")
        }
    }

    /// The number of compared samples, also quantities and locations of series. A sample counts once, whether one store
    /// has it or both.
    public var samples = 0
    /// The number of compared objects: correlations, series, workouts, routes, electrocardiograms, records.
    public var objects = 0
    /// The number of compared elements of imports.
    public var elements = 0
    /// The number of compared files of imports.
    public var documents = 0
    /// The number of compared attachments.
    public var attachments = 0
    /// The number of compared characteristics and settings.
    public var settings = 0
    /// The first differences.
    public var differences: [Difference] = []
    /// The number of all differences.
    public var differenceCount = 0

    /// Whether both stores have the same content.
    public var isEqual: Bool { differenceCount == 0 }
}
