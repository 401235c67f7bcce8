// SPDX-License-Identifier: Apache-2.0

/// Loops over bytes, eight at a time: finding, counting, comparing. This is the only unsafe code of the scanner.
///
/// A word is loaded from a span, which checks the bounds. `hits` marks the bytes of a word that equal a given byte by
/// their top bit. Only the lowest mark is exact, so only that one is used.
enum ScanBytes {
    @inline(__always)
    static func word(_ bytes: Span<UInt8>, _ at: Int) -> UInt64 {
        unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
    }

    @inline(__always)
    static func repeated(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    @inline(__always)
    static func hits(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
        let difference = word ^ pattern
        return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
    }

    /// Returns the first place in `start..<end` with a byte, or `end`.
    static func find(_ byte: UInt8, in bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        let pattern = repeated(byte)
        var at = start
        while at &+ 8 <= end {
            let found = hits(word(bytes, at), pattern)
            if found != 0 { return at &+ found.trailingZeroBitCount / 8 }
            at &+= 8
        }
        while at < end, bytes[at] != byte { at &+= 1 }
        return at
    }

    /// Returns the first place in `start..<end` with a quote, or `end`, and whether an `&` or `<` precedes it.
    @inline(__always)
    static func findQuote(
        _ quote: UInt64, in bytes: Span<UInt8>, _ start: Int, _ end: Int
    ) -> (at: Int, special: Bool) {
        var at = start
        var special: UInt64 = 0
        while at &+ 8 <= end {
            let eight = word(bytes, at)
            let marked = hits(eight, 0x2626_2626_2626_2626) | hits(eight, 0x3C3C_3C3C_3C3C_3C3C)
            let found = hits(eight, quote)
            if found != 0 {
                // The mask of the bits below the lowest mark of a quote.
                special |= marked & ((found & (0 &- found)) &- 1)
                return (at &+ found.trailingZeroBitCount / 8, special != 0)
            }
            special |= marked
            at &+= 8
        }
        let byte = UInt8(truncatingIfNeeded: quote)
        while at < end, bytes[at] != byte {
            if bytes[at] == 0x26 || bytes[at] == 0x3C { special = 1 }
            at &+= 1
        }
        return (at, special != 0)
    }

    /// Returns the number of line feeds in `start..<end`.
    static func lines(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        var count = 0
        var at = start
        while at &+ 8 <= end {
            // Eight counters of one byte each, added up before one can overflow.
            let stop = min(end &- 8, at &+ 8 &* 254)
            var counters: UInt64 = 0
            while at <= stop {
                let difference = word(bytes, at) ^ 0x0A0A_0A0A_0A0A_0A0A
                let low = (difference & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
                counters &+= (~(low | difference) & 0x8080_8080_8080_8080) &>> 7
                at &+= 8
            }
            let pairs = (counters & 0x00FF_00FF_00FF_00FF) &+ ((counters &>> 8) & 0x00FF_00FF_00FF_00FF)
            count &+= Int((pairs &* 0x0001_0001_0001_0001) &>> 48)
        }
        while at < end {
            if bytes[at] == 0x0A { count &+= 1 }
            at &+= 1
        }
        return count
    }

    /// Returns the first place in `start..<end` with a control character or a byte outside of ASCII, or `end`; tab,
    /// line feed and carriage return are allowed.
    static func findUnusual(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        var at = start
        while true {
            while at &+ 8 <= end {
                let eight = word(bytes, at)
                let control = (eight &- 0x2020_2020_2020_2020) & ~eight
                if (control | eight) & 0x8080_8080_8080_8080 != 0 { break }
                at &+= 8
            }
            let stop = min(at &+ 8, end)
            while at < stop {
                let byte = bytes[at]
                if byte >= 0x80 || (byte < 0x20 && byte != 0x0A && byte != 0x09 && byte != 0x0D) { return at }
                at &+= 1
            }
            if at >= end { return end }
        }
    }

    /// Returns whether `count` bytes are equal in two places.
    static func equal(_ left: Span<UInt8>, _ start: Int, _ right: Span<UInt8>, _ other: Int, _ count: Int) -> Bool {
        var at = 0
        while at &+ 8 <= count {
            if word(left, start &+ at) != word(right, other &+ at) { return false }
            at &+= 8
        }
        while at < count {
            if left[start &+ at] != right[other &+ at] { return false }
            at &+= 1
        }
        return true
    }

    /// Moves bytes towards the front of an array; the ranges may overlap.
    static func move(_ bytes: inout [UInt8], _ from: Range<Int>, to start: Int) {
        guard from.lowerBound >= start, start >= 0, from.upperBound <= bytes.count, !from.isEmpty else { return }
        unsafe bytes.withUnsafeMutableBufferPointer { all in
            guard let base = all.baseAddress else { return }
            unsafe (base + start).update(from: base + from.lowerBound, count: from.count)
        }
    }

    /// Returns whether the bytes at a place equal a short text.
    static func matches(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard end &- start >= count else { return false }
        let wanted = unsafe UnsafeRawPointer(text.utf8Start)
        var at = 0
        while at &+ 8 <= count {
            if unsafe word(bytes, start &+ at) != wanted.loadUnaligned(fromByteOffset: at, as: UInt64.self) {
                return false
            }
            at &+= 8
        }
        while at < count {
            if unsafe bytes[start &+ at] != wanted.load(fromByteOffset: at, as: UInt8.self) { return false }
            at &+= 1
        }
        return true
    }

    /// Returns a hash of a range, which multiplies eight bytes at a time into the state, with a 128-bit product.
    static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(range.count)
        var at = range.lowerBound
        while at &+ 8 <= range.upperBound {
            state = fold(state ^ word(bytes, at))
            at &+= 8
        }
        var tail: UInt64 = 0
        while at < range.upperBound {
            tail = tail << 8 | UInt64(bytes[at])
            at &+= 1
        }
        return fold(state ^ tail ^ 0xD6E8_FEB8_6659_FD93)
    }

    @inline(__always)
    private static func fold(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }

    /// Returns the number of bytes of a name from a place on.
    static func nameLength(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        var at = start
        while at < end, at - start < TagParser.nameLimit, !TagParser.endsName(bytes[at]) { at += 1 }
        return at - start
    }
}
