// SPDX-License-Identifier: Apache-2.0

/// Reads the XML of an export as a stream of bytes and tells a consumer what it finds.
///
/// One buffer holds what is looked at: a window of the file, grown only for an element that is longer. An element is
/// parsed where it lies; if the bytes end before it does, more are read and it is parsed again from its start.
/// What is malformed is reported and stepped over, up to the next top-level element that is known.
struct ExportScanner: ~Copyable {
    /// Bytes behind the end that a word may be loaded from.
    static let slack = 64
    /// How far the `>` of an end tag is looked for behind its name's first byte.
    static let endTagBytes = 64

    let limits: ExportLimits
    var source: any ByteSource
    var summary: ExportSummary
    var header = ExportHeader()
    var headerSent = false

    /// Its buffer is the window.
    var record: RecordFields
    var tag: TagParser
    var parser = RecordParser()
    var skimmer: ElementSkimmer

    /// The next byte to look at.
    var at = 0
    /// The end of the bytes that may be looked at: read, and repaired to be UTF-8 without control characters.
    var limit = 0
    /// The end of the bytes that are read.
    var filled = 0
    /// The place of `buffer[0]` in the document.
    var base: UInt64 = 0
    /// Whether the source has no more.
    var ended = false
    /// A place in the buffer and the number of its line.
    var lineMark = (at: 0, line: 1)
    /// The place of the first NUL, which text does not have.
    var firstNul: UInt64?
    /// The place behind the last byte that was not UTF-8, so that a run of them is one issue.
    var illFormedEnd: UInt64 = .max

    /// Whether the root's end tag was the last thing read.
    var rootClosed = false
    /// Whether there is a root.
    var hasRoot = false
    /// Whether the text at hand is already reported.
    var inText = false
    /// Whether the file was found to be cut.
    var cut = false
    /// How many bytes may still be looked at again after something malformed, in all: this keeps the time linear.
    var rescanLeft: Int
    /// What stood behind the address of the last few devices, and what they read as without it.
    var lastDevices: [(tail: [UInt8], text: [UInt8])] = []

    init(_ source: any ByteSource, _ limits: ExportLimits, _ header: ExportHeader, _ issues: IssueLog) {
        self.limits = limits
        self.source = source
        self.header = header
        summary = ExportSummary()
        summary.kind = header.kind
        summary.issues = issues
        record = RecordFields(buffer: Array(repeating: 0, count: limits.window + Self.slack))
        rescanLeft = limits.rescanBytes
        tag = TagParser(limits)
        skimmer = ElementSkimmer(limits)
    }

    /// Reads the whole document.
    mutating func run(_ consumer: inout some ExportConsumer) throws(ExportError) {
        try prolog()
        while true {
            skipSpace()
            if at >= limit {
                if try more(&consumer) { continue }
                break
            }
            if record.buffer[at] != 0x3C {
                strayText()
                continue
            }
            switch try markup(&consumer) {
            case .complete, .malformed, .unclosed: break
            case .needMore:
                // Once the end is known, what lacks its own end may be something else.
                let knewEnd = ended
                if try more(&consumer) || !knewEnd { continue }
                try cutOff(&consumer)
            }
        }
        try finish(&consumer)
    }

    /// Reads the piece of markup at `at`, which is a `<`, and steps behind it unless more bytes are needed.
    private mutating func markup(_ consumer: inout some ExportConsumer) throws(ExportError) -> MarkupOutcome {
        guard at + 1 < limit else { return .needMore }
        let next = record.buffer[at + 1]
        if next == 0x2F { return try endTag(&consumer) }
        if next == 0x21 || next == 0x3F { return misc() }
        guard TagParser.startsName(next) else {
            strayMarkup("a < that begins nothing")
            return .complete
        }
        let outcome = parseTag(within: limits.elementBytes)
        if outcome == .needMore { return try needMore(within: limits.elementBytes, nil, &consumer) }
        let name = TopLevel(record.buffer.span, tag.name)
        if outcome == .malformed { return try fail(tag.problem, name, &consumer) }
        inText = false
        if name == .record { return try readRecord(&consumer) }
        return try readElement(name, &consumer)
    }

    /// Steps over spaces.
    @inline(__always)
    private mutating func skipSpace() {
        while at < limit, TagParser.isSpace(record.buffer[at]) { at &+= 1 }
    }

    /// Steps over text that is not part of any element, to the next `<` at hand.
    private mutating func strayText() {
        if !inText { issue(.strayText, at: at, "text between the elements was left out") }
        inText = true
        at = ScanBytes.find(0x3C, in: record.buffer.span, at, limit)
    }

    /// Steps over a `<` that begins nothing.
    mutating func strayMarkup(_ what: StaticString) {
        if !inText { issue(.strayText, at: at, "\(what)") }
        inText = true
        at += 1
    }

    /// A comment or processing instruction between the elements; anything else with `!` is text.
    private mutating func misc() -> MarkupOutcome {
        let outcome = rescanLeft > 0 ? skipMarkup() : .malformed
        switch outcome {
        case .complete:
            at = skimmer.end
        case .needMore where !ended, .unclosed:
            return outcome
        case .needMore, .malformed:
            _ = spend((outcome == .needMore ? limit : skimmer.problem.at) - at)
            strayMarkup("a comment or declaration that does not belong here")
        }
        return .complete
    }

    /// Whether bytes that were looked at in vain may be looked at again.
    ///
    /// A hostile file could make every few bytes begin something that fails far behind.
    mutating func spend(_ bytes: Int) -> Bool {
        let enough = bytes <= rescanLeft
        rescanLeft = enough ? rescanLeft - max(bytes, 0) : 0
        return enough
    }

