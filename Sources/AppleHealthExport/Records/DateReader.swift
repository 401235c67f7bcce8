// SPDX-License-Identifier: Apache-2.0

import KymographHealth

/// A reader of the dates of records, `2023-05-13 10:36:12 +0200`, which returns the values of `AppleDate`.
///
/// Most dates of a file have the day and the offset of an earlier date. Such a date needs only its time of day.
struct DateReader {
    /// The bytes of a day and an offset.
    private struct Key: Equatable {
        /// Bytes 0 to 7, and 3 to 10.
        let first: UInt64
        let second: UInt64
        /// Bytes 19 to 24.
        let zone: UInt64
    }

    private var key: Key?
    /// Nanoseconds since 1970-01-01 UTC of the day's midnight at the offset.
    private var midnight: Int64 = 0
    private var offset: Int32 = 0

    /// The number of bytes of a date in the usual form.
    private static let length = 25

    /// Returns the date of a text; nil if the text is not a date.
    mutating func read(_ bytes: Span<UInt8>, _ text: Range<Int>) -> AppleDate? {
        guard text.count == Self.length, let time = Self.timeOfDay(bytes, text.lowerBound) else {
            return AppleDate(bytes.extracting(text))
        }
        let start = text.lowerBound
        let found = Key(
            first: ScanBytes.word(bytes, start), second: ScanBytes.word(bytes, start &+ 3),
            zone: ScanBytes.word(bytes, start &+ 17) &>> 16)
        if found == key {
            let (sum, overflow) = midnight.addingReportingOverflow(time)
            if !overflow { return AppleDate(nanoseconds: sum, offset: offset) }
        }
        guard let date = AppleDate(bytes.extracting(text)) else { return nil }
        let (day, overflow) = date.nanoseconds.subtractingReportingOverflow(time)
        // A fraction of a second could move an instant over the limits of AppleDate.
        if !overflow, found.zone & 0xFF == 0x20 { (key, midnight, offset) = (found, day, date.offset) }
        return date
    }

    /// Returns the nanoseconds of `HH:mm:ss` at byte 11 of a date; nil for any other text, and for numbers that no time
    /// of day has.
    @inline(__always)
    private static func timeOfDay(_ bytes: Span<UInt8>, _ start: Int) -> Int64? {
        // Digits become their numbers, and colons become 0.
        let digits = ScanBytes.word(bytes, start &+ 11) ^ 0x3030_3A30_303A_3030
        let tooLarge = (digits &+ 0x7676_7F76_767F_7676) | digits
        guard tooLarge & 0x8080_8080_8080_8080 == 0 else { return nil }
        let numbers = digits &* 10 &+ digits &>> 8
        let hour = numbers & 0xFF
        let minute = numbers &>> 24 & 0xFF
        let second = numbers &>> 48 & 0xFF
        guard hour < 24, minute < 60, second < 60 else { return nil }
        return Int64(truncatingIfNeeded: (hour &* 60 &+ minute) &* 60 &+ second) &* 1_000_000_000
    }
}
