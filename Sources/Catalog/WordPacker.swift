// SPDX-License-Identifier: Apache-2.0

/// How a word of eight bytes is packed. In front of each two words stands a byte with the codes of both.
private enum WordCode {
    static let zero: UInt8 = 0
    /// The same as the word before, or as the one before that.
    static let last: UInt8 = 1
    static let secondLast: UInt8 = 2
    /// With this code and the next ones: the upper 1 to 8 bytes, below which are zeros.
    static let upper: UInt8 = 3
    /// With this code and the next ones: the lower 1 to 5 bytes, above which are zeros.
    static let lower: UInt8 = 11
    static let mostLower = 5
}

/// Packs words of eight bytes, many of which are zero, repeated, or have zeros at one end, as numbers do.
struct WordPacker {
    /// The most bytes that two words take.
    static let mostBytes = 17

    private var last: UInt64 = 0
    private var secondLast: UInt64 = 0

    /// Packs two words, for which there must be room.
    mutating func put(_ first: UInt64, _ second: UInt64, into output: inout OutputSpan<UInt8>) {
        let one = code(of: first)
        (secondLast, last) = (last, first)
        let two = code(of: second)
        (secondLast, last) = (last, second)
        output.append(one.code | two.code << 4)
        Self.put(first >> one.shift, one.bytes, into: &output)
        Self.put(second >> two.shift, two.bytes, into: &output)
    }

    private static func put(_ word: UInt64, _ count: Int, into output: inout OutputSpan<UInt8>) {
        var rest = word
        for _ in 0..<count {
            output.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    private func code(of word: UInt64) -> (code: UInt8, bytes: Int, shift: Int) {
        if word == 0 { return (WordCode.zero, 0, 0) }
        if word == last { return (WordCode.last, 0, 0) }
        if word == secondLast { return (WordCode.secondLast, 0, 0) }
        let below = word.trailingZeroBitCount / 8
        let used = 8 - word.leadingZeroBitCount / 8
        if used < 8 - below, used <= WordCode.mostLower { return (WordCode.lower + UInt8(used - 1), used, 0) }
        return (WordCode.upper + UInt8(7 - below), 8 - below, 8 * below)
    }
}

/// Reads back what `WordPacker` wrote. Behind the end it reads zeros.
struct WordUnpacker {
    private var at: Int
    private var last: UInt64 = 0
    private var secondLast: UInt64 = 0
    /// The code of the next word, where it stood beside that of the last one.
    private var code: UInt8?

    init(at start: Int) { at = start }

    mutating func next(_ bytes: Span<UInt8>) -> UInt64 {
        let mine: UInt8
        if let code {
            mine = code
            self.code = nil
        } else {
            let both = at < bytes.count ? bytes[at] : 0
            at += 1
            mine = both & 15
            code = both >> 4
        }
        let word: UInt64
        switch mine {
        case WordCode.zero: word = 0
        case WordCode.last: word = last
        case WordCode.secondLast: word = secondLast
        case WordCode.lower...: word = read(Int(mine - WordCode.lower) + 1, bytes)
        default:
            let count = Int(mine - WordCode.upper) + 1
            word = read(count, bytes) << UInt64(64 - 8 * count)
        }
        secondLast = last
        last = word
        return word
    }

    private mutating func read(_ count: Int, _ bytes: Span<UInt8>) -> UInt64 {
        guard at + count <= bytes.count else { return 0 }
        defer { at += count }
        if at + 8 <= bytes.count { return bytes.word(at: at) & (.max >> UInt64(64 - 8 * count)) }
        var word: UInt64 = 0
        for i in 0..<count { word |= UInt64(bytes[at + i]) << (8 * UInt64(i)) }
        return word
    }
}

extension Span<UInt8> {
    /// Eight bytes, the first of which counts least.
    func word(at offset: Int) -> UInt64 {
        // In this form it is one load.
        let part = extracting(offset..<offset + 8)
        let low = UInt64(part[0]) | UInt64(part[1]) << 8 | UInt64(part[2]) << 16 | UInt64(part[3]) << 24
        return low | UInt64(part[4]) << 32 | UInt64(part[5]) << 40 | UInt64(part[6]) << 48 | UInt64(part[7]) << 56
    }
}
