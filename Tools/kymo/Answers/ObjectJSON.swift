// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import HealthModel
import KymographHealth
import UniformTypeIdentifiers

/// The JSON output of an object.
struct ObjectJSON {
    private let object: StoredObject
    private let zone: CivilZone
    private let limit: Int

    /// - Parameter limit: the most events of a workout.
    init(_ object: StoredObject, _ zone: CivilZone, limit: Int) {
        self.object = object
        self.zone = zone
        self.limit = limit
    }

    func write(_ json: inout JSONWriter) {
        json.beginObject()
        sample(object.sample, &json)
        json.field("start", object.start, zone)
        if object.sample.endDate == .distantFuture {
            json.field("endIsOpen", true)
        } else {
            json.field("end", object.end, zone)
        }
        json.field("created", object.created, zone)
        value(&json)
        source(&json)
        device(&json)
        metadata(&json)
        attachments(&json)
        parts(&json)
        json.endObject()
    }

    private func sample(_ sample: HKSample, _ json: inout JSONWriter) {
        json.field("uuid", sample.uuid.uuidString)
        json.field("class", "\(Swift.type(of: sample))")
        json.field("type", sample.sampleType.identifier)
    }

    private func value(_ json: inout JSONWriter) {
        switch object.sample {
        case let sample as HKQuantitySample:
            json.field("value", sample.quantity.value)
            json.field("unit", sample.quantity.unit.unitString)
            if sample.count > 1 { json.field("count", sample.count) }
        case let sample as HKCategorySample:
            json.field("value", sample.value)
            json.field("valueName", object.valueName)
        case let sample as HKWorkout: WorkoutFields(workout: sample, zone: zone, limit: limit).write(&json)
        case let sample as HKWorkoutRoute: json.field("count", sample.count)
        case let sample as HKHeartbeatSeriesSample: json.field("count", sample.count)
        case let sample as HKElectrocardiogram:
            json.field("count", sample.numberOfVoltageMeasurements)
            json.field("classification", "\(sample.classification)")
            json.field("symptomsStatus", "\(sample.symptomsStatus)")
            json.field(
                "averageHeartRate", sample.averageHeartRate?.doubleValue(for: .count().unitDivided(by: .minute())))
            json.field("samplingFrequency", sample.samplingFrequency?.doubleValue(for: .hertz()))
        default: SampleFields(object.sample).write(&json)
        }
        json.field("originalValue", object.metadata.hasNoValue ? "" : object.metadata.valueText)
    }

    private func source(_ json: inout JSONWriter) {
        let revision = object.sample.sourceRevision
        json.key("source")
        json.beginObject()
        json.field("name", revision.source.name)
        json.field("bundleIdentifier", revision.source.bundleIdentifier)
        json.field("version", revision.version)
        json.field("productType", revision.productType)
        json.field("operatingSystem", ObjectFields.system(revision))
        json.endObject()
    }

    private func device(_ json: inout JSONWriter) {
        guard let device = object.sample.device else { return }
        json.key("device")
        json.beginObject()
        for (name, value) in ObjectFields.device(device) { json.field(name, value) }
        json.endObject()
    }

    private func metadata(_ json: inout JSONWriter) {
        let fields = ObjectFields.metadata(object)
        if !fields.isEmpty {
            json.key("metadata")
            json.beginArray()
            for field in fields {
                json.beginObject()
                json.field("key", field.key)
                json.field("type", field.kind)
                switch field.value {
                case .boolean(let flag): json.field("value", flag)
                case .integer(let number): json.field("value", number)
                case .unsigned(let number):
                    json.key("value")
                    json.integer(number)
                case .real(let number): json.field("value", number)
                case .quantity(let quantity):
                    json.field("value", quantity.value)
                    json.field("unit", quantity.unit.unitString)
                default: json.field("value", field.text)
                }
                json.endObject()
            }
            json.endArray()
        }
        guard let beats = object.metadata.beats else { return }
        json.key("beats")
        json.beginArray()
        for beat in beats {
            json.beginObject()
            json.field("bpm", beat.bpm)
            json.field("time", beat.time)
            json.endObject()
        }
        json.endArray()
    }

