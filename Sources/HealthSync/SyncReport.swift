// SPDX-License-Identifier: Apache-2.0

/// What a synchronisation exchanged.
public struct SyncReport: Sendable, Hashable {
    /// The changes in one direction.
    public struct Changes: Sendable, Hashable {
        /// Samples of quantities and categories, and locations and quantities of series.
        public var samples = 0
        /// Objects of their own: correlations, series, workouts, routes, records.
        public var objects = 0
        /// Deleted samples and objects.
        public var deletions = 0
        /// Files and elements of imports.
        public var documents = 0
        /// The bytes of the connection.
        public var bytes: UInt64 = 0

        /// Whether nothing was exchanged.
        public var isEmpty: Bool { samples == 0 && objects == 0 && deletions == 0 && documents == 0 }
    }

    /// The id of the other store, as the text of a UUID.
    public var peer = ""
    /// The changes of this store that the other store got.
    public var sent = Changes()
    /// The changes of the other store that this store got.
    public var received = Changes()
    /// Received samples and objects that were stored or deleted here before, or are older than the version here.
    public var passedOver = 0
}
