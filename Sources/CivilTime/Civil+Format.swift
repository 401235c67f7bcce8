// SPDX-License-Identifier: Apache-2.0

extension Civil {
    /// The notation of date, time and offset.
    package enum TimeStyle: Sendable {
        /// `2024-01-31T12:00:00+02:00`, with `Z` for UTC.
        case iso8601
        /// `2024-01-31 12:00:00 +0200`, with `+0000` for UTC.
        case spaced
    }

    /// Formats an instant in the zone's local time, with the offset.
    ///
    /// - Parameter fractionDigits: 0...9, truncating; nil for the shortest of 0, 3, 6 or 9 digits without loss.
    package static func format(
        _ instant: Int64, zone: CivilZone, fractionDigits: Int? = nil, style: TimeStyle = .iso8601
    ) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(40)
        write(instant, zone: zone, fractionDigits: fractionDigits, style: style, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Formats the date alone, for example `2024-01-31`.
    package static func formatDate(_ instant: Int64, zone: CivilZone) -> String {
        var bytes: [UInt8] = []
        let seconds = split(instant).seconds
        writeDate(seconds + Int64(zone.offset(at: seconds)), into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text that `format` returns; for large outputs.
    package static func write(
        _ instant: Int64, zone: CivilZone, fractionDigits: Int? = nil, style: TimeStyle = .iso8601,
        into bytes: inout [UInt8]
    ) {
        let (seconds, nanoseconds) = split(instant)
        let offset = zone.offset(at: seconds)
        let local = seconds + Int64(offset)
        writeDate(local, into: &bytes)
        bytes.append(UInt8(ascii: style == .iso8601 ? "T" : " "))
        let second = Int(local.remainderUp(by: secondsPerDay))
        write(second / 3600, digits: 2, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        write(second / 60 % 60, digits: 2, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        write(second % 60, digits: 2, into: &bytes)
        writeFraction(Int(nanoseconds), fractionDigits, into: &bytes)
        if style == .spaced { bytes.append(UInt8(ascii: " ")) }
        if style == .iso8601, offset == 0, zone.isFixed {
            bytes.append(UInt8(ascii: "Z"))
        } else {
            writeOffset(offset, colon: style == .iso8601, into: &bytes)
        }
    }

    /// Formats an offset: `+02:00`, or `+00:53:28` for local mean time before standard time.
    static func offsetText(_ offset: Int) -> String {
        var bytes: [UInt8] = []
        writeOffset(offset, colon: true, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func writeDate(_ local: Int64, into bytes: inout [UInt8]) {
        let (year, month, day) = date(days: local.dividedDown(by: secondsPerDay))
        write(year, digits: 4, into: &bytes)
        bytes.append(UInt8(ascii: "-"))
        write(month, digits: 2, into: &bytes)
        bytes.append(UInt8(ascii: "-"))
        write(day, digits: 2, into: &bytes)
    }

    private static func writeFraction(_ nanoseconds: Int, _ digits: Int?, into bytes: inout [UInt8]) {
        let shortest = nanoseconds == 0 ? 0 : nanoseconds % 1_000_000 == 0 ? 3 : nanoseconds % 1000 == 0 ? 6 : 9
        let count = min(max(digits ?? shortest, 0), 9)
        if count == 0 { return }
        var value = nanoseconds
        for _ in count..<9 { value /= 10 }
        bytes.append(UInt8(ascii: "."))
        write(value, digits: count, into: &bytes)
    }

    private static func writeOffset(_ offset: Int, colon: Bool, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: offset < 0 ? "-" : "+"))
        let size = abs(offset)
        write(size / 3600, digits: 2, into: &bytes)
        if colon { bytes.append(UInt8(ascii: ":")) }
        write(size / 60 % 60, digits: 2, into: &bytes)
        if size % 60 != 0 {
            if colon { bytes.append(UInt8(ascii: ":")) }
            write(size % 60, digits: 2, into: &bytes)
        }
    }

    /// Appends a non-negative number with leading zeros.
    private static func write(_ value: Int, digits: Int, into bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<max(digits, 1) { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
