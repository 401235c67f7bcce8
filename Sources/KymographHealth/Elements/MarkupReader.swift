// SPDX-License-Identifier: Apache-2.0

/// A reader of the tags and texts of one XML element or document, without a tree.
///
/// Accepts any bytes: the reader stops at the first malformed tag, at the end of the outermost element, and below
/// ``deepest`` open elements. Comments, processing instructions and declarations are skipped; no entity is expanded
/// except character references. End tags close the innermost open element, whatever their name.
/// - Complexity: O(bytes) for all tags together.
struct MarkupReader {
    /// A tag. A self-closing tag is a start and then an end.
    enum Tag { case start, end }

    /// The maximum number of open elements.
    static let deepest = 32
    /// The maximum number of attributes of a tag; the reader skips further attributes.
    static let mostAttributes = 64

    private let bytes: [UInt8]
    private var at: Int
    private var closes = false
    /// The number of open elements, including that of the last start tag.
    private(set) var depth = 0
    /// The name of the last tag.
    private var name = 0..<0
    private var attributes: [(name: Range<Int>, value: Range<Int>)] = []
    /// The text before the last tag.
    private var text = 0..<0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        at = 0
    }

    /// Moves to the next tag; nil at the end or before a malformed tag.
    mutating func next() -> Tag? {
        if closes {
            closes = false
            text = at..<at
            return close()
        }
        let first = at
        var isPlain = true
        while let open = find(0x3C, at) {
            guard open + 1 < bytes.count else { return nil }
            switch bytes[open + 1] {
            case 0x21, 0x3F:
                guard let end = endOfMarkup(open) else { return nil }
                at = end
                isPlain = false
            case 0x2F:
                guard depth > 0, let end = find(0x3E, open) else { return nil }
                // A text around a comment counts as absent.
                text = isPlain ? first..<open : open..<open
                name = trimmed(open + 2..<end)
                attributes.removeAll(keepingCapacity: true)
                at = end + 1
                return close()
            default:
                text = isPlain ? first..<open : open..<open
                guard depth < Self.deepest, parseStart(open) else { return nil }
                depth += 1
                return .start
            }
        }
        return nil
    }

    /// The place at which the reader continues; nil between the two tags of a self-closing element.
    var place: Int? { closes ? nil : at }

    /// Moves over whole elements, in the way of `next` for each of their tags.
    ///
    /// - Requires: `place` is not nil, an element is open, and the bytes up to the new place are texts and elements,
    ///   nested at most as deep as `next` accepts.
    /// - Parameter place: the place after the last end tag.
    mutating func skip(to place: Int) { at = place }

    private mutating func close() -> Tag {
        depth -= 1
        if depth == 0 { at = bytes.count }
        return .end
    }

    /// Returns whether the last tag has this name.
    func isNamed(_ other: String) -> Bool { Self.matches(bytes, name, other) }

    /// The name of the last tag.
    var nameText: String { String(decoding: bytes[name], as: UTF8.self) }

    /// Returns the value of an attribute of the last start tag, with resolved references; nil if there is none. For a
    /// repeated name the first counts.
    subscript(_ other: String) -> String? { place(of: other).map { unescaped($0) } }

    /// Returns the number that an attribute states; nil if there is none, or if the text is not a decimal number.
    func number(_ other: String) -> Double? {
        place(of: other).flatMap { DecimalText.parse(bytes.span.extracting($0)) }
    }

    /// Returns the instant that an attribute states, in nanoseconds since 1970-01-01 UTC; nil if there is none, or if
    /// the text is not a date.
    func instant(_ other: String) -> Int64? {
        place(of: other).flatMap { AppleDate(bytes.span.extracting($0))?.nanoseconds }
    }

    /// Returns the instant of a second attribute with this name; nil if there is none.
    func secondInstant(_ other: String) -> Int64? {
        let found = attributes.filter { Self.matches(bytes, $0.name, other) }
        return found.count > 1 ? AppleDate(bytes.span.extracting(found[1].value))?.nanoseconds : nil
    }

    /// Returns the value of the first attribute with a name.
    private func place(of other: String) -> Range<Int>? {
        for (name, value) in attributes where Self.matches(bytes, name, other) { return value }
        return nil
    }

    /// The attributes of the last start tag in their order, with resolved references.
    var attributeTexts: [(name: String, value: String)] {
        attributes.map { (String(decoding: bytes[$0.name], as: UTF8.self), unescaped($0.value)) }
    }

    /// A digest of the last tag: of its name and its attributes in any order. Instants count as such, and devices
    /// without their addresses; attributes named `path` do not count.
    var digest: UInt64 {
        var sum = Self.digest(bytes[name])
        for (name, value) in attributes where !Self.matches(bytes, name, "path") {
            var hash = Self.digest(bytes[name])
            if bytes[name].suffix(3).elementsEqual("ate".utf8), let date = AppleDate(bytes.span.extracting(value)) {
                hash = Self.mix(hash ^ UInt64(bitPattern: date.nanoseconds))
            } else if bytes[value].contains(0x26) {
                let text = Array(unescaped(value).utf8)
                let isDevice = Self.matches(bytes, name, "device")
                hash = Self.digest((isDevice ? HeapAddress.stripped(text) : text)[...], hash)
            } else {
                hash = Self.digest(bytes[value], hash)
            }
            sum &+= Self.mix(hash)
        }
        return Self.mix(sum)
    }

    /// Continues a digest of 64 bits, FNV-1a, with bytes.
    private static func digest(_ bytes: ArraySlice<UInt8>, _ start: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
        var hash = start
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }

    /// Mixes the bits of a digest.
    static func mix(_ hash: UInt64) -> UInt64 {
        let product = (hash ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }

    /// The number that the text before the last tag states; nil for any other text.
    var textNumber: Double? { DecimalText.parse(bytes.span.extracting(trimmed(text))) }

    /// The instant that the text before the last tag states; nil for any other text.
    var textInstant: Int64? { AppleDate(bytes.span.extracting(trimmed(text)))?.nanoseconds }

    // MARK: - Bytes

    /// Parses a start tag; false if it is malformed.
    private mutating func parseStart(_ open: Int) -> Bool {
        var place = open + 1
        name = word(from: place)
        if name.isEmpty { return false }
        place = name.upperBound
        attributes.removeAll(keepingCapacity: true)
        while true {
            while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
            guard place < bytes.count else { return false }
            switch bytes[place] {
            case 0x3E:
                at = place + 1
                return true
            case 0x2F:
                guard place + 1 < bytes.count, bytes[place + 1] == 0x3E else { return false }
                at = place + 2
                closes = true
                return true
            default:
                // The name of an attribute may contain spaces: iOS 8 wrote such names.
                guard let equals = find(0x3D, place), let quote = firstQuote(after: equals),
                    let end = find(bytes[quote], quote + 1)
                else { return false }
                let key = trimmed(place..<equals)
                if key.isEmpty || bytes[key].contains(where: { $0 == 0x3E || $0 == 0x22 }) { return false }
                if attributes.count < Self.mostAttributes { attributes.append((key, quote + 1..<end)) }
                place = end + 1
            }
        }
    }

    /// Returns the place of the quote after an equals sign; nil if another byte than a space precedes it.
    private func firstQuote(after equals: Int) -> Int? {
        var place = equals + 1
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
        guard place < bytes.count, bytes[place] == 0x22 || bytes[place] == 0x27 else { return nil }
        return place
    }

    /// Returns the bytes up to a space, `/` or `>`.
    private func word(from first: Int) -> Range<Int> {
        var end = first
        while end < bytes.count, bytes[end] > 0x20, bytes[end] != 0x2F, bytes[end] != 0x3E { end += 1 }
        return first..<end
    }

    /// Returns the place after a comment, declaration or instruction; nil if it does not end.
    private func endOfMarkup(_ open: Int) -> Int? {
        let isComment = open + 3 < bytes.count && bytes[open + 2] == 0x2D && bytes[open + 3] == 0x2D
        if !isComment { return find(0x3E, open).map { $0 + 1 } }
        var place = open + 4
        while let end = find(0x3E, place) {
            if end >= open + 6, bytes[end - 1] == 0x2D, bytes[end - 2] == 0x2D { return end + 1 }
            place = end + 1
        }
        return nil
    }

    private func find(_ byte: UInt8, _ first: Int) -> Int? {
        var place = first
        while place < bytes.count {
            if bytes[place] == byte { return place }
            place += 1
        }
        return nil
    }

    /// Returns the range without spaces at both ends.
    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (first, end) = (range.lowerBound, range.upperBound)
        while first < end, bytes[first] <= 0x20 { first += 1 }
        while first < end, bytes[end - 1] <= 0x20 { end -= 1 }
        return first..<end
    }

    private static func matches(_ bytes: [UInt8], _ range: Range<Int>, _ other: String) -> Bool {
        guard range.count == other.utf8.count else { return false }
        var place = range.lowerBound
        for byte in other.utf8 {
            if bytes[place] != byte { return false }
            place += 1
        }
        return true
    }
}

