// SPDX-License-Identifier: Apache-2.0

/// A parser of one `Record` with its children into ranges; resolves no references and checks no values.
struct RecordParser {
    /// The end of the element; for an unclosed element, the start of the next markup.
    private(set) var end = 0
    private(set) var problem = MarkupProblem()
    var notes: [Note] = []
    /// Whether the record's end tag was parsed.
    private var closed = false
    /// Whether a list of beats is open.
    private var inList = false
    /// The open list of beats: its start, the number of earlier beats, and whether another list preceded it.
    private var list = (start: 0, beats: 0, isSecond: false)
    /// Whether a beat of the open list lacks an attribute.
    private var isListOdd = false

    /// Parses a record.
    ///
    /// - Ordering: after `tag` parsed the record's start tag.
    mutating func parse(
        _ bytes: Span<UInt8>, _ limit: Int, _ tag: inout TagParser, _ skimmer: inout ElementSkimmer,
        into parts: inout RecordFields.Parts
    ) -> MarkupOutcome {
        if !notes.isEmpty { notes.removeAll(keepingCapacity: true) }
        parts.clear()
        attributes(bytes, tag, &parts)
        end = tag.end
        guard !tag.selfClosing else { return .complete }
        closed = false
        inList = false
        while true {
            var at = end
            while at < limit, TagParser.isSpace(bytes[at]) { at &+= 1 }
            if at &+ 1 >= limit { return .needMore }
            if bytes[at] != 0x3C {
                let next = ScanBytes.find(0x3C, in: bytes, at, limit)
                if next - at > 1 << 20 { return malformed("text is too long", at) }
                if next >= limit { return .needMore }
                notes.add(Note(reason: .strayText, at: at, what: "text inside a Record"))
                at = next
                if at &+ 1 >= limit { return .needMore }
            }
            let outcome: MarkupOutcome
            switch bytes[at &+ 1] {
            case 0x2F:
                if ScanBytes.matches(bytes, at, limit, "</Record>") {
                    end = at &+ 9
                    return inList ? malformed("an end tag without a start tag", at) : .complete
                }
                let wasInList = inList
                outcome = endTag(bytes, at, limit)
                if closed { return outcome }
                if wasInList, !inList { keepOddList(&parts) }
            case 0x21, 0x3F:
                outcome = skimmer.skipMarkup(bytes, at, limit)
                end = skimmer.end
                if outcome == .malformed { problem = skimmer.problem }
            default:
                outcome = child(bytes, at, limit, &tag, &skimmer, into: &parts)
            }
            if outcome != .complete { return outcome }
        }
    }

    /// Parses an end tag other than `</Record>`.
    private mutating func endTag(_ bytes: Span<UInt8>, _ at: Int, _ limit: Int) -> MarkupOutcome {
        guard let close = EndTag(bytes, at, limit) else {
            return EndTag.isTooLong(at, limit) ? malformed("an unterminated end tag", at) : .needMore
        }
        end = close.end
        if inList, Child(bytes, close.name) == .beatList {
            inList = false
            return .complete
        }
        switch TopLevel(bytes, close.name) {
        case .record where !inList:
            closed = true
            return .complete
        case .root:
            end = at
            return .unclosed
        default:
            return malformed("an end tag without a start tag", at)
        }
    }

    private mutating func child(
        _ bytes: Span<UInt8>, _ at: Int, _ limit: Int, _ tag: inout TagParser, _ skimmer: inout ElementSkimmer,
        into parts: inout RecordFields.Parts
    ) -> MarkupOutcome {
        guard TagParser.startsName(bytes[at &+ 1]) else { return malformed("a stray <", at) }
        let outcome = tag.parse(bytes, at, limit)
        let name = Child(bytes, tag.name)
        if name == .other, outcome != .needMore || tag.nameEnd < limit, TopLevel(bytes, tag.name) != nil {
            end = at
            return .unclosed
        }
        guard outcome == .complete else {
            problem = tag.problem
            return outcome
        }
        end = tag.end
        // Whether the child's XML is kept, because ranges do not describe it completely.
        var isKept = name == .other
        switch name {
        case .metadata:
            isKept = !metadata(bytes, tag, into: &parts)
        case .beat:
            beat(bytes, tag, into: &parts)
        case .beatList:
            let isSecond = parts.hasBeatList
            parts.hasBeatList = true
            if !tag.selfClosing {
                guard !inList else { return malformed("nested lists of beats", at) }
                inList = true
                list = (at, parts.beats.count, isSecond)
                isListOdd = false
            }
            return .complete
        case .other:
            break
        }
        guard name == .other || !tag.selfClosing else {
            if isKept { parts.extraChildren.append(at..<end) }
            return .complete
        }
        let closed = skimmer.skim(bytes, limit, &tag, outer: .record)
        end = skimmer.end
        if closed == .malformed { problem = skimmer.problem }
        if closed == .complete, isKept { parts.extraChildren.append(at..<end) }
        return closed
    }

    /// Keeps the XML of a list that just ended, if one of its beats lacks an attribute: an absent attribute differs
    /// from an empty one.
    private mutating func keepOddList(_ parts: inout RecordFields.Parts) {
        guard isListOdd else { return }
        isListOdd = false
        parts.beats.removeLast(parts.beats.count - list.beats)
        parts.hasBeatList = list.isSecond
        let known = list.beats
        parts.escaped.removeAll { slot in
            switch slot {
            case .bpm(let index), .time(let index): index >= known
            default: false
            }
        }
        parts.extraChildren.append(list.start..<end)
    }

    private mutating func malformed(_ what: StaticString, _ at: Int) -> MarkupOutcome {
        problem = MarkupProblem(reason: .malformedElement, what: what, at: at)
        return .malformed
    }

