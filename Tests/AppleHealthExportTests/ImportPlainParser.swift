// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth

/// A record of an export as a list of texts, all of which a lossless import must return.
struct PlainRecord: Hashable, CustomStringConvertible {
    var fields: [String: String] = [:]
    var metadata: [[String]] = []
    var beats: [[String]]?
    var others: [String] = []

    var description: String { "\(fields.sorted { $0.key < $1.key }) \(metadata) \(beats ?? []) \(others)" }

    /// Creates a record from its start tag.
    init(attributes: [(String, String)]) {
        for (name, value) in attributes where fields[name] == nil {
            switch name {
            case "startDate", "endDate", "creationDate": fields[name] = Self.instant(value)
            case "device": fields[name] = value.replacing(#/HKDevice: 0x[0-9a-fA-F]+/#, with: "HKDevice: ")
            case "type", "unit", "value", "sourceName", "sourceVersion": fields[name] = value
            default: others.append("\(name)=\(value)")
            }
        }
        if fields["sourceName"] == nil { fields["sourceName"] = "" }
    }

    /// Creates the record that a stored sample came from.
    init(_ sample: HealthSample) {
        fields["type"] = sample.type.identifier
        fields["sourceName"] = sample.source
        fields["sourceVersion"] = sample.version
        fields["device"] = sample.device
        fields["startDate"] = String(sample.start)
        fields["endDate"] = String(sample.end)
        fields["creationDate"] = sample.created.map { String($0) }
        fields["unit"] = sample.unit
        if let original = sample.originalValue {
            fields["value"] = original.isEmpty && sample.value == 0 ? nil : original
        } else {
            fields["value"] = sample.valueName ?? DecimalText.text(sample.value)
        }
        metadata = sample.metadata.entries.map { [$0.key, $0.value] }
        beats = sample.metadata.beats.map { $0.map { [$0.bpm, $0.time] } }
        others = sample.metadata.attributes.map { "\($0.key)=\($0.value)" }
    }

    /// Returns the nanoseconds of a date, computed by Foundation.
    private static func instant(_ text: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
        return formatter.date(from: text).map { String(Int64($0.timeIntervalSince1970) * 1_000_000_000) } ?? text
    }
}

/// Splits well-formed XML into tags with simple code, as a reference for the reader.
struct PlainParser {
    /// The top-level records.
    private(set) var records: [PlainRecord] = []
    /// The other top-level elements as written.
    private(set) var elements: [String] = []

    init(_ text: String) {
        let bytes = Array(text.utf8)
        guard let root = text.range(of: "<HealthData") else { return }
        var at = text.utf8.distance(from: text.startIndex, to: root.lowerBound)
        var open: [String] = []
        var begun = 0
        while let (name, attributes, range, kind) = Self.tag(bytes, from: at) {
            at = range.upperBound
            if kind == .end { open.removeLast() }
            if kind != .end, open.count == 1 { begun = range.lowerBound }
            if kind != .end { take(name, attributes, open) }
            if kind == .start { open.append(name) }
            let isTop = kind == .empty ? open.count == 1 : kind == .end && open.count == 1
            if isTop, !["Record", "ExportDate", "Me"].contains(name) {
                elements.append(String(decoding: bytes[begun..<at], as: UTF8.self))
            }
            if open.isEmpty { return }
        }
    }

    private mutating func take(_ name: String, _ attributes: [(String, String)], _ open: [String]) {
        if open.count == 1, name == "Record" { records.append(PlainRecord(attributes: attributes)) }
        guard open.count > 1, open[1] == "Record", let last = records.indices.last else { return }
        func value(_ name: String) -> String { attributes.first { $0.0 == name }?.1 ?? "" }
        switch name {
        case "MetadataEntry": records[last].metadata.append([value("key"), value("value")])
        case "HeartRateVariabilityMetadataList": records[last].beats = []
        case "InstantaneousBeatsPerMinute": records[last].beats?.append([value("bpm"), value("time")])
        default: break
        }
    }

    enum Kind { case start, end, empty }

    private static func tag(
        _ bytes: [UInt8], from start: Int
    ) -> (String, [(String, String)], Range<Int>, Kind)? {
        guard var at = bytes[start...].firstIndex(of: 0x3C) else { return nil }
        if bytes[at...].starts(with: Array("<!--".utf8)) {
            let text = String(decoding: bytes[at...], as: UTF8.self)
            guard let end = text.range(of: "-->") else { return nil }
            return tag(bytes, from: at + text.utf8.distance(from: text.startIndex, to: end.upperBound))
        }
        let begun = at
        at += 1
        let isEnd = bytes[at] == 0x2F
        if isEnd { at += 1 }
        let name = String(
            decoding: bytes[at...].prefix { $0 != 0x20 && $0 != 0x3E && $0 != 0x2F && $0 != 0x0A }, as: UTF8.self)
        at += name.utf8.count
        var attributes: [(String, String)] = []
        while bytes[at] != 0x3E {
            if bytes[at] <= 0x20 || bytes[at] == 0x2F {
                at += 1
                continue
            }
            let key = bytes[at...].prefix { $0 != 0x3D }
            let quote = bytes[key.endIndex + 1]
            let value = bytes[(key.endIndex + 2)...].prefix { $0 != quote }
            attributes.append((String(decoding: key, as: UTF8.self), unescaped(String(decoding: value, as: UTF8.self))))
            at = value.endIndex + 1
        }
        let kind: Kind = isEnd ? .end : bytes[at - 1] == 0x2F ? .empty : .start
        return (name, attributes, begun..<at + 1, kind)
    }

    private static func unescaped(_ text: String) -> String {
        if !text.contains("&") { return text }
        var text = text.replacing(#/&#([0-9]+);/#) { match in
            UInt32(match.1).flatMap { Unicode.Scalar($0) }.map { String($0) } ?? ""
        }
        for (name, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
            text = text.replacing(name, with: character)
        }
        return text
    }
}
