// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation
import TestSupport
import Testing

@testable import HealthViews

/// Nights computed minute by minute, from the definition on the page `Nights.md`.
private struct NightOracle {
    let zone: CivilZone
    let sources: [CategorySpans]

    struct Minutes: Equatable {
        var stages: [SleepStage: Int] = [:]
        var inBed = 0
    }

    /// Returns the date of the night that contains a minute since 1970.
    private func date(_ minute: Int64) -> Int64 {
        let local = minute * 60 + Int64(zone.offset(at: minute * 60))
        let day = local.dividedDown(by: Civil.secondsPerDay)
        return local - day * Civil.secondsPerDay >= 18 * 3_600 ? day + 1 : day
    }

    func nights() -> [Int64: Minutes] {
        let minute: Int64 = 60_000_000_000
        let all = sources.flatMap(\.spans)
        guard let first = all.map(\.start).min(), let last = all.map(\.end).max() else { return [:] }
        let count = Int((last - first) / minute)
        var (values, beds) = ([[Set<Int>]](repeating: [], count: sources.count), [Bool](repeating: false, count: count))
        for (place, source) in sources.enumerated() {
            values[place] = [Set<Int>](repeating: [], count: count)
            for span in source.spans {
                for at in Int((span.start - first) / minute)..<Int((span.end - first) / minute) {
                    if span.value == 0 { beds[at] = true } else { values[place][at].insert(span.value) }
                }
            }
        }
        var found: [Int64: Minutes] = [:]
        let strongest: [(Int, SleepStage)] = [(2, .awake), (4, .deep), (5, .rem), (3, .core), (1, .unspecified)]
        for at in 0..<count {
            let night = date(first / minute + Int64(at))
            if beds[at] { found[night, default: Minutes()].inBed += 1 }
            guard let own = values.first(where: { !$0[at].isEmpty })?[at] else { continue }
            let stage = strongest.first { own.contains($0.0) }?.1
            if let stage { found[night, default: Minutes()].stages[stage, default: 0] += 1 }
        }
        return found
    }
}

/// Random sleep of several sources over many nights.
struct RandomSleep {
    var random: SeededGenerator

    /// Returns the spans of one source: nights with gaps, naps, overlaps and time in bed, in whole minutes.
    mutating func spans(from start: Int64, nights: Int) -> [CategorySpan] {
        let minute: Int64 = 60_000_000_000
        var spans: [CategorySpan] = []
        func add(_ value: Int, _ from: Int64, _ length: Int64) {
            if length > 0 { spans.append(CategorySpan(start: from, end: from + length * minute, value: value)) }
        }
        for night in 0..<nights where Int.random(in: 0..<10, using: &random) > 0 {
            let evening = start + Int64(night) * 1_440 * minute
            var at = evening + Int64.random(in: -120...300, using: &random) * minute
            let length = Int64.random(in: 30...700, using: &random)
            if Bool.random(using: &random) {
                add(0, at - Int64.random(in: 0...40, using: &random) * minute, length)
            }
            let end = at + length * minute
            while at < end {
                let part = Int64.random(in: 1...90, using: &random)
                switch Int.random(in: 0..<12, using: &random) {
                case 0: break
                case 1: add(Int.random(in: 1...5, using: &random), at - 20 * minute, part + 40)
                default: add(Int.random(in: 1...5, using: &random), at, part)
                }
                at += part * minute
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                add(1, evening + Int64.random(in: 900...1_400, using: &random) * minute, 45)
            }
        }
        return spans.sorted { ($0.start, $0.end, $0.value) < ($1.start, $1.end, $1.value) }
    }
}

@Suite("T-12 nights compared with a computation minute by minute")
struct NightOracleTests {
    @Test(
        "1,000 random nights of one to four sources with gaps, naps, overlaps and clock changes",
        arguments: ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
    func random(zone name: String) throws {
        let zone = try #require(CivilZone(identifier: name))
        var compared = 0
        for round in 0..<20 {
            var sleep = RandomSleep(random: SeededGenerator(seed: UInt64(round) &* 77 &+ UInt64(name.utf8.count)))
            // From different times of the year, so that the clocks change in some rounds.
            let start = (1_700_000_000 + Int64(round) * 2_500_020) / 60 * 60_000_000_000
            let sources = (0..<1 + round % 4).map { place in
                CategorySpans(source: "Source \(place)", spans: sleep.spans(from: start, nights: 11))
            }
            let calendar = try NightCalendar(NightRequest(), home: { zone })
            let nights = calendar.nights(sources, .all)
            let truth = NightOracle(zone: zone, sources: sources).nights()
            #expect(nights.map(\.date.number) == truth.keys.sorted(), "\(name) \(round)")
            for night in nights {
                let minutes = try #require(truth[night.date.number])
                for stage in SleepStage.allCases {
                    let expected = Duration.seconds(60 * (minutes.stages[stage] ?? 0))
                    #expect(night.duration(of: stage) == expected, "\(name) \(round) \(night.date) \(stage)")
                }
                #expect(night.inBed ?? .zero == .seconds(60 * minutes.inBed), "\(name) \(round) \(night.date)")
                let counted = night.sources.reduce(Duration.zero) { $0 + $1.counted }
                #expect(counted == night.asleep && night.sources.allSatisfy { $0.counted <= $0.recorded })
                #expect(zip(night.stages, night.stages.dropFirst()).allSatisfy { $0.range.end <= $1.range.start })
                compared += 1
            }
        }
        #expect(compared >= 200)
    }
}
