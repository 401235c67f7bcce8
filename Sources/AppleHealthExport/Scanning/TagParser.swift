// SPDX-License-Identifier: Apache-2.0

/// The result of parsing a piece of markup.
enum MarkupOutcome {
    case complete
    /// The available bytes end inside the markup.
    case needMore
    /// The markup is malformed; `MarkupProblem` has the reason.
    case malformed
    /// The end tag is missing: the next markup cannot be inside the element.
    case unclosed
}

/// The reason and the place of malformed markup.
struct MarkupProblem {
    var reason = ExportIssue.Reason.malformedElement
    var what: StaticString = ""
    var at = 0
}

/// A parser of one start tag into its name and attributes; resolves no references and interprets no names.
struct TagParser {
    struct Attribute {
        var nameStart = 0
        var nameEnd = 0
        var valueStart = 0
        var valueEnd = 0
        /// Whether the value contains an `&` or `<`.
        var special = false
        /// The first and the last eight bytes of the name; for a shorter name, the whole name in both.
        var head: UInt64 = 0
        var tail: UInt64 = 0

        var name: Range<Int> { nameStart..<nameEnd }
        var value: Range<Int> { valueStart..<valueEnd }
    }

    /// The maximum length of the name of an element or attribute.
    static let nameLimit = 256

    private(set) var nameStart = 0
    private(set) var nameEnd = 0
    private(set) var attributes: [Attribute]
    private(set) var count = 0
    private(set) var selfClosing = false
    /// The offset after the `>`.
    private(set) var end = 0
    private(set) var problem = MarkupProblem()

    private let valueLimit: Int

    init(_ limits: ExportLimits) {
        attributes = Array(repeating: Attribute(), count: limits.attributes)
        valueLimit = limits.attributeBytes
    }

    var name: Range<Int> { nameStart..<nameEnd }

    /// Parses the tag whose `<` is at `start`, without reading at or after `limit`.
    mutating func parse(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) -> MarkupOutcome {
        count = 0
        var at = start &+ 1
        nameStart = at
        while at < limit, !Self.endsName(bytes[at]) { at &+= 1 }
        nameEnd = at
        if at &- nameStart > Self.nameLimit {
            return malformed("a name of more than 256 bytes", nameStart &+ Self.nameLimit &+ 1)
        }
        while true {
            while at < limit, Self.isSpace(bytes[at]) { at &+= 1 }
            if at >= limit { return .needMore }
            let byte = bytes[at]
            if byte == 0x3E {
                selfClosing = false
                end = at &+ 1
                return .complete
            }
            if byte == 0x2F {
                if at &+ 1 >= limit { return .needMore }
                if bytes[at &+ 1] != 0x3E { return malformed("a slash inside the tag", at) }
                selfClosing = true
                end = at &+ 2
                return .complete
            }
            let outcome = attribute(bytes, &at, limit)
            if outcome != .complete { return outcome }
        }
    }

    /// Parses `name="value"`, and moves `at` after the quote.
    @inline(__always)
    private mutating func attribute(_ bytes: Span<UInt8>, _ at: inout Int, _ limit: Int) -> MarkupOutcome {
        if count == attributes.count { return malformed("too many attributes", at, .limit) }
        var found = attributes[count]
        let outcome = name(bytes, &at, limit, &found)
        if outcome != .complete { return outcome }
        at &+= 1
        while at < limit, Self.isSpace(bytes[at]) { at &+= 1 }
        if at >= limit { return .needMore }
        let quote = bytes[at]
        if quote != 0x22, quote != 0x27 { return malformed("an attribute value without quotes", at) }
        found.valueStart = at &+ 1
        let stop = min(limit, found.valueStart &+ valueLimit &+ 1)
        let value = ScanBytes.findQuote(ScanBytes.repeated(quote), in: bytes, found.valueStart, stop)
        if value.at &- found.valueStart > valueLimit {
            return malformed("an attribute value is too long", value.at, .limit)
        }
        if value.at &+ 1 >= limit { return .needMore }
        found.valueEnd = value.at
        found.special = value.special
        at = value.at &+ 1
        if !Self.endsName(bytes[at]) { return malformed("no space after an attribute value", at) }
        attributes[count] = found
        count &+= 1
        return .complete
    }

    /// Parses the name of an attribute, and moves `at` to the `=`.
    ///
    /// Most tags have the same attributes in the same order as the previous one, so the name at the same position of
    /// the previous tag is tried first: a comparison instead of a loop.
    @inline(__always)
    private mutating func name(
        _ bytes: Span<UInt8>, _ at: inout Int, _ limit: Int, _ found: inout Attribute
    ) -> MarkupOutcome {
        let length = found.nameEnd &- found.nameStart
        if length > 0, length <= 16, at &+ 16 < limit, bytes[at &+ length] == 0x3D,
            Self.head(bytes, at, length) == found.head, Self.tail(bytes, at, length) == found.tail
        {
            found.nameStart = at
            at &+= length
            found.nameEnd = at
            return .complete
        }
        found.nameStart = at
        while at < limit, bytes[at] != 0x3D {
            if Self.isQuoteOrBracket(bytes[at]) { return malformed("an attribute without a value", at) }
            at &+= 1
            if at &- found.nameStart > Self.nameLimit { return malformed("a name of more than 256 bytes", at) }
        }
        if at >= limit { return .needMore }
        found.nameEnd = at
        while found.nameEnd > found.nameStart, Self.isSpace(bytes[found.nameEnd &- 1]) { found.nameEnd &-= 1 }
        let count = found.nameEnd &- found.nameStart
        if count == 0 { return malformed("an attribute without a name", at) }
        found.head = Self.head(bytes, found.nameStart, count)
        found.tail = Self.tail(bytes, found.nameStart, count)
        return .complete
    }

    @inline(__always)
    private static func head(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> UInt64 {
        let word = ScanBytes.word(bytes, start)
        return count >= 8 ? word : word & ((1 &<< UInt64(8 &* count)) &- 1)
    }

    @inline(__always)
    private static func tail(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> UInt64 {
        count >= 8 ? ScanBytes.word(bytes, start &+ count &- 8) : head(bytes, start, count)
    }

    private mutating func malformed(
        _ what: StaticString, _ at: Int, _ reason: ExportIssue.Reason = .malformedElement
    ) -> MarkupOutcome {
        problem = MarkupProblem(reason: reason, what: what, at: at)
        return .malformed
    }

    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte &- 0x09 <= 4 && byte != 0x0B && byte != 0x0C) }

    /// Returns whether a byte ends a name: space, `/` or `>`.
    @inline(__always)
    static func endsName(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x2F || byte == 0x3E }

    @inline(__always)
    private static func isQuoteOrBracket(_ byte: UInt8) -> Bool {
        byte == 0x3E || byte == 0x3C || byte == 0x22 || byte == 0x27
    }

    /// Returns whether the name of an attribute contains a space, as custom metadata of iOS 8 does.
    static func hasSpace(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        for at in name where isSpace(bytes[at]) { return true }
        return false
    }

    /// Returns whether a byte may start the name of an element.
    static func startsName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte == 0x3A || byte >= 0x80
    }
}
