// SPDX-License-Identifier: Apache-2.0

/// The elements directly below the root.
enum TopLevel: String {
    case record = "Record"
    case correlation = "Correlation"
    case workout = "Workout"
    case activitySummary = "ActivitySummary"
    case clinicalRecord = "ClinicalRecord"
    case audiogram = "Audiogram"
    case visionPrescription = "VisionPrescription"
    case exportDate = "ExportDate"
    case me = "Me"
    case root = "HealthData"

    /// Returns the element with a name; nil for any other name.
    init?(_ bytes: Span<UInt8>, _ name: Range<Int>) {
        let text: StaticString
        switch (name.count, name.isEmpty ? 0 : bytes[name.lowerBound]) {
        case (6, 0x52): (self, text) = (.record, "Record")
        case (7, 0x57): (self, text) = (.workout, "Workout")
        case (11, 0x43): (self, text) = (.correlation, "Correlation")
        case (15, 0x41): (self, text) = (.activitySummary, "ActivitySummary")
        case (14, 0x43): (self, text) = (.clinicalRecord, "ClinicalRecord")
        case (9, 0x41): (self, text) = (.audiogram, "Audiogram")
        case (18, 0x56): (self, text) = (.visionPrescription, "VisionPrescription")
        case (10, 0x45): (self, text) = (.exportDate, "ExportDate")
        case (2, 0x4D): (self, text) = (.me, "Me")
        case (10, 0x48): (self, text) = (.root, "HealthData")
        default: return nil
        }
        guard ScanBytes.matches(bytes, name.lowerBound, name.upperBound, text) else { return nil }
    }
}

/// A repair, reported once its element is complete.
struct Note {
    var reason: ExportIssue.Reason
    var at: Int
    var times = 1
    var what: StaticString
}

/// A parser that finds the end of an element, and checks that its tags are well-formed, nested and within limits.
struct ElementSkimmer {
    /// The end of the element; for an unclosed element, the start of the next markup.
    private(set) var end = 0
    private(set) var problem = MarkupProblem()
    /// The repairs that `ElementCursor` will make.
    var notes: [Note] = []
    /// The names of the open elements, outermost first.
    private(set) var open: [Range<Int>] = []

    private let depthLimit: Int
    private let textLimit: Int

    init(_ limits: ExportLimits) {
        depthLimit = limits.depth
        textLimit = limits.attributeBytes
    }

    /// Parses an element up to its end tag.
    ///
    /// - Ordering: after `tag` parsed its start tag.
    /// - Parameter outer: the top-level element that is or contains this one; it determines the elements allowed
    ///   inside.
    mutating func skim(
        _ bytes: Span<UInt8>, _ limit: Int, _ tag: inout TagParser, outer: TopLevel?
    ) -> MarkupOutcome {
        note(bytes, tag)
        end = tag.end
        guard !tag.selfClosing else { return .complete }
        open.removeAll(keepingCapacity: true)
        open.append(tag.name)
        while true {
            let at = ScanBytes.find(0x3C, in: bytes, end, limit)
            if at - end > textLimit { return malformed("text is too long", end, .limit) }
            if at + 1 >= limit { return .needMore }
            let outcome: MarkupOutcome
            switch bytes[at + 1] {
            case 0x2F: outcome = endTag(bytes, at, limit)
            case 0x21, 0x3F: outcome = skipMarkup(bytes, at, limit)
            default: outcome = startTag(bytes, at, limit, &tag, outer)
            }
            if outcome != .complete { return outcome }
            if open.isEmpty { return .complete }
        }
    }

    private mutating func startTag(
        _ bytes: Span<UInt8>, _ at: Int, _ limit: Int, _ tag: inout TagParser, _ outer: TopLevel?
    ) -> MarkupOutcome {
        guard TagParser.startsName(bytes[at + 1]) else { return malformed("a stray <", at) }
        let outcome = tag.parse(bytes, at, limit)
        // A tag of a new top-level element ends this one, even if the tag is truncated or malformed.
        if outcome != .needMore || tag.nameEnd < limit, let name = TopLevel(bytes, tag.name),
            !(name == .record && outer == .correlation)
        {
            end = at
            return .unclosed
        }
        guard outcome == .complete else {
            problem = tag.problem
            return outcome
        }
        note(bytes, tag)
        end = tag.end
        if !tag.selfClosing {
            guard open.count < depthLimit else { return malformed("elements are nested too deeply", at, .limit) }
            open.append(tag.name)
        }
        return .complete
    }

