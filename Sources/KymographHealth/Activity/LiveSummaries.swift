// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import HealthCatalog
import HealthModel

/// Which summaries are asked for.
struct SummaryQuestion: Sendable {
    private let condition: DayCondition
    private let zone: CivilZone

    /// - Throws: `errorInvalidArgument` for a predicate that no store can read, or that asks for something that a
    ///   summary does not have; for a time zone that is not known.
    init(_ predicate: Result<SamplePredicate, HKError>) throws(HKError) {
        condition = try DayCondition(predicate.get())
        let timeZone = condition.timeZone ?? .current
        guard
            let zone = CivilZone(identifier: timeZone.identifier)
                ?? CivilZone(secondsEast: timeZone.secondsFromGMT())
        else {
            throw HKError(
                .errorInvalidArgument, reason: "nothing is known of the time zone \(timeZone.identifier)",
                place: "predicate for activity summaries", advice: "use a time zone of the tz database")
        }
        self.zone = zone
    }

    /// The summaries, by date.
    func answer(_ store: HealthStore, _ course: QueryLifecycle) throws(HKError) -> [ActivityDay] {
        guard let bounds = condition.bounds else { return [] }
        let isAll = bounds.lowerBound < ActivityDays.all.lowerBound && bounds.upperBound > ActivityDays.all.upperBound
        return try store.activityDays(isAll ? nil : bounds, zone: zone, course).filter { condition.matches($0.day) }
    }
}

/// Summaries that are computed anew when something came or went that they are made of.
struct LiveSummaries: Sendable {
    private let question: SummaryQuestion
    private var position: FeedPosition
    private var marks: SummaryMarks
    private var days: [ActivityDay]

    init(_ question: SummaryQuestion, _ store: HealthStore, _ course: QueryLifecycle) throws {
        self.question = question
        // Before the answer: what comes in between is looked at twice, and nothing is missed.
        position = try store.feedPosition()
        marks = try SummaryMarks(store)
        days = try question.answer(store, course)
    }

    /// The summaries, as objects of their own.
    var summaries: [HKActivitySummary] { days.map { HKActivitySummary($0.day, $0.values) } }

    /// Looks at what came and went since.
    ///
    /// - Returns: whether the summaries changed.
    mutating func update(_ store: HealthStore, _ course: QueryLifecycle) throws -> Bool {
        let (now, newMarks) = (try store.feedPosition(), try SummaryMarks(store))
        if now == position { return false }
        let page = try? store.feed(Self.parts, since: position, limit: 1, course)
        let isSame = newMarks == marks
        (position, marks) = (now, newMarks)
        // Where it can no longer be told what went, something may have.
        if isSame, let page, page.count == 0 { return false }
        let old = days
        days = try question.answer(store, course)
        return days != old
    }

    private static var parts: [SampleSearch.Part] {
        let types: [HKSampleType] = [
            HKQuantityType(.activeEnergyBurned), HKQuantityType(.appleMoveTime), HKQuantityType(.appleExerciseTime),
            HKCategoryType(.appleStandHour),
        ]
        return types.map { SampleSearch.Part(type: $0, predicate: .always(true)) }
    }
}

/// What summaries are made of beside samples, as far as is needed to see that it changed.
private struct SummaryMarks: Equatable {
    let objects: HealthCatalog.ElementMarks
    let goals: HealthActivityGoals
    let moveMode: String?
    /// Which sources of the sums count first.
    let orders: [[String]]

    init(_ store: HealthStore) throws {
        let rows = try store.view().tables.rows
        goals = HealthActivityGoals(settings: rows.settings)
        let sums: [HKQuantityTypeIdentifier] = [.activeEnergyBurned, .appleMoveTime, .appleExerciseTime]
        orders = sums.map { SourceOrder.chosen(for: $0.rawValue, rows.settings) }
        moveMode = rows.characteristics[HKCharacteristicTypeIdentifier.activityMoveMode.rawValue]
        objects = try store.catalog(HealthCatalog.ElementMarks()) {
            try HealthCatalog.elementMarks(kind: ImportedElementKind.activitySummary.rawValue, $0)
        }
    }
}
