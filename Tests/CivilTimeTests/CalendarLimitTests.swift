// SPDX-License-Identifier: Apache-2.0

import CivilTime
import TestSupport
import Testing

@Suite("E-9 buckets: limits of calendar grids")
struct CalendarLimitTests {
    @Test("Steps that are zero, negative, mixed in sign or too large are refused")
    func badSteps() {
        let bad: [CalendarStep] = [
            CalendarStep(), CalendarStep(days: -1), CalendarStep(months: 1, nanoseconds: -1),
            CalendarStep(years: 10_001), CalendarStep(hours: .max), CalendarStep(days: .max), CalendarStep(years: .max),
            CalendarStep(weeks: .min),
        ]
        for step in bad {
            #expect(throws: CivilError.self, "\(step)") { try CalendarGrid(anchor: 0, step: step, zone: .utc) }
        }
    }

    @Test("A range that ends before it starts is refused")
    func backwards() throws {
        let grid = try CalendarGrid(anchor: 0, step: .day, zone: .utc)
        #expect(throws: CivilError.backwardRange(from: 5, to: 4)) { try grid.edges(from: 5, to: 4, limit: 10) }
    }

    @Test("Instants near the ends of the time range throw an error and never trap")
    func ends() throws {
        var random = SeededGenerator(seed: 21)
        let steps =
            FoundationGridTests.steps + [
                CalendarStep(years: 10_000), CalendarStep(nanoseconds: 1),
                CalendarStep(hours: 80_000_000), CalendarStep(days: 3_660_000), CalendarStep(nanoseconds: .max),
            ]
        var answers = 0
        for _ in 0..<4000 {
            let zone = try #require(CivilZone(identifier: random.pick(Oracle.oddZones)))
            let anchor = extreme(&random)
            let grid = try CalendarGrid(anchor: anchor, step: random.pick(steps), zone: zone)
            let pair = [extreme(&random), extreme(&random)].sorted()
            do throws(CivilError) {
                let edges = try grid.edges(from: pair[0], to: pair[1], limit: 50)
                #expect(edges[0] <= pair[0] && edges[edges.count - 1] >= pair[1], "seed \(random.seed)")
                #expect(zip(edges, edges.dropFirst()).allSatisfy { $0 < $1 }, "seed \(random.seed)")
                answers += 1
            } catch {
                if case .badText = error { Issue.record("\(error)") }
            }
            _ = try? grid.bucket(containing: pair[0])
            _ = try? grid.edge(Int(truncatingIfNeeded: extreme(&random)))
            for unit in CalendarUnit.allCases {
                _ = try? Civil.start(of: unit, containing: anchor, zone: zone, firstWeekday: Int(pair[0]))
            }
        }
        #expect(answers > 100)
        let grid = try CalendarGrid(anchor: 0, step: .day, zone: .utc)
        #expect(throws: CivilError.self) { try grid.bucket(containing: .max) }
        #expect(throws: CivilError.self) { try grid.bucket(containing: .min) }
        #expect(throws: CivilError.tooManyEdges(limit: 100)) { try grid.edges(from: .min / 2, to: .max, limit: 100) }
    }

    private func extreme(_ random: inout SeededGenerator) -> Int64 {
        switch random.below(5) {
        case 0: .max - random.number(in: 0...200_000_000_000_000_000)
        case 1: .min + random.number(in: 0...200_000_000_000_000_000)
        case 2: random.pick([.min, .max, 0, -1, 1])
        default: random.number(in: .min ... .max)
        }
    }
}
