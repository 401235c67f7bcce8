// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A strict scanner of one XML document in UTF-8, without a tree.
///
/// It refuses every document that is not well-formed, declarations of a document type (which can define entities),
/// other encodings, and more than ``deepest`` open elements. It resolves no external reference and needs memory for
/// the open elements and one text.
/// - Complexity: O(bytes), and O(attributes²) for each tag.
struct MarkupScanner {
    /// A part of the document.
    enum Part: Equatable {
        /// A start tag, or an empty tag, which an end follows.
        case start
        case end
        /// Characters with resolved references.
        case text(String)
    }

    /// The reason why a document is refused.
    struct Fault: Error, Equatable {
        let reason: String
        /// From 1.
        let line: Int
    }

    /// The maximum number of open elements.
    static let deepest = 256
    /// The maximum number of attributes of a tag.
    static let mostAttributes = 256

    private let bytes: [UInt8]
    private var at = 0
    /// The names of the open elements.
    private var open: [Range<Int>] = []
    private var closes = false
    private var isOver = false
    /// The name of the last tag.
    private var name = 0..<0
    private var attributes: [(name: Range<Int>, value: String)] = []

    /// - Throws: a fault for bytes that are not UTF-8.
    init(_ bytes: [UInt8]) throws(Fault) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Fault(reason: "the document is not UTF-8 text", line: 1)
        }
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        if starts("<?xml "), let end = find("?>") {
            try checkDeclaration(String(decoding: bytes[at..<end], as: UTF8.self))
            at = end + 2
        }
    }

    /// The number of open elements, including that of the last start tag.
    var depth: Int { open.count }

    /// The name of the last tag, with its prefix.
    var nameText: String { String(decoding: bytes[name], as: UTF8.self) }

    /// Returns the value of an attribute of the last start tag; nil if there is none.
    subscript(_ other: String) -> String? {
        attributes.first { other.utf8.elementsEqual(bytes[$0.name]) }?.value
    }

    /// Moves to the next part; nil after the end of the document.
    mutating func next() throws(Fault) -> Part? {
        if closes {
            closes = false
            return close()
        }
        while at < bytes.count {
            guard bytes[at] == 0x3C else {
                if let text = try text() { return .text(text) }
                continue
            }
            if starts("<!--") {
                try skipComment()
            } else if starts("<![CDATA[") {
                guard depth > 0, let end = find("]]>") else {
                    throw fault("a CDATA section stands alone or has no end")
                }
                let found = bytes[at + 9..<end]
                guard found.allSatisfy({ $0 >= 0x20 || Self.isSpace($0) }) else {
                    throw fault("a text holds a control character")
                }
                at = end + 3
                return .text(String(decoding: found, as: UTF8.self))
            } else if starts("<!") {
                throw fault("the document declares a type or entities, which is not supported")
            } else if starts("<?") {
                guard !starts("<?xml "), let end = find("?>") else { throw fault("an instruction is not valid") }
                at = end + 2
            } else {
                return try tag()
            }
        }
        guard isOver else { throw fault(depth == 0 ? "the document has no element" : "an element has no end") }
        return nil
    }

    private mutating func close() -> Part {
        open.removeLast()
        if open.isEmpty { isOver = true }
        return .end
    }

    /// Returns the text up to the next tag; nil for spaces outside of the outermost element.
    private mutating func text() throws(Fault) -> String? {
        let end = bytes[at...].firstIndex(of: 0x3C) ?? bytes.count
        let range = at..<end
        if depth == 0 {
            guard bytes[range].allSatisfy(Self.isSpace) else { throw fault("a text stands outside of the element") }
            at = end
            return nil
        }
        if bytes[range].contains(0x5D), Self.holds(bytes[range], [0x5D, 0x5D, 0x3E]) {
            throw fault("a text holds ]]>")
        }
        let found = try resolved(range)
        at = end
        return found
    }

    // MARK: Tags

    private mutating func tag() throws(Fault) -> Part {
        if starts("</") {
            at += 2
            let found = try word()
            skipSpaces()
            guard take(0x3E), let last = open.last, bytes[last].elementsEqual(bytes[found]) else {
                throw fault("an end tag does not match its start tag")
            }
            name = found
            return close()
        }
        guard !isOver else { throw fault("the document has several elements") }
        at += 1
        name = try word()
        attributes.removeAll(keepingCapacity: true)
        while true {
            let hasSpace = at < bytes.count && Self.isSpace(bytes[at])
            skipSpaces()
            if take(0x3E) { break }
            if take(0x2F) {
                guard take(0x3E) else { throw fault("a tag has no end") }
                closes = true
                break
            }
            guard hasSpace else { throw fault("a tag is not valid") }
            try attribute()
        }
        guard depth < Self.deepest else { throw fault("more than \(Self.deepest) elements are open") }
        open.append(name)
        return .start
    }

    private mutating func attribute() throws(Fault) {
        let key = try word()
        skipSpaces()
        guard take(0x3D) else { throw fault("an attribute has no value") }
        skipSpaces()
        guard at < bytes.count, bytes[at] == 0x22 || bytes[at] == 0x27,
            let end = bytes[(at + 1)...].firstIndex(of: bytes[at])
        else { throw fault("the value of an attribute has no quotation marks") }
        let range = at + 1..<end
        guard !bytes[range].contains(0x3C) else { throw fault("the value of an attribute holds <") }
        guard !attributes.contains(where: { bytes[$0.name].elementsEqual(bytes[key]) }) else {
            throw fault("an attribute stands twice in a tag")
        }
        guard attributes.count < Self.mostAttributes else {
            throw fault("a tag has more than \(Self.mostAttributes) attributes")
        }
        attributes.append((key, try resolved(range)))
        at = end + 1
    }

    /// Takes a name: letters, digits, `_`, `:`, `-`, `.` and characters beyond ASCII.
    private mutating func word() throws(Fault) -> Range<Int> {
        let first = at
        while at < bytes.count, Self.isOfName(bytes[at], isFirst: at == first) { at += 1 }
        guard at > first else { throw fault("a name is missing or not valid") }
        return first..<at
    }

    private static func isOfName(_ byte: UInt8, isFirst: Bool) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x3A, 0x80...0xFF: true
        case 0x30...0x39, 0x2D, 0x2E: !isFirst
        default: false
        }
    }

    // MARK: Bytes

    private mutating func skipComment() throws(Fault) {
        at += 4
        guard let end = find("--"), end + 2 < bytes.count, bytes[end + 2] == 0x3E else {
            throw fault("a comment has no end")
        }
        at = end + 3
    }

    private mutating func skipSpaces() {
        while at < bytes.count, Self.isSpace(bytes[at]) { at += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    private func starts(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

    /// Returns the next place of a text; nil if there is none.
    private func find(_ text: String) -> Int? {
        let wanted = Array(text.utf8)
        var place = at
        while let first = bytes[place...].firstIndex(of: wanted[0]) {
            if bytes[first...].starts(with: wanted) { return first }
            place = first + 1
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func holds(_ bytes: ArraySlice<UInt8>, _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    func fault(_ reason: String) -> Fault {
        let end = min(at, bytes.count)
        return Fault(reason: reason, line: 1 + bytes[..<end].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) })
    }
}

extension MarkupScanner {
    /// Throws unless the declaration of the document states UTF-8, ASCII or no encoding.
    private func checkDeclaration(_ text: String) throws(Fault) {
        guard let place = text.range(of: "encoding") else { return }
        let name = text[place.upperBound...].split { !$0.isLetter && !$0.isNumber && $0 != "-" }.first ?? ""
        guard ["utf-8", "utf8", "us-ascii"].contains(name.lowercased()) else {
            throw fault("the encoding \(name.prefix(40)) is not supported; use UTF-8")
        }
    }

    /// Returns a text with resolved references.
    private func resolved(_ range: Range<Int>) throws(Fault) -> String {
        var found: [UInt8] = []
        found.reserveCapacity(range.count)
        var place = range.lowerBound
        while place < range.upperBound {
            let byte = bytes[place]
            if byte < 0x20, !Self.isSpace(byte) { throw fault("a text holds a control character") }
            guard byte == 0x26 else {
                found.append(byte)
                place += 1
                continue
            }
            guard let end = bytes[place..<min(range.upperBound, place + 12)].firstIndex(of: 0x3B),
                let character = Self.character(String(decoding: bytes[place + 1..<end], as: UTF8.self))
            else { throw fault("a reference is not valid") }
            found.append(contentsOf: String(Character(character)).utf8)
            place = end + 1
        }
        return String(decoding: found, as: UTF8.self)
    }

    /// Returns the character of a reference such as `amp` or `#xB7`; nil for any other name.
    private static func character(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.first == "#" else { return nil }
        let isHexadecimal = name.dropFirst().first == "x"
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), let scalar = Unicode.Scalar(number),
            number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number)
        else { return nil }
        return scalar
    }
}
