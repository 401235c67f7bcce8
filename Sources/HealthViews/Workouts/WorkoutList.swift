// SPDX-License-Identifier: Apache-2.0

/// A request for workouts.
public struct WorkoutRequest: Sendable {
    /// The range of the starts of the workouts, in nanoseconds since 1970-01-01 UTC.
    public var range: TimeRange
    /// HealthKit's names of the activity types, such as `HKWorkoutActivityTypeCycling`; nil for all types.
    public var activities: Set<String>?
    /// The names of the sources; nil for all sources.
    public var sources: Set<String>?
    /// The commit whose state is read; nil for the newest commit. See `TimeSeriesStore.snapshot(asOf:)`.
    public var asOf: Int64?

    /// Creates a request; by default for all workouts.
    public init(
        range: TimeRange = .all, activities: Set<String>? = nil, sources: Set<String>? = nil, asOf: Int64? = nil
    ) {
        self.range = range
        self.activities = activities
        self.sources = sources
        self.asOf = asOf
    }

    func includes(_ one: WorkoutSummary) -> Bool {
        range.contains(one.start) && activities?.contains(one.activityName) ?? true
            && sources?.contains(one.source) ?? true
    }
}

/// Workouts of a store, with short identities.
public struct WorkoutList: Sendable {
    /// The workouts, sorted by start.
    public let all: [WorkoutSummary]
    /// The short identities, which distinguish all workouts of the store.
    package let identities: ShortIdentities

    init(_ all: [WorkoutSummary], _ identities: ShortIdentities) {
        self.all = all
        self.identities = identities
    }

    /// Returns the workouts of the list that fulfil a request.
    package func filtered(_ request: WorkoutRequest) -> WorkoutList {
        WorkoutList(all.filter(request.includes), identities)
    }

    /// The totals of each activity type, in descending order of duration.
    public var totals: [ActivityTotals] {
        let groups = Dictionary(grouping: all, by: \.activityName).values
        return groups.compactMap { ActivityTotals($0) }.sorted {
            ($1.duration, $0.activityName) < ($0.duration, $1.activityName)
        }
    }

    /// The totals of all workouts; nil without workouts.
    public var total: ActivityTotals? { ActivityTotals(all) }

    /// Returns the short form of an identity, which no other workout of the store has.
    package func short(_ one: WorkoutSummary) -> String { identities.short(one.id) }

    /// Returns the workouts whose identity begins with some digits. Hyphens and case are ignored.
    ///
    /// - Requires: a list of all workouts of the store.
    package func matching(_ prefix: String) -> [WorkoutSummary] { identities.matching(prefix).map { all[$0] } }
}

extension HealthStore {
    /// Returns the workouts that fulfil a request.
    ///
    /// - Throws: `HealthStoreError`: `invalidArgument` for an unknown commit, `engine(.notRetained)`, `corrupt`,
    ///   `engine(.closed)`, `engine(.inputOutput)`.
    /// - Complexity: O(workouts of the store). Samples are read only for the pulse of workouts without statistics.
    public func workouts(_ request: WorkoutRequest = WorkoutRequest()) throws -> WorkoutList {
        var all: [WorkoutSummary] = []
        try list(HKObjectType.workoutType(), asOf: request.asOf) { one in
            if let workout = one.sample as? HKWorkout {
                all.append(WorkoutSummary(workout, start: one.start, end: one.end))
            }
            return true
        }
        let identities = ShortIdentities(all.map(\.id))
        var found = all.filter(request.includes)
        let routes = try workoutsWithRoutes(asOf: request.asOf)
        for place in found.indices {
            found[place].hasRoute = routes.contains(found[place].id)
            if found[place].pulse != nil { continue }
            found[place].pulse = try pulse(of: found[place], asOf: request.asOf)
        }
        return WorkoutList(found, identities)
    }

    /// Returns the last workout that starts before an instant; nil without such a workout.
    ///
    /// - Complexity: O(1), except for damaged or unknown objects.
    func latestWorkout(before end: Int64) throws -> WorkoutSummary? {
        var found: WorkoutSummary?
        try list(HKObjectType.workoutType(), startingIn: TimeRange(.min, end), backward: true) { one in
            found = (one.sample as? HKWorkout).map { WorkoutSummary($0, start: one.start, end: one.end) }
            return found == nil
        }
        return found
    }

    /// Returns the pulse of the samples of a workout's source during the workout; nil without samples.
    private func pulse(of one: WorkoutSummary, asOf commit: Int64?) throws -> PulseRange? {
        let request = StatisticsRequest(
            HealthTypes.type(for: HKQuantityTypeIdentifier.heartRate), range: TimeRange(one.start, one.end),
            unit: PulseRange.unit, sources: [one.source], asOf: commit)
        let rows = try ifConvertible { () throws(HealthStoreError) in try statistics(request).rows }
        guard let row = rows?.first, !row.isEmpty else { return nil }
        return PulseRange(average: row.average, least: row.min, greatest: row.max)
    }
}
