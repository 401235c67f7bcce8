// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import HealthCatalog
import HealthModel

/// The days and the time zone of a query for activity summaries.
struct SummaryQuestion: Sendable {
    private let condition: DayCondition
    private let zone: CivilZone

    /// - Throws: `errorInvalidArgument` for an unreadable predicate, for a condition that a summary does not have, and
    ///   for an unknown time zone.
    init(_ predicate: Result<SamplePredicate, HKError>) throws(HKError) {
        condition = try DayCondition(predicate.get())
        let timeZone = condition.timeZone ?? .current
        guard
            let zone = CivilZone(identifier: timeZone.identifier)
                ?? CivilZone(secondsEast: timeZone.secondsFromGMT())
        else {
            throw HKError(
                .errorInvalidArgument, reason: "the time zone \(timeZone.identifier) is unknown",
                place: "predicate for activity summaries", advice: "use a time zone of the tz database")
        }
        self.zone = zone
    }

    /// Returns the summaries, by date.
    func answer(_ store: HealthStore, _ lifecycle: QueryLifecycle) throws(HKError) -> [ActivityDay] {
        if let access = try store.access() {
            let type = HKObjectType.activitySummaryType()
            try access.requireReading(type)
            if !access.readsAll(type) { return [] }
        }
        guard let bounds = condition.bounds else { return [] }
        let isAll = bounds.lowerBound < ActivityDays.all.lowerBound && bounds.upperBound > ActivityDays.all.upperBound
        // Summaries have a permission of their own, whatever the permissions of the samples behind them.
        return try store.owner.activityDays(isAll ? nil : bounds, zone: zone, lifecycle).filter {
            condition.matches($0.day)
        }
    }
}

/// Activity summaries that are recomputed when their samples or settings change.
struct LiveSummaries: Sendable {
    private let question: SummaryQuestion
    private var position: FeedPosition
    private var marks: SummaryMarks
    private var days: [ActivityDay]

    init(_ question: SummaryQuestion, _ store: HealthStore, _ lifecycle: QueryLifecycle) throws {
        self.question = question
        // Read before the answer: changes in between are checked twice, and none is missed.
        position = try store.feedPosition()
        marks = try SummaryMarks(store)
        days = try question.answer(store, lifecycle)
    }

    /// The summaries, as new objects.
    var summaries: [HKActivitySummary] { days.map { HKActivitySummary($0.day, $0.values) } }

    /// Checks the commits since the last update, and recomputes the summaries if these commits may affect them.
    ///
    /// - Returns: whether the summaries changed.
    mutating func update(_ store: HealthStore, _ lifecycle: QueryLifecycle) throws -> Bool {
        let (now, newMarks) = (try store.feedPosition(), try SummaryMarks(store))
        if now == position { return false }
        let page = try? store.owner.feed(Self.parts, since: position, limit: 1, lifecycle)
        let isSame = newMarks == marks
        (position, marks) = (now, newMarks)
        // If the deletions are no longer known, the summaries are recomputed.
        if isSame, let page, page.count == 0 { return false }
        let old = days
        days = try question.answer(store, lifecycle)
        return days != old
    }

    private static var parts: [SampleSearch.Part] {
        let types: [HKSampleType] = [
            HKQuantityType(.activeEnergyBurned), HKQuantityType(.appleMoveTime), HKQuantityType(.appleExerciseTime),
            HKCategoryType(.appleStandHour), HKObjectType.workoutType(),
        ]
        return types.map { SampleSearch.Part(type: $0, predicate: .always(true)) }
    }
}

/// The inputs of summaries other than samples, compared to detect changes.
private struct SummaryMarks: Equatable {
    let objects: HealthCatalog.ElementMarks
    /// The number of the decision about the access to summaries.
    let decision: Int64
    let goals: HealthActivityGoals
    let moveMode: String?
    /// The source order of each sum.
    let orders: [[String]]

    init(_ store: HealthStore) throws {
        let rows = try store.view().tables.rows
        decision = try store.access()?.decision(HKObjectType.activitySummaryType()) ?? 0
        goals = HealthActivityGoals(settings: rows.settings)
        let sums: [HKQuantityTypeIdentifier] = [.activeEnergyBurned, .appleMoveTime, .appleExerciseTime]
        orders = sums.map { SourceOrder.chosen(for: $0.rawValue, rows.settings) }
        moveMode = rows.characteristics[HKCharacteristicTypeIdentifier.activityMoveMode.rawValue]
        objects = try store.catalog(HealthCatalog.ElementMarks()) {
            try HealthCatalog.elementMarks(kind: ImportedElementKind.activitySummary.rawValue, $0)
        }
    }
}
