// SPDX-License-Identifier: Apache-2.0

import Kernels

/// Loops over bytes, eight at a time or by the kernels: finding, counting, comparing. The only unsafe code of the
/// scanner.
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
        // Many values have fewer than eight bytes.
        if start &+ 8 <= end {
            let eight = word(bytes, start)
            let found = hits(eight, quote)
            if found != 0 {
                let marked = hits(eight, 0x2626_2626_2626_2626) | hits(eight, 0x3C3C_3C3C_3C3C_3C3C)
                // The mask of the bits below the lowest mark of a quote.
                let special = marked & ((found & (0 &- found)) &- 1)
                return (start &+ found.trailingZeroBitCount / 8, special != 0)
            }
        }
        guard start < end else { return (end, false) }
        return Kernel.findQuote(UInt8(truncatingIfNeeded: quote), in: bytes, start..<end)
    }

    /// Returns the number of line feeds in `start..<end`.
    static func lines(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        start < end ? Kernel.countLines(bytes, start..<end) : 0
    }

    /// Returns the first place in `start..<end` with a control character other than tab, line feed and carriage return,
    /// or with a byte that does not begin a whole character of UTF-8; or `end`.
    static func findIrregular(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        start < end ? Kernel.findIrregular(bytes, start..<end) : end
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
