// SPDX-License-Identifier: Apache-2.0

/// A date in the text form of an export: `2023-05-13 10:36:12 +0200`.
package struct AppleDate: Sendable, Equatable {
    /// Nanoseconds since 1970-01-01 00:00:00 UTC.
    package var nanoseconds: Int64
    /// The text's offset from UTC in seconds: the offset of the exporting phone, not of the sample.
    package var offset: Int32

    @inlinable
    package init(nanoseconds: Int64, offset: Int32) {
        self.nanoseconds = nanoseconds
        self.offset = offset
    }

    /// Parses `yyyy-MM-dd HH:mm:ss ±HHMM`. Accepts also `T` between date and time, a fraction of 1 to 9 digits, and
    /// `±HH:MM` or `Z` as the offset; the space before the offset is then optional.
    ///
    /// Nil for values out of range: a day that its month does not have, hour 24, second 60, an offset beyond 18 hours,
    /// and an instant outside of 1677...2262.
    @inlinable
    package init?(_ text: Span<UInt8>) {
        guard text.count >= 20, let date = Self.calendarDate(text), text[10] == 0x20 || text[10] == 0x54,
            let time = Self.clockTime(text)
        else { return nil }
        var at = 19
        var fraction: Int64 = 0
        if text[at] == 0x2E {
            at += 1
            var scale: Int64 = 100_000_000
            let first = at
            while at < text.count, let digit = Self.digit(text[at]) {
                guard scale > 0 else { return nil }
                fraction += digit * scale
                scale /= 10
                at += 1
            }
            guard at > first else { return nil }
        }
        guard let offset = Self.zone(text, at) else { return nil }
        let seconds = date * 86_400 + time - offset
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = whole.addingReportingOverflow(fraction)
        guard !overflow, !carried else { return nil }
        self.init(nanoseconds: sum, offset: Int32(offset))
    }

    /// Parses a date in an array; see `init(_: Span)`.
    package init?(_ text: [UInt8]) {
        self.init(text.span)
    }

    /// The text of the instant in the usual form; a fraction of a second is rounded down.
    package var text: String {
        var bytes: [UInt8] = []
        append(Self.floor(nanoseconds, by: 1_000_000_000), fraction: 0, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of the instant, with nine digits for a fraction of a second, so that the text is lossless.
    package func append(to out: inout [UInt8]) {
        let seconds = Self.floor(nanoseconds, by: 1_000_000_000)
        append(seconds, fraction: nanoseconds - seconds * 1_000_000_000, to: &out)
    }

    private func append(_ seconds: Int64, fraction: Int64, to out: inout [UInt8]) {
        let local = seconds + Int64(offset)
        let days = Self.floor(local, by: 86_400)
        let clock = local - days * 86_400
        let (year, month, day) = Self.civil(days)
        Self.append(year, 4, to: &out)
        for (mark, number) in [
            (UInt8(ascii: "-"), month), (UInt8(ascii: "-"), day), (UInt8(ascii: " "), clock / 3_600),
            (UInt8(ascii: ":"), clock / 60 % 60), (UInt8(ascii: ":"), clock % 60),
        ] {
            out.append(mark)
            Self.append(number, 2, to: &out)
        }
        if fraction > 0 {
            out.append(UInt8(ascii: "."))
            Self.append(fraction, 9, to: &out)
        }
        let zone = Int64(abs(offset))
        out.append(UInt8(ascii: " "))
        out.append(offset < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        Self.append(zone / 3_600, 2, to: &out)
        Self.append(zone / 60 % 60, 2, to: &out)
    }

    private static func append(_ value: Int64, _ width: Int, to out: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            out.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }

    @inlinable
    static func digit(_ byte: UInt8) -> Int64? {
        let value = byte &- 0x30
        return value < 10 ? Int64(value) : nil
    }

    /// Returns the number of two digits, or a number of at least 1,000 if one is not a digit.
    @inlinable @inline(__always)
    static func pair(_ text: Span<UInt8>, _ at: Int) -> Int64 {
        let tens = text[at] &- 0x30
        let ones = text[at + 1] &- 0x30
        return tens < 10 && ones < 10 ? Int64(tens) &* 10 &+ Int64(ones) : 1_000
    }

    /// Returns the days since 1970-01-01 of `yyyy-MM-dd` at the start.
    @inlinable @inline(__always)
    static func calendarDate(_ text: Span<UInt8>) -> Int64? {
        let century = pair(text, 0)
        let years = pair(text, 2)
        let month = pair(text, 5)
        let day = pair(text, 8)
        guard century < 100, years < 100, text[4] == 0x2D, text[7] == 0x2D, month >= 1, month <= 12, day >= 1 else {
            return nil
        }
        let year = century * 100 + years
        guard day <= 28 || day <= daysIn(month, of: year) else { return nil }
        return days(year: year, month: month, day: day)
    }

    /// Returns the seconds since midnight of `HH:mm:ss` at byte 11.
    @inlinable @inline(__always)
    static func clockTime(_ text: Span<UInt8>) -> Int64? {
        let hour = pair(text, 11)
        let minute = pair(text, 14)
        let second = pair(text, 17)
        guard hour < 24, minute < 60, second < 60, text[13] == 0x3A, text[16] == 0x3A else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    /// Returns the seconds of the offset at the end of the text.
    @inlinable @inline(__always)
    static func zone(_ text: Span<UInt8>, _ start: Int) -> Int64? {
        var at = start
        if at < text.count, text[at] == 0x20 { at += 1 }
        let count = text.count - at
        if count == 1 { return text[at] == 0x5A ? 0 : nil }
        guard count == 5 || (count == 6 && text[at + 3] == 0x3A) else { return nil }
        let hours = pair(text, at + 1)
        let minutes = pair(text, text.count - 2)
        guard hours <= 18, minutes < 60, hours < 18 || minutes == 0 else { return nil }
        let offset = hours * 3_600 + minutes * 60
        switch text[at] {
        case 0x2B: return offset
        case 0x2D: return -offset
        default: return nil
        }
    }

    @inlinable @inline(__always)
    static func daysIn(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days since 1970-01-01 in the proleptic Gregorian calendar, computed by eras of 400 years.
    @inlinable @inline(__always)
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let ofEra = shifted - era * 400
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }

    /// Returns the date of a number of days since 1970-01-01.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floor(shifted, by: 146_097)
        let ofEra = shifted - era * 146_097
        let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let month = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * month + 2) / 5 + 1
        return (year + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
    }

    private static func floor(_ value: Int64, by divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }
}
