// SPDX-License-Identifier: Apache-2.0

package import CivilTime

/// A stage of sleep, or time awake. An instant has at most one stage. HealthKit's sixth value, in bed, is separate:
/// it is a place.
public enum SleepStage: String, Sendable, Hashable, CaseIterable {
    /// Awake during the night.
    case awake
    /// Deep sleep.
    case deep
    /// REM sleep.
    case rem
    /// Core or light sleep.
    case core
    /// Asleep, without a stage.
    case unspecified

    /// Whether the person sleeps.
    public var isAsleep: Bool { self != .awake }

    /// The number of the value of `HKCategoryValueSleepAnalysis`.
    var category: Int {
        let value: HKCategoryValueSleepAnalysis =
            switch self {
            case .awake: .awake
            case .deep: .asleepDeep
            case .rem: .asleepREM
            case .core: .asleepCore
            case .unspecified: .asleepUnspecified
            }
        return value.rawValue
    }

    /// The order in which overlapping samples of one source decide: the strongest first.
    static let byStrength: [SleepStage] = [.awake, .deep, .rem, .core, .unspecified]
}

/// A part of a night with one stage from one source.
public struct StageInterval: Sendable, Hashable {
    /// The range in nanoseconds since 1970-01-01 UTC.
    public var range: TimeRange
    /// The stage.
    public var stage: SleepStage
    /// The name of the source that decided.
    public var source: String
}

/// What one source recorded of a night.
public struct NightSource: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The time asleep that its samples cover.
    public var recorded: Duration
    /// The part of this time that counts: no source before it has a value there.
    public var counted: Duration
    /// The time in bed that its samples cover.
    public var inBed: Duration
}

/// The sleep between 18:00 and 18:00: `Docs/Guide/Nights.md`.
public struct Night: Sendable, Hashable {
    /// The date of the later noon: the night to this day.
    public var date: CalendarDate
    /// The bounds of the night in nanoseconds since 1970-01-01 UTC: 23 to 25 hours.
    public var bounds: TimeRange
    /// The stages in order of time, without overlaps; equal neighbours of one source are joined.
    public var stages: [StageInterval]
    /// The times in bed in order, without overlaps, of all sources together.
    public var timesInBed: [TimeRange]
    /// What the sources recorded, in order of priority; sources without a sample in this night are missing.
    public var sources: [NightSource]

    /// The time asleep: the sum of deep, REM, core and unspecified.
    public var asleep: Duration { stages.filter(\.stage.isAsleep).reduce(.zero) { $0 + $1.range.duration } }

    /// The time in bed; nil if no source recorded it.
    public var inBed: Duration? { timesInBed.isEmpty ? nil : timesInBed.reduce(.zero) { $0 + $1.duration } }

    /// Returns the time of one stage.
    public func duration(of stage: SleepStage) -> Duration {
        stages.filter { $0.stage == stage }.reduce(.zero) { $0 + $1.range.duration }
    }

    /// The times asleep, in order. Times with a break of less than an hour are one period; a period starts and ends
    /// asleep.
    public var periods: [TimeRange] {
        var found: [TimeRange] = []
        for part in stages where part.stage.isAsleep {
            if let last = found.last, part.range.start - last.end < Self.longestBreak {
                found[found.count - 1].end = part.range.end
            } else {
                found.append(part.range)
            }
        }
        return found
    }

    /// The period with the longest time asleep, the first one of equal ones; nil without sleep.
    public var mainPeriod: TimeRange? {
        func asleep(_ period: TimeRange) -> Duration {
            stages.filter { $0.stage.isAsleep && period.contains($0.range.start) }.reduce(.zero) {
                $0 + $1.range.duration
            }
        }
        var best: (period: TimeRange, asleep: Duration)?
        for period in periods {
            let time = asleep(period)
            if time > best?.asleep ?? .zero { best = (period, time) }
        }
        return best?.period
    }

    /// Breaks from this length on separate two periods.
    private static let longestBreak: Int64 = 3_600_000_000_000
}

extension Night {
    /// Returns the minutes of the local clock from the start of the night to an instant.
    package func minute(of instant: Int64, in zone: CivilZone) -> Int {
        func local(_ instant: Int64) -> Int64 {
            let seconds = instant.dividedDown(by: Civil.second)
            return seconds + Int64(zone.offset(at: seconds))
        }
        return Int((local(instant) - local(bounds.start)).dividedDown(by: 60))
    }
}

extension Duration {
    /// The length in seconds. A division by one second is not exact for whole seconds; this is.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension TimeRange {
    /// The length.
    package var duration: Duration { .nanoseconds(end - start) }
}
