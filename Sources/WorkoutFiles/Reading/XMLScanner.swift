// SPDX-License-Identifier: Apache-2.0

/// Scans XML tag by tag in bounded memory. A text is kept up to the end of its element.
///
/// Names are returned without their namespace prefix. Document types and their entities are not interpreted.
struct XMLScanner {
    /// A tag. A self-closing tag is a start and an end.
    enum Tag {
        case start(name: String, attributes: [String: String])
        case end(name: String)
    }

    private var window: ByteWindow
    /// The names of the open elements, without prefixes.
    private(set) var open: [String] = []
    /// The name of an element that a self-closing tag opened.
    private var closing: String?
    /// The text since the last tag, without spaces at its ends.
    private(set) var text = ""
    private var isStarted = false

    private static let depthLimit = 64
    private static let nameLimit = 256
    private static let textLimit = 4_096
    private static let attributeLimit = 64

    init(_ window: ByteWindow) { self.window = window }

    /// The offset of the next byte in the file.
    var offset: UInt64 { window.offset }

    /// Returns the next tag; nil at the end of a complete file.
    ///
    /// - Throws: `malformed`, `truncated`, `tooLarge`, `unreadable`.
    mutating func next() throws(WorkoutFileError) -> Tag? {
        if let name = closing {
            closing = nil
            open.removeLast()
            text = ""
            return .end(name: name)
        }
        var bytes: [UInt8] = []
        while true {
            guard let byte = try window.next() else {
                if open.isEmpty, isStarted { return nil }
                let what = open.last.map { "the file ends inside <\($0)>" } ?? "the file has no element"
                throw WorkoutFileError(.truncated, at: offset, what)
            }
            if byte != 0x3C {
                if !isStarted, !Self.isSpace(byte), ![0xEF, 0xBB, 0xBF].contains(byte) {
                    throw WorkoutFileError(.malformed, at: offset - 1, "the file does not start with a tag")
                }
                if bytes.count < Self.textLimit { bytes.append(byte) }
                continue
            }
            switch try window.peek() {
            case 0x21: try skipDeclaration(&bytes)
            case 0x3F: try skip(to: [0x3F, 0x3E])
            case 0x2F:
                text = Self.decoded(bytes)
                return try endTag()
            default:
                text = ""
                return try startTag()
            }
        }
    }

    // MARK: - Tags

