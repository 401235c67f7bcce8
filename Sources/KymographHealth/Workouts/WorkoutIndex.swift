// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel
import Synchronization

/// The columns of a store's workouts in memory, as of one commit, for predicates with conditions on workouts.
///
/// The first such predicate decodes all workouts and loads the index. Later predicates add the workouts of newer
/// commits and remove deleted workouts. The index only selects candidates: the predicate is evaluated on their objects.
///
/// The index takes about 40 bytes for each workout and activity, and 8 bytes for each value of their statistics. A
/// store with more than `largest` workouts and activities has no index.
final class WorkoutIndex: Sendable {
    /// The maximum number of workouts and activities.
    static let largest = 500_000

    private struct State {
        var columns = WorkoutColumns()
        var sequence: Int64
        /// The setting `HealthCatalog.rewrittenWorkoutsKey`.
        var rewritten: String?
    }

    private enum Content {
        case unknown
        case known(State)
        /// The store has too many workouts.
        case none
    }

    private let content = Mutex(Content.unknown)

    /// Returns the columns as of a view; nil if the index is newer than the view, or if the store has too many
    /// workouts.
    func columns(_ store: HealthStore, _ view: HealthView) throws -> WorkoutColumns? {
        let sequence = view.snapshot.sequence
        return try content.withLock { content in
            switch content {
            case .none: return nil
            case .known(var state) where state.sequence <= sequence:
                // The columns are not shared while they change.
                content = .unknown
                if try !update(&state, to: sequence, store) { state = try load(sequence, store) }
                content = state.columns.count > Self.largest ? .none : .known(state)
                return state.columns.count > Self.largest ? nil : state.columns
            case .known: return nil
            case .unknown:
                let state = try load(sequence, store)
                content = state.columns.count > Self.largest ? .none : .known(state)
                return state.columns.count > Self.largest ? nil : state.columns
            }
        }
    }

    private static let type = HKObjectType.workoutType().identifier

    private func load(_ sequence: Int64, _ store: HealthStore) throws -> State {
        try store.catalog(State(sequence: sequence)) { transaction in
            var state = State(sequence: sequence)
            state.rewritten = try HealthCatalog.setting(HealthCatalog.rewrittenWorkoutsKey, transaction)
            try HealthCatalog.eachSavedObject(type: Self.type, asOf: sequence, transaction) { row in
                if row.kind == SavedObjectKind.workout.rawValue { try state.columns.append(row) }
                return state.columns.count <= Self.largest
            }
            return state
        }
    }

    /// Updates the columns to a commit. Returns false if they must be loaded again.
    private func update(_ state: inout State, to sequence: Int64, _ store: HealthStore) throws -> Bool {
        let (known, rewritten) = (state.sequence, state.rewritten)
        if known == sequence { return true }
        guard
            let (born, died) = try store.catalog(
                ([SavedObjectRow], [SavedObjectRow])?.none,
                { transaction in
                    let count = try HealthCatalog.setting(HealthCatalog.rewrittenWorkoutsKey, transaction)
                    if count != rewritten { return nil }
                    let types: Set = [Self.type]
                    let born = try HealthCatalog.savedObjects(
                        types: types, bornAfter: (known, .max), upTo: sequence, limit: .max, transaction)
                    let died = try HealthCatalog.savedObjects(
                        types: types, diedAfter: (known, .max), upTo: sequence, limit: .max, transaction)
                    return (born, died)
                })
        else { return false }
        state.columns.remove(Set(died.map(\.id)))
        for row in born where row.kind == SavedObjectKind.workout.rawValue { try state.columns.append(row) }
        state.sequence = sequence
        return state.columns.deleted <= 1_000 + state.columns.count / 4
    }
}

extension HealthStore {
    /// Returns the ids of the workouts that may match a predicate, in the order of a search; nil if the index does not
    /// apply.
    func workouts(
        _ part: SampleSearch.Part, _ window: SearchWindow, backward: Bool, _ view: HealthView
    ) throws
        -> [Int64]?
    {
        guard part.type.identifier == HKObjectType.workoutType().identifier, part.predicate.asksForWorkouts,
            let columns = try workoutIndex.columns(self, view)
        else { return nil }
        let (starts, ends, ids) = (columns.starts, columns.ends, columns.ids)
        let found = columns.candidates(part.predicate).filter {
            starts[$0] >= window.range.start && (starts[$0] < window.range.end || window.range.end == .max)
                && (starts[$0] >= window.lastingTo || ends[$0] > window.lastingTo)
        }
        let sorted = found.sorted { (starts[$0], ids[$0]) < (starts[$1], ids[$1]) }.map { ids[$0] }
        return backward ? sorted.reversed() : sorted
    }
}

extension SamplePredicate {
    /// Whether the predicate has a condition on workouts or activities.
    fileprivate var asksForWorkouts: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.contains { $0.asksForWorkouts }
        case .not(let part): part.asksForWorkouts
        case .workout, .someActivity: true
        default: false
        }
    }
}
