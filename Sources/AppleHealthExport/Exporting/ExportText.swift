// SPDX-License-Identifier: Apache-2.0

import KymographHealth

/// A writer of elements of an export as XML: attributes in Apple's order, all dates with one offset.
struct ExportText {
    /// The bytes written since the last flush.
    var bytes: [UInt8] = []
    /// The offset from UTC in seconds.
    let offset: Int32
    /// The last escaped texts: most records have the same ones as the previous record.
    private var sources = Escaped()
    private var devices = Escaped()

    private struct Escaped {
        var text: String?
        var bytes: [UInt8] = []

        /// Returns whether it is the same text, byte for byte: strings can be equal with different bytes.
        func holds(_ other: String) -> Bool { text.map { $0.utf8.elementsEqual(other.utf8) } ?? false }
    }

    init(offset: Int32) { self.offset = offset }

    /// Writes a sample as a `Record`, on indented lines.
    mutating func record(_ sample: HealthSample, indent: Int = 1) {
        blanks(indent)
        put("<Record")
        attribute("type", sample.type.identifier)
        origin(sample.metadata.hasNoSource ? nil : sample.source, sample.version, sample.device)
        attribute("unit", sample.unit)
        dates(sample.created, sample.start, sample.end)
        value(sample)
        for extra in sample.metadata.attributes { attribute(extra.key, extra.value) }
        children(sample.metadata, of: "Record", indent)
    }

    /// Writes a correlation with its members.
    mutating func correlation(_ correlation: ExportedCorrelation) {
        put(" <Correlation")
        attribute("type", correlation.type)
        let source = correlation.metadata.hasNoSource ? nil : correlation.source
        origin(source, correlation.version, correlation.device)
        dates(correlation.created, correlation.start, correlation.end)
        put(">\n")
        entries(correlation.metadata, 2)
        for member in correlation.members { record(member, indent: 2) }
        put(" </Correlation>\n")
    }

    /// Writes an imported element.
    mutating func element(_ xml: [UInt8]) {
        put(" ")
        bytes += xml
        put("\n")
    }

    mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Writes an attribute, unless the value is nil.
    mutating func attribute(_ name: String, _ value: String?) {
        guard let value else { return }
        put(" ")
        bytes.append(contentsOf: name.utf8)
        put("=\"")
        Self.escape(value, into: &bytes)
        put("\"")
    }

    mutating func blanks(_ count: Int) { for _ in 0..<count { put(" ") } }

    mutating func origin(_ source: String?, _ version: String?, _ device: String?) {
        if let source {
            if !sources.holds(source) {
                sources.text = source
                sources.bytes = []
                Self.escape(source, into: &sources.bytes)
            }
            put(" sourceName=\"")
            bytes += sources.bytes
            put("\"")
        }
        attribute("sourceVersion", version)
        guard let device else { return }
        if !devices.holds(device) {
            devices.text = device
            devices.bytes = []
            Self.escape(Self.described(device), into: &devices.bytes)
        }
        put(" device=\"")
        bytes += devices.bytes
        put("\"")
    }

    /// Returns a device in the form of an export, with address 0: the original address is not stored.
    private static func described(_ device: String) -> String {
        let head = "<<HKDevice: >"
        if device.hasPrefix(head) { return "<<HKDevice: 0x0>" + device.dropFirst(head.count) }
        // The store's own form, for values that are ambiguous in the form of an export.
        guard device.utf8.first == 1, let found = DeviceDescription(device) else { return device }
        return "<<HKDevice: 0x0>" + found.fields.map { ", \($0.name):\($0.value)" }.joined() + ">"
    }

    mutating func dates(_ created: Int64?, _ start: Int64, _ end: Int64) {
        if let created { date(" creationDate=\"", created) }
        date(" startDate=\"", start)
        date(" endDate=\"", end)
    }

    mutating func date(_ name: String, _ instant: Int64) {
        put(name)
        AppleDate(nanoseconds: instant, offset: offset).append(to: &bytes)
        put("\"")
    }

    private mutating func value(_ sample: HealthSample) {
        if sample.metadata.hasNoValue { return }
        if let text = sample.metadata.valueText ?? sample.valueName { return attribute("value", text) }
        put(" value=\"")
        DecimalText.append(sample.value, to: &bytes)
        put("\"")
    }

    /// Ends a start tag, and writes the content of the element.
    private mutating func children(_ metadata: HealthMetadata, of name: String, _ indent: Int) {
        if metadata.entries.isEmpty, metadata.beats == nil, metadata.children.isEmpty { return put("/>\n") }
        put(">\n")
        entries(metadata, indent + 1)
        if let beats = metadata.beats {
            blanks(indent + 1)
            put("<HeartRateVariabilityMetadataList>\n")
            for beat in beats {
                blanks(indent + 2)
                put("<InstantaneousBeatsPerMinute")
                attribute("bpm", beat.bpm)
                attribute("time", beat.time)
                put("/>\n")
            }
            blanks(indent + 1)
            put("</HeartRateVariabilityMetadataList>\n")
        }
        for child in metadata.children {
            blanks(indent + 1)
            bytes.append(contentsOf: child.utf8)
            put("\n")
        }
        blanks(indent)
        put("</")
        put(name)
        put(">\n")
    }

    mutating func entries(_ metadata: HealthMetadata, _ indent: Int) {
        for entry in metadata.entries {
            blanks(indent)
            put("<MetadataEntry")
            attribute("key", entry.key)
            attribute("value", entry.value)
            put("/>\n")
        }
    }

    /// Appends a text as an attribute value. Characters that XML forbids become spaces.
    static func escape(_ text: String, into out: inout [UInt8]) {
        var last: (UInt8, UInt8) = (0, 0)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): out += Array("&amp;".utf8)
            case UInt8(ascii: "<"): out += Array("&lt;".utf8)
            case UInt8(ascii: ">"): out += Array("&gt;".utf8)
            case UInt8(ascii: "\""): out += Array("&quot;".utf8)
            // A parser would replace these characters with spaces.
            case 0x09: out += Array("&#9;".utf8)
            case 0x0A: out += Array("&#10;".utf8)
            case 0x0D: out += Array("&#13;".utf8)
            case 0..<0x20: out.append(0x20)
            case 0xBE...0xBF where last == (0xEF, 0xBF):
                // U+FFFE and U+FFFF.
                out.removeLast(2)
                out.append(0x20)
            default: out.append(byte)
            }
            last = (last.1, byte)
        }
    }
}