    private func attachments(_ json: inout JSONWriter) {
        if object.attachments.isEmpty { return }
        json.key("attachments")
        json.beginArray()
        for one in object.attachments {
            json.beginObject()
            json.field("identifier", one.identifier.uuidString)
            json.field("name", one.name)
            json.field("contentType", one.contentType.identifier)
            json.field("bytes", one.size)
            json.field("created", StoredTime.nanoseconds(one.creationDate), zone)
            json.endObject()
        }
        json.endArray()
    }

    private func parts(_ json: inout JSONWriter) {
        if let correlation = object.sample as? HKCorrelation {
            json.key("members")
            json.beginArray()
            for member in ObjectFields.members(correlation) {
                json.beginObject()
                sample(member, &json)
                if let quantity = (member as? HKQuantitySample)?.quantity {
                    json.field("value", quantity.value)
                    json.field("unit", quantity.unit.unitString)
                }
                json.field("value", (member as? HKCategorySample)?.value)
                json.endObject()
            }
            json.endArray()
        }
        if !object.correlations.isEmpty {
            json.key("correlations")
            json.beginArray()
            for one in object.correlations {
                json.beginObject()
                json.field("uuid", one.uuid.uuidString)
                json.field("type", one.type)
                json.endObject()
            }
            json.endArray()
        }
        if !object.quantities.isEmpty {
            json.key("quantities")
            json.beginArray()
            for one in object.quantities {
                json.beginObject()
                json.field("start", one.start, zone)
                json.field("end", one.end, zone)
                json.field("value", one.value)
                json.endObject()
            }
            json.endArray()
        }
        if !object.voltages.isEmpty {
            json.key("voltages")
            json.beginArray()
            for one in object.voltages {
                json.beginObject()
                json.field("time", one.time)
                json.field("value", one.voltage.value)
                json.field("unit", one.voltage.unit.unitString)
                json.endObject()
            }
            json.endArray()
        }
        if object.heartbeats.isEmpty { return }
        json.key("heartbeats")
        json.beginArray()
        for beat in object.heartbeats {
            json.beginObject()
            json.field("time", beat.time)
            json.field("isAfterGap", beat.isAfterGap)
            json.endObject()
        }
        json.endArray()
    }
}

/// The properties of an object that text and JSON output share.
enum ObjectFields {
    /// A metadata entry with its type.
    struct Entry {
        let key: String
        let kind: String
        let value: HealthMetadataValue
        let text: String
    }

    /// Returns the properties of a device that have a value, in HealthKit's order.
    static func device(_ device: HKDevice) -> [(name: String, value: String)] {
        let all: [(String, String?)] = [
            ("name", device.name), ("manufacturer", device.manufacturer), ("model", device.model),
            ("hardwareVersion", device.hardwareVersion), ("firmwareVersion", device.firmwareVersion),
            ("softwareVersion", device.softwareVersion), ("localIdentifier", device.localIdentifier),
            ("udiDeviceIdentifier", device.udiDeviceIdentifier),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns the operating system version; nil if unknown.
    static func system(_ revision: HKSourceRevision) -> String? {
        let version = revision.operatingSystemVersion
        let text = "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        return text == "0.0.0" ? nil : text
    }

    /// Returns the metadata in stored order with the object's types, followed by unknown attributes as strings.
    static func metadata(_ object: StoredObject) -> [Entry] {
        let values = object.metadata.values
        return (object.metadata.entries + object.metadata.attributes).map { entry in
            let value = values[entry.key] ?? .string(entry.value)
            return Entry(key: entry.key, kind: kind(value), value: value, text: entry.value)
        }
    }

    private static func kind(_ value: HealthMetadataValue) -> String {
        switch value {
        case .string, .unsupported: "string"
        case .boolean: "boolean"
        case .integer, .unsigned, .real: "number"
        case .date: "date"
        case .quantity: "quantity"
        case .data: "data"
        }
    }

    /// Returns the members of a correlation in a fixed order.
    static func members(_ correlation: HKCorrelation) -> [HKSample] {
        correlation.objects.sorted {
            ($0.startDate, $0.sampleType.identifier, $0.uuid.uuidString)
                < ($1.startDate, $1.sampleType.identifier, $1.uuid.uuidString)
        }
    }
}
