// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

/// A conversion of `Workout` elements to workouts. Imports of earlier versions stored only the elements.
///
/// Each commit converts a bounded number of elements and records the last one in a setting, so that a conversion
/// continues after a crash.
final class WorkoutConversion {
    /// The elements that are already converted.
    let taken: Set<Int64>
    /// The digests of an element: a digest of its content and a digest of its bytes.
    struct Twin {
        let content: Int64
        let bytes: Int64
    }

    /// The elements of converted workouts, without further copies.
    var twins: [SampleIdentity: Twin] = [:]
    /// The number of converted workouts by the identity of their first copy.
    var copies: [SampleIdentity: Int] = [:]
    /// The newest document by the key of its path; nil until the first route.
    var documents: [String: Int64]?
    /// The number of bytes read for the current commit.
    var bytes = 0
    /// Whether unreadable elements and routes are left out.
    let skipsDamage: Bool

    init(taken: Set<Int64>, skipsDamage: Bool = false) {
        self.taken = taken
        self.skipsDamage = skipsDamage
    }

    /// The maximum number of elements of one commit.
    static let mostElements = 64
    /// The number of bytes of elements and routes after which a commit ends.
    static let mostBytes = 8 << 20
}

extension HealthStore {
    /// Converts all elements of workouts that are not converted.
    ///
    /// - Parameter most: the maximum number of elements of one commit.
    /// - Throws: the errors of a load. Elements of earlier commits stay converted.
    /// - Complexity: O(elements) if all are converted; otherwise O(bytes of elements and of their routes).
    func convertWorkouts(most: Int = WorkoutConversion.mostElements) throws {
        if try hasConvertedWorkouts() { return }
        do {
            try convertWorkouts(most: most, skipsDamage: false)
        } catch let error as HealthStoreError where error.isDamage {
            // A disk may fail once. Only what cannot be read twice is left out.
            try convertWorkouts(most: most, skipsDamage: true)
        }
    }

    private func convertWorkouts(most: Int, skipsDamage: Bool) throws {
        let state = WorkoutConversion(taken: try elementsWithWorkouts(), skipsDamage: skipsDamage)
        while try !unconvertedWorkouts(most: 1).isEmpty {
            _ = try load { try $0.convertWorkouts(state, most: most) }
        }
    }

    /// Converts workouts when a store is opened for writing. An error, such as a full disk, does not prevent the
    /// opening; the next opening continues.
    func convertWorkoutsAtOpening() {
        if mode == .readOnly { return }
        try? convertWorkouts()
    }

    /// Whether every element of a workout is converted.
    func hasConvertedWorkouts() throws(HealthStoreError) -> Bool {
        try unconvertedWorkouts(most: 1).isEmpty
    }

    /// Returns the ids of the first elements of workouts that are not converted, ascending.
    func unconvertedWorkouts(most: Int) throws(HealthStoreError) -> [Int64] {
        try catalog([]) { transaction in
            let kind = ImportedElementKind.workout.rawValue
            let last = try HealthCatalog.elementMarks(kind: kind, transaction).highest
            if last == 0 { return [] }
            let converted = try HealthCatalog.convertedWorkouts(transaction)
            return last <= converted
                ? [] : try HealthCatalog.elementIDs(kind: kind, after: converted, limit: most, transaction)
        }
    }

    /// Returns the ids of the elements of the stored workouts.
    ///
    /// - Complexity: O(bytes of all workouts).
    func elementsWithWorkouts() throws(HealthStoreError) -> Set<Int64> { try elements(of: .workout) }

    /// Returns the ids of the elements of the stored objects of a kind.
    ///
    /// - Complexity: O(bytes of the objects).
    func elements(of kind: SavedObjectKind) throws(HealthStoreError) -> Set<Int64> {
        try catalog([]) { transaction in
            var taken: Set<Int64> = []
            try HealthCatalog.eachSavedObject(kind: kind.rawValue, transaction) { row in
                guard row.died == nil, let element = try row.element else { return }
                taken.insert(element.object)
            }
            return taken
        }
    }
}
