// SPDX-License-Identifier: Apache-2.0

import CivilTime
import TestSupport
import Testing

@Suite("E-9 buckets: edges of calendar grids")
struct CalendarGridTests {
    private func edges(
        _ anchor: String, _ step: CalendarStep, _ zoneName: String, _ from: String, _ to: String
    ) throws -> [String] {
        let zone = try #require(CivilZone(identifier: zoneName))
        let grid = try CalendarGrid(anchor: try Civil.parse(anchor, zone: zone), step: step, zone: zone)
        let edges = try grid.edges(
            from: try Civil.parse(from, zone: zone), to: try Civil.parse(to, zone: zone), limit: 1000)
        return edges.map { Civil.format($0, zone: zone) }
    }

    @Test("A skipped calendar day has no bucket: Apia, 30 December 2011")
    func skippedDay() throws {
        let found = try edges("2011-12-01", .day, "Pacific/Apia", "2011-12-28", "2012-01-02")
        #expect(
            found == [
                "2011-12-28T00:00:00-10:00", "2011-12-29T00:00:00-10:00", "2011-12-31T00:00:00+14:00",
                "2012-01-01T00:00:00+14:00", "2012-01-02T00:00:00+14:00",
            ])
        let zone = try #require(CivilZone(identifier: "Pacific/Apia"))
        let day = try Civil.parsePeriod("2011-12-30", zone: zone)
        let next = try Civil.parse("2011-12-31", zone: zone)
        #expect(day == next..<next)
    }

    @Test("Clock changes of half an hour give exact edges: Lord Howe")
    func halfHour() throws {
        let found = try edges("2024-04-01", .day, "Australia/Lord_Howe", "2024-04-06", "2024-04-08")
        #expect(
            found == ["2024-04-06T00:00:00+11:00", "2024-04-07T00:00:00+11:00", "2024-04-08T00:00:00+10:30"])
        let spring = try edges("2024-10-01T02:15", .day, "Australia/Lord_Howe", "2024-10-06", "2024-10-07T03:00")
        #expect(spring[1] == "2024-10-06T02:45:00+11:00")
        #expect(spring[2] == "2024-10-07T02:15:00+11:00")
    }

    @Test(
        "If midnight does not exist, the day starts at the first instant after the gap",
        arguments: [
            ("America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00", 23),
            ("Asia/Beirut", "2021-03-28", "2021-03-28T01:00:00+03:00", 23),
            ("America/Havana", "2023-03-12", "2023-03-12T01:00:00-04:00", 23),
            ("Europe/Berlin", "2024-10-27", "2024-10-27T00:00:00+02:00", 25),
            ("America/Havana", "2023-11-05", "2023-11-05T00:00:00-04:00", 25),
            ("Europe/Dublin", "2024-03-31", "2024-03-31T00:00:00Z", 23),
        ])
    func midnight(zoneName: String, date: String, start: String, hours: Int) throws {
        let zone = try #require(CivilZone(identifier: zoneName))
        let begin = try Civil.parse(start, zone: zone)
        let period = try Civil.parsePeriod(date, zone: zone)
        #expect(period == begin..<begin + Int64(hours) * 3600 * Civil.second)
        #expect(try Civil.start(of: .day, containing: period.upperBound - 1, zone: zone) == begin)
        #expect(Civil.formatDate(begin, zone: zone) == date && Civil.formatDate(begin - 1, zone: zone) < date)
        // A day grid anchored on this day still uses midnight for the edges of the other days.
        let grid = try CalendarGrid(unit: .day, near: begin + 7200 * Civil.second, zone: zone)
        #expect(try grid.bucket(containing: begin) == period)
        #expect(Civil.format(try grid.edge(7), zone: zone).contains("T00:00:00"))
        #expect(Civil.format(try grid.edge(-7), zone: zone).contains("T00:00:00"))
    }

    @Test("Monthly steps from the 31st give the last day of each short month, counted from the anchor")
    func monthClamping() throws {
        let found = try edges("2024-01-31T12:00", .month, "Europe/Berlin", "2024-01-31T12:00", "2024-06-30T12:00")
        let expected = [
            "2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30", "2024-05-31", "2024-06-30",
        ]
        #expect(found.map { String($0.prefix(10)) } == expected && found.allSatisfy { $0.contains("T12:00:00") })
        let leap = try edges("2024-02-29", .year, "UTC", "2021-03-01", "2028-02-29")
        #expect(
            leap.map { String($0.prefix(10)) } == [
                "2021-02-28", "2022-02-28", "2023-02-28", "2024-02-29",
                "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29",
            ])
    }

    @Test("Hour steps are absolute: a day of 25 hours has 25 buckets")
    func hours() throws {
        let found = try edges("2024-01-01", .hour, "Europe/Berlin", "2024-10-27", "2024-10-28")
        #expect(found.count == 26 && found[2] == "2024-10-27T02:00:00+02:00" && found[3] == "2024-10-27T02:00:00+01:00")
        let quarters = try edges(
            "2024-01-01", CalendarStep(minutes: 15), "Asia/Kathmandu", "2024-05-05", "2024-05-05T00:45")
        #expect(quarters.count == 4 && quarters[3] == "2024-05-05T00:45:00+05:45")
    }

    @Test("Edges enclose the range exactly, ascend, and equal the edges of a naive walk")
    func naive() throws {
        var random = SeededGenerator(seed: 11)
        var compared = 0
        for round in 0..<1500 {
            let zone = try #require(CivilZone(identifier: random.pick(Oracle.oddZones)))
            let step = random.pick(FoundationGridTests.steps)
            let anchor = random.number(in: -3_000_000_000_000_000_000...5_000_000_000_000_000_000)
            let grid = try CalendarGrid(anchor: anchor, step: step, zone: zone)
            let base = 200 * (random.below(41) - 20)
            let walk = Array(Set((base..<base + 40).compactMap { try? grid.edge($0) })).sorted()
            if walk.count < 8 { continue }  // beyond the ends of time
            compared += 1
            let from = random.number(in: walk[2]...walk[walk.count - 3])
            let to = random.chance(0.1) ? from : random.number(in: from...walk[walk.count - 3])
            let edges = try grid.edges(from: from, to: to, limit: 100)
            let first = try #require(walk.lastIndex { $0 <= from })
            let last = try #require(walk.firstIndex { $0 >= to })
            #expect(edges == Array(walk[first...last]), "seed \(random.seed), round \(round)")
            let bucket = try grid.bucket(containing: from)
            #expect(bucket == walk[first]..<walk[first + 1], "seed \(random.seed), round \(round)")
            #expect(throws: CivilError.tooManyEdges(limit: edges.count - 1)) {
                try grid.edges(from: from, to: to, limit: edges.count - 1)
            }
        }
        #expect(compared > 600)
    }

    @Test("The anchor is an edge, also within an hour that occurs twice")
    func repeatedAnchor() throws {
        let zone = try #require(CivilZone(identifier: "Europe/Berlin"))
        let second = try Civil.parse("2024-10-27T02:30:00+01:00", zone: zone)
        let grid = try CalendarGrid(anchor: second, step: .day, zone: zone)
        #expect(try grid.edges(from: second, to: second, limit: 1) == [second])
        #expect(Civil.format(try grid.edge(1), zone: zone) == "2024-10-28T02:30:00+01:00")
    }
}
