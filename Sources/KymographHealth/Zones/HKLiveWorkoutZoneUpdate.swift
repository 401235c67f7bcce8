// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel
import Synchronization

/// A change of the zone of a live workout.
public final class HKLiveWorkoutZoneUpdate: NSObject, Sendable {
    /// The zone of the latest sample, and the time in it.
    public let currentZoneDuration: HKWorkoutZoneDuration?
    /// The previous zone, and the time in it; nil for the first sample of the type.
    public let previousZoneDuration: HKWorkoutZoneDuration?
    /// The start of the latest sample.
    public let lastSampleProcessedDate: Date?
    /// The time in all zones of the type.
    public let zoneGroup: HKWorkoutZoneGroup?

    /// - Parameters:
    ///   - previous: the index of the previous zone; nil for the first sample of the type.
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
    /// Notifies the delegate of each type whose zone has changed.
    ///
    /// - Requires: the queue of the delegate.
    func notify(of changes: ZoneChanges) {
        for (type, position) in changes.after.sorted(by: { $0.key < $1.key }) {
            let previous = changes.before[type]?.zone
            if position.zone == previous { continue }
            if changes.times == nil { bringUpToDate() }
            let zones = changes.times ?? draft.withLock { $0.tally.zones.times }
            guard let times = zones[type] else { continue }
            delegate?.workoutBuilder(
                self,
                didUpdateWorkoutZone: HKLiveWorkoutZoneUpdate(
                    previous: previous, current: position, HKWorkoutZoneGroup(times)))
        }
    }
}