    /// An end tag between the elements: that of the root, or one that closes nothing.
    private mutating func endTag(_ consumer: inout some ExportConsumer) throws(ExportError) -> MarkupOutcome {
        guard let close = EndTag(record.buffer.span, at, limit) else {
            if !EndTag.isTooLong(at, limit) { return .needMore }
            strayMarkup("an end tag that does not end")
            return .complete
        }
        if TopLevel(record.buffer.span, close.name) == .root, hasRoot, !rootClosed {
            rootClosed = true
        } else {
            issue(.malformedElement, at: at, "</\(record.text(close.name))> closes nothing")
        }
        at = close.end
        inText = false
        return .complete
    }
}

// The parsers fill in parts of this struct while they look at its buffer. A second reference to the buffer lets them;
// it must be gone before the buffer is written to, or all of it would be copied.
extension ExportScanner {
    mutating func parseTag(within most: Int) -> MarkupOutcome {
        let window = record.buffer
        return tag.parse(window.span, at, reach(most))
    }

    mutating func parseRecord() -> MarkupOutcome {
        let window = record.buffer
        return parser.parse(window.span, reach(limits.mostRecordBytes), &tag, &skimmer, into: &record.parts)
    }

    mutating func skim(_ name: TopLevel?) -> MarkupOutcome {
        let window = record.buffer
        return skimmer.skim(window.span, reach(limits.elementBytes), &tag, outer: name)
    }

    mutating func skipMarkup() -> MarkupOutcome {
        let window = record.buffer
        return skimmer.skipMarkup(window.span, at, limit)
    }
}

extension ExportScanner {
    /// The end of what may be looked at of markup that may have so many bytes: of longer markup nothing behind them
    /// counts, whether or not it is at hand.
    private func reach(_ most: Int) -> Int { limit - at > most ? at + most : limit }

    /// The bytes end inside of the markup at `at`.
    mutating func cutOff(_ consumer: inout some ExportConsumer) throws(ExportError) {
        let name = at + 1..<at + 1 + ScanBytes.nameLength(record.buffer.span, at + 1, limit)
        let what = name.isEmpty ? "a tag" : "<\(record.text(name))"
        issue(.truncated, at: at, "the file ends inside of \(what), which was left out")
        cut = true
        let top = TopLevel(record.buffer.span, name)
        if top == .record { summary.recordsSkipped += 1 }
        try resync(from: spend(limit - at) ? at + 1 : limit, after: top, &consumer)
    }

    /// The bytes end between two elements.
    private mutating func finish(_ consumer: inout some ExportConsumer) throws(ExportError) {
        try sendHeader(&consumer)
        if let damage = source.damage {
            cut = true
            issue(.damagedFile, at: at, damage)
        } else if hasRoot, !rootClosed, !cut {
            cut = true
            issue(.truncated, at: at, "the file ends before </HealthData>")
        }
        summary.issues.sort()
        summary.bytes = base + UInt64(at)
        summary.complete = rootClosed && !cut
        do {
            try consumer.progress(bytesRead: summary.bytes, bytesTotal: source.total, records: summary.records)
        } catch {
            throw .consumer(error)
        }
    }

    /// Gives the consumer what stands before the first element, once.
    mutating func sendHeader(_ consumer: inout some ExportConsumer) throws(ExportError) {
        guard !headerSent else { return }
        headerSent = true
        do {
            try consumer.header(header)
        } catch {
            throw .consumer(error)
        }
    }

    /// Steps over a malformed element.
    mutating func fail(
        _ problem: MarkupProblem, _ name: TopLevel?, _ consumer: inout some ExportConsumer
    ) throws(ExportError) -> MarkupOutcome {
        if !inText {
            let what = name.map { "\($0.rawValue) left out: " } ?? ""
            issue(problem.reason, at: at, "\(what)\(problem.what)")
        }
        inText = name == nil
        if name == .record { summary.recordsSkipped += 1 }
        try resync(from: spend(problem.at - at) ? at + 1 : max(problem.at, at + 1), after: name, &consumer)
        return .malformed
    }

    /// Steps behind an end tag, whatever it has behind its name; only behind the name if it does not end soon.
    private mutating func skipEndTag(_ name: Range<Int>) {
        let most = min(limit, name.lowerBound + Self.endTagBytes)
        let open = ScanBytes.find(0x3C, in: record.buffer.span, name.upperBound, most)
        let end = ScanBytes.find(0x3E, in: record.buffer.span, name.upperBound, open)
        at = end < open ? end + 1 : name.upperBound
    }

    /// Goes to the next place, from one on, where a known top-level element or the root's end may begin, or behind the
    /// end tag of the element that failed.
    private mutating func resync(
        from start: Int, after failed: TopLevel?, _ consumer: inout some ExportConsumer
    ) throws(ExportError) {
        at = start
        while true {
            at = ScanBytes.find(0x3C, in: record.buffer.span, at, limit)
            // The longest end tag that is looked for, so that what is found does not depend on the window.
            if limit - at < Self.endTagBytes + 2, try more(&consumer) { continue }
            if at >= limit { return }
            let closing = at + 1 < limit && record.buffer[at + 1] == 0x2F
            let first = at + (closing ? 2 : 1)
            let count = ScanBytes.nameLength(record.buffer.span, first, limit)
            if let name = TopLevel(record.buffer.span, first..<first + count) {
                if closing, name == failed {
                    skipEndTag(first..<first + count)
                    return
                }
                if closing ? name == .root : !(name == .record && failed == .correlation) { return }
            }
            at += 1
        }
    }
}
