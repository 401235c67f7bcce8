// SPDX-License-Identifier: Apache-2.0

import Bytes

/// The beats of a heart rate variability measurement as numbers, with the style of their texts.
///
/// Only whole beats per minute and times of day in hundredths of a second, written in one of several styles, are
/// encoded as numbers; other lists remain text. A beat takes about ten bits: the change of the interval, and the
/// difference between the rate and the rate that the interval implies.
package struct BeatList: Equatable {
    /// The ranges of the two texts of a beat in a buffer.
    package struct Texts {
        var bpm: Range<Int>
        var time: Range<Int>

        package init(bpm: Range<Int>, time: Range<Int>) {
            self.bpm = bpm
            self.time = time
        }
    }

    /// The style of the times. The raw value is on disk.
    struct Style: OptionSet, Equatable {
        let rawValue: UInt8
        /// Two digits for every hour.
        static let padded = Style(rawValue: 1)
        /// A comma before the hundredths.
        static let comma = Style(rawValue: 2)
        /// Hours from 1 to 12, and a space and `AM` or `PM` at the end.
        static let halves = Style(rawValue: 4)
        /// The space before `AM` is the narrow one, U+202F.
        static let narrow = Style(rawValue: 8)
        static let known: Style = [.padded, .comma, .halves, .narrow]
    }

    static let day: Int64 = 8_640_000
    /// The maximum rate; higher rates remain text.
    static let highestRate: Int64 = 100_000

    private(set) var style: Style = []
    private(set) var rates: [Int64] = []
    /// Hundredths of a second since midnight.
    private(set) var times: [Int64] = []

    /// Parses texts; nil unless the numbers yield exactly the same texts.
    init?(_ buffer: [UInt8], _ beats: [Texts]) {
        rates.reserveCapacity(beats.count)
        times.reserveCapacity(beats.count)
        var isPadded: Bool?
        for (index, beat) in beats.enumerated() {
            guard let rate = Self.number(buffer, beat.bpm, digits: 1...5), let time = BeatTime(buffer, beat.time) else {
                return nil
            }
            if index == 0 { style = time.style.subtracting(.padded) }
            guard time.style.subtracting(.padded) == style else { return nil }
            // An hour of two digits does not show whether hours are padded.
            if let padded = time.isPadded {
                guard isPadded ?? padded == padded else { return nil }
                isPadded = padded
            }
            rates.append(rate)
            times.append(time.hundredths)
        }
        if isPadded == true { style.insert(.padded) }
    }

    /// Parses a number without leading zeros.
    static func number(_ buffer: [UInt8], _ range: Range<Int>, digits: ClosedRange<Int>) -> Int64? {
        guard digits.contains(range.count), range.count == 1 || buffer[range.lowerBound] != 0x30 else { return nil }
        var value: Int64 = 0
        for at in range {
            let digit = buffer[at] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }

    var texts: [HealthMetadata.Beat] {
        zip(rates, times).map { HealthMetadata.Beat(bpm: String($0), time: BeatTime.text($1, style)) }
    }
}

// On disk: style, count, the first time and rate; the change of the interval for each further beat; two bits per beat
// for the difference from the expected rate; the differences that do not fit in two bits.
extension BeatList {
    /// Returns 60 seconds divided by the interval, rounded; the last rate if the interval is out of range.
    private static func expected(_ interval: Int64, _ last: Int64) -> Int64 {
        interval > 0 && interval <= 6_000 ? (6_000 + interval / 2) / interval : last
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(style.rawValue)
        bytes.put(varint: UInt64(rates.count))
        guard let first = times.first, let rate = rates.first else { return }
        bytes.put(varint: UInt64(first))
        bytes.put(varint: UInt64(rate))
        var interval: Int64 = 100
        for i in 1..<max(1, times.count) {
            let next = times[i] - times[i - 1]
            bytes.put(zigzag: next - interval)
            interval = next
        }
        var packed: UInt8 = 0
        var exceptions = [UInt8]()
        for i in 1..<max(1, rates.count) {
            let difference = rates[i] - Self.expected(times[i] - times[i - 1], rates[i - 1])
            let code: UInt8 = difference == 0 ? 0 : difference == -1 ? 1 : difference == 1 ? 2 : 3
            if code == 3 { exceptions.put(zigzag: difference) }
            packed |= code << UInt8((i - 1) % 4 * 2)
            if i % 4 == 0 || i == rates.count - 1 {
                bytes.append(packed)
                packed = 0
            }
        }
        bytes.append(contentsOf: exceptions)
    }

    init(_ reader: inout ByteReader) throws(ByteError) {
        let at = reader.offset
        style = Style(rawValue: try reader.u8())
        guard style.isSubset(of: .known) else { throw ByteError(offset: at, what: "unknown style of times") }
        let count = try reader.varint()
        if count == 0 { return }
        guard count <= UInt64(reader.remaining) else { throw ByteError(offset: at, what: "more beats than bytes") }
        rates.reserveCapacity(Int(count))
        times.reserveCapacity(Int(count))
        times.append(try Self.checked(Int64(clamping: try reader.varint()), below: Self.day, at))
        rates.append(try Self.checked(Int64(clamping: try reader.varint()), below: Self.highestRate, at))
        var interval: Int64 = 100
        for i in 1..<max(1, Int(count)) {
            interval &+= try reader.zigzag()
            times.append(try Self.checked(times[i - 1] &+ interval, below: Self.day, at))
        }
        let packed = try reader.bytes((Int(count) + 2) / 4)
        for i in 1..<max(1, Int(count)) {
            let code = packed[packed.startIndex + (i - 1) / 4] >> UInt8((i - 1) % 4 * 2) & 3
            let difference = code == 3 ? try reader.zigzag() : [0, -1, 1][Int(code)]
            let rate = Self.expected(times[i] - times[i - 1], rates[i - 1]) &+ difference
            rates.append(try Self.checked(rate, below: Self.highestRate, at))
        }
    }

    private static func checked(_ value: Int64, below limit: Int64, _ at: Int) throws(ByteError) -> Int64 {
        guard value >= 0, value < limit else { throw ByteError(offset: at, what: "beat out of range") }
        return value
    }
}

/// A time of day as written by phones: `9:00:52.18 AM`, `08:33:44,67`.
struct BeatTime {
    var hundredths: Int64
    var style: BeatList.Style
    /// Whether an hour below ten has two digits; nil for an hour of ten or more.
    var isPadded: Bool?

    init?(_ buffer: [UInt8], _ range: Range<Int>) {
        var at = range.lowerBound
        func digits(_ count: Int) -> Int64? {
            guard at + count <= range.upperBound else { return nil }
            var value: Int64 = 0
            for _ in 0..<count {
                let digit = buffer[at] &- 0x30
                guard digit < 10 else { return nil }
                value = value * 10 + Int64(digit)
                at += 1
            }
            return value
        }
        func take(_ byte: UInt8) -> Bool {
            guard at < range.upperBound, buffer[at] == byte else { return false }
            at += 1
            return true
        }
        guard range.count > 1 else { return nil }
        let isShort = buffer[range.lowerBound + 1] == 0x3A
        guard var hour = digits(isShort ? 1 : 2), take(0x3A), let minute = digits(2), minute < 60, take(0x3A),
            let second = digits(2), second < 60
        else { return nil }
        style = []
        if take(0x2C) { style.insert(.comma) } else if !take(0x2E) { return nil }
        guard let part = digits(2) else { return nil }
        isPadded = hour < 10 ? !isShort : nil
        if at < range.upperBound {
            style.insert(.halves)
            if !take(0x20) {
                guard take(0xE2), take(0x80), take(0xAF) else { return nil }
                style.insert(.narrow)
            }
            let isAfternoon = take(0x50)
            guard isAfternoon || take(0x41), take(0x4D), at == range.upperBound, hour >= 1, hour <= 12 else {
                return nil
            }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        guard hour < 24 else { return nil }
        hundredths = ((hour * 60 + minute) * 60 + second) * 100 + part
    }

    static func text(_ hundredths: Int64, _ style: BeatList.Style) -> String {
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : String(value) }
        let hour = hundredths / 360_000
        let shown = style.contains(.halves) ? (hour + 11) % 12 + 1 : hour
        var text = style.contains(.padded) ? two(shown) : String(shown)
        text += ":" + two(hundredths / 6_000 % 60) + ":" + two(hundredths / 100 % 60)
        text += (style.contains(.comma) ? "," : ".") + two(hundredths % 100)
        if style.contains(.halves) {
            text += (style.contains(.narrow) ? "\u{202F}" : " ") + (hour < 12 ? "AM" : "PM")
        }
        return text
    }
}
