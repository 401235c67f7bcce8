// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import Foundation
import KymographHealth

/// The output lines of a watch.
struct WatchLines {
    private let output: Output
    private let zone: CivilZone
    private let type: HealthType
    private let asJSON: Bool
    private var json = JSONWriter(lines: 0)
    private var text = ""

    init(_ output: Output, _ zone: CivilZone, _ type: HealthType, asJSON: Bool) {
        self.output = output
        self.zone = zone
        self.type = type
        self.asJSON = asJSON
    }

    mutating func add(_ samples: [HealthSample]) {
        for sample in samples {
            guard asJSON else {
                let value = sample.valueName ?? ShownUnit(sample.unit).text(sample.value)
                text += "\(date(sample.start))  + " + TerminalText.printable("\(value)  \(sample.source)") + "\n"
                continue
            }
            begin("added")
            json.field("start", sample.start, zone)
            json.field("end", sample.end, zone)
            json.field("value", sample.value)
            json.field("valueName", sample.valueName)
            json.field("unit", sample.unit)
            json.field("source", sample.source)
            json.field("uuid", sample.uuid.uuidString)
            end()
        }
    }

    mutating func delete(_ deletions: [HealthDeletion]) {
        for one in deletions {
            guard asJSON else {
                let what = one.uuids.map { NumberText.count($0.count, "sample") } ?? "all samples"
                text += line(what, one.range) + "  \(TerminalText.printable(one.source))\n"
                continue
            }
            begin("deleted")
            json.field("from", one.range.start, zone)
            json.field("to", one.range.end, zone)
            json.field("source", one.source)
            if let uuids = one.uuids { json.field("uuids", uuids.map(\.uuidString)) }
            end()
        }
    }

    /// Ends a group of commits: writes the anchor that follows them.
    mutating func end(at anchor: ChangeAnchor) {
        guard asJSON else { return }
        json.beginObject()
        json.field("anchor", anchor.text)
        json.endObject()
        json.endLine()
    }

    mutating func flush() throws {
        try output.write(take())
        try output.finish()
    }

    /// Returns the buffered lines and clears the buffer.
    mutating func take() -> [UInt8] {
        defer { text = "" }
        return asJSON ? json.take() : Array(text.utf8)
    }

    private mutating func begin(_ name: String) {
        json.beginObject()
        json.key(name)
        json.beginObject()
    }

    private mutating func end() {
        json.endObject()
        json.endObject()
        json.endLine()
    }

    /// Returns the line of a deletion: `2024-01-31 07:30:00 +0100  - 2 samples to 2024-01-31 08:00:00 +0100`. An end
    /// outside of the storable range is no date.
    private func line(_ what: String, _ range: TimeRange) -> String {
        switch (range.start >= TimeLimits.earliest, range.end <= TimeLimits.latest) {
        case (true, true): "\(date(range.start))  - \(what) to \(date(range.end))"
        case (true, false): "\(date(range.start))  - \(what) from here on"
        case (false, true): "- \(what) before \(date(range.end))"
        case (false, false): "- \(what)"
        }
    }

    private func date(_ instant: Int64) -> String {
        Civil.format(instant, zone: zone, fractionDigits: 0, style: .spaced)
    }
}
