// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel

/// The active energy of workouts that have a total but no samples of it, by day.
///
/// Workouts made by an initializer have totals only. The energy of any other workout is in its samples, and an imported
/// workout's samples are in the same export.
struct WorkoutEnergy {
    let store: HealthStore
    let view: HealthView
    let calendar: ActivityDays

    /// Returns the kilocalories of each day. The total of a workout is spread evenly over its time.
    ///
    /// - Complexity: O(workouts); workouts outside of the range are not decoded.
    func byDay(_ range: TimeRange) throws -> [Int64: Double] {
        var found: [Int64: Double] = [:]
        for workout in try workouts(range) {
            guard let energy = workout.record.content.totals.energy, energy.is(compatibleWith: .kilocalorie()),
                try !hasSamples(workout.record)
            else { continue }
            let total = energy.doubleValue(for: .kilocalorie())
            let (start, end) = (workout.row.start, max(workout.row.start, workout.row.end))
            var day = calendar.day(of: max(start, range.start))
            while day == calendar.day(of: start) || calendar.start(of: day) < min(end, range.end) {
                let (first, next) = (calendar.start(of: day), calendar.start(of: day + 1))
                let share = start == end ? 1 : length(max(start, first), min(end, next)) / length(start, end)
                found[day, default: 0] += total * share
                day += 1
            }
        }
        return found
    }

    private func length(_ start: Int64, _ end: Int64) -> Double {
        start < end ? Double(UInt64(bitPattern: end &- start)) : 0
    }

    private func workouts(_ range: TimeRange) throws -> [(row: SavedObjectRow, record: WorkoutRecord)] {
        var found: [(SavedObjectRow, WorkoutRecord)] = []
        let starts = Int64.min...(range.end &- 1)
        try store.catalog(()) { transaction in
            try HealthCatalog.eachSavedObject(
                type: HKWorkoutTypeIdentifier, start: starts, asOf: view.snapshot.sequence, transaction
            ) { row in
                if row.end > range.start || row.start >= range.start {
                    let record = try WorkoutRecord(row.body)
                    if record.element == nil { found.append((row, record)) }
                }
                return true
            }
        }
        return found
    }

    /// Whether a workout has samples of active energy.
    private func hasSamples(_ record: WorkoutRecord) throws -> Bool {
        if record.members.count == 0 { return false }
        var isFound = false
        let search = SampleSearch(
            type: HKQuantityType(.activeEnergyBurned), predicate: .identities(record.members), limit: 1)
        try store.search(search) { batch in
            isFound = !batch.samples.isEmpty
            return false
        }
        return isFound
    }
}
