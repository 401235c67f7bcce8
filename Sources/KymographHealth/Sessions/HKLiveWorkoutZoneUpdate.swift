// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// A change of the zone of a live workout.
public final class HKLiveWorkoutZoneUpdate: NSObject, Sendable {
    /// The zone of the latest sample, and the time in it.
    public let currentZoneDuration: HKWorkoutZoneDuration?
    /// The zone before, and the time in it; nil for the first sample of the type.
    public let previousZoneDuration: HKWorkoutZoneDuration?
    /// The start of the latest sample.
    public let lastSampleProcessedDate: Date?
    /// The time in all zones of the type.
    public let zoneGroup: HKWorkoutZoneGroup?

    /// - Parameters:
    ///   - previous: the index of the zone before; nil for the first sample of the type.
    ///   - current: the zone and the start of the latest sample.
    init(previous: Int?, current: ZoneTally.Position, _ group: HKWorkoutZoneGroup) {
        currentZoneDuration = group.zoneDurations[current.zone]
        previousZoneDuration = previous.map { group.zoneDurations[$0] }
        lastSampleProcessedDate = StoredTime.date(current.start)
        zoneGroup = group
        super.init()
    }
}

extension HKLiveWorkoutBuilder {
    /// Notifies the delegate of each type whose zone a change of the workout has changed.
    ///
    /// - Requires: the queue of the delegate.
    func notifyOfZones(from before: WorkoutDraft, to next: WorkoutDraft) {
        let old = before.tally.zones.positions
        for (type, position) in next.tally.zones.positions.sorted(by: { $0.key < $1.key }) {
            if position.zone == old[type]?.zone { continue }
            // The times of stale types are computed again from the saved samples.
            let isStale = !next.tally.staleTypes.isEmpty
            if isStale { bringUpToDate() }
            let zones = isStale ? draft.withLock { $0.tally.zones.times } : next.tally.zones.times
            guard let times = zones[type] else { continue }
            delegate?.workoutBuilder(
                self,
                didUpdateWorkoutZone: HKLiveWorkoutZoneUpdate(
                    previous: old[type]?.zone, current: position, HKWorkoutZoneGroup(times)))
        }
    }
}
