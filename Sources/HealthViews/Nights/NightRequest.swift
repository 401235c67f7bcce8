// SPDX-License-Identifier: Apache-2.0

/// A request for nights.
public struct NightRequest: Sendable {
    /// The nights whose noon lies in this range, in nanoseconds since 1970-01-01 UTC.
    public var range: TimeRange
    /// The identifier of the time zone; nil for the home zone of the store.
    public var zone: String?
    /// The local time at which nights begin, in minutes after midnight; from 0 to 1,439, by default 1,080 (18:00).
    public var startMinute: Int
    /// The names of the sources; nil for all. Excluded sources do not affect the result.
    public var sources: Set<String>?
    /// The names of sources by descending priority; if empty, the source order of the store.
    public var priority: [String]
    /// The state of the store after this commit; nil for the newest. See `TimeSeriesStore.snapshot(asOf:)`.
    public var asOf: Int64?

    /// Creates a request; by default for all nights.
    public init(
        range: TimeRange = .all, zone: String? = nil, startMinute: Int = 1_080, sources: Set<String>? = nil,
        priority: [String] = [], asOf: Int64? = nil
    ) {
        self.range = range
        self.zone = zone
        self.startMinute = startMinute
        self.sources = sources
        self.priority = priority
        self.asOf = asOf
    }
}

extension HealthStore {
    /// Returns the nights in which a source recorded sleep or time in bed, in order.
    ///
    /// - Throws: `invalidArgument` for an unknown zone, a start that is no minute of a day, and an unknown commit;
    ///   `engine(.notRetained)`, `corrupt`, `engine(.closed)`, `engine(.inputOutput)`.
    /// - Complexity: O(n log n) for n sleep samples of these nights and sources.
    public func nights(_ request: NightRequest = NightRequest()) throws(HealthStoreError) -> [Night] {
        let calendar = try NightCalendar(request) { () throws(HealthStoreError) in
            try homeZone(asOf: request.asOf)
        }
        let wanted = calendar.bounds(of: request.range)
        let spans = try categorySpans(
            HealthTypes.type(for: HKCategoryTypeIdentifier.sleepAnalysis.rawValue), overlapping: wanted,
            sources: request.sources, priority: request.priority, asOf: request.asOf)
        return calendar.nights(spans, request.range)
    }
}

extension HKHealthStore {
    /// Returns the nights in which a source recorded sleep or time in bed, in order. Not part of HealthKit.
    ///
    /// - Throws: `HKError`: `errorInvalidArgument` for an unknown zone, a start that is no minute of a day, and an
    ///   unknown commit; `errorDatabaseInaccessible`.
    public func nights(_ request: NightRequest = NightRequest()) async throws -> [Night] {
        try await plain { store throws(HealthStoreError) in try store.nights(request) }
    }
}
