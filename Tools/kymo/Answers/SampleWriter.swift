// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import FoundationEssentials
import KymographHealth

/// The row output of samples, one at a time.
struct SampleWriter {
    private var writer: RowWriter
    private let zone: CivilZone
    private let withTypes: Bool

    /// - Parameter withTypes: true to write the type in each row, for several types.
    init(_ output: Output, _ format: RowFormat, _ zone: CivilZone, withTypes: Bool = false) {
        self.zone = zone
        self.withTypes = withTypes
        writer = RowWriter(
            output, format,
            columns: (withTypes ? ["type"] : []) + [
                "start", "end", "value", "valueName", "unit", "source", "version", "device", "created", "metadata",
                "beats", "uuid",
            ])
    }

    mutating func append(_ sample: HealthSample) throws(DiskError) {
        writer.beginRow()
        if withTypes { writer.text("type", sample.type.identifier) }
        writer.instant("start", sample.start, zone)
        writer.instant("end", sample.end, zone)
        writer.number("value", sample.value)
        writer.text("valueName", sample.valueName)
        writer.text("unit", sample.unit)
        writer.text("source", sample.source)
        writer.text("version", sample.version)
        writer.text("device", sample.device)
        writer.instant("created", sample.created, zone)
        let entries = sample.metadata.entries + sample.metadata.attributes
        writer.nested("metadata", isThere: !entries.isEmpty) { json in
            json.beginObject()
            for entry in entries { json.field(entry.key, entry.value) }
            json.endObject()
        }
        let beats = sample.metadata.beats ?? []
        writer.nested("beats", isThere: !beats.isEmpty) { json in
            json.beginArray()
            for beat in beats {
                json.beginObject()
                json.field("bpm", beat.bpm)
                json.field("time", beat.time)
                json.endObject()
            }
            json.endArray()
        }
        writer.text("uuid", sample.uuid.uuidString)
        try writer.endRow()
    }

    mutating func finish() throws(DiskError) { try writer.finish() }
}
