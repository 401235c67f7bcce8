// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import KymographHealth

/// The time zone in which times are parsed and written.
struct ZoneOption: ParsableArguments {
    @Option(
        name: .customLong("tz"),
        help: ArgumentHelp(
            "Time zone: a name such as Europe/Zurich, or an offset such as +02:00. Default: the system's.",
            valueName: "zone"))
    var name: String?

    func resolved() throws(Failure) -> CivilZone {
        if let name {
            guard let zone = CivilZone(identifier: name) else {
                throw .usage(
                    "unknown time zone \"\(name)\"; use a name such as Europe/Zurich or an offset such as +02:00")
            }
            return zone
        }
        // Falls back to UTC, so that a wrong system setting does not block the store.
        return CivilZone(identifier: Environment.timeZoneIdentifier()) ?? .utc
    }
}

/// The range of time.
struct RangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "First date (2024, 2024-01, 2024-01-31) or instant (2024-01-31T12:00).", valueName: "date"))
    var from: String?

    @Option(
        help: ArgumentHelp("Last date (included), or end instant (excluded).", valueName: "date"))
    var to: String?

    /// Returns the instants in a time zone. A date extends from its midnight to its last moment; an end instant is
    /// excluded from the range.
    func resolved(_ zone: CivilZone) throws -> TimeRange {
        var range = TimeRange.all
        if let from { range.start = try Civil.parse(from, zone: zone) }
        if let to {
            range.end =
                to.contains(":") ? try Civil.parse(to, zone: zone) : try Civil.parsePeriod(to, zone: zone).upperBound
        }
        if let from, let to, range.start >= range.end {
            throw Failure.usage("--to \(to) is not after --from \(from)")
        }
        guard range.start == Int64.min || range.start >= TimeLimits.earliest,
            range.end == Int64.max || range.end <= TimeLimits.latest
        else { throw Failure.usage("dates must be between the years 1679 and 2260") }
        return range
    }

    static let explanation = """
        A date without a time is a whole day, month or year, and --to includes it: --from 2024-01-01 --to 2024-01-31 \
        is all of January. With a time, --to is the first excluded instant.
        """
}
