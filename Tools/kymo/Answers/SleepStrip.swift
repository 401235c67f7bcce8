// SPDX-License-Identifier: Apache-2.0

import CivilTime
import HealthViews

/// The stages of nights over the clock, one line of characters for each night.
struct SleepStrip {
    private let zone: CivilZone
    private let startMinute: Int
    /// The first minute of the lines, counted from the start of the night; a whole hour of the clock.
    private let first: Int
    private let last: Int
    /// The minutes of one character.
    private let step: Int

    /// Creates a strip over the hours in which a person is asleep or awake; nil if the columns are too few.
    init?(_ nights: [Night], _ zone: CivilZone, _ startMinute: Int, columns: Int) {
        self.zone = zone
        self.startMinute = startMinute
        var (earliest, latest) = (Int.max, Int.min)
        for night in nights {
            for part in night.stages {
                earliest = min(earliest, night.minute(of: part.range.start, in: zone))
                latest = max(latest, night.minute(of: part.range.end, in: zone))
            }
        }
        guard earliest < latest else { return nil }
        // Whole hours of the clock.
        let rest = startMinute % 60
        first = (earliest + rest).dividedDown(by: 60) * 60 - rest
        last = (latest + rest + 59).dividedDown(by: 60) * 60 - rest
        let span = last - first
        guard columns >= 8, let step = [15, 20, 30, 60].first(where: { span / $0 <= columns }) else { return nil }
        self.step = step
    }

    /// The labels of the hours, every few hours as space allows.
    var hours: String {
        let perHour = 60 / step
        let every = [1, 2, 3, 4, 6].first { $0 * perHour >= 4 } ?? 6
        var text = ""
        for minute in stride(from: first, to: last, by: 60) {
            let hour = (startMinute + minute) / 60 % 24
            guard hour % every == 0 else { continue }
            let place = (minute - first) / step
            if text.count > place { continue }
            text += String(repeating: " ", count: place - text.count) + String(hour)
        }
        return text
    }

    /// Returns the line of a night: in each character, the stage that lasts longest.
    func line(_ night: Night) -> String {
        let count = (last - first) / step
        var shares = [[SleepStage: Int]](repeating: [:], count: count)
        for part in night.stages {
            let from = night.minute(of: part.range.start, in: zone) - first
            let to = night.minute(of: part.range.end, in: zone) - first
            for minute in max(0, from)..<max(0, from, min(to, last - first)) {
                shares[minute / step][part.stage, default: 0] += 1
            }
        }
        let cells = shares.map { share -> Character in
            let best = SleepStage.allCases.max { (share[$0] ?? 0) < (share[$1] ?? 0) }
            return best.flatMap { (share[$0] ?? 0) > 0 ? Self.mark($0) : nil } ?? " "
        }
        let end = cells.lastIndex { $0 != " " }.map { $0 + 1 } ?? 0
        return String(cells[..<end])
    }

    private static func mark(_ stage: SleepStage) -> Character {
        switch stage {
        case .deep: "█"
        case .core: "▓"
        case .rem: "▒"
        case .awake: "░"
        case .unspecified: "■"
        }
    }

    /// Returns the meaning of the characters.
    static func legend(_ stages: [SleepStage]) -> String {
        stages.map { stage in
            let name = stage == .rem ? "REM" : stage == .unspecified ? "asleep without a stage" : stage.rawValue
            return "\(mark(stage)) \(name)"
        }.joined(separator: "  ")
    }
}
