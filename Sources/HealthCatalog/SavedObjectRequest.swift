// SPDX-License-Identifier: Apache-2.0

/// A request for saved objects of a type, by start, then id.
package struct SavedObjectRequest: Sendable {
    /// The sample type's identifier.
    package var type: String
    /// The range of the objects' starts.
    package var start: ClosedRange<Int64>
    /// Excludes objects that both start before this instant and end at or before it.
    package var lastingTo: Int64
    /// Whether the latest object comes first.
    package var backward: Bool
    /// Only objects after this one in the order; nil for all.
    package var after: SavedObjectRow?
    /// The maximum number of objects.
    package var limit: Int

    package init(
        type: String, start: ClosedRange<Int64>, lastingTo: Int64 = .min, backward: Bool = false,
        after: SavedObjectRow? = nil, limit: Int
    ) {
        self.type = type
        self.start = start
        self.lastingTo = lastingTo
        self.backward = backward
        self.after = after
        self.limit = limit
    }
}
