// SPDX-License-Identifier: Apache-2.0

// Periods in everyday words, relative to a moment: "yesterday", "30d", "last month", "2024-w05".

extension Civil {
    /// Parses a date, a time or a period in everyday words, without regard to case.
    ///
    /// | text | period |
    /// | --- | --- |
    /// | `today`, `yesterday`, `monday` | a day; a weekday is the latest one, up to today |
    /// | `7d`, `12w`, `6m`, `1y`, `last 7 days` | that many days, weeks, months, years up to the end of today |
    /// | `24h` | that many hours up to now |
    /// | `this month`, `last month` | the calendar's month, or the one before; also week, quarter, year |
    /// | `2024-w05`, `2024-q1` | a week of ISO 8601, a quarter |
    /// | else | the period of `parsePeriod(_:zone:)` |
    ///
    /// - Parameter now: the moment to which the words refer, in nanoseconds since 1970 UTC.
    /// - Throws: `badText`, `noPeriod`, `outOfRange`.
    package static func period(
        _ text: String, now: Int64, zone: CivilZone
    ) throws(CivilError) -> Range<Int64> {
        let clock = CivilWords(now: now, zone: zone)
        let words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        do throws(CivilError) {
            if let range = try clock.named(words) { return range }
            if let range = try clock.counted(words) { return range }
            if let range = try clock.numbered(words) { return range }
        } catch {
            if case .outOfRange = error { throw .outOfRange("'\(text)'") }
            throw error
        }
        // A text that begins with a year has the error of dates, with the place of the fault; `30` has no unit.
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }.count
        guard digits == 4 || digits == text.utf8.count && digits > 4 else { throw .noPeriod(text) }
        return try parsePeriod(text, zone: zone)
    }
}

/// The calendar around a moment.
private struct CivilWords {
    let now: Int64
    let zone: CivilZone
    /// The number of the local day.
    private let today: Int64

    init(now: Int64, zone: CivilZone) {
        self.now = now
        self.zone = zone
        let seconds = Civil.split(now).seconds
        today = (seconds + Int64(zone.offset(at: seconds))).dividedDown(by: Civil.secondsPerDay)
    }

    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    private static let units: [String: CalendarUnit] = [
        "day": .day, "week": .week, "month": .month, "quarter": .quarter, "year": .year,
    ]

    private func days(_ first: Int64, _ end: Int64) throws(CivilError) -> Range<Int64> {
        let start = try Civil.instant(seconds: zone.instant(ofLocal: first * Civil.secondsPerDay), nanoseconds: 0)
        let stop = try Civil.instant(seconds: zone.instant(ofLocal: end * Civil.secondsPerDay), nanoseconds: 0)
        return start..<max(start, stop)
    }

    /// `today`, `yesterday`, a weekday, `this month`, `last month`.
    func named(_ words: [String]) throws(CivilError) -> Range<Int64>? {
        if words == ["today"] { return try days(today, today + 1) }
        if words == ["yesterday"] { return try days(today - 1, today) }
        if words.count == 1, let place = Self.weekdays.firstIndex(of: words[0]) {
            let back = (Civil.weekday(days: today) - 1 - place + 7) % 7
            return try days(today - Int64(back), today - Int64(back) + 1)
        }
        guard words.count == 2, ["this", "last"].contains(words[0]), let unit = Self.units[words[1]] else { return nil }
        let grid = try CalendarGrid(unit: unit, near: now, zone: zone)
        return words[0] == "this" ? try grid.edge(0)..<grid.edge(1) : try grid.edge(-1)..<grid.edge(0)
    }

    /// `30d`, `last 30 days`, `24h`.
    func counted(_ words: [String]) throws(CivilError) -> Range<Int64>? {
        var text = words.joined()
        if words.count > 1, words[0] == "last" || words[0] == "past" { text = words[1...].joined() }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard (1...5).contains(digits.count), let count = Int64(digits), count > 0 else { return nil }
        let (year, month, day) = Civil.date(days: today)
        switch text.dropFirst(digits.count) {
        case "h", "hour", "hours":
            let (start, overflow) = now.subtractingReportingOverflow(count * 3_600 * Civil.second)
            guard !overflow else { throw .outOfRange("\(count) hours ago") }
            return start..<now
        case "d", "day", "days": return try days(today - count + 1, today + 1)
        case "w", "week", "weeks": return try days(today - count * 7 + 1, today + 1)
        case "m", "mo", "month", "months": return try since(year, month - Int(count), day)
        case "y", "year", "years": return try since(year - Int(count), month, day)
        default: return nil
        }
    }

    /// Returns the days after a date up to today; a date after the end of its month means the last day of that month.
    private func since(_ year: Int, _ month: Int, _ day: Int) throws(CivilError) -> Range<Int64> {
        let first = Civil.date(days: Civil.days(year: year, month: month, day: 1))
        let last = Civil.daysInMonth(year: first.year, month: first.month)
        return try days(Civil.days(year: year, month: month, day: min(day, last)) + 1, today + 1)
    }

    /// `2024-w05`, `2024-q1`.
    func numbered(_ words: [String]) throws(CivilError) -> Range<Int64>? {
        guard words.count == 1, words[0].utf8.count >= 7 else { return nil }
        let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, let year = Int(parts[0]), let kind = parts[1].first,
            let number = Int64(parts[1].dropFirst())
        else { return nil }
        switch kind {
        case "q":
            guard (1...4).contains(number) else { throw .noPeriod(words[0]) }
            let month = Int(number) * 3 - 2
            return try days(
                Civil.days(year: year, month: month, day: 1), Civil.days(year: year, month: month + 3, day: 1))
        case "w":
            // Week 1 contains 4 January.
            let monday = Self.firstMonday(year)
            let weeks = (Self.firstMonday(year + 1) - monday) / 7
            guard (1...weeks).contains(number) else { throw .noPeriod(words[0]) }
            return try days(monday + (number - 1) * 7, monday + number * 7)
        default: return nil
        }
    }

    private static func firstMonday(_ year: Int) -> Int64 {
        let fourth = Civil.days(year: year, month: 1, day: 4)
        return fourth - Int64(Civil.weekday(days: fourth) - 1)
    }
}
