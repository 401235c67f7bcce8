// SPDX-License-Identifier: Apache-2.0

/// A `trkpt` element in the spelling of Apple's exports, read in one pass over its bytes.
///
/// The spelling: attributes `lat` and `lon` in double quotes, children without attributes, each of them a number or an
/// instant without spaces, and `extensions` around some of the children. ``GPXFile`` reads all other spellings with
/// `MarkupReader`, and with the same result for this one.
struct GPXPoint {
    private(set) var point = RoutePoints.Point(time: .min, latitude: .nan, longitude: .nan)
    /// The place after the element.
    private(set) var end: Int

    /// The name of a tag as a number: its bytes, the first one highest.
    private enum Name {
        static var trkpt: UInt128 { 0x74_726B_7074 }
        static var extensions: UInt128 { 0x6578_7465_6E73_696F_6E73 }
        static var time: UInt128 { 0x7469_6D65 }
        static var ele: UInt128 { 0x65_6C65 }
        static var speed: UInt128 { 0x73_7065_6564 }
        static var course: UInt128 { 0x636F_7572_7365 }
        static var horizontal: UInt128 { 0x6841_6363 }
        static var vertical: UInt128 { 0x7641_6363 }
    }

    /// Reads an element that begins at a place or after spaces; nil for any other spelling, and for a point without a
    /// position or a time.
    ///
    /// - Complexity: O(bytes of the element).
    init?(_ bytes: Span<UInt8>, at start: Int) {
        end = start
        Self.skipSpaces(bytes, &end)
        guard Self.take("<", bytes, &end), Self.name(bytes, &end) == Name.trkpt, attributes(bytes) else { return nil }
        var isExtended = false
        while true {
            Self.skipSpaces(bytes, &end)
            guard Self.take("<", bytes, &end) else { return nil }
            if Self.take("/", bytes, &end) {
                let name = Self.name(bytes, &end)
                guard name == (isExtended ? Name.extensions : Name.trkpt), Self.take(">", bytes, &end) else {
                    return nil
                }
                if !isExtended { break }
                isExtended = false
            } else {
                let name = Self.name(bytes, &end)
                guard Self.take(">", bytes, &end) else { return nil }
                if name == Name.extensions, !isExtended {
                    isExtended = true
                } else if !child(name, bytes) {
                    return nil
                }
            }
        }
        guard point.time != .min, abs(point.latitude) <= 90, abs(point.longitude) <= 180 else { return nil }
    }

    /// Reads the two attributes and the end of the start tag.
    private mutating func attributes(_ bytes: Span<UInt8>) -> Bool {
        for _ in 0..<2 {
            guard Self.take(" ", bytes, &end), Self.take("l", bytes, &end) else { return false }
            let isLatitude = Self.take("a", bytes, &end)
            guard isLatitude || Self.take("o", bytes, &end), Self.take(isLatitude ? "t" : "n", bytes, &end),
                Self.take("=", bytes, &end), Self.take("\"", bytes, &end),
                let number = DecimalText.parse(bytes.extracting(text(bytes, before: "\""))),
                Self.take("\"", bytes, &end)
            else { return false }
            if isLatitude {
                guard point.latitude.isNaN else { return false }
                point.latitude = number
            } else {
                guard point.longitude.isNaN else { return false }
                point.longitude = number
            }
        }
        return Self.take(">", bytes, &end)
    }

    /// Reads the text and the end tag of a child.
    private mutating func child(_ name: UInt128?, _ bytes: Span<UInt8>) -> Bool {
        let text = text(bytes, before: "<")
        if name == Name.time {
            guard let time = AppleDate(bytes.extracting(text))?.nanoseconds,
                TimeLimits.earliest...TimeLimits.latest ~= time
            else { return false }
            point.time = time
        } else {
            guard let number = DecimalText.parse(bytes.extracting(text)) else { return false }
            switch name {
            case Name.ele: point.altitude = number
            case Name.speed: point.speed = number
            case Name.course: point.course = number
            case Name.horizontal: point.horizontalAccuracy = number
            case Name.vertical: point.verticalAccuracy = number
            default: return false
            }
        }
        return Self.take("<", bytes, &end) && Self.take("/", bytes, &end) && Self.name(bytes, &end) == name
            && Self.take(">", bytes, &end)
    }

    /// Returns the bytes up to a byte, and moves to that byte or to the end.
    @inline(__always)
    private mutating func text(_ bytes: Span<UInt8>, before byte: Unicode.Scalar) -> Range<Int> {
        let first = end
        let wanted = UInt8(truncatingIfNeeded: byte.value)
        while end < bytes.count, bytes[end] != wanted { end &+= 1 }
        return first..<end
    }

    /// Moves over a byte, and returns whether it is there.
    @inline(__always)
    private static func take(_ byte: Unicode.Scalar, _ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(truncatingIfNeeded: byte.value) else { return false }
        at &+= 1
        return true
    }

    @inline(__always)
    private static func skipSpaces(_ bytes: Span<UInt8>, _ at: inout Int) {
        while at < bytes.count, bytes[at] <= 0x20 { at &+= 1 }
    }

    /// Moves over a name of letters, and returns it as a number; nil for a name of more than 16 letters.
    @inline(__always)
    private static func name(_ bytes: Span<UInt8>, _ at: inout Int) -> UInt128? {
        var name: UInt128 = 0
        let first = at
        while at < bytes.count, (bytes[at] | 0x20) &- 0x61 < 26 {
            name = name &<< 8 | UInt128(bytes[at])
            at &+= 1
        }
        return at - first <= 16 ? name : nil
    }
}
