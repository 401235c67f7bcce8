// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import TestSupport
import Testing

/// Compares the grid with Foundation where Foundation is consistent with itself. It is inconsistent in three cases, in
/// which the grid follows the calendar: days counted across a whole day that a zone skipped; two offset changes between
/// the anchor and a skipped time; months counted backwards from a day after the 28th.
@Suite("E-9 buckets: calendar steps agree with Foundation")
struct FoundationGridTests {
    static let steps: [CalendarStep] = [
        .day, .week, .month, .quarter, .year, .hour, CalendarStep(minutes: 15), CalendarStep(days: 2),
        CalendarStep(weeks: 5), CalendarStep(months: 7), CalendarStep(years: 4), CalendarStep(hours: 6),
        CalendarStep(months: 1, days: 1), CalendarStep(days: 1, hours: 1), CalendarStep(seconds: 90),
    ]
    static let dateLine = ["Pacific/Apia", "Pacific/Kwajalein", "Pacific/Kiritimati"]

    @Test("Every edge equals Foundation's anchor plus n steps", arguments: Oracle.oddZones)
    func edges(name: String) throws {
        var random = SeededGenerator(seed: 3)
        let zone = try #require(CivilZone(identifier: name))
        let calendar = try #require(Oracle.calendar(zone))
        var compared = 0
        for step in Self.steps {
            for _ in 0..<12 {
                var anchor = random.number(in: -2_000_000_000...4_000_000_000)
                if random.chance(0.5) { anchor = try startOfDay(anchor, zone) }
                let grid = try CalendarGrid(anchor: anchor * Civil.second, step: step, zone: zone)
                for _ in 0..<25 {
                    let n = random.below(2) == 0 ? random.below(400) - 200 : random.below(20) - 10
                    guard let theirs = Oracle.edge(calendar, anchor: anchor, step, n), abs(theirs) < 9_200_000_000,
                        Self.isComparable(step, n, anchor, theirs, zone)
                    else { continue }
                    compared += 1
                    let ours = try grid.edge(n)
                    guard ours != theirs * Civil.second else { continue }
                    let shown = [anchor, theirs].map { Civil.format($0 * Civil.second, zone: zone) }
                    Issue.record("\(step), \(shown[0]) + \(n): \(Civil.format(ours, zone: zone)), not \(shown[1])")
                }
            }
        }
        #expect(compared > 2000, "the comparison skipped too many cases")
    }

    @Test("Edges of days that end in a clock change equal Foundation's", arguments: Oracle.oddZones)
    func clockChanges(name: String) throws {
        var random = SeededGenerator(seed: 4)
        let zone = try #require(CivilZone(identifier: name))
        let calendar = try #require(Oracle.calendar(zone))
        for at in Oracle.transitions(of: zone) where at > -1_500_000_000 && at < 2_200_000_000 {
            let offsets = [Int64(zone.offset(at: at - 1)), Int64(zone.offset(at: at))].sorted()
            if offsets[1] - offsets[0] > 43_200 { continue }
            let low = at + offsets[0]
            let high = at + offsets[1]
            for local in [low - 1, low, random.number(in: low...high), high - 1, high] {
                for days in [1, 3, 40] {
                    let anchor = zone.instant(ofLocal: local - Int64(days) * 86_400)
                    if zone.nextTransition(after: anchor - 86_400) != at { continue }
                    let grid = try CalendarGrid(anchor: anchor * Civil.second, step: .day, zone: zone)
                    guard let theirs = Oracle.edge(calendar, anchor: anchor, .day, days) else {
                        Issue.record("Foundation returned no date")
                        continue
                    }
                    if try grid.edge(days) == theirs * Civil.second { continue }
                    Issue.record("differs from Foundation: \(anchor) + \(days), seed \(random.seed)")
                }
            }
        }
    }

    @Test("Starts of days, weeks, months, quarters and years equal Foundation's", arguments: Oracle.oddZones)
    func starts(name: String) throws {
        var random = SeededGenerator(seed: 5)
        let zone = try #require(CivilZone(identifier: name))
        var calendar = try #require(Oracle.calendar(zone))
        calendar.firstWeekday = 2
        calendar.minimumDaysInFirstWeek = 4
        let units: [(CalendarUnit, Calendar.Component)] = [
            (.day, .day), (.week, .weekOfYear), (.month, .month), (.year, .year),
        ]
        var instants = (0..<100).map { _ in random.number(in: -1_500_000_000...4_000_000_000) }
        for at in Oracle.transitions(of: zone) where abs(at) < 4_000_000_000 { instants += [at - 1, at, at + 3600] }
        for at in instants {
            for (unit, component) in units {
                let ours = try Civil.start(of: unit, containing: at * Civil.second, zone: zone)
                let interval = calendar.dateInterval(of: component, for: Date(timeIntervalSince1970: Double(at)))
                if let interval, ours == Int64(interval.start.timeIntervalSince1970) * Civil.second { continue }
                Issue.record("differs from Foundation's \(unit) of \(at), seed \(random.seed)")
            }
        }
    }

    private func startOfDay(_ seconds: Int64, _ zone: CivilZone) throws -> Int64 {
        try Civil.start(of: .day, containing: seconds * Civil.second, zone: zone) / Civil.second
    }

    private static func isComparable(
        _ step: CalendarStep, _ n: Int, _ anchor: Int64, _ result: Int64, _ zone: CivilZone
    ) -> Bool {
        let isCivil = step.years + step.months + step.weeks + step.days > 0
        if !isCivil { return true }
        if dateLine.contains(zone.identifier), step.weeks + step.days > 0 { return false }
        // Near a clock change only single forward steps are compared, by `clockChanges`.
        let near = zone.nextTransition(after: result - 90_000).map { $0 < result + 90_000 } ?? false
        if near { return false }
        let local = anchor + Int64(zone.offset(at: anchor))
        let day = Civil.date(days: Int64((Double(local) / 86_400).rounded(.down))).day
        return n >= 0 || day <= 28 || step.years + step.months == 0
    }
}
