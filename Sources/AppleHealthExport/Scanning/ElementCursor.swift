// SPDX-License-Identifier: Apache-2.0

/// A cursor over the XML of one element from `ExportConsumer.element`, tag by tag, without a tree.
///
/// Text, comments and processing instructions are skipped. In other bytes, the cursor ends where they are malformed.
package struct ElementCursor {
    /// A tag.
    package enum Event: Equatable, Sendable {
        /// A start tag. A self-closing tag is followed by an `end`.
        case start(name: String, attributes: [ExportAttribute])
        /// The end of the innermost open element.
        case end(name: String)
    }

    private let bytes: [UInt8]
    private let limit: Int
    private var at: Int
    private var tag: TagParser
    private var skimmer: ElementSkimmer
    private var open: [String] = []
    private var closes = false

    /// Starts before the first tag. Linear in the length if the slice is not a whole array.
    package init(_ xml: ArraySlice<UInt8>) {
        var limits = ExportLimits()
        limits.attributes = 1 << 10
        // Words are loaded beyond the end.
        bytes = Array(xml) + Array(repeating: 0, count: ExportScanner.slack)
        limit = xml.count
        at = 0
        tag = TagParser(limits)
        skimmer = ElementSkimmer(limits)
    }

    /// Returns the next tag; nil after the last.
    package mutating func next() -> Event? {
        let bytes = self.bytes
        if closes, let name = open.popLast() {
            closes = false
            return .end(name: name)
        }
        while true {
            at = ScanBytes.find(0x3C, in: bytes.span, at, limit)
            guard at + 1 < limit else { return nil }
            switch bytes[at + 1] {
            case 0x2F:
                guard let close = EndTag(bytes.span, at, limit), let name = open.popLast() else { return nil }
                at = close.end
                return .end(name: name)
            case 0x21, 0x3F:
                guard skimmer.skipMarkup(bytes.span, at, limit) == .complete else { return nil }
                at = skimmer.end
            default:
                guard tag.parse(bytes.span, at, limit) == .complete else { return nil }
                at = tag.end
                let name = String(decoding: bytes[tag.name], as: UTF8.self)
                open.append(name)
                closes = tag.selfClosing
                return .start(name: name, attributes: attributes(of: name))
            }
        }
    }

    /// Returns the attributes of the tag; for a repeated name, only the first.
    ///
    /// The exporter of iOS 16 writes `startDate` twice in `WorkoutStatistics`; the second one is the `endDate`.
    private func attributes(of name: String) -> [ExportAttribute] {
        var all: [ExportAttribute] = []
        for index in 0..<tag.count {
            let attribute = tag.attributes[index]
            var key = String(decoding: bytes[attribute.name], as: UTF8.self)
            if all.contains(where: { $0.name == key }) {
                guard name == "WorkoutStatistics", key == "startDate" else { continue }
                key = "endDate"
                if all.contains(where: { $0.name == key }) { continue }
            }
            all.append(ExportAttribute(name: key, value: References.text(bytes.span, attribute.value)))
        }
        return all
    }
}

/// One element as a tree.
package struct ExportElement: Equatable, Sendable {
    package var name: String
    /// Its attributes in order, unescaped; for a repeated name, only the first.
    package var attributes: [ExportAttribute]
    /// The child elements, in order.
    package var children: [ExportElement] = []

    /// Returns the value of an attribute; nil if there is none.
    package subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// Parses the XML of one element from `ExportConsumer.element`; nil if the bytes are not a complete element.
    ///
    /// Needs about ten times the memory of the bytes: for a workout of unknown size, use `ElementCursor`.
    package init?(_ xml: ArraySlice<UInt8>) {
        var cursor = ElementCursor(xml)
        var open: [ExportElement] = []
        while let event = cursor.next() {
            switch event {
            case .start(let name, let attributes):
                open.append(ExportElement(name: name, attributes: attributes))
            case .end:
                guard let closed = open.popLast() else { return nil }
                if open.isEmpty {
                    self = closed
                    return
                }
                open[open.count - 1].children.append(closed)
            }
        }
        return nil
    }

    init(name: String, attributes: [ExportAttribute]) {
        self.name = name
        self.attributes = attributes
    }
}
