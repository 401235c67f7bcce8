// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Foundation
import HealthCatalog
import HealthModel
import Synchronization

extension HealthStore {
    /// Saves the unsaved samples durably, in one commit.
    ///
    /// - Parameter alongside: a change of tables in the same commit.
    func saveNew(
        _ samples: [HKSample], as revision: HKSourceRevision,
        alongside: (@Sendable (CatalogTransaction) throws -> Void)? = nil
    ) throws(HKError) {
        do throws(HKError) {
            try save(samples, as: revision, alongside: alongside)
        } catch {
            guard error.code == .errorInvalidArgument else { throw error }
            let known = try HKError.converting { try stored(samples) }
            var seen = known
            let rest = samples.filter { seen.insert($0.uuid).inserted }
            // The failure has another cause than saved samples.
            if rest.count == samples.count { throw error }
            try save(rest, as: revision, alongside: alongside)
        }
    }

    /// Returns the identities of the samples that are in the store.
    private func stored(_ samples: [HKSample]) throws -> Set<UUID> {
        var found: Set<UUID> = []
        for (_, group) in Dictionary(grouping: samples, by: \.sampleType.identifier) {
            guard let type = group.first?.sampleType else { continue }
            var search = SampleSearch(type: type, predicate: .uuids(Set(group.map(\.uuid))))
            let starts = group.compactMap { StoredTime.nanoseconds($0.startDate) }
            if let first = starts.min(), let last = starts.max() { search.range = SearchWindow.around(first, last) }
            try self.search(search) { batch in
                found.formUnion(batch.samples.map(\.uuid))
                return true
            }
        }
        return found
    }

    /// Counts all quantities of a type among the samples of a workout. Each quantity of a series counts.
    ///
    /// - Complexity: O(samples in the time of the workout).
    func count(_ type: HKQuantityType, of members: IdentityRuns, again tally: inout WorkoutTally) throws {
        tally.clear(type)
        let predicate = SamplePredicate.identities(members)
        let search = try StatisticsSearch(StatisticsQuestion(type: type, predicate: predicate, options: []), self)
        let unit = search.found.unit
        // Quantities of the same start come in any order.
        var waiting: [WorkoutTally.Item] = []
        var counted = tally
        func count() {
            for item in waiting.sorted() { counted.add(type, unit, item) }
            waiting.removeAll(keepingCapacity: true)
        }
        try search.scan(SearchWindow(predicate).range) { row in
            if let last = waiting.last, last.start < row.start { count() }
            waiting.append(WorkoutTally.Item(start: row.start, end: row.end, value: row.value))
        }
        count()
        tally = counted
    }

    /// Saves the unsaved samples without a device, and then adds all samples to a saved workout.
    ///
    /// Totals, dates and duration of the workout stay, and so do the statistics behind the totals. The statistics and
    /// zones of the samples' other types are computed again from all samples of the workout. An imported workout keeps
    /// all statistics that its element states.
    func add(_ samples: [HKSample], to workout: HKWorkout, as revision: HKSourceRevision) throws(HKError) {
        guard !samples.isEmpty else {
            throw HKError(
                .errorInvalidArgument, reason: "there are no samples", place: "\(workout)",
                advice: "give at least one sample")
        }
        try requireSharing([HKWorkoutTypeIdentifier])
        var known = try HKError.converting { try body(of: workout, .workout, "workout") }
        try requireOwnWorkout(workout)
        try saveNew(samples, as: revision)
        while true {
            let old = known
            let new = try HKError.converting { try extended(old, of: workout, by: samples).body }
            let found = Mutex<[UInt8]?>(nil)
            try write { transaction in
                let rows = try HealthCatalog.savedObjects(uuids: [SampleIdentity(workout.uuid).bytes], transaction)
                guard let row = rows.first.flatMap({ $0 }) else { throw HKError.missing(workout) }
                found.withLock { $0 = row.body }
                if row.body == old { try HealthCatalog.rewrite(workout: row, body: new, transaction) }
            }
            guard let present = found.withLock({ $0 }), present != old else { return }
            // Another call added samples meanwhile.
            known = present
        }
    }

    /// - Throws: an error unless the client saved the workout.
    private func requireOwnWorkout(_ workout: HKWorkout) throws(HKError) {
        guard let access = try access() else { return }
        let source = try HKError.converting {
            let view = try currentView()
            let row = try row(of: workout, .workout, "workout", view)
            return try ObjectReader(self, view.tables).origin(row.provenance).revision.source
        }
        if source == access.client { return }
        throw HKError(
            .errorAuthorizationDenied, reason: "the workout was saved by \(source)", place: "\(workout)",
            advice: "a program can add samples to its own workouts only")
    }

    /// Returns the record of a workout with further samples.
    private func extended(
        _ body: [UInt8], of workout: HKWorkout, by samples: [HKSample]
    ) throws -> WorkoutRecord {
        var record = try WorkoutRecord(body)
        let saved = record
        let fixed =
            saved.element == nil ? saved.content.typesOfTotals : try catalog([]) { try saved.statedTypes($0) }
        var draft = WorkoutDraft(WorkoutConfiguration(record.content.activity))
        draft.include(samples)
        record.members = record.members.union(draft.members)
        let types = draft.tally.types.filter { !fixed.contains($0.identifier) }
        try count(types, again: &record, draft.tally, end: StoredTime.nanoseconds(workout.endDate))
        return record
    }

