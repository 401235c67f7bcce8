// SPDX-License-Identifier: Apache-2.0

import KymographHealth

extension RecordFields {
    /// Parses a `Record` inside another element, like a top-level record; nil for an invalid record, and for a record
    /// with children that are kept only as XML.
    init?(_ element: ExportElement) {
        self.init(buffer: [])
        for attribute in element.attributes {
            let isDevice = attribute.name == "device"
            let range = put(isDevice ? DeviceText.stripped(attribute.value) : attribute.value)
            if let field = Self.names[attribute.name] {
                parts.present |= 1 << UInt16(field.rawValue)
                parts.fields[field.rawValue] = range
            } else {
                parts.extraAttributes.append(Entry(key: put(attribute.name), value: range))
            }
        }
        for child in element.children {
            switch child.name {
            case "MetadataEntry":
                guard let key = child["key"], let value = child["value"] else { return nil }
                parts.metadata.append(Entry(key: put(key), value: put(value)))
            case "HeartRateVariabilityMetadataList":
                parts.hasBeatList = true
                for beat in child.children {
                    guard let bpm = beat["bpm"], let time = beat["time"] else { return nil }
                    parts.beats.append(Beat(bpm: put(bpm), time: put(time)))
                }
            default: return nil
            }
        }
        // Words are loaded beyond the end.
        buffer += [UInt8](repeating: 0, count: ExportScanner.slack)
        guard !type.isEmpty, let start = AppleDate(bytes(startDate)), let end = AppleDate(bytes(endDate)),
            end.nanoseconds >= start.nanoseconds, start.nanoseconds >= TimeLimits.earliest,
            end.nanoseconds <= TimeLimits.latest
        else { return nil }
        self.start = start
        self.end = end
        created = AppleDate(bytes(creationDate))
        number = DecimalText.parse(bytes(value))
        if number == nil, text(type).hasPrefix("HKQuantityTypeIdentifier") { return nil }
    }

    private static let names: [String: Field] = Dictionary(
        uniqueKeysWithValues: Field.allCases.map { ("\($0)", $0) })

    private mutating func put(_ text: String) -> Range<Int> {
        let first = buffer.count
        buffer.append(contentsOf: text.utf8)
        return first..<buffer.count
    }
}
