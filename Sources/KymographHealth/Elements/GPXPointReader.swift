// SPDX-License-Identifier: Apache-2.0

/// A reader of points in the spelling of Apple's exports: `<trkpt lon="" lat="">`, then `ele` and `time`, then `speed`,
/// `course`, `hAcc` and `vAcc` in `extensions`. There are no spaces between the tags, the numbers have the form of
/// `DecimalText.readShort`, and the time has no fraction.
///
/// `GPXFile` reads every other point with `MarkupReader`, which gives the same values for this spelling, too.
struct GPXPointReader {
    /// A text of at most 16 bytes, compared eight bytes at a time.
    private struct Mark {
        private let count: Int
        private let first: UInt64
        private let last: UInt64
        /// The bits of the text in its first eight bytes.
        private let mask: UInt64
        /// The place of its last eight bytes.
        private let middle: Int

        init(_ text: String) {
            let bytes = Array(text.utf8)
            count = bytes.count
            middle = max(0, count - 8)
            first = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            last = bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            mask = ~0 >> UInt64(64 - 8 * min(8, count))
        }

        /// Moves over the text, if it is at the place.
        @inline(__always)
        func take(_ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
            guard ShortDigits.word(bytes, at) & mask == first, ShortDigits.word(bytes, at &+ middle) & mask == last
            else { return false }
            at &+= count
            return true
        }
    }

    /// The number of elements that are open inside a point, including the point.
    static let depth = 3
    /// The maximum number of spaces before a point.
    private static let mostSpaces = 64
    /// The maximum length of a point: of its tags, its time and seven numbers, and the bytes compared after its end.
    private static let mostBytes = 136 + 20 + 7 * 16 + 16

    private let toLongitude = Mark("<trkpt lon=\"")
    private let toLatitude = Mark("\" lat=\"")
    private let toElevation = Mark("\"><ele>")
    private let toTime = Mark("</ele><time>")
    private let afterTime = Mark("Z</time>")
    private let toExtensions = Mark("<extensions>")
    private let toSpeed = Mark("<speed>")
    private let toCourse = Mark("</speed><course>")
    private let toHorizontal = Mark("</course><hAcc>")
    private let toVertical = Mark("</hAcc><vAcc>")
    private let afterVertical = Mark("</vAcc>")
    private let afterExtensions = Mark("</extensions>")
    private let toEnd = Mark("</trkpt>")

    /// The first 16 bytes of the last time, which are its minute, and the instant of that minute.
    private var minute: (first: UInt64, second: UInt64, instant: Int64)?

    /// Reads the point at a place or after spaces, and moves after it. Nil, without a move, for any other bytes.
    ///
    /// - Complexity: O(1).
    @inline(__always)
    mutating func read(_ bytes: Span<UInt8>, _ place: inout Int) -> RoutePoints.Point? {
        guard place >= 0, bytes.count &- place >= Self.mostBytes &+ Self.mostSpaces else { return nil }
        var at = place
        let most = at &+ Self.mostSpaces
        while at < most, bytes[at] <= 0x20 { at &+= 1 }
        guard toLongitude.take(bytes, &at), let longitude = DecimalText.readShort(bytes, &at),
            toLatitude.take(bytes, &at), let latitude = DecimalText.readShort(bytes, &at),
            toElevation.take(bytes, &at), let altitude = DecimalText.readShort(bytes, &at), toTime.take(bytes, &at)
        else { return nil }
        let clock = at..<at &+ 20
        at &+= 19
        guard afterTime.take(bytes, &at), toExtensions.take(bytes, &at),
            toSpeed.take(bytes, &at), let speed = DecimalText.readShort(bytes, &at),
            toCourse.take(bytes, &at), let course = DecimalText.readShort(bytes, &at),
            toHorizontal.take(bytes, &at), let horizontal = DecimalText.readShort(bytes, &at),
            toVertical.take(bytes, &at), let vertical = DecimalText.readShort(bytes, &at),
            afterVertical.take(bytes, &at), afterExtensions.take(bytes, &at), toEnd.take(bytes, &at)
        else { return nil }
        guard latitude.magnitude <= 90, longitude.magnitude <= 180,
            let instant = instant(bytes, clock), TimeLimits.earliest...TimeLimits.latest ~= instant
        else { return nil }
        place = at
        return RoutePoints.Point(
            time: instant, latitude: latitude, longitude: longitude, altitude: altitude,
            horizontalAccuracy: horizontal, verticalAccuracy: vertical, course: course, speed: speed)
    }

    /// Returns the instant of a time, the number that `AppleDate` returns for it; nil if a sample cannot have it. Times
    /// in the minute of the last time need only their second.
    ///
    /// - Requires: the time ends with `Z`.
    @inline(__always)
    private mutating func instant(_ bytes: Span<UInt8>, _ clock: Range<Int>) -> Int64? {
        let start = clock.lowerBound
        let (first, second) = (ShortDigits.word(bytes, start), ShortDigits.word(bytes, start &+ 8))
        let (tens, ones) = (Int64(bytes[start &+ 17]) &- 0x30, Int64(bytes[start &+ 18]) &- 0x30)
        let seconds = (tens &* 10 &+ ones) &* 1_000_000_000
        if let minute, first == minute.first, second == minute.second, bytes[start &+ 16] == 0x3A, 0..<6 ~= tens,
            0..<10 ~= ones
        {
            return minute.instant &+ seconds
        }
        guard let instant = AppleDate(bytes.extracting(clock))?.nanoseconds,
            TimeLimits.earliest...TimeLimits.latest ~= instant
        else { return nil }
        minute = (first, second, instant &- seconds)
        return instant
    }
}
