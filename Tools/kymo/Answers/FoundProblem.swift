// SPDX-License-Identifier: Apache-2.0

import CivilTime
import FileSystem
import KymographHealth

/// A problem or a loss, with its known location.
struct FoundProblem {
    var message: String
    var path: String?
    var offset: UInt64?
    var series: Int?
    var type: String?
    var range: TimeRange?
    /// The number of lost samples; nil if unknown.
    var samples: Int?

    init(message: String, range: TimeRange? = nil) {
        self.message = message
        self.range = range
    }

    init(_ problem: VerifyReport.Problem) {
        message = problem.message
        path = problem.path
        offset = problem.offset
        series = problem.series.map { Int($0.rawValue) }
        type = problem.seriesName
        range = problem.range
    }

    init(_ loss: RepairReport.Loss) {
        message = loss.message
        path = loss.path
        offset = loss.offset
        series = loss.series.map { Int($0.rawValue) }
        type = loss.seriesName
        range = loss.range
        samples = loss.samples
    }

    func text(_ zone: CivilZone) -> String {
        var place: [String] = []
        if let path { place.append(path + (offset.map { " at byte \($0)" } ?? "")) }
        if let type { place.append(HealthTypes.type(for: type).shortName + (series.map { " (series \($0))" } ?? "")) }
        if let range {
            func text(_ instant: Int64) -> String { Civil.format(instant, zone: zone, fractionDigits: 0) }
            place.append("\(text(range.start)) to \(text(range.end))")
        }
        if let samples { place.append(NumberText.count(samples, "sample")) }
        return TerminalText.printable(place.isEmpty ? message : place.joined(separator: ", ") + ": " + message)
    }

    func write(_ json: inout JSONWriter, _ zone: CivilZone) {
        json.beginObject()
        json.field("message", message)
        json.field("path", path)
        json.field("offset", offset.map { Int(clamping: $0) })
        json.field("type", type)
        json.field("series", series)
        json.field("from", range?.start, zone)
        json.field("to", range?.end, zone)
        json.field("samples", samples)
        json.endObject()
    }
}
