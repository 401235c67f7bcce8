// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel

/// A workout in progress, as a value: the state of a builder.
///
/// A call in the wrong phase throws `errorInvalidArgument` and changes nothing.
struct WorkoutDraft: Sendable {
    /// The phase of a builder.
    enum Phase: UInt8, Sendable {
        /// Before `beginCollection`.
        case new = 1
        /// `beginCollection` refused its date. No further call is allowed.
        case failed = 2
        /// Between `beginCollection` and `endCollection`.
        case collecting = 3
        /// After `endCollection`.
        case ended = 4
        /// The workout is being saved.
        case finishing = 5
        /// The workout is saved.
        case finished = 6
        case discarded = 7
    }

    let configuration: WorkoutConfiguration
    private(set) var phase = Phase.new
    /// Whether the workout was discarded while it was being saved. It is then discarded if it is not saved.
    private var isUnwanted = false
    private(set) var start: Date?
    private(set) var end: Date?
    private(set) var metadata = HealthMetadataValues()
    /// The events in the order of their addition.
    private(set) var events: [HKWorkoutEvent] = []
    /// The pauses of the events.
    private(set) var pauses = WorkoutPauses([])
    /// The pauses and resumptions of the session that are not events of the workout, in the order of their addition.
    private(set) var hiddenEvents: [HKWorkoutEvent] = []
    /// The pauses of the events and of the hidden events. No data is collected in them.
    private(set) var allPauses = WorkoutPauses([])
    /// The activities in ascending order.
    private(set) var activities: [WorkoutActivity] = []
    private(set) var members = IdentityRuns()
    /// The zones by the identifier of the type. Before the first sample of a type with zones these are only the zones
    /// that the program set.
    private(set) var zones: [String: HKWorkoutZoneConfiguration] = [:]
    /// Whether the zones are final, because a sample of a type with zones was added.
    private(set) var hasFinalZones = false
    var tally = WorkoutTally()

    init(_ configuration: WorkoutConfiguration) { self.configuration = configuration }

    /// The stored contents of a draft.
    struct Contents: Sendable {
        var metadata = HealthMetadataValues()
        var events: [HKWorkoutEvent] = []
        var hiddenEvents: [HKWorkoutEvent] = []
        var activities: [WorkoutActivity] = []
        var zones: [HKWorkoutZoneConfiguration] = []
        var hasFinalZones = false
    }

    /// Creates a stored draft, without samples. If the draft was being saved, it can be finished again.
    init(
        _ configuration: WorkoutConfiguration, _ phase: Phase, start: Date?, end: Date?, _ contents: Contents
    ) {
        self.configuration = configuration
        self.phase = phase == .finishing ? .ended : phase
        self.start = start
        self.end = end
        metadata = contents.metadata
        events = contents.events
        hiddenEvents = contents.hiddenEvents
        pauses = WorkoutPauses(events)
        allPauses = WorkoutPauses(events + hiddenEvents)
        activities = contents.activities
        hasFinalZones = contents.hasFinalZones
        for activity in activities { tally.set(ended(activity)) }
        tally.zones.set(pauses)
        if let end = end.flatMap({ StoredTime.nanoseconds($0) }) { tally.zones.set(end: end) }
        for one in contents.zones {
            zones[one.quantityType.identifier] = one
            tally.set(one)
        }
    }

    /// Throws unless the present phase is one of the phases in which a call is allowed.
    func require(_ phases: Phase..., for call: String) throws(HKError) {
        if phases.contains(phase) { return }
        throw refusal(of: call, allowedIn: phases)
    }

    /// Returns the error of a call in the wrong phase. Its advice names the missing call.
    private func refusal(of call: String, allowedIn phases: [Phase]) -> HKError {
        let (reason, advice): (String, String) =
            switch phase {
            case .new:
                (
                    "the collection has not begun",
                    phases == [.ended] ? "call beginCollection and endCollection first" : "call beginCollection first"
                )
            case .failed: ("beginCollection failed", "create a new builder")
            case .collecting where phases == [.ended]: ("the collection has not ended", "call endCollection first")
            case .collecting, .ended:
                if phases != [.new] {
                    ("the collection has ended", "call finishWorkout or discardWorkout")
                } else if call == "beginCollection" {
                    ("the collection has begun", "call beginCollection once for each builder")
                } else {
                    ("the collection has begun", "call \(call) before beginCollection")
                }
            case .finishing: ("the workout is being finished", "wait until finishWorkout returns")
            case .finished: ("the workout is finished", "create a new builder")
            case .discarded: ("the workout was discarded", "create a new builder")
            }
        return Self.refusal(reason, advice, call)
    }

    private static func refusal(_ reason: String, _ advice: String, _ call: String) -> HKError {
        HKError(.errorInvalidArgument, reason: reason, place: "HKWorkoutBuilder.\(call)", advice: advice)
    }

