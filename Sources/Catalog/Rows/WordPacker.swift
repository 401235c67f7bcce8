// SPDX-License-Identifier: Apache-2.0

/// A byte sequence in 8-byte words, which allows reads and writes of up to eight bytes at any offset.
struct PackedWords: Sendable, Equatable {
    private var words: [UInt64] = []
    /// The last bytes, which do not yet fill a word.
    private var rest: UInt64 = 0
    private var restCount = 0

    /// The number of bytes.
    var count: Int { 8 * words.count + restCount }

    /// Appends the lower `bytes` bytes of a word.
    ///
    /// - Requires: the upper bytes are zero, unless `bytes` is 0.
    @inline(__always)
    fileprivate mutating func append(_ word: UInt64, bytes: Int) {
        if bytes == 0 { return }
        rest |= word &<< UInt64(8 * restCount)
        restCount += bytes
        if restCount < 8 { return }
        words.append(rest)
        restCount -= 8
        // The upper bytes of the word, which did not fit into `rest`.
        rest = restCount == 0 ? 0 : word &>> UInt64(8 * (bytes - restCount))
    }

    /// Returns one to eight bytes from an offset on, little-endian; bytes after the end are zero.
    fileprivate func read(_ bytes: Int, at: Int) -> UInt64 {
        let (place, shift) = (at / 8, UInt64(at % 8 * 8))
        var word = self.word(place) &>> shift
        if shift > 0 { word |= self.word(place + 1) &<< (64 - shift) }
        return word & (.max &>> UInt64(64 - 8 * bytes))
    }

    @inline(__always)
    private func word(_ place: Int) -> UInt64 {
        place < words.count ? words[place] : place == words.count ? rest : 0
    }

    /// Releases unused capacity.
    mutating func shrink() { words = words.exact }
}

/// The codes of packed words. One byte with the codes of two words precedes the two words.
private enum WordCode {
    static let zero: UInt8 = 0
    /// Equal to the previous word, or to the one before it.
    static let last: UInt8 = 1
    static let secondLast: UInt8 = 2
    /// Equal to the word at the same position of the model.
    static let model: UInt8 = 3
    /// This code and the next seven: the upper 1 to 8 bytes follow; the lower bytes are zero.
    static let upper: UInt8 = 4
    /// This code and the next three: the lower 1 to 4 bytes follow; the upper bytes are zero.
    static let lower: UInt8 = 12
    static let mostLower = 4
}

/// Packs 8-byte words. Zero words, repeated words and words with leading or trailing zero bytes become short.
struct WordPacker {
    /// The words that the packed words often equal, position by position.
    private let model: [UInt64]
    private var place = 0
    private var last: UInt64 = 0
    private var secondLast: UInt64 = 0

    init(like model: [UInt64]) { self.model = model }

    /// Packs two words and appends them to `packed`.
    mutating func put(_ first: UInt64, _ second: UInt64, into packed: inout PackedWords) {
        let one = code(of: first)
        let two = code(of: second)
        packed.append(UInt64(one.code | two.code << 4), bytes: 1)
        packed.append(first &>> UInt64(one.shift), bytes: one.bytes)
        packed.append(second &>> UInt64(two.shift), bytes: two.bytes)
    }

    @inline(__always)
    private mutating func code(of word: UInt64) -> (code: UInt8, bytes: Int, shift: Int) {
        defer { (secondLast, last, place) = (last, word, place + 1) }
        if word == 0 { return (WordCode.zero, 0, 0) }
        if word == last { return (WordCode.last, 0, 0) }
        if word == secondLast { return (WordCode.secondLast, 0, 0) }
        if place < model.count, word == model[place] { return (WordCode.model, 0, 0) }
        let below = word.trailingZeroBitCount / 8
        let used = 8 - word.leadingZeroBitCount / 8
        if used < 8 - below, used <= WordCode.mostLower { return (WordCode.lower + UInt8(used - 1), used, 0) }
        return (WordCode.upper + UInt8(7 - below), 8 - below, 8 * below)
    }
}

/// Unpacks words that `WordPacker` packed. After the end it returns zeros.
struct WordUnpacker {
    private let packed: PackedWords
    private let model: [UInt64]
    private var at: Int
    private var place = 0
    private var last: UInt64 = 0
    private var secondLast: UInt64 = 0
    /// The code of the next word, if the last byte of codes also held it.
    private var code: UInt8?

    init(_ packed: PackedWords, at start: Int, like model: [UInt64]) {
        self.packed = packed
        self.model = model
        at = start
    }

    mutating func next() -> UInt64 {
        let mine: UInt8
        if let code {
            mine = code
            self.code = nil
        } else {
            let both = UInt8(truncatingIfNeeded: read(1))
            mine = both & 15
            code = both >> 4
        }
        let word: UInt64
        switch mine {
        case WordCode.zero: word = 0
        case WordCode.last: word = last
        case WordCode.secondLast: word = secondLast
        case WordCode.model: word = place < model.count ? model[place] : 0
        case WordCode.lower...: word = read(Int(mine - WordCode.lower) + 1)
        default:
            let count = Int(mine - WordCode.upper) + 1
            word = read(count) &<< UInt64(64 - 8 * count)
        }
        (secondLast, last, place) = (last, word, place + 1)
        return word
    }

    private mutating func read(_ count: Int) -> UInt64 {
        defer { at += count }
        return packed.read(count, at: at)
    }
}

extension Array {
    /// A copy of the array without spare capacity.
    var exact: [Element] {
        var copy = [Element]()
        copy.reserveCapacity(count)
        copy.append(contentsOf: self)
        return copy
    }
}

extension Span<UInt8> {
    /// Returns eight bytes as a little-endian number.
    func word(at offset: Int) -> UInt64 {
        // The compiler turns this form into one load.
        let part = extracting(offset..<offset + 8)
        let low = UInt64(part[0]) | UInt64(part[1]) << 8 | UInt64(part[2]) << 16 | UInt64(part[3]) << 24
        return low | UInt64(part[4]) << 32 | UInt64(part[5]) << 40 | UInt64(part[6]) << 48 | UInt64(part[7]) << 56
    }
}

extension MutableSpan<UInt8> {
    /// Stores a number as eight bytes, little-endian.
    mutating func put(_ word: UInt64, at offset: Int) {
        for byte in 0..<8 { self[offset + byte] = UInt8(truncatingIfNeeded: word >> (8 * UInt64(byte))) }
    }
}
