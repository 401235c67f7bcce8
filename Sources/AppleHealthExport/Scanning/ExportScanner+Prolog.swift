// SPDX-License-Identifier: Apache-2.0

/// The bracket state of a document type, which is not parsed; detects only whether it is well-formed.
struct DoctypeState {
    /// Whether there is a `<!DOCTYPE`.
    private(set) var seen = false
    private(set) var malformed = false
    private var inside = false
    private var subset = false
    private var declaration = false

    /// Handles `<!` and a name; `doctype` is true for the document type itself.
    mutating func declare(doctype: Bool) {
        if doctype, !seen {
            seen = true
            inside = true
        } else {
            if declaration || !inside { malformed = true }
            declaration = true
        }
    }

    /// Handles a byte outside of comments.
    mutating func take(_ byte: UInt8) {
        switch byte {
        case 0x5B where inside && !subset && !declaration: subset = true
        case 0x5D where subset && !declaration: subset = false
        case 0x3E where declaration: declaration = false
        case 0x3E where inside && !subset: inside = false
        case 0x3E: malformed = true
        default: break
        }
    }

    /// Handles the end of the prolog, at the root.
    mutating func finish() {
        if inside || declaration { malformed = true }
    }
}

extension ExportScanner {
    /// Reads up to and including the root's start tag, or up to a known top-level element without a root.
    ///
    /// A document type is skipped even if it is malformed, as in iOS 16; a document type with entities is refused. A
    /// document with another root is not an export.
    mutating func prolog() throws(ExportError) {
        var doctype = DoctypeState()
        if try !has(1) { throw .notAnExport(seen: "an empty file") }
        if try isFIT() { throw .notAnExport(seen: Self.fitFile) }
        if try has(3), ScanBytes.matches(record.buffer.span, at, limit, "\u{FEFF}") { at += 3 }
        while true {
            try skipToMarkup(&doctype)
            guard try has(2) else { throw notFound }
            // Enough bytes for any of the markup below, and for a name in a message.
            _ = try has(66)
            let next = record.buffer[at + 1]
            if next == 0x21 || next == 0x3F {
                try declaration(&doctype)
            } else if TagParser.startsName(next) {
                let name = at + 1..<at + 1 + ScanBytes.nameLength(record.buffer.span, at + 1, limit)
                if let top = TopLevel(record.buffer.span, name) {
                    doctype.finish()
                    if doctype.malformed { issue(.malformedDTD, at: at, "a malformed document type was left out") }
                    return try begin(top)
                }
                // A malformed document type may contain text that looks like a tag.
                guard doctype.seen else {
                    throw .notAnExport(seen: "an XML or HTML document whose root is <\(record.text(name.prefix(64)))>")
                }
                at += 1
            } else {
                at += 2
            }
        }
    }

    /// Handles the root, or the first element of a fragment without a root.
    private mutating func begin(_ top: TopLevel) throws(ExportError) {
        if let firstNul, firstNul < base + UInt64(at) {
            throw .notAnExport(seen: "binary data: a NUL at byte \(firstNul)")
        }
        guard top == .root else {
            issue(.missingRoot, at: at, "no HealthData around the elements; elements may be missing")
            return
        }
        hasRoot = true
        var outcome = parseTag(within: limits.prologBytes)
        while outcome == .needMore, limit - at < limits.prologBytes, try more() {
            outcome = parseTag(within: limits.prologBytes)
        }
        guard outcome == .complete else {
            issue(.malformedElement, at: at, "the start tag of HealthData is malformed")
            inText = true
            at += 1
            return
        }
        header.locale = attributes().first { $0.name == "locale" }?.value
        rootClosed = tag.selfClosing
        at = tag.end
    }

    /// Skips to the next `<`.
    private mutating func skipToMarkup(_ doctype: inout DoctypeState) throws(ExportError) {
        while true {
            while at < limit, record.buffer[at] != 0x3C {
                if doctype.seen {
                    doctype.take(record.buffer[at])
                } else if !TagParser.isSpace(record.buffer[at]), !inText {
                    inText = true
                    issue(.strayText, at: at, "text before the root was left out")
                }
                at += 1
            }
            if base + UInt64(at) > UInt64(limits.prologBytes) { throw notFound }
            if at < limit { return }
            guard try more() else { throw notFound }
        }
    }

    /// Handles a comment, processing instruction or declaration.
    private mutating func declaration(_ doctype: inout DoctypeState) throws(ExportError) {
        if record.buffer[at + 1] == 0x3F || ScanBytes.matches(record.buffer.span, at, limit, "<!--") {
            var outcome = rescanLeft > 0 ? skipMarkup() : .malformed
            while outcome == .needMore, try more() { outcome = skipMarkup() }
            guard outcome == .complete else {
                // As between the elements: a hostile file may have many unterminated starts of markup.
                _ = spend((outcome == .needMore ? limit : skimmer.problem.at) - at)
                at += 2
                return
            }
            readVersion(at..<skimmer.end)
            at = skimmer.end
        } else if ScanBytes.matches(record.buffer.span, at, limit, "<!ENTITY") {
            throw .refused(
                what: "the document type declares entities, which no export does", line: line(at: at),
                offset: base + UInt64(at))
        } else {
            let isDoctype = ScanBytes.matches(record.buffer.span, at, limit, "<!DOCTYPE")
            doctype.declare(doctype: isDoctype)
            at += isDoctype ? 9 : 2
        }
    }

    /// Reads the number of the comment `HealthKit Export Version: 14`.
    private mutating func readVersion(_ comment: Range<Int>) {
        guard header.version == nil, comment.count > 32 else { return }
        let text = record.text(comment.prefix(256))
        guard let label = text.firstRange(of: "HealthKit Export Version:") else { return }
        let digits = text[label.upperBound...].drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }
        header.version = Int(digits)
    }

    private static let fitFile =
        "a FIT file, a workout of a sports watch; programs read it with the library WorkoutFiles"

    /// Returns whether the file begins like a FIT file: with the length of its header, a control character that was
    /// replaced by a space, and `.FIT` at byte 8.
    private mutating func isFIT() throws(ExportError) -> Bool {
        guard record.buffer[at] == 0x20, try has(12) else { return false }
        return ScanBytes.matches(record.buffer.span, at + 8, limit, ".FIT")
    }

    /// Returns whether `count` bytes are available from `at` on, after reading more if needed.
    private mutating func has(_ count: Int) throws(ExportError) -> Bool {
        while limit - at < count {
            if try !more() { return false }
        }
        return true
    }

    /// The error for a file without a root in its first part.
    private var notFound: ExportError {
        let (read, most) = (base + UInt64(limit), UInt64(limits.prologBytes))
        if let firstNul, firstNul <= most { return .notAnExport(seen: "binary data: a NUL at byte \(firstNul)") }
        let seen = read > most ? "the first \(most) bytes" : read == 1 ? "1 byte" : "\(read) bytes"
        return .notAnExport(seen: "\(seen) without <HealthData>")
    }
}
