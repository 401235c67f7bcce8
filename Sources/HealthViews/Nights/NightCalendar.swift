// SPDX-License-Identifier: Apache-2.0

internal import CivilTime

/// The nights of a zone. A night has the number of the day of its noon.
struct NightCalendar {
    private let zone: CivilZone
    /// The local start of nights, in seconds after midnight.
    private let start: Int64
    /// The number of a night minus that of the day on which it begins: nights that begin before noon contain that day's
    /// noon.
    private let daysToNoon: Int64

    private static let noon: Int64 = 43_200

    /// - Parameter home: returns the zone of a request without one.
    /// - Throws: `invalidArgument` for an unknown zone, and for a start that is no minute of a day.
    init(
        _ request: NightRequest, home: () throws(HealthStoreError) -> CivilZone
    ) throws(HealthStoreError) {
        guard (0..<1_440).contains(request.startMinute) else {
            throw HealthStoreError(
                .invalidArgument, "nights cannot begin at minute \(request.startMinute); a day has minutes 0 to 1439")
        }
        start = Int64(request.startMinute) * 60
        daysToNoon = start >= Self.noon ? 1 : 0
        guard let name = request.zone else {
            zone = try home()
            return
        }
        guard let zone = CivilZone(identifier: name) else {
            throw HealthStoreError(.invalidArgument, "unknown time zone \"\(name)\"; use a name such as Europe/Zurich")
        }
        self.zone = zone
    }

    /// Returns the bounds of a night.
    func bounds(of night: Int64) -> TimeRange {
        let local = (night - daysToNoon) * Civil.secondsPerDay + start
        return TimeRange(instant(local), instant(local + Civil.secondsPerDay))
    }

    /// Returns the night that contains an instant.
    func night(at instant: Int64) -> Int64 {
        let seconds = instant.dividedDown(by: Civil.second)
        let local = seconds + Int64(zone.offset(at: seconds))
        var night = (local - start).dividedDown(by: Civil.secondsPerDay) + daysToNoon
        // A start that the clocks skip or repeat moves the bounds.
        while instant < bounds(of: night).start { night -= 1 }
        while instant >= bounds(of: night).end, bounds(of: night).end < .max { night += 1 }
        return night
    }

    /// Whether the noon of a night lies in a range.
    func contains(_ range: TimeRange, noonOf night: Int64) -> Bool {
        range.contains(instant(night * Civil.secondsPerDay + Self.noon))
    }

    /// Returns the bounds of all nights whose noon may lie in a range.
    func bounds(of range: TimeRange) -> TimeRange {
        let day = Civil.secondsPerDay * Civil.second
        let (first, last) = (range.start > .min + 2 * day, range.end < .max - 2 * day)
        return TimeRange(
            first ? bounds(of: night(at: range.start - day)).start : .min,
            last ? bounds(of: night(at: range.end + day)).end : .max)
    }

    /// Returns the instant of a local second; the earliest or latest instant beyond the years 1677 to 2262.
    private func instant(_ local: Int64) -> Int64 {
        let (product, overflow) = zone.instant(ofLocal: local).multipliedReportingOverflow(by: Civil.second)
        return overflow ? (local < 0 ? .min : .max) : product
    }
}

extension NightCalendar {
    /// A sample, cut at the bounds of a night.
    private struct Part {
        var night: Int64
        var source: Int
        var range: TimeRange
        var value: Int
    }

    /// Returns the nights of samples, given by source in order of priority.
    func nights(_ sources: [CategorySpans], _ range: TimeRange) -> [Night] {
        var parts: [Part] = []
        for (source, spans) in sources.enumerated() {
            for value in Self.values {
                // United first: samples of many years that overlap have no more parts than one of them.
                let ranges = spans.spans.filter { $0.value == value && $0.end > $0.start }
                    .map { TimeRange($0.start, $0.end) }.united()
                cut(ranges, range) { night, cut in
                    parts.append(Part(night: night, source: source, range: cut, value: value))
                }
            }
        }
        parts.sort { ($0.night, $0.source, $0.range.start) < ($1.night, $1.source, $1.range.start) }
        var found: [Night] = []
        var from = 0
        while from < parts.count {
            let night = parts[from].night
            let to = parts[from...].firstIndex { $0.night != night } ?? parts.count
            found.append(self.night(night, parts[from..<to], sources))
            from = to
        }
        return found
    }

    /// The known values: in bed and the stages.
    private static let values = [HKCategoryValueSleepAnalysis.inBed.rawValue] + SleepStage.byStrength.map(\.category)

    /// Cuts ascending ranges at the bounds of nights, and passes the parts of the nights whose noon lies in a range.
    private func cut(_ ranges: [TimeRange], _ wanted: TimeRange, _ body: (Int64, TimeRange) -> Void) {
        let limits = bounds(of: wanted)
        var (night, bounds) = (Int64(0), self.bounds(of: 0))
        for range in ranges {
            var rest = TimeRange(max(range.start, limits.start), min(range.end, limits.end))
            while rest.start < rest.end {
                if !bounds.contains(rest.start) {
                    night = self.night(at: rest.start)
                    bounds = self.bounds(of: night)
                }
                let end = min(rest.end, bounds.end)
                if end <= rest.start { break }
                if contains(wanted, noonOf: night) { body(night, TimeRange(rest.start, end)) }
                rest.start = end
            }
        }
    }

    /// Returns a night of its parts, by source.
    private func night(_ number: Int64, _ parts: ArraySlice<Part>, _ sources: [CategorySpans]) -> Night {
        var (decided, inBed) = (StageTimeline(), [TimeRange]())
        var recorded: [NightSource] = []
        var from = parts.startIndex
        while from < parts.endIndex {
            let place = parts[from].source
            let to = parts[from...].firstIndex { $0.source != place } ?? parts.endIndex
            let own = parts[from..<to]
            let name = sources[place].source
            var timeline = StageTimeline()
            for stage in SleepStage.byStrength {
                let ranges = own.filter { $0.value == stage.category }.map(\.range)
                timeline.fill(StageTimeline(ranges.united(), stage, name))
            }
            let beds = own.filter { $0.value == HKCategoryValueSleepAnalysis.inBed.rawValue }.map(\.range).united()
            let before = decided.asleep
            decided.fill(timeline)
            recorded.append(
                NightSource(
                    name: name, recorded: timeline.asleep, counted: decided.asleep - before,
                    inBed: beds.reduce(.zero) { $0 + $1.duration }))
            inBed += beds
            from = to
        }
        return Night(
            date: CalendarDate(number: number), bounds: bounds(of: number), stages: decided.joined(),
            timesInBed: inBed.united(), sources: recorded)
    }
}
