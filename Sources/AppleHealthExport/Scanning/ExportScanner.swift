// SPDX-License-Identifier: Apache-2.0

/// A scanner of an export's XML as a stream of bytes, which passes elements to a consumer.
///
/// One buffer is a window of the file, and grows only for a longer element. An element is parsed in place; if it is not
/// complete in the window, more bytes are read and it is parsed again from its start. Malformed markup is reported and
/// skipped, up to the next known top-level element.
struct ExportScanner: ~Copyable {
    /// The number of bytes after the end that word loads may read.
    static let slack = 64
    /// The maximum distance of an end tag's `>` from the first byte of its name.
    static let endTagBytes = 64

    let limits: ExportLimits
    var source: any ByteSource
    var summary: ExportSummary
    var header = ExportHeader()
    var headerSent = false

    /// The current record; its buffer is the window.
    var record: RecordFields
    var tag: TagParser
    var parser = RecordParser()
    var skimmer: ElementSkimmer
    var dates = DateReader()

    /// The next byte to parse.
    var at = 0
    /// The end of the parsable bytes: read, and repaired to be UTF-8 without control characters.
    var limit = 0
    /// The end of the read bytes.
    var filled = 0
    /// The offset of `buffer[0]` in the document.
    var base: UInt64 = 0
    /// Whether the source has no more bytes.
    var ended = false
    /// A place in the buffer, and its line number.
    var lineMark = (at: 0, line: 1)
    /// The offset of the first NUL, which is not allowed in text.
    var firstNul: UInt64?
    /// The offset after the last invalid byte of UTF-8, so that a run of them is one issue.
    var illFormedEnd: UInt64 = .max

    /// Whether the root's end tag was the last markup read.
    var rootClosed = false
    var hasRoot = false
    /// Whether the current text is reported already.
    var inText = false
    /// Whether the file is truncated.
    var cut = false
    /// The remaining number of bytes that may be scanned again after malformed markup, which keeps the time linear.
    var rescanLeft: Int
    /// A cache of the last few devices: the bytes after the address, and the text without the address.
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
                // At the end of the file, an unterminated piece of markup may contain other markup.
                let knewEnd = ended
                if try more(&consumer) || !knewEnd { continue }
                try cutOff(&consumer)
            }
        }
        try finish(&consumer)
    }

    /// Parses the markup at `at`, which is a `<`, and moves past it unless more bytes are needed.
    private mutating func markup(_ consumer: inout some ExportConsumer) throws(ExportError) -> MarkupOutcome {
        guard at + 1 < limit else { return .needMore }
        let next = record.buffer[at + 1]
        if next == 0x2F { return try endTag(&consumer) }
        if next == 0x21 || next == 0x3F { return misc() }
        guard TagParser.startsName(next) else {
            strayMarkup("a stray <")
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

    @inline(__always)
    private mutating func skipSpace() {
        while at < limit, TagParser.isSpace(record.buffer[at]) { at &+= 1 }
    }

    /// Skips text outside of elements, up to the next `<` in the window.
    private mutating func strayText() {
        if !inText { issue(.strayText, at: at, "text between the elements was left out") }
        inText = true
        at = ScanBytes.find(0x3C, in: record.buffer.span, at, limit)
    }

    /// Skips a stray `<`.
    mutating func strayMarkup(_ what: StaticString) {
        if !inText { issue(.strayText, at: at, "\(what)") }
        inText = true
        at += 1
    }

    /// Skips a comment or processing instruction between the elements; any other markup with `!` is text.
    private mutating func misc() -> MarkupOutcome {
        let outcome = rescanLeft > 0 ? skipMarkup() : .malformed
        switch outcome {
        case .complete:
            at = skimmer.end
        case .needMore where !ended, .unclosed:
            return outcome
        case .needMore, .malformed:
            _ = spend((outcome == .needMore ? limit : skimmer.problem.at) - at)
            strayMarkup("an unexpected comment or declaration")
        }
        return .complete
    }

    /// Returns whether bytes after malformed markup may be scanned again.
    ///
    /// In a hostile file, every few bytes could start markup that fails only much later.
    mutating func spend(_ bytes: Int) -> Bool {
        let enough = bytes <= rescanLeft
        rescanLeft = enough ? rescanLeft - max(bytes, 0) : 0
        return enough
    }

    /// Handles an end tag between the elements: the root's, or one without a start tag.
    private mutating func endTag(_ consumer: inout some ExportConsumer) throws(ExportError) -> MarkupOutcome {
        guard let close = EndTag(record.buffer.span, at, limit) else {
            if !EndTag.isTooLong(at, limit) { return .needMore }
            strayMarkup("an unterminated end tag")
            return .complete
        }
        if TopLevel(record.buffer.span, close.name) == .root, hasRoot, !rootClosed {
            rootClosed = true
        } else {
            issue(.malformedElement, at: at, "</\(record.text(close.name))> has no start tag")
        }
        at = close.end
        inText = false
        return .complete
    }
}

// The parsers write parts of this struct while they read its buffer, through a second reference to the buffer.
//
// - Invariant: the second reference is released before the buffer is written, because otherwise the buffer is copied.
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

    /// Returns the end of the parsable bytes for markup with a length limit: bytes beyond the limit are ignored, so
    /// that the result does not depend on the window.
    private func reach(_ most: Int) -> Int { limit - at > most ? at + most : limit }

    /// Handles the end of the file inside the markup at `at`.
    mutating func cutOff(_ consumer: inout some ExportConsumer) throws(ExportError) {
        let name = at + 1..<at + 1 + ScanBytes.nameLength(record.buffer.span, at + 1, limit)
        let what = name.isEmpty ? "a tag" : "<\(record.text(name))"
        issue(.truncated, at: at, "the file ends inside \(what), which was left out")
        cut = true
        let top = TopLevel(record.buffer.span, name)
        if top == .record { summary.recordsSkipped += 1 }
        try resync(from: spend(limit - at) ? at + 1 : limit, after: top, &consumer)
    }

    /// Handles the end of the file between two elements.
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
        try consumer.call {
            try $0.progress(bytesRead: summary.bytes, bytesTotal: source.total, records: summary.records)
        }
    }

    /// Passes the header to the consumer, once.
    mutating func sendHeader(_ consumer: inout some ExportConsumer) throws(ExportError) {
        guard !headerSent else { return }
        headerSent = true
        try consumer.call { try $0.header(header) }
    }

    /// Skips a malformed element.
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

    /// Moves past an end tag; only past its name if the tag does not end within the limit.
    private mutating func skipEndTag(_ name: Range<Int>) {
        let most = min(limit, name.lowerBound + Self.endTagBytes)
        let open = ScanBytes.find(0x3C, in: record.buffer.span, name.upperBound, most)
        let end = ScanBytes.find(0x3E, in: record.buffer.span, name.upperBound, open)
        at = end < open ? end + 1 : name.upperBound
    }

    /// Moves to the next known top-level element or end of the root, at or after `start`, or past the end tag of the
    /// failed element.
    private mutating func resync(
        from start: Int, after failed: TopLevel?, _ consumer: inout some ExportConsumer
    ) throws(ExportError) {
        at = start
        while true {
            at = ScanBytes.find(0x3C, in: record.buffer.span, at, limit)
            // The longest end tag must be in the window, so that the result does not depend on the window.
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
