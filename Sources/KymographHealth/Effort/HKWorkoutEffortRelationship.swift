// SPDX-License-Identifier: Apache-2.0

import Catalog
public import Foundation
import HealthCatalog
public import HealthModel

/// The effort samples of a workout, or of one of its activities.
public final class HKWorkoutEffortRelationship: NSObject, Sendable {
    /// The workout.
    public let workout: HKWorkout
    /// The activity; nil if the samples are related to the workout itself.
    public let activity: HKWorkoutActivity?
    /// The samples, ascending by start; nil without samples.
    public let samples: [HKSample]?

    init(_ workout: HKWorkout, _ activity: HKWorkoutActivity?, _ samples: [HKSample]) {
        self.workout = workout
        self.activity = activity
        self.samples = samples.isEmpty ? nil : samples
        super.init()
    }

    /// The workout, the activity and the number of samples.
    public override var description: String {
        "HKWorkoutEffortRelationship \(workout.uuid) \(activity?.uuid.uuidString ?? ""), \(samples?.count ?? 0) samples"
    }
}

/// An option of a query: the samples of a relationship that it returns. Raw values are HealthKit's.
public enum HKWorkoutEffortRelationshipQueryOptions: Int, Hashable, Sendable {
    /// All samples.
    case `default` = 0
    /// The person's latest score; without one, the latest estimate.
    case mostRelevant = 1
}

/// A question for relationships: predicate and options.
struct EffortQuestion: Sendable {
    let predicate: SamplePredicate
    let options: HKWorkoutEffortRelationshipQueryOptions

    /// Relationships, and the position after them.
    struct Answer {
        var relationships: [HKWorkoutEffortRelationship] = []
        var position: FeedPosition
    }

    private struct Key: Hashable {
        let workout: UUID
        let activity: UUID?
    }

    /// Returns the relationships of the matching workouts. With a position only workouts with newer changes of
    /// relations are included.
    func answer(_ store: HealthStore, since position: FeedPosition?) throws -> Answer {
        let view = try store.currentView()
        let access = try store.access(view.tables)
        try access?.requireReading(HKObjectType.workoutType())
        let types = try Self.readable(access)
        let sequence = view.snapshot.sequence
        let relations = try store.catalog([EffortRecord]()) {
            try EffortRecord.all(asOf: sequence, $0).map(\.record)
        }
        var samples: [Key: Set<UUID>] = [:]
        for one in relations {
            samples[Key(workout: one.workout, activity: one.activity), default: []].insert(one.sample)
        }
        var keys = Set(samples.keys)
        if let position {
            let changes = try changed(store, from: position, to: sequence)
            // A change of a relation to a hidden sample is none.
            let visible = try access.map { _ in try efforts(Set(changes.map(\.sample)), types, store, view) }
            keys = Set(
                changes.filter { change in
                    guard let access, let visible, visible[change.sample] == nil else { return true }
                    return SamplePredicate.sources([access.client]).mayMatch(change.source)
                }.map(\.key))
        }
        var answer = Answer(position: store.endPosition(view.snapshot))
        let workouts = try self.workouts(Set(keys.map(\.workout)), store, view)
        let found = try efforts(keys.reduce(into: []) { $0.formUnion(samples[$1] ?? []) }, types, store, view)
        let hidesSamples = access.map { access in !Self.types.allSatisfy { access.readsAll($0) } } ?? false
        for (workout, key) in keys.compactMap({ key in workouts[key.workout].map { ($0, key) } }) {
            let activity = workout.workoutActivities.first { $0.uuid == key.activity }
            if key.activity != nil, activity == nil { continue }
            let own = (samples[key] ?? []).compactMap { found[$0] }.sorted {
                ($0.startDate, $0.uuid.uuidString) < ($1.startDate, $1.uuid.uuidString)
            }
            // A relation to hidden samples is none. So the end of the last visible relation is not reported, either.
            if own.isEmpty, hidesSamples { continue }
            answer.relationships.append(HKWorkoutEffortRelationship(workout, activity, relevant(own)))
        }
        // A position must not show the commits of other programs.
        if access != nil, answer.relationships.isEmpty, let position { answer.position = position }
        answer.relationships.sort { a, b in
            (a.workout.startDate, a.workout.uuid.uuidString, a.activity?.startDate ?? .distantPast)
                < (b.workout.startDate, b.workout.uuid.uuidString, b.activity?.startDate ?? .distantPast)
        }
        return answer
    }

    private static let types: [HKQuantityType] = [
        HKQuantityType(.workoutEffortScore), HKQuantityType(.estimatedWorkoutEffortScore),
    ]

    /// Returns the types of effort samples that the person decided about.
    ///
    /// - Throws: `errorAuthorizationNotDetermined` if there are none.
    private static func readable(_ access: HealthAccess?) throws(HKError) -> [HKQuantityType] {
        guard let access else { return types }
        let decided = types.filter { access.reading($0) != .undetermined }
        if decided.isEmpty { try access.requireReading(types[0]) }
        return decided
    }

    private func relevant(_ samples: [HKSample]) -> [HKSample] {
        guard options == .mostRelevant else { return samples }
        let own = samples.last { $0.sampleType.identifier == HKQuantityTypeIdentifier.workoutEffortScore.rawValue }
        return (own ?? samples.last).map { [$0] } ?? []
    }

    /// A relation that was added or removed.
    private struct Change {
        let key: Key
        let sample: UUID
        let source: SourceRow?
    }

    /// Returns the relations that were added and removed.
    private func changed(
        _ store: HealthStore, from position: FeedPosition, to sequence: Int64
    ) throws -> [Change] {
        let tables = try store.currentView().tables
        let rows = try store.catalog([SavedObjectRow]()) { transaction in
            let types: Set = [EffortRecord.type]
            return try HealthCatalog.savedObjects(
                types: types, bornAfter: (position.added.commit, position.added.id), upTo: sequence, limit: .max,
                transaction)
                + HealthCatalog.savedObjects(
                    types: types, diedAfter: (position.died.commit, position.died.id), upTo: sequence, limit: .max,
                    transaction)
        }
        return try rows.filter { !$0.isPruned }.map { row in
            let record = try EffortRecord(row.body)
            return Change(
                key: Key(workout: record.workout, activity: record.activity), sample: record.sample,
                source: try tables.provenance(row.provenance).flatMap { tables.sources[$0.source] })
        }
    }

    private func workouts(
        _ uuids: Set<UUID>, _ store: HealthStore, _ view: HealthView
    ) throws -> [UUID: HKWorkout] {
        let all = Array(uuids)
        let rows = try store.catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(
                uuids: all.map { SampleIdentity($0).bytes }, asOf: view.snapshot.sequence, $0)
        }
        let reader = try ObjectReader(store, view.tables)
        var found: [UUID: HKWorkout] = [:]
        for case let row? in rows {
            guard try reader.mayRead(row), let workout = try reader.outline(row) as? HKWorkout,
                predicate.matches(workout)
            else { continue }
            found[workout.uuid] = workout
        }
        return found
    }

    private func efforts(
        _ uuids: Set<UUID>, _ types: [HKQuantityType], _ store: HealthStore, _ view: HealthView
    ) throws -> [UUID: HKSample] {
        if uuids.isEmpty { return [:] }
        var found: [UUID: HKSample] = [:]
        let parts = types.map { SampleSearch.Part(type: $0, predicate: .uuids(uuids)) }
        try store.search(SampleSearch(parts), in: view) { batch in
            for sample in batch.samples { found[sample.uuid] = sample }
            return true
        }
        return found
    }
}