extension MarkupReader {
    /// Returns a text with resolved character references; any other `&` stays.
    private func unescaped(_ range: Range<Int>) -> String {
        guard bytes[range].contains(0x26) else { return String(decoding: bytes[range], as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        var place = range.lowerBound
        while place < range.upperBound {
            if bytes[place] == 0x26, let (scalar, length) = reference(place, range.upperBound) {
                text.append(contentsOf: String(Character(scalar)).utf8)
                place += length
            } else {
                text.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the character of a reference such as `&amp;`, `&#183;` or `&#xB7;`, and its length; nil for any other
    /// text. A character that XML forbids is a space.
    private func reference(_ start: Int, _ end: Int) -> (Unicode.Scalar, Int)? {
        guard let close = bytes[start..<min(end, start + 12)].firstIndex(of: 0x3B) else { return nil }
        let name = String(decoding: bytes[start + 1..<close], as: UTF8.self)
        let length = close + 1 - start
        switch name {
        case "amp": return ("&", length)
        case "lt": return ("<", length)
        case "gt": return (">", length)
        case "quot": return ("\"", length)
        case "apos": return ("'", length)
        default: break
        }
        guard name.first == "#" else { return nil }
        let isHexadecimal = name.dropFirst().first == "x"
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard !digits.isEmpty, digits.allSatisfy(\.isHexDigit),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10)
        else { return nil }
        guard let scalar = Unicode.Scalar(number), number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number) else {
            return (" ", length)
        }
        return (scalar, length)
    }
}