    // MARK: - Collection

    mutating func begin(at date: Date) throws(HKError) {
        try require(.new, for: "beginCollection")
        guard StoredTime.nanoseconds(date) != nil else {
            phase = .failed
            throw Self.refusal(
                "the start is outside of the storable range", "give a date from \(HealthSaveRules.storableDays)",
                "beginCollection")
        }
        start = date
        phase = .collecting
    }

    mutating func endCollection(at date: Date) throws(HKError) {
        try require(.collecting, for: "endCollection")
        guard StoredTime.nanoseconds(date) != nil, let start, date >= start else {
            throw Self.refusal(
                "the end is before the start, or not storable", "give a date at or after the start of the workout",
                "endCollection")
        }
        // Events and starts of activities cannot change later.
        try HealthSaveRules.checkParts(events: events, activities: [], of: configuration, from: start, to: date)
        if let late = activities.first(where: { $0.start > date }) {
            throw Self.refusal(
                "the activity \(late.uuid) starts after the end", "give an end at or after its start", "endCollection")
        }
        end = date
        phase = .ended
        for activity in activities { tally.set(ended(activity)) }
        if let end = StoredTime.nanoseconds(date) { tally.zones.set(end: end) }
    }

    // MARK: - Zones

    /// Sets or removes the zones of a type for this workout.
    mutating func set(_ custom: HKWorkoutZoneConfiguration?, for type: HKQuantityType) throws(HKError) {
        try require(.new, for: "setCustomZoneConfiguration")
        zones[type.identifier] = custom
    }

    /// Adds the person's zones for the types without zones of the program. The zones are final afterwards.
    mutating func complete(_ preferred: [HKWorkoutZoneConfiguration]) {
        for one in preferred where zones[one.quantityType.identifier] == nil {
            zones[one.quantityType.identifier] = one
        }
        hasFinalZones = true
        for one in zones.values { tally.set(one) }
    }

    // MARK: - Contents

    mutating func add(_ values: HealthMetadataValues) throws(HKError) {
        try require(.new, .collecting, .ended, for: "addMetadata")
        let all = metadata.merging(values) { _, new in new }
        // The check of an object without data is a check of its metadata.
        try HealthSaveRules.check(
            HKObject(
                header: ObjectHeader(
                    uuid: ObjectIdentity.next(), sourceRevision: .thisProgram, device: nil, metadata: all)))
        metadata = all
    }

    mutating func add(_ new: [HKWorkoutEvent]) throws(HKError) {
        try require(.collecting, .ended, for: "addWorkoutEvents")
        guard !new.isEmpty else {
            throw Self.refusal("there are no events", "give at least one event", "addWorkoutEvents")
        }
        guard let start else { return }
        try HealthSaveRules.checkParts(
            events: events + new, activities: [], of: configuration, from: start, to: end)
        events += new
        pauses = WorkoutPauses(events)
        allPauses = WorkoutPauses(events + hiddenEvents)
        tally.zones.set(pauses)
    }

    /// Adds an event of the session that is not an event of the workout.
    mutating func hide(_ event: HKWorkoutEvent) {
        hiddenEvents.append(event)
        allPauses = WorkoutPauses(events + hiddenEvents)
    }

    mutating func add(_ activity: WorkoutActivity) throws(HKError) {
        try require(.collecting, .ended, for: "addWorkoutActivity")
        guard !activities.contains(where: { $0.uuid == activity.uuid }) else {
            throw Self.refusal("the workout has this activity", "add each activity once", "addWorkoutActivity")
        }
        try activity.configuration.check()
        try set(activities + [activity])
        tally.set(ended(activity))
    }

    /// Returns an activity with an end. An activity in progress ends with the workout.
    private func ended(_ activity: WorkoutActivity) -> WorkoutActivity {
        var activity = activity
        activity.end = activity.end ?? end
        return activity
    }

    mutating func update(_ uuid: UUID, end: Date) throws(HKError) {
        try change(uuid) { $0.end = end }
        if let activity = activities.first(where: { $0.uuid == uuid }) { tally.set(activity) }
    }

    mutating func update(_ uuid: UUID, adding values: HealthMetadataValues) throws(HKError) {
        try change(uuid) { $0.metadata = ($0.metadata ?? [:]).merging(values) { _, new in new } }
    }

    private mutating func change(_ uuid: UUID, _ body: (inout WorkoutActivity) -> Void) throws(HKError) {
        try require(.collecting, .ended, for: "updateActivity")
        guard let place = activities.firstIndex(where: { $0.uuid == uuid }) else {
            throw Self.refusal(
                "the workout has no activity \(uuid)", "use the uuid of an activity of workoutActivities",
                "updateActivity")
        }
        var changed = activities
        body(&changed[place])
        try set(changed)
    }