    /// The children of a record.
    private enum Child {
        case metadata, beatList, beat, other

        @inline(__always)
        init(_ bytes: Span<UInt8>, _ name: Range<Int>) {
            switch name.count {
            case 13 where ScanBytes.matches(bytes, name.lowerBound, name.upperBound, "MetadataEntry"):
                self = .metadata
            case 27 where ScanBytes.matches(bytes, name.lowerBound, name.upperBound, "InstantaneousBeatsPerMinute"):
                self = .beat
            case 32
            where ScanBytes.matches(bytes, name.lowerBound, name.upperBound, "HeartRateVariabilityMetadataList"):
                self = .beatList
            default: self = .other
            }
        }
    }

    private mutating func attributes(
        _ bytes: Span<UInt8>, _ tag: TagParser, _ parts: inout RecordFields.Parts
    ) {
        for index in 0..<tag.count {
            let attribute = tag.attributes[index]
            guard let field = Self.field(attribute) else {
                extra(bytes, attribute, into: &parts)
                continue
            }
            let bit: UInt16 = 1 << UInt16(field.rawValue)
            if parts.present & bit != 0 {
                notes.add(
                    Note(reason: .duplicateAttribute, at: attribute.nameStart, what: ElementSkimmer.duplicate))
                continue
            }
            parts.present |= bit
            parts.fields[field.rawValue] = attribute.value
            if attribute.special { parts.escaped.append(.field(field.rawValue)) }
        }
    }

    /// Returns the field of a name, by its first and last eight bytes, which may overlap.
    @inline(__always)
    private static func field(_ attribute: TagParser.Attribute) -> RecordFields.Field? {
        switch attribute.nameEnd &- attribute.nameStart {
        case 4:
            if attribute.head == 0x6570_7974 { return .type }
            return attribute.head == 0x7469_6E75 ? .unit : nil
        case 5: return attribute.head == 0x65_756C_6176 ? .value : nil
        case 6: return attribute.head == 0x6563_6976_6564 ? .device : nil
        case 7: return attribute.head == 0x65_7461_4464_6E65 ? .endDate : nil
        case 9, 10, 12, 13: break
        default: return nil
        }
        switch (attribute.head, attribute.tail) {
        case (0x7461_4474_7261_7473, 0x6574_6144_7472_6174): return .startDate
        case (0x614E_6563_7275_6F73, 0x656D_614E_6563_7275): return .sourceName
        case (0x6E6F_6974_6165_7263, 0x6574_6144_6E6F_6974): return .creationDate
        case (0x6556_6563_7275_6F73, 0x6E6F_6973_7265_5665): return .sourceVersion
        default: return nil
        }
    }

    private mutating func extra(
        _ bytes: Span<UInt8>, _ attribute: TagParser.Attribute, into parts: inout RecordFields.Parts
    ) {
        if TagParser.hasSpace(bytes, attribute.name) {
            notes.add(
                Note(reason: .spacedName, at: attribute.nameStart, what: "an attribute name with spaces was kept"))
        }
        let index = parts.extraAttributes.count
        parts.extraAttributes.append(RecordFields.Entry(key: attribute.name, value: attribute.value))
        if attribute.special { parts.escaped.append(.extraValue(index)) }
    }

    /// Adds a metadata entry; returns false if an attribute is missing.
    private mutating func metadata(
        _ bytes: Span<UInt8>, _ tag: TagParser, into parts: inout RecordFields.Parts
    ) -> Bool {
        let index = parts.metadata.count
        guard case (let key?, let value?) = pair(bytes, tag, "key", "value") else {
            let what: StaticString = "a MetadataEntry has no key or no value; kept as XML"
            notes.add(Note(reason: .missingAttribute, at: tag.nameStart, what: what))
            return false
        }
        parts.metadata.append(RecordFields.Entry(key: key.value, value: value.value))
        if key.special { parts.escaped.append(.metadataKey(index)) }
        if value.special { parts.escaped.append(.metadataValue(index)) }
        return true
    }

    private mutating func beat(_ bytes: Span<UInt8>, _ tag: TagParser, into parts: inout RecordFields.Parts) {
        let index = parts.beats.count
        let (bpm, time) = pair(bytes, tag, "bpm", "time")
        let none = tag.end..<tag.end
        if bpm == nil || time == nil {
            isListOdd = true
            let what: StaticString = "a beat has no rate or no time; its list is kept as XML"
            notes.add(Note(reason: .missingAttribute, at: tag.nameStart, what: what))
        }
        parts.beats.append(RecordFields.Beat(bpm: bpm?.value ?? none, time: time?.value ?? none))
        if let bpm, bpm.special { parts.escaped.append(.bpm(index)) }
        if let time, time.special { parts.escaped.append(.time(index)) }
    }

    /// Returns the first attributes with the two names.
    @inline(__always)
    private mutating func pair(
        _ bytes: Span<UInt8>, _ tag: TagParser, _ first: StaticString, _ second: StaticString
    ) -> (TagParser.Attribute?, TagParser.Attribute?) {
        var found: (TagParser.Attribute?, TagParser.Attribute?) = (nil, nil)
        for index in 0..<tag.count {
            let attribute = tag.attributes[index]
            if attribute.name.count == first.utf8CodeUnitCount, found.0 == nil,
                ScanBytes.matches(bytes, attribute.nameStart, attribute.nameEnd, first)
            {
                found.0 = attribute
            } else if attribute.name.count == second.utf8CodeUnitCount, found.1 == nil,
                ScanBytes.matches(bytes, attribute.nameStart, attribute.nameEnd, second)
            {
                found.1 = attribute
            } else {
                notes.add(
                    Note(
                        reason: .unexpectedElement, at: attribute.nameStart,
                        what: "an unknown or repeated attribute"))
            }
        }
        return found
    }
}
