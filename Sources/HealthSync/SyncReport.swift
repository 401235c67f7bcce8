// SPDX-License-Identifier: Apache-2.0

public import KymographHealth

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
        /// Attachments of objects.
        public var attachments = 0
        /// The bytes of the connection.
        public var bytes: UInt64 = 0

        /// Whether nothing was exchanged.
        public var isEmpty: Bool {
            samples == 0 && objects == 0 && deletions == 0 && documents == 0 && attachments == 0
        }
    }

    /// The id of the other store, as the text of a UUID.
    public var peer = ""
    /// The changes of this store that the other store got.
    public var sent = Changes()
    /// The changes of the other store that this store got.
    public var received = Changes()
    /// Received samples and objects that were stored or deleted here before, or are older than the version
    /// here or than the kept history.
    public var passedOver = 0
    /// Characteristics, settings and decisions that the other store changed here.
    public var changedValues = 0
    /// The number of uses of each rule in both stores.
    public var rules: [SyncRule: Int] = [:]
    /// The uses of rules, if ``SyncOptions/explains`` is set: at most 10,000 in this store, and as many in the other
    /// one if this program opened it.
    public var conflicts: [SyncConflict] = []
    /// The pruning after the exchange, in a store with limited history.
    public var pruned = HistoryReport()
}
