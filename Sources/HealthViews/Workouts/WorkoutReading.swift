// SPDX-License-Identifier: Apache-2.0

extension HealthStore {
    /// Returns a workout with its activities, splits and pulse; nil if the store does not have it.
    ///
    /// - Parameters:
    ///   - id: the identity of the workout.
    ///   - split: the length of a split in metres.
    ///   - points: the number of slices of the pulse's outline.
    /// - Throws: `HealthStoreError`: `corrupt`, `engine(.closed)`, `engine(.inputOutput)`.
    /// - Complexity: O(distance samples and locations of the workout).
    package func workout(_ id: SampleIdentity, split: Double = 1_000, points: Int = 200) throws -> WorkoutDetails? {
        var found: HKWorkout?
        var summary: WorkoutSummary?
        try list(HKObjectType.workoutType(), matching: .uuids([id.uuid])) { one in
            found = one.sample as? HKWorkout
            summary = found.map { WorkoutSummary($0, start: one.start, end: one.end) }
            return false
        }
        guard let found, var summary else { return nil }
        let curve = try pulseCurve(summary, points)
        if summary.pulse == nil, let curve {
            summary.pulse = PulseRange(
                average: curve.average, least: curve.least.value, greatest: curve.greatest.value)
        }
        var details = WorkoutDetails(found, summary)
        details.pulseCurve = curve
        details.route = try route(of: id)
        details.climb = details.climb ?? details.route?.climb
        var track = DistanceTrack(try distances(of: found))
        if !track.isFine(for: split), let route = details.route { track = DistanceTrack(route.steps) }
        details.splits = try splits(track, every: split, details)
        return details
    }

    /// Returns the outline of the pulse during a workout: the samples of its source, or else of all sources.
    private func pulseCurve(_ one: WorkoutSummary, _ points: Int) throws -> TypeCurve? {
        guard one.start < one.end else { return nil }
        let type = HealthTypes.type(for: HKQuantityTypeIdentifier.heartRate)
        for sources in [Set([one.source]), nil] {
            let request = SampleRequest(
                type, range: TimeRange(one.start, one.end), sources: sources, unit: PulseRange.unit)
            let curve = try ifConvertible { () throws(HealthStoreError) in try outline(request, points: points) }
            if let curve { return curve }
        }
        return nil
    }

    /// Returns the distances of the samples of a workout.
    private func distances(of workout: HKWorkout) throws -> [DistanceTrack.Step] {
        var steps: [DistanceTrack.Step] = []
        for identifier in WorkoutTypes.distances(of: workout.content.activity) {
            try list(HKQuantityType(identifier), matching: .members(of: workout.uuid)) { one in
                if let metres = (one.sample as? HKQuantitySample)?.quantity.number(.meter()) {
                    steps.append(DistanceTrack.Step(start: one.start, end: one.end, metres: metres))
                }
                return true
            }
        }
        return steps
    }

    /// Returns the splits of a track with their pulse; empty if a measurement is longer than a split on average.
    private func splits(
        _ track: DistanceTrack, every distance: Double, _ details: WorkoutDetails
    ) throws -> [WorkoutSplit] {
        guard track.isFine(for: distance) else { return [] }
        var splits = track.splits(every: distance).map { split in
            WorkoutSplit(
                distance: split.metres, range: split.range, duration: details.activeSeconds(split.range), pulse: nil)
        }
        let edges = splits.map(\.range.start) + (splits.last.map { [$0.range.end] } ?? [])
        guard details.pulseCurve != nil, zip(edges, edges.dropFirst()).allSatisfy({ $0 < $1 }) else { return splits }
        let request = StatisticsRequest(
            HealthTypes.type(for: HKQuantityTypeIdentifier.heartRate), buckets: .edges(edges), unit: PulseRange.unit,
            sources: [details.summary.source])
        let rows = try ifConvertible { () throws(HealthStoreError) in try statistics(request).rows } ?? []
        for (place, row) in rows.enumerated() where splits.indices.contains(place) && !row.isEmpty {
            splits[place].pulse = row.average
        }
        return splits
    }
}
