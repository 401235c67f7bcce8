// SPDX-License-Identifier: Apache-2.0

import KymographHealth

/// A `Correlation` of an export: its attributes, its metadata and its records.
struct ImportCorrelation {
    let type: String
    /// The name of the source; nil if there is none.
    let source: String?
    let version: String?
    /// The device, without the heap address.
    let device: String?
    let created: AppleDate?
    let start: AppleDate
    let end: AppleDate
    /// Keys and values, in order.
    let metadata: [ExportAttribute]
    /// The `Record` elements, in order.
    let members: [ExportElement]

    /// Parses an element; nil if a part is missing, unreadable or unknown, because an object would then be incomplete.
    init?(_ element: ExportElement) {
        guard let type = element["type"],
            let start = element["startDate"].flatMap({ AppleDate(Array($0.utf8)) }),
            let end = element["endDate"].flatMap({ AppleDate(Array($0.utf8)) }),
            end.nanoseconds >= start.nanoseconds, element.attributes.allSatisfy({ Self.known.contains($0.name) })
        else { return nil }
        self.type = type
        source = element["sourceName"]
        version = element["sourceVersion"]
        device = element["device"].map { DeviceText.stripped($0) }
        created = element["creationDate"].flatMap { AppleDate(Array($0.utf8)) }
        self.start = start
        self.end = end
        var metadata = [ExportAttribute]()
        var members = [ExportElement]()
        for child in element.children {
            switch child.name {
            case "MetadataEntry":
                guard let key = child["key"], let value = child["value"] else { return nil }
                metadata.append(ExportAttribute(name: key, value: value))
            case "Record": members.append(child)
            default: return nil
            }
        }
        self.metadata = metadata
        self.members = members
    }

    private static let known: Set<String> = [
        "type", "sourceName", "sourceVersion", "device", "creationDate", "startDate", "endDate",
    ]

    /// Whether a store can represent it as an object.
    var isStorable: Bool {
        LoadedCorrelation.isType(type) && !members.isEmpty && start.nanoseconds >= TimeLimits.earliest
            && end.nanoseconds <= TimeLimits.latest
    }

    /// A canonical encoding of the content, equal in all exports: without heap addresses, and with dates as instants.
    var content: [UInt8] {
        var bytes = [UInt8]()
        func add(_ text: String?) {
            guard let text else { return bytes.append(0) }
            bytes.append(1)
            bytes += Array("\(text.utf8.count):".utf8) + Array(text.utf8)
        }
        func add(_ date: AppleDate?) { add(date.map { String($0.nanoseconds) }) }
        func add(_ entries: [ExportAttribute]) {
            add(String(entries.count))
            for entry in entries {
                add(entry.name)
                add(entry.value)
            }
        }
        func add(_ elements: [ExportElement]) {
            add(String(elements.count))
            for element in elements {
                add(element.name)
                add(element.attributes.sorted { $0.name < $1.name }.map(Self.normal))
                add(element.children)
            }
        }
        for text in [type, source, version, device] { add(text) }
        for date in [created, start, end] { add(date) }
        add(metadata)
        add(members)
        return bytes
    }

    /// Returns an attribute of a record without the parts that differ between exports.
    private static func normal(_ attribute: ExportAttribute) -> ExportAttribute {
        switch attribute.name {
        case "device": ExportAttribute(name: attribute.name, value: DeviceText.stripped(attribute.value))
        case "startDate", "endDate", "creationDate":
            ExportAttribute(
                name: attribute.name,
                value: AppleDate(Array(attribute.value.utf8)).map { String($0.nanoseconds) } ?? attribute.value)
        default: attribute
        }
    }
}

/// Missing attributes of a correlation and its records.
struct AbsentAttributes {
    /// Whether the correlation or a record has no `sourceName`.
    private(set) var hasNoSource = false
    /// Whether a `MetadataEntry` has no key or no value.
    private(set) var hasOddEntry = false
    /// Whether a beat has no rate or no time.
    private(set) var hasOddBeat = false

    init(_ correlation: ExportElement) {
        find(in: correlation)
        for record in correlation.children where record.name == "Record" {
            find(in: record)
            for list in record.children where list.name == "HeartRateVariabilityMetadataList" {
                let beats = list.children.filter { $0.name == "InstantaneousBeatsPerMinute" }
                if beats.contains(where: { $0["bpm"] == nil || $0["time"] == nil }) { hasOddBeat = true }
            }
        }
    }

    private mutating func find(in element: ExportElement) {
        if element["sourceName"] == nil { hasNoSource = true }
        let entries = element.children.filter { $0.name == "MetadataEntry" }
        if entries.contains(where: { $0["key"] == nil || $0["value"] == nil }) { hasOddEntry = true }
    }
}