    private mutating func startTag() throws(WorkoutFileError) -> Tag {
        let start = offset - 1
        isStarted = true
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            switch try afterSpaces() {
            case 0x3E:
                try push(name, start)
                return .start(name: name, attributes: attributes)
            case 0x2F:
                guard try window.next() == 0x3E else {
                    throw WorkoutFileError(.malformed, at: offset - 1, "a slash is inside of the tag <\(name)>")
                }
                try push(name, start)
                closing = name
                return .start(name: name, attributes: attributes)
            case let first:
                let key = try self.name(first)
                guard try afterSpaces() == 0x3D else {
                    throw WorkoutFileError(.malformed, at: offset - 1, "an attribute of <\(name)> has no value")
                }
                let value = try value(of: name)
                guard attributes.count < Self.attributeLimit else {
                    throw WorkoutFileError(.tooLarge, at: start, "<\(name)> has too many attributes")
                }
                if attributes[key] == nil { attributes[key] = value }
            }
        }
    }

    private mutating func push(_ name: String, _ start: UInt64) throws(WorkoutFileError) {
        guard open.count < Self.depthLimit else {
            throw WorkoutFileError(.tooLarge, at: start, "the elements are nested too deeply")
        }
        open.append(name)
    }

    private mutating func endTag() throws(WorkoutFileError) -> Tag {
        let start = offset - 1
        _ = try window.next()
        let name = try name()
        guard try afterSpaces() == 0x3E, open.last == name else {
            throw WorkoutFileError(.malformed, at: start, "</\(name)> does not close the innermost element")
        }
        open.removeLast()
        return .end(name: name)
    }

    /// Returns a name without its prefix, and stops before the byte that ends it.
    private mutating func name(_ first: UInt8? = nil) throws(WorkoutFileError) -> String {
        var bytes = first.map { [$0] } ?? []
        while let byte = try window.peek(), !Self.endsName(byte) {
            guard bytes.count < Self.nameLimit else {
                throw WorkoutFileError(.tooLarge, at: offset, "a name is too long")
            }
            if byte == 0x3A { bytes = [] } else { bytes.append(byte) }
            window.skip(1)
        }
        guard let first = bytes.first, first | 0x20 >= 0x61 && first | 0x20 <= 0x7A || first == 0x5F || first >= 0x80
        else { throw WorkoutFileError(.malformed, at: offset, "a name is missing or invalid") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func value(of name: String) throws(WorkoutFileError) -> String {
        let quote = try afterSpaces()
        guard quote == 0x22 || quote == 0x27 else {
            throw WorkoutFileError(.malformed, at: offset - 1, "an attribute of <\(name)> has no quotes")
        }
        var bytes: [UInt8] = []
        while let byte = try window.next() {
            if byte == quote { return Self.decoded(bytes) }
            guard bytes.count < Self.textLimit else {
                throw WorkoutFileError(.tooLarge, at: offset, "an attribute of <\(name)> is too long")
            }
            bytes.append(byte)
        }
        throw WorkoutFileError(.truncated, at: offset, "the file ends inside <\(name)>")
    }

    /// Returns the next byte that is no space.
    private mutating func afterSpaces() throws(WorkoutFileError) -> UInt8 {
        while let byte = try window.next() { if !Self.isSpace(byte) { return byte } }
        throw WorkoutFileError(.truncated, at: offset, "the file ends inside a tag")
    }

    // MARK: - Other markup

    /// Skips a comment or a document type; adds the text of a CDATA section.
    private mutating func skipDeclaration(_ text: inout [UInt8]) throws(WorkoutFileError) {
        let start = offset - 1
        _ = try window.next()
        if try starts(with: Array("--".utf8)) { return try skip(to: Array("-->".utf8)) }
        if try starts(with: Array("[CDATA[".utf8)) { return try skip(to: Array("]]>".utf8), &text) }
        guard !isStarted else {
            throw WorkoutFileError(.malformed, at: start, "a declaration inside of an element")
        }
        var depth = 1
        while let byte = try window.next() {
            if byte == 0x3C { depth += 1 }
            if byte == 0x3E { depth -= 1 }
            if depth == 0 { return }
        }
        throw WorkoutFileError(.truncated, at: offset, "the file ends inside a declaration")
    }

    private mutating func starts(with text: [UInt8]) throws(WorkoutFileError) -> Bool {
        guard try window.has(text.count) else { return false }
        for (place, byte) in text.enumerated() where window[place] != byte { return false }
        window.skip(text.count)
        return true
    }

    private mutating func skip(to closing: [UInt8]) throws(WorkoutFileError) {
        var unused = [UInt8](repeating: 0, count: Self.textLimit)
        try skip(to: closing, &unused)
    }

    private mutating func skip(to closing: [UInt8], _ text: inout [UInt8]) throws(WorkoutFileError) {
        while try window.has(closing.count) {
            if try starts(with: closing) { return }
            if text.count < Self.textLimit { text.append(window[0]) }
            window.skip(1)
        }
        throw WorkoutFileError(.truncated, at: offset, "the file ends inside a comment or a section")
    }

    // MARK: - Texts

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func endsName(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == 0x3E || byte == 0x2F || byte == 0x3D || byte == 0x3C
    }

    /// Returns a text without spaces at its ends, with the five named references resolved.
    private static func decoded(_ bytes: [UInt8]) -> String {
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        let text = String(decoding: bytes[first...last], as: UTF8.self)
        guard bytes.contains(0x26) else { return text }
        let references = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
        return references.reduce(text) {
            $0.split(separator: $1.0, omittingEmptySubsequences: false).joined(separator: $1.1)
        }
    }
}
