// SPDX-License-Identifier: Apache-2.0

import KymographHealth

/// A `Correlation` of an export: its attributes, its metadata and the records in it.
struct ImportCorrelation {
    let type: String
    /// Nil where it is not named.
    let source: String?
    let version: String?
    /// Without the heap address.
    let device: String?
    let created: AppleDate?
    let start: AppleDate
    let end: AppleDate
    /// Keys and values, in their order.
    let metadata: [ExportAttribute]
    /// The elements `Record`, in their order.
    let members: [ExportElement]

    /// Reads an element; nil where something in it is missing, not readable or not known, so that an object would not
    /// tell all of it.
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

    /// Whether a store can hold it as an object.
    var isStorable: Bool {
        LoadedCorrelation.isType(type) && !members.isEmpty && start.nanoseconds >= TimeLimits.earliest
            && end.nanoseconds <= TimeLimits.latest
    }

    /// All that it says, the same in exports of other days: without heap addresses, dates as instants.
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

    /// An attribute of a record without what differs from export to export.
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

/// Attributes that are absent in a correlation and in the records in it.
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
