// SPDX-License-Identifier: Apache-2.0

/// What came of looking at a piece of markup.
enum MarkupOutcome {
    /// It is whole.
    case complete
    /// The bytes at hand end before it does.
    case needMore
    /// It is none; `Problem` says why.
    case malformed
    /// It lacks its end tag: something begins that cannot be inside of it.
    case unclosed
}

/// Why markup is malformed, and where that showed.
struct MarkupProblem {
    var reason = ExportIssue.Reason.malformedElement
    var what: StaticString = ""
    var at = 0
}

/// Splits one start tag into its name and attributes; neither resolves references nor knows any name.
struct TagParser {
    struct Attribute {
        var nameStart = 0
        var nameEnd = 0
        var valueStart = 0
        var valueEnd = 0
        /// Whether the value has a `&` or `<`.
        var special = false
        /// The first and the last eight bytes of the name, of a shorter one all of it twice.
        var head: UInt64 = 0
        var tail: UInt64 = 0

        var name: Range<Int> { nameStart..<nameEnd }
        var value: Range<Int> { valueStart..<valueEnd }
    }

    /// The longest name of an element or attribute.
    static let nameLimit = 256

    private(set) var nameStart = 0
    private(set) var nameEnd = 0
    private(set) var attributes: [Attribute]
    private(set) var count = 0
    private(set) var selfClosing = false
    /// Behind the `>`.
    private(set) var end = 0
    private(set) var problem = MarkupProblem()

    private let valueLimit: Int

    init(_ limits: ExportLimits) {
        attributes = Array(repeating: Attribute(), count: limits.attributes)
        valueLimit = limits.attributeBytes
    }

    var name: Range<Int> { nameStart..<nameEnd }

    /// Reads the tag whose `<` is at `start`, looking at nothing from `limit` on.
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
                if bytes[at &+ 1] != 0x3E { return malformed("a slash inside of the tag", at) }
                selfClosing = true
                end = at &+ 2
                return .complete
            }
            let outcome = attribute(bytes, &at, limit)
            if outcome != .complete { return outcome }
        }
    }

    /// Reads `name="value"`, leaving `at` behind the quote.
    @inline(__always)
    private mutating func attribute(_ bytes: Span<UInt8>, _ at: inout Int, _ limit: Int) -> MarkupOutcome {
        if count == attributes.count { return malformed("more attributes than are allowed", at, .limit) }
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
            return malformed("an attribute value that is too long", value.at, .limit)
        }
        if value.at &+ 1 >= limit { return .needMore }
        found.valueEnd = value.at
        found.special = value.special
        at = value.at &+ 1
        if !Self.endsName(bytes[at]) { return malformed("an attribute value with a wrong quote", at) }
        attributes[count] = found
        count &+= 1
        return .complete
    }

    /// Reads the name of an attribute, leaving `at` at the `=`.
    ///
    /// Most tags have the attributes of the one before them in the same order, so the name that stood in this place
    /// last time is tried first: a comparison instead of a loop.
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

    /// Space, `/` or `>`.
    @inline(__always)
    static func endsName(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x2F || byte == 0x3E }

    @inline(__always)
    private static func isQuoteOrBracket(_ byte: UInt8) -> Bool {
        byte == 0x3E || byte == 0x3C || byte == 0x22 || byte == 0x27
    }

    /// Whether a name of an attribute holds a space, as custom metadata of iOS 8 does.
    static func hasSpace(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        for at in name where isSpace(bytes[at]) { return true }
        return false
    }

    /// Whether a byte may start the name of an element.
    static func startsName(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte == 0x3A || byte >= 0x80
    }
}