    /// Computes the statistics of some types again, from all samples of a workout.
    private func count(
        _ types: [HKQuantityType], again record: inout WorkoutRecord, _ empty: WorkoutTally, end: Int64?
    ) throws {
        var tally = empty
        for part in record.content.activities { tally.set(part) }
        tally.zones.set(WorkoutPauses(record.content.events))
        if let end { tally.zones.set(end: end) }
        for times in record.content.zones.values { tally.set(times.configuration) }
        // The stored statistics count all samples; what a client sees of them is decided when it reads them.
        for type in types { try owner.count(type, of: record.members, again: &tally) }
        for type in types.map(\.identifier) {
            record.content.statistics[type] = tally.statistics[type]
            record.content.zones[type] = tally.zones.times[type]
            for place in record.content.activities.indices {
                let part = record.content.activities[place].uuid
                record.content.activities[place].statistics[type] = tally.statistics(of: part)[type]
                record.content.activities[place].zones[type] = tally.zones.times(ofPart: part)[type]
            }
        }
    }

    /// Merges the additions to a workout in two stores. Both stores get the same bytes, whichever merges.
    ///
    /// - Parameters:
    ///   - row: the workout here.
    ///   - body: the body in the other store, with the number of its element here.
    /// - Returns: the merged body; nil if it is the body here.
    /// - Requires: the samples of both bodies are stored.
    func merged(_ row: SavedObjectRow, _ body: [UInt8]) throws -> [UInt8]? {
        if row.body == body { return nil }
        let (ours, theirs) = (try WorkoutRecord(row.body), try WorkoutRecord(body))
        let all = ours.members.union(theirs.members)
        if ours.members != theirs.members {
            if all == ours.members { return nil }
            if all == theirs.members { return body }
        }
        let isOursFirst = row.body.lexicographicallyPrecedes(body)
        if ours.members == theirs.members { return isOursFirst ? nil : body }
        var record = isOursFirst ? ours : theirs
        record.members = all
        let fixed =
            record.element == nil ? record.content.typesOfTotals : try catalog([]) { try record.statedTypes($0) }
        let types = Set(ours.content.statistics.keys).union(theirs.content.statistics.keys).subtracting(fixed)
        let tally = WorkoutDraft(WorkoutConfiguration(record.content.activity)).tally
        try count(
            types.sorted().map { HKQuantityType(HKQuantityTypeIdentifier(rawValue: $0)) }, again: &record, tally,
            end: row.end)
        return record.body
    }
}

extension WorkoutContent {
    /// The types of the statistics behind the totals.
    fileprivate var typesOfTotals: Set<String> {
        var types: [HKQuantityTypeIdentifier] = []
        if totals.energy != nil { types.append(.activeEnergyBurned) }
        if totals.distance != nil { types += WorkoutTypes.distances(of: activity) }
        if totals.strokes != nil { types.append(.swimmingStrokeCount) }
        if totals.flights != nil { types.append(.flightsClimbed) }
        return Set(types.map(\.rawValue))
    }
}

extension HealthCatalog {
    /// The setting that counts the rewrites of workouts. An index of workouts is valid only for the same count, because
    /// commits report new and deleted objects, but not rewritten objects.
    static let rewrittenWorkoutsKey = "WorkoutsRewritten"

    /// Replaces the body of a live workout. Peers get the workout again.
    static func rewrite(
        workout row: SavedObjectRow, body: [UInt8], isOwn: Bool = true, _ transaction: CatalogTransaction
    ) throws {
        try rewrite(savedObject: row.id, body: body, metadata: row.metadata, transaction)
        let count = try setting(rewrittenWorkoutsKey, transaction).flatMap { Int64($0) } ?? 0
        try set(setting: rewrittenWorkoutsKey, to: String(count &+ 1), transaction)
        try noteRewrite(of: row.id, isOwn: isOwn, transaction)
    }
}

extension HKError {
    fileprivate static func missing(_ workout: HKWorkout) -> HKError {
        HKError(
            .errorInvalidArgument, reason: "the workout is not in the store", place: "\(workout)",
            advice: "use a workout that a query of this store returned")
    }
}

extension HKHealthStore {
    /// Adds samples to a saved workout; the handler is called on a thread of the store. See ``addSamples(_:to:)``.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    @preconcurrency public func add(
        _ samples: [HKSample], to workout: HKWorkout,
        completion: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        BlockingQueue.run(completion) { () throws(HKError) in
            try self.store().add(samples, to: workout, as: self.revision)
        }
    }

    /// Saves the unsaved samples, and then adds all samples to a saved workout. If the second step fails, the samples
    /// stay saved.
    ///
    /// Totals, dates and duration of the workout stay, and so do the statistics behind the totals. The statistics and
    /// zones of the samples' other types are computed again. An imported workout keeps all statistics of its export.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` without samples, or for a workout that is not in the store.
    @available(*, deprecated, message: "use HKWorkoutBuilder")
    public func addSamples(_ samples: [HKSample], to workout: HKWorkout) async throws {
        try await BlockingQueue.result { () throws(HKError) in
            try self.store().add(samples, to: workout, as: self.revision)
        }
    }
}