    private mutating func endTag(_ bytes: Span<UInt8>, _ at: Int, _ limit: Int) -> MarkupOutcome {
        guard let close = EndTag(bytes, at, limit) else {
            return EndTag.isTooLong(at, limit) ? malformed("an unterminated end tag", at) : .needMore
        }
        guard let last = open.last, last.count == close.name.count,
            ScanBytes.equal(bytes, last.lowerBound, bytes, close.name.lowerBound, last.count)
        else {
            if TopLevel(bytes, close.name) == .root {
                end = at
                return .unclosed
            }
            return malformed("an end tag without a start tag", at)
        }
        open.removeLast()
        end = close.end
        return .complete
    }

    /// Skips a comment, a CDATA section or a processing instruction.
    mutating func skipMarkup(_ bytes: Span<UInt8>, _ at: Int, _ limit: Int) -> MarkupOutcome {
        let closing: StaticString
        var from = at + 2
        if bytes[at + 1] == 0x3F {
            closing = "?>"
        } else if ScanBytes.matches(bytes, at, limit, "<!--") {
            closing = "-->"
            from = at + 4
        } else if ScanBytes.matches(bytes, at, limit, "<![CDATA[") {
            closing = "]]>"
            from = at + 9
        } else {
            return limit - at < 9 ? .needMore : malformed("a declaration inside an element", at)
        }
        let least = from
        let stop = min(limit, at + textLimit + 1)
        while true {
            from = ScanBytes.find(0x3E, in: bytes, from, stop)
            if from >= stop {
                return limit - at > textLimit ? malformed("an unterminated comment", stop, .limit) : .needMore
            }
            let first = from + 1 - closing.utf8CodeUnitCount
            if first >= least, ScanBytes.matches(bytes, first, limit, closing) {
                end = from + 1
                return .complete
            }
            from += 1
        }
    }

    /// Adds notes about irregular attributes of a tag.
    private mutating func note(_ bytes: Span<UInt8>, _ tag: TagParser) {
        var found = References.Found()
        for index in 0..<tag.count {
            let attribute = tag.attributes[index]
            if attribute.special { References.check(bytes, attribute.value, &found) }
            for other in 0..<index where tag.attributes[other].name.count == attribute.name.count {
                let first = tag.attributes[other].nameStart
                if ScanBytes.equal(bytes, first, bytes, attribute.nameStart, attribute.name.count) {
                    notes.add(Note(reason: .duplicateAttribute, at: attribute.nameStart, what: Self.duplicate))
                    break
                }
            }
        }
        if found != References.Found() { notes.append(found, at: tag.nameStart) }
    }

    static let duplicate: StaticString = "a repeated attribute; the first one is used"

    private mutating func malformed(
        _ what: StaticString, _ at: Int, _ reason: ExportIssue.Reason = .malformedElement
    ) -> MarkupOutcome {
        problem = MarkupProblem(reason: reason, what: what, at: at)
        return .malformed
    }
}

/// An end tag: `</Record>`.
struct EndTag {
    let name: Range<Int>
    /// The offset after the `>`.
    let end: Int

    /// Parses the end tag whose `<` is at `start`; nil if it does not end before `limit`, or contains more than a name.
    init?(_ bytes: Span<UInt8>, _ start: Int, _ limit: Int) {
        var at = start + 2
        while at < limit, at - start < TagParser.nameLimit, !TagParser.endsName(bytes[at]) { at += 1 }
        name = start + 2..<max(at, start + 2)
        while at < limit, at - start < TagParser.nameLimit, TagParser.isSpace(bytes[at]) { at += 1 }
        guard at < limit, bytes[at] == 0x3E else { return nil }
        end = at + 1
    }

    /// Returns whether an end tag that starts at `start` exceeds the length limit.
    static func isTooLong(_ start: Int, _ limit: Int) -> Bool { limit - start > TagParser.nameLimit }
}

extension [Note] {
    /// The maximum number of separate notes per element; far more than are listed.
    private static var kept: Int { 1_000 }

    /// Adds a note. Beyond the limit, notes are only counted, so that a hostile element needs no more memory than its
    /// bytes.
    mutating func add(_ note: Note) {
        if count < Self.kept {
            append(note)
        } else if let same = lastIndex(where: { $0.reason == note.reason }) {
            self[same].times += note.times
        } else {
            append(note)
        }
    }

    /// Adds a note for each kind of irregular reference.
    mutating func append(_ found: References.Found, at: Int) {
        if found.unknown > 0 {
            add(Note(reason: .unknownReference, at: at, times: found.unknown, what: "an unknown reference"))
        }
        if found.illegal > 0 {
            let what: StaticString = "a reference to a forbidden character was replaced with a space"
            add(Note(reason: .illegalCharacter, at: at, times: found.illegal, what: what))
        }
        if found.markup > 0 {
            add(Note(reason: .unescapedMarkup, at: at, times: found.markup, what: "a < in an attribute value"))
        }
    }
}
