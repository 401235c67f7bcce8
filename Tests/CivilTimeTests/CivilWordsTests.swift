// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Testing

@Suite("T-12 periods in everyday words")
struct CivilWordsTests {
    private static let zurich = CivilZone(identifier: "Europe/Zurich") ?? .utc
    /// Tuesday, 26 March 2024, 15:30 in Zurich; the clocks change on the 31st.
    private static let now: Int64 = 1_711_463_400_000_000_000

    private static func text(_ words: String, now: Int64 = now, zone: CivilZone = zurich) throws -> String {
        let range = try Civil.period(words, now: now, zone: zone)
        func text(_ instant: Int64) -> String {
            let full = Civil.format(instant, zone: zone, fractionDigits: 0)
            return full.contains("T00:00:00") ? String(full.prefix(10)) : String(full.prefix(16))
        }
        return text(range.lowerBound) + " " + text(range.upperBound)
    }

    @Test(
        "words name days, weeks, months, quarters and years around now",
        arguments: [
            ("today", "2024-03-26 2024-03-27"), ("Yesterday", "2024-03-25 2024-03-26"),
            ("tuesday", "2024-03-26 2024-03-27"), ("wednesday", "2024-03-20 2024-03-21"),
            ("monday", "2024-03-25 2024-03-26"), ("this week", "2024-03-25 2024-04-01"),
            ("last week", "2024-03-18 2024-03-25"), ("Last  Month", "2024-02-01 2024-03-01"),
            ("this month", "2024-03-01 2024-04-01"), ("last quarter", "2023-10-01 2024-01-01"),
            ("this quarter", "2024-01-01 2024-04-01"), ("last year", "2023-01-01 2024-01-01"),
            ("last day", "2024-03-25 2024-03-26"), ("1d", "2024-03-26 2024-03-27"),
            ("7d", "2024-03-20 2024-03-27"), ("last 7 days", "2024-03-20 2024-03-27"),
            ("2w", "2024-03-13 2024-03-27"), ("1m", "2024-02-27 2024-03-27"), ("12m", "2023-03-27 2024-03-27"),
            ("1y", "2023-03-27 2024-03-27"), ("3 months", "2023-12-27 2024-03-27"),
            ("24h", "2024-03-25T15:30 2024-03-26T15:30"), ("2024-w13", "2024-03-25 2024-04-01"),
            ("2024-W01", "2024-01-01 2024-01-08"), ("2020-w53", "2020-12-28 2021-01-04"),
            ("2024-q1", "2024-01-01 2024-04-01"), ("2024-Q4", "2024-10-01 2025-01-01"),
            ("2024", "2024-01-01 2025-01-01"), ("2024-02", "2024-02-01 2024-03-01"),
            ("2024-02-29", "2024-02-29 2024-03-01"), ("2024-01-31T12:00", "2024-01-31T12:00 2024-01-31T12:01"),
        ])
    func words(_ words: String, _ expected: String) throws {
        #expect(try Self.text(words) == expected)
    }

    @Test("a count of months ends in shorter months, and days have 23 or 25 hours")
    func edges() throws {
        let last = try Civil.parse("2024-03-31T12:00", zone: Self.zurich)
        #expect(try Self.text("1m", now: last) == "2024-03-01 2024-04-01")
        #expect(try Self.text("1y", now: last) == "2023-04-01 2024-04-01")
        let today = try Civil.period("today", now: last, zone: Self.zurich)
        #expect(today.upperBound - today.lowerBound == 23 * 3_600 * Civil.second)
        let leap = try Civil.parse("2024-02-29T12:00", zone: Self.zurich)
        #expect(try Self.text("12m", now: leap) == "2023-03-01 2024-03-01")
    }

    @Test(
        "other texts are refused with examples",
        arguments: ["lst month", "", "soon", "0d", "7x", "-3d", "999999d", "2024-w54", "2024-w00", "2024-q5", "last"])
    func refused(_ words: String) {
        #expect(throws: CivilError.self) { try Civil.period(words, now: Self.now, zone: .utc) }
    }

    @Test("a date with a fault has the error of dates")
    func dates() {
        #expect(throws: CivilError.badText("2024-13", offset: 5, reason: "there is no month 13")) {
            try Civil.period("2024-13", now: Self.now, zone: .utc)
        }
        for words in ["99999y", "99999m", "2262-q4", "1600-w01"] {
            #expect(throws: CivilError.outOfRange("'\(words)'")) {
                try Civil.period(words, now: Self.now, zone: .utc)
            }
        }
        #expect(throws: CivilError.noPeriod("30")) { try Civil.period("30", now: Self.now, zone: .utc) }
        #expect(CivilError.noPeriod("lst month").description.contains("30d, yesterday or \"last month\""))
    }

    @Test("extreme moments are errors, never traps")
    func extremes() {
        for now in [Int64.min, .max, 0] {
            for words in ["today", "99999d", "99999h", "99999y", "99999w", "last year", "this week"] {
                _ = try? Civil.period(words, now: now, zone: Self.zurich)
            }
        }
    }
}
