// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HealthModel
import Synchronization

// The zones of a workout. The person's zones are read when the first heart rate or cycling power sample is added.
extension HKWorkoutBuilder {
    /// Returns the zones of a type in this workout: the zones that the program set, else those of
    /// ``HKHealthStore/preferredWorkoutZoneConfiguration(for:)`` at the start of the workout.
    ///
    /// - Returns: nil without such zones.
    /// - Throws: ``HKError``: `errorInvalidArgument` for a type without zones, `errorDatabaseInaccessible`.
    public func zoneConfiguration(for quantityType: HKQuantityType) async throws -> HKWorkoutZoneConfiguration? {
        try await queue.result { () throws(HKError) in try self.zones(of: quantityType) }
    }

    /// Passes the zones of a type in this workout to a handler, which is called on a thread of the store. See
    /// ``zoneConfiguration(for:)``.
    @preconcurrency public func zoneConfiguration(
        for quantityType: HKQuantityType,
        completion: @escaping @Sendable (HKWorkoutZoneConfiguration?, (any Error)?) -> Void
    ) {
        queue.run { (found: HKWorkoutZoneConfiguration??, error) in
            completion(found ?? nil, error)
        } _: { () throws(HKError) in
            try self.zones(of: quantityType)
        }
    }

    private func zones(of quantityType: HKQuantityType) throws(HKError) -> HKWorkoutZoneConfiguration? {
        try HKWorkoutZoneConfiguration.check(quantityType)
        let draft = draft.withLock { $0 }
        let own = draft.zones[quantityType.identifier]
        if own != nil || draft.hasFinalZones { return own }
        return try store.preferredZones(for: quantityType, at: draft.start ?? Date())
    }

    /// Sets the zones of a type for this workout only. Nil removes zones that an earlier call set.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` after `beginCollection`, for a type without zones, and for a
    ///   configuration of another type; `errorDatabaseInaccessible`.
    public func setCustomZoneConfiguration(
        _ configuration: HKWorkoutZoneConfiguration?, for quantityType: HKQuantityType
    ) async throws {
        try await queue.result { () throws(HKError) in try self.set(configuration, for: quantityType) }
    }

    /// Sets the zones of a type for this workout only. See ``setCustomZoneConfiguration(_:for:)``.
    @preconcurrency public func setCustomZoneConfiguration(
        _ configuration: HKWorkoutZoneConfiguration?, for quantityType: HKQuantityType, completion: @escaping Completion
    ) {
        queue.run(completion) { () throws(HKError) in try self.set(configuration, for: quantityType) }
    }

    private func set(
        _ configuration: HKWorkoutZoneConfiguration?, for quantityType: HKQuantityType
    ) throws(HKError) {
        try HKWorkoutZoneConfiguration.check(configuration, for: quantityType)
        try change { draft throws(HKError) in try draft.set(configuration?.from(.app), for: quantityType) }
    }

    /// Returns the time in the zones of a type so far; nil without zones or samples of the type.
    ///
    /// Until the collection ends, the value of the latest sample counts up to the end of that sample.
    ///
    /// - Complexity: O(1). After the addition of a sample that is earlier than the latest sample, and after a change of
    ///   earlier pauses or activities, the first call is O(samples of the type).
    public func zoneGroup(for quantityType: HKQuantityType) -> HKWorkoutZoneGroup? {
        bringUpToDate()
        let times = draft.withLock { $0.tally.zones.times }
        return times[quantityType.identifier].map { HKWorkoutZoneGroup($0) }
    }

    /// Returns the person's zones if some of the samples need them; nil if no sample does, or if the zones are final.
    func missingZones(
        _ draft: WorkoutDraft, for samples: [HKSample]
    ) throws(HKError) -> [HKWorkoutZoneConfiguration]? {
        if draft.hasFinalZones { return nil }
        let needsZones = samples.contains { sample in
            (sample as? HKQuantitySample).map { HKWorkoutZoneConfiguration.types.contains($0.quantityType) } ?? false
        }
        return needsZones ? try store.preferredZones(at: draft.start ?? Date()) : nil
    }
}
