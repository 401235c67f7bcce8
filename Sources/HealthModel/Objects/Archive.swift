// SPDX-License-Identifier: Apache-2.0

package import Foundation

// Archives of health objects. Each class writes its properties as one record under one key: a binary property list,
// which keeps every bit of a number and whose decoder throws for damaged bytes. A coder itself ends the process for a
// value of another class.
extension NSCoder {
    /// Writes a record under a key.
    package func encode(_ record: some Encodable, record key: String) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode(record) else { return }
        encode(NSData(data: data), forKey: key)
    }

    /// Reads a record; nil if there is none under the key, or if it cannot be decoded.
    package func decode<Record: Decodable>(_ type: Record.Type, record key: String) -> Record? {
        guard containsValue(forKey: key), let data = decodeObject(of: NSData.self, forKey: key) else { return nil }
        return try? PropertyListDecoder().decode(type, from: Data(referencing: data))
    }

    /// Writes metadata; nothing for nil.
    package func encode(_ values: HealthMetadataValues?, named name: String) {
        if let values { encode(MetadataRecord(values), record: name) }
    }

    /// Reads metadata; nil if there is none, or if an entry cannot be read.
    package func decodeMetadata(named name: String) -> HealthMetadataValues? {
        decode(MetadataRecord.self, record: name)?.values
    }
}

/// An archived quantity: its number and its unit, unchanged.
struct QuantityRecord: Codable {
    let value: Double
    let unit: String

    init(_ quantity: HKQuantity) {
        value = quantity.value
        unit = quantity.unit.unitString
    }

    var quantity: HKQuantity { HKQuantity(unit: .stored(unit), doubleValue: value) }
}

/// Archived metadata.
struct MetadataRecord: Codable {
    private struct Entry: Codable {
        let kind: String
        let text: String
        let unit: String?
    }

    private let entries: [String: Entry]

    init(_ values: HealthMetadataValues) {
        entries = values.mapValues { value in
            let (kind, text, unit) = value.archived
            return Entry(kind: kind, text: text, unit: unit)
        }
    }

    /// The metadata; nil if an entry cannot be read.
    var values: HealthMetadataValues? {
        var values = HealthMetadataValues()
        for (key, entry) in entries {
            guard let value = HealthMetadataValue(kind: entry.kind, text: entry.text, unit: entry.unit) else {
                return nil
            }
            values[key] = value
        }
        return values
    }
}

/// An archived source.
struct SourceRecord: Codable {
    let name: String
    let bundleIdentifier: String

    init(_ source: HKSource) {
        name = source.name
        bundleIdentifier = source.bundleIdentifier
    }

    var source: HKSource { HKSource(name: name, bundleIdentifier: bundleIdentifier) }
}

/// An archived source revision.
struct RevisionRecord: Codable {
    let source: SourceRecord
    let version: String?
    let productType: String?
    let system: [Int]

    init(_ revision: HKSourceRevision) {
        source = SourceRecord(revision.source)
        version = revision.version
        productType = revision.productType
        let numbers = revision.operatingSystemVersion
        system = [numbers.majorVersion, numbers.minorVersion, numbers.patchVersion]
    }

    /// The revision; nil if the numbers of the system are incomplete.
    var revision: HKSourceRevision? {
        guard system.count == 3 else { return nil }
        return HKSourceRevision(
            source: source.source, version: version, productType: productType,
            operatingSystemVersion: OperatingSystemVersion(
                majorVersion: system[0], minorVersion: system[1], patchVersion: system[2]))
    }
}

/// The archived properties of a device that have a value, by the keys of predicates.
struct DeviceRecord: Codable {
    private let properties: [String: String]

    init(_ device: HKDevice) {
        let known = HealthDeviceProperty.allCases.compactMap { key in device[key].map { (key.rawValue, $0) } }
        properties = Dictionary(uniqueKeysWithValues: known)
    }

    var device: HKDevice {
        func text(_ property: HealthDeviceProperty) -> String? { properties[property.rawValue] }
        return HKDevice(
            name: text(.name), manufacturer: text(.manufacturer), model: text(.model),
            hardwareVersion: text(.hardwareVersion), firmwareVersion: text(.firmwareVersion),
            softwareVersion: text(.softwareVersion), localIdentifier: text(.localIdentifier),
            udiDeviceIdentifier: text(.udiDeviceIdentifier))
    }
}

/// The archived properties common to all objects.
struct ObjectRecord: Codable {
    private let uuid: UUID
    private let revision: RevisionRecord
    private let device: DeviceRecord?
    private let metadata: MetadataRecord?
    private let isCorrelated: Bool

    init(_ header: ObjectHeader) {
        uuid = header.uuid
        revision = RevisionRecord(header.sourceRevision)
        device = header.device.map { DeviceRecord($0) }
        metadata = header.metadata.map { MetadataRecord($0) }
        isCorrelated = header.isCorrelated
    }

    /// The properties; nil if one cannot be read.
    var header: ObjectHeader? {
        guard let revision = revision.revision else { return nil }
        let values = metadata?.values
        if metadata != nil, values == nil { return nil }
        return ObjectHeader(
            uuid: uuid, sourceRevision: revision, device: device?.device, metadata: values, isCorrelated: isCorrelated)
    }
}

/// The archived type and times of a sample.
struct SampleRecord: Codable {
    private let identifier: String
    private let kind: String
    let start: Date
    let end: Date

    init(_ sample: HKSample) {
        identifier = sample.sampleType.identifier
        kind = sample.sampleType.facts.kind.rawValue
        start = sample.startDate
        end = sample.endDate
    }

    /// The type; nil if the archive names no sample type.
    var type: HKSampleType? {
        ObjectTypeKind(rawValue: kind).flatMap { HKObjectType.object(TypeFacts.of(identifier, $0)) as? HKSampleType }
    }
}
