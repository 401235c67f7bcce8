// SPDX-License-Identifier: Apache-2.0

/// Times of sleep over several nights.
public struct SleepTotals: Sendable, Hashable {
    /// The number of nights with a stage or time awake.
    public private(set) var nights = 0
    /// The number of nights with time in bed.
    public private(set) var nightsInBed = 0
    /// The time of each stage in all nights.
    public private(set) var stages: [SleepStage: Duration] = [:]
    /// The time in bed in all nights.
    public private(set) var inBed = Duration.zero

    /// Adds up nights.
    public init(_ nights: some Sequence<Night>) {
        for night in nights {
            if !night.stages.isEmpty { self.nights += 1 }
            for part in night.stages { stages[part.stage, default: .zero] += part.range.duration }
            guard let inBed = night.inBed else { continue }
            nightsInBed += 1
            self.inBed += inBed
        }
    }

    /// The time asleep in all nights.
    public var asleep: Duration { stages.filter(\.key.isAsleep).values.reduce(.zero, +) }

    /// The mean time asleep of the nights with a stage; nil without one.
    public var averageAsleep: Duration? { nights > 0 ? asleep / nights : nil }

    /// The mean time in bed of the nights that have one; nil without one.
    public var averageInBed: Duration? { nightsInBed > 0 ? inBed / nightsInBed : nil }

    /// Returns the mean time of a stage in the nights with a stage; nil without one.
    public func average(of stage: SleepStage) -> Duration? {
        nights > 0 ? (stages[stage] ?? .zero) / nights : nil
    }
}
