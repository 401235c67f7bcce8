// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import KymographHealth

/// By which clocks times are read and written.
struct ZoneOption: ParsableArguments {
    @Option(
        name: .customLong("tz"),
        help: ArgumentHelp(
            "The time zone: a name such as Europe/Zurich, or an offset such as +02:00. Default: the system's.",
            valueName: "zone"))
    var name: String?

    func resolved() throws(Failure) -> CivilZone {
        if let name {
            guard let zone = CivilZone(identifier: name) else {
                throw .usage(
                    "there is no time zone \"\(name)\"; use a name such as Europe/Zurich or an offset such as +02:00")
            }
            return zone
        }
        // A system with a broken setting still has health data.
        return CivilZone(identifier: Environment.timeZoneIdentifier()) ?? .utc
    }
}

/// From when to when.
struct RangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The first date (2024, 2024-01, 2024-01-31) or instant (2024-01-31T12:00).", valueName: "date"))
    var from: String?

    @Option(
        help: ArgumentHelp("The last date, which is included, or the first instant that is not.", valueName: "date"))
    var to: String?

    /// The instants, by the clocks of a zone. A date begins at its midnight and ends with its last moment; an instant
    /// is itself, and as an end stands outside of the range.
    func resolved(_ zone: CivilZone) throws -> TimeRange {
        var range = TimeRange.all
        if let from { range.start = try Civil.parse(from, zone: zone) }
        if let to {
            range.end =
                to.contains(":") ? try Civil.parse(to, zone: zone) : try Civil.parsePeriod(to, zone: zone).upperBound
        }
        if let from, let to, range.start >= range.end {
            throw Failure.usage("--to \(to) does not lie after --from \(from)")
        }
        guard range.start == Int64.min || range.start >= TimeLimits.earliest,
            range.end == Int64.max || range.end <= TimeLimits.latest
        else { throw Failure.usage("dates must lie between the years 1679 and 2260") }
        return range
    }

    static let explanation = """
        A date without a time is a whole day (month, year), and --to includes it: --from 2024-01-01 --to 2024-01-31 \
        is all of January. With a time, --to is the first instant that is left out.
        """
}
