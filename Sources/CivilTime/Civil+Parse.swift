// SPDX-License-Identifier: Apache-2.0

extension Civil {
    /// Parses a date or time and returns its first instant, in nanoseconds since 1970 UTC.
    ///
    /// Accepted: `2024`, `2024-01`, `2024-01-31`, `2024-01-31T12:00`, `...T12:00:00`, `...T12:00:00.123456789`. A space
    /// may replace the `T`, a comma the point. An offset (`Z`, `+02`, `+0200`, `+02:00`) may follow a time, also after
    /// a space. Without an offset, the text is local time of the zone: a skipped time moves forward by the gap, and a
    /// repeated time means the earlier instant. `24:00` is the end of a day; second 60 is the next minute.
    ///
    /// - Throws: `badText` with the offset, or `outOfRange`.
    package static func parse(_ text: String, zone: CivilZone) throws(CivilError) -> Int64 {
        let time = try CivilText(text)
        return try time.begin(zone)
    }

    /// Parses a date or time and returns the period that it names: `2024-01` is a month, `2024-01-31` a day of 23 to 25
    /// hours, `2024-01-31T12:00` a minute, and so on down to the last written digit.
    package static func parsePeriod(_ text: String, zone: CivilZone) throws(CivilError) -> Range<Int64> {
        let time = try CivilText(text)
        let begin = try time.begin(zone)
        return begin..<max(begin, try time.end(begin, zone))
    }
}

/// The numbers of a parsed date or time, and its precision.
private struct CivilText {
    enum Precision: Int, Comparable {
        case year, month, day, minute, second, fraction
        static func < (left: Precision, right: Precision) -> Bool { left.rawValue < right.rawValue }
    }

    let text: String
    var precision = Precision.year
    var year = 0
    var month = 1
    var day = 1
    var secondOfDay = 0
    var nanoseconds = 0
    /// The value of the fraction's last digit, in nanoseconds.
    var unit = 1
    var offset: Int?

    init(_ text: String) throws(CivilError) {
        self.text = text
        var scanner = CivilScanner(text)
        try readDate(&scanner)
        if precision == .day, scanner.take("T") || scanner.take("t") || scanner.take(" ") {
            try readTime(&scanner)
            try readOffset(&scanner)
        }
        if !scanner.isAtEnd { throw bad(scanner, "unexpected text") }
    }

    private func bad(_ scanner: CivilScanner, _ reason: String) -> CivilError {
        .badText(text, offset: scanner.at, reason: reason)
    }

    private mutating func readDate(_ scanner: inout CivilScanner) throws(CivilError) {
        guard let year = scanner.number(digits: 4) else { throw bad(scanner, "a year of four digits is missing") }
        self.year = year
        guard scanner.take("-") else { return }
        var place = scanner
        guard let month = scanner.number(digits: 2) else { throw bad(scanner, "a month of two digits is missing") }
        guard (1...12).contains(month) else { throw bad(place, "there is no month \(month)") }
        self.month = month
        precision = .month
        guard scanner.take("-") else { return }
        place = scanner
        guard let day = scanner.number(digits: 2) else { throw bad(scanner, "a day of two digits is missing") }
        let length = Civil.daysInMonth(year: year, month: month)
        guard (1...length).contains(day) else { throw bad(place, "that month has \(length) days") }
        self.day = day
        precision = .day
    }

    private mutating func readTime(_ scanner: inout CivilScanner) throws(CivilError) {
        let place = scanner
        guard let hour = scanner.number(digits: 2) else { throw bad(scanner, "an hour of two digits is missing") }
        guard hour <= 24 else { throw bad(place, "there is no hour \(hour)") }
        guard scanner.take(":") else { throw bad(scanner, "a colon and minutes are missing") }
        let minutePlace = scanner
        guard let minute = scanner.number(digits: 2) else { throw bad(scanner, "minutes of two digits are missing") }
        guard minute <= 59 else { throw bad(minutePlace, "there is no minute \(minute)") }
        secondOfDay = hour * 3600 + minute * 60
        precision = .minute
        if scanner.take(":") {
            let secondPlace = scanner
            guard let second = scanner.number(digits: 2) else {
                throw bad(scanner, "seconds of two digits are missing")
            }
            guard second <= 60 else { throw bad(secondPlace, "there is no second \(second)") }
            secondOfDay += second
            precision = .second
            if scanner.take(".") || scanner.take(",") { try readFraction(&scanner) }
        }
        if hour == 24, secondOfDay > 86_400 || nanoseconds > 0 { throw bad(place, "hour 24 is valid only as 24:00:00") }
    }

    private mutating func readFraction(_ scanner: inout CivilScanner) throws(CivilError) {
        let count = scanner.countDigits(limit: 10)
        guard count <= 9 else { throw bad(scanner, "a fraction has at most nine digits") }
        guard let digits = scanner.number(digits: count) else { throw bad(scanner, "a fraction is missing") }
        for _ in count..<9 { unit *= 10 }
        nanoseconds = digits * unit
        precision = .fraction
    }

    private mutating func readOffset(_ scanner: inout CivilScanner) throws(CivilError) {
        if scanner.isAtEnd { return }
        _ = scanner.take(" ")
        guard let offset = scanner.offset() else { throw bad(scanner, "an offset such as +02:00 was expected") }
        self.offset = offset
    }

    func begin(_ zone: CivilZone) throws(CivilError) -> Int64 {
        try instant(Civil.days(year: year, month: month, day: day), zone)
    }

    /// Returns the instant of this time on a given day.
    private func instant(_ days: Int64, _ zone: CivilZone) throws(CivilError) -> Int64 {
        let local = days * Civil.secondsPerDay + Int64(secondOfDay)
        let seconds = offset.map { local - Int64($0) } ?? zone.instant(ofLocal: local)
        guard let result = Int64(exactly: Int128(seconds) * Int128(Civil.second) + Int128(nanoseconds)) else {
            throw CivilError.outOfRange("'\(text)'")
        }
        return result
    }

    func end(_ begin: Int64, _ zone: CivilZone) throws(CivilError) -> Int64 {
        switch precision {
        case .year: return try instant(Civil.days(year: year + 1, month: 1, day: 1), zone)
        case .month: return try instant(Civil.days(year: year, month: month + 1, day: 1), zone)
        case .day: return try instant(Civil.days(year: year, month: month, day: day) + 1, zone)
        case .minute, .second, .fraction:
            let length = precision == .minute ? 60 * Civil.second : precision == .second ? Civil.second : Int64(unit)
            let (end, overflow) = begin.addingReportingOverflow(length)
            if overflow { throw CivilError.outOfRange("the end of '\(text)'") }
            return end
        }
    }
}
