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
            "Time zone: a name such as Europe/Zurich, or an offset such as +02:00. Default: the store's home zone "
                + "(\"kymo zone\"); without a store the system's.",
            valueName: "zone"),
        completion: Completions.zones)
    var name: String?

    /// Returns the named zone, else the store's home zone, so that a day is the same in all commands.
    func resolved(_ store: HealthStore, asOf commit: Int64? = nil) throws -> CivilZone {
        if let name { return try Self.zone(name) }
        return try store.homeZone(asOf: commit)
    }

    /// Returns the named zone, else the home zone of the store in a directory, else the system's zone if there is none.
    func resolved(at path: String) throws -> CivilZone {
        if name != nil { return try resolved() }
        let store: HealthStore
        do {
            store = try Stores.open(at: path, mode: .readOnly)
        } catch {
            if case .engine(.notAStore) = error.kind { return try resolved() }
            throw error
        }
        defer { store.close() }
        return try store.homeZone()
    }

    /// Returns the zone of a name, in any case, or of an offset.
    static func zone(_ name: String) throws(Failure) -> CivilZone {
        if let zone = ZoneName.zone(name) { return zone }
        let advice =
            Spelling.question(ZoneName.similar(to: name))
            ?? "use a name such as Europe/Zurich or an offset such as +02:00"
        throw .usage("no time zone \"\(name)\"; \(advice)")
    }

    /// Returns the named zone, else the system's: for commands that may have no store to read.
    func resolved() throws(Failure) -> CivilZone {
        if let name { return try Self.zone(name) }
        // Falls back to UTC, so that a wrong system setting does not block the store.
        return CivilZone(identifier: Environment.timeZoneIdentifier()) ?? .utc
    }
}

/// The range of time.
struct RangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "First date (2024, 2024-01, 2024-01-31, yesterday, 30d, \"last month\") or instant (2024-01-31T12:00).",
            valueName: "date"),
        completion: Completions.dates)
    var from: String?

    @Option(
        help: ArgumentHelp("Last date (included), or end instant (excluded).", valueName: "date"),
        completion: Completions.dates)
    var to: String?

    @Option(
        help: ArgumentHelp(
            "A period up to now: 30d, 12w, 6m, 1y; or the calendar's last week, month, quarter, year.",
            valueName: "period"),
        completion: Completions.periods)
    var last: String?

    /// Whether a range is given.
    var isGiven: Bool { from != nil || to != nil || last != nil }

    /// Returns the first instant of a date, a time or a period in everyday words.
    static func instant(_ text: String, _ zone: CivilZone) throws -> Int64 {
        try Civil.period(text, now: SystemClock.wallNanoseconds(), zone: zone).lowerBound
    }

    /// Returns the instants in a time zone. A date extends from its midnight to its last moment; an end instant is
    /// excluded from the range.
    func resolved(_ zone: CivilZone) throws -> TimeRange {
        let now = SystemClock.wallNanoseconds()
        var range = TimeRange.all
        if let last {
            if from != nil || to != nil { throw Failure.usage("--last cannot be combined with --from and --to") }
            let words = ["week", "month", "quarter", "year"].contains(last) ? "last \(last)" : last
            let period = try Civil.period(words, now: now, zone: zone)
            range = TimeRange(period.lowerBound, period.upperBound)
        }
        if let from { range.start = try Civil.period(from, now: now, zone: zone).lowerBound }
        if let to {
            range.end =
                to.contains(":")
                ? try Civil.parse(to, zone: zone) : try Civil.period(to, now: now, zone: zone).upperBound
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
        is all of January. With a time, --to is the first excluded instant. Dates can be words: today, yesterday, \
        monday, 30d (up to today), 12w, 6m, 1y, "last month", "this year", 2024-w05, 2024-q1. --last 30d is --from 30d.
        """
}
