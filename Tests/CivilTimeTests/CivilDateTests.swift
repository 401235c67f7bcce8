// SPDX-License-Identifier: Apache-2.0

import CivilTime
import TestSupport
import Testing

@Suite("E-9 buckets: dates as numbers")
struct CivilDateTests {
    @Test("Day numbers agree with a day-by-day count through 600 years")
    func everyDay() {
        var year = 1670
        var month = 1
        var day = 1
        var number = Civil.days(year: 1670, month: 1, day: 1)
        #expect(Civil.days(year: 1970, month: 1, day: 1) == 0 && Civil.weekday(days: 0) == 4)
        var weekday = Civil.weekday(days: number)
        var wrong = 0
        while year < 2270 {
            let date = Civil.date(days: number)
            if date != (year, month, day) || Civil.days(year: year, month: month, day: day) != number
                || Civil.weekday(days: number) != weekday
            {
                wrong += 1
            }
            number += 1
            weekday = weekday % 7 + 1
            day += 1
            if day > Civil.daysInMonth(year: year, month: month) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect(wrong == 0)
        #expect(Civil.days(year: 2000, month: 3, day: 1) == 11_017 && Civil.weekday(days: 11_017) == 3)
    }

    @Test("Months and days out of range carry over")
    func carry() {
        #expect(Civil.days(year: 2023, month: 13, day: 1) == Civil.days(year: 2024, month: 1, day: 1))
        #expect(Civil.days(year: 2024, month: 3, day: 0) == Civil.days(year: 2024, month: 2, day: 29))
        #expect(Civil.days(year: 2024, month: -11, day: 1) == Civil.days(year: 2023, month: 1, day: 1))
        #expect(Civil.daysInMonth(year: 2024, month: 13) == 0 && Civil.daysInMonth(year: 1900, month: 2) == 28)
    }

    @Test("Extreme numbers do not trap, and far years still round-trip")
    func extremes() {
        var random = SeededGenerator(seed: 31)
        for value in [Int.min, .max, 0, -1] {
            _ = Civil.days(year: value, month: value, day: value)
            _ = Civil.date(days: Int64(value))
            _ = Civil.weekday(days: Int64(value))
            _ = Civil.split(Int64(value))
        }
        for _ in 0..<1000 {
            let days = random.number(in: -3_000_000_000...3_000_000_000)
            let date = Civil.date(days: days)
            #expect(Civil.days(year: date.year, month: date.month, day: date.day) == days)
        }
        #expect(throws: CivilError.self) { try Civil.instant(seconds: .max, nanoseconds: .max) }
        #expect(throws: CivilError.self) { try Civil.instant(seconds: 9_223_372_036, nanoseconds: 854_775_808) }
        #expect((try? Civil.instant(seconds: 9_223_372_036, nanoseconds: 854_775_807)) == Int64.max)
    }
}