    private mutating func set(_ changed: [WorkoutActivity]) throws(HKError) {
        guard let start else { return }
        let sorted = changed.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            .map(\.element)
        try HealthSaveRules.checkParts(events: [], activities: sorted, of: configuration, from: start, to: end)
        activities = sorted
    }

    /// Throws unless samples can be added.
    func check(_ samples: [HKSample]) throws(HKError) {
        try require(.collecting, .ended, for: "addSamples")
        guard !samples.isEmpty else {
            throw Self.refusal("there are no samples", "give at least one sample", "addSamples")
        }
        guard let start else { return }
        if let early = samples.first(where: { $0.startDate < start }) {
            throw HKError(
                .errorInvalidArgument, reason: "the sample starts before the collection began",
                place: "HKWorkoutBuilder.addSamples, \(early)",
                advice: "add only samples that start at or after the start of the workout")
        }
        if let end, let late = samples.first(where: { $0.startDate > end }) {
            throw HKError(
                .errorInvalidArgument, reason: "the sample starts after the collection ended",
                place: "HKWorkoutBuilder.addSamples, \(late)",
                advice: "add only samples that start at or before the end of the workout")
        }
    }

    /// Includes saved samples. A sample that is already included has no effect.
    mutating func include(_ samples: [HKSample]) {
        let isNew = members.insert(samples)
        for (sample, isNew) in zip(samples, isNew) where isNew {
            let quantity = sample as? HKQuantitySample
            guard let quantity, let start = StoredTime.nanoseconds(sample.startDate),
                let end = StoredTime.end(sample.endDate)
            else { continue }
            tally.add(
                quantity.quantityType, quantity.quantity.unit,
                WorkoutTally.Item(quantity, start: start, end: max(start, end)))
            if quantity.count > 1 { tally.markStale(quantity.quantityType) }
        }
    }

    /// Includes samples by their identities. `HealthStore.count` adds their values.
    mutating func include(_ known: IdentityRuns) { members = members.union(known) }

    // MARK: - Results

    /// Returns the time from the start to a date without pauses, in seconds; 0 before the collection began.
    func elapsedTime(at date: Date) -> TimeInterval {
        guard let start else { return 0 }
        return pauses.activeTime(from: start, to: min(date, end ?? date))
    }

    /// The activities as HealthKit's objects, with their statistics so far.
    func parts(now: Date) -> [HKWorkoutActivity] {
        activities.map { activity in
            var activity = activity
            activity.statistics = tally.statistics(of: activity.uuid)
            activity.zones = tally.zones.times(ofPart: activity.uuid)
            return HKWorkoutActivity(activity, events: events, now: end ?? now)
        }
    }

    /// Begins to save the workout.
    mutating func beginFinish() throws(HKError) {
        try require(.ended, for: "finishWorkout")
        phase = .finishing
    }

    /// Ends the saving. If the workout is not saved, it can be finished again, unless it was discarded meanwhile.
    mutating func endFinish(isSaved: Bool) {
        guard phase == .finishing else { return }
        phase = isSaved ? .finished : isUnwanted ? .discarded : .ended
    }

    /// Discards the workout. While it is being saved, the discard takes effect only if it is not saved.
    mutating func discard() {
        switch phase {
        case .finished, .discarded: return
        case .finishing: isUnwanted = true
        default: phase = .discarded
        }
    }

    /// Returns the properties of the finished workout, and its metadata.
    ///
    /// - Requires: a tally without stale types.
    func finished() throws(HKError) -> (content: WorkoutContent, metadata: HealthMetadataValues) {
        guard let start, let end else {
            throw refusal(of: "finishWorkout", allowedIn: [.ended])
        }
        var events = WorkoutContent.sorted(events)
        events = events.map { SwimmingScore.scored($0, by: events) }
        let statistics = tally.statistics
        var parts = activities
        for place in parts.indices {
            parts[place].end = parts[place].end ?? end
            parts[place].statistics = tally.statistics(of: parts[place].uuid)
            parts[place].zones = tally.zones.times(ofPart: parts[place].uuid)
        }
        try HealthSaveRules.checkParts(events: events, activities: parts, of: configuration, from: start, to: end)
        let zones = tally.zones.times
        if parts.isEmpty {
            let own = zones.filter { !$0.value.isEmpty }
            parts = [.whole(configuration, start: start, end: end, statistics: statistics, zones: own)]
        }
        let content = WorkoutContent(
            activity: configuration.activity, duration: WorkoutPauses(events).activeTime(from: start, to: end),
            events: events, activities: parts, statistics: statistics,
            totals: WorkoutTotals(statistics, of: configuration.activity), zones: zones)
        var stated = configuration.metadata
        if let score = SwimmingScore.mean(of: events, from: start, to: end) {
            stated[HKMetadataKeySWOLFScore] = .real(score)
        }
        return (content, stated.merging(metadata) { _, own in own })
    }
}
