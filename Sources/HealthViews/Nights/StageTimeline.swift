// SPDX-License-Identifier: Apache-2.0

/// Stages in order of time, without overlaps.
struct StageTimeline {
    private(set) var parts: [StageInterval] = []

    init() {}

    /// - Requires: the ranges ascend and do not overlap.
    init(_ ranges: [TimeRange], _ stage: SleepStage, _ source: String) {
        parts = ranges.map { StageInterval(range: $0, stage: stage, source: source) }
    }

    var asleep: Duration { parts.filter(\.stage.isAsleep).reduce(.zero) { $0 + $1.range.duration } }

    /// Adds another timeline where this one has nothing. O(parts of both).
    mutating func fill(_ other: StageTimeline) {
        if parts.isEmpty { parts = other.parts }
        if other.parts.isEmpty { return }
        var filled: [StageInterval] = []
        filled.reserveCapacity(parts.count + other.parts.count)
        var next = 0
        for var new in other.parts {
            while next < parts.count, parts[next].range.start < new.range.end {
                let known = parts[next]
                if new.range.start < known.range.start {
                    var piece = new
                    piece.range.end = known.range.start
                    filled.append(piece)
                }
                new.range.start = max(new.range.start, known.range.end)
                // A known part that lasts beyond the new one may also hide the next one.
                if known.range.end > new.range.end { break }
                filled.append(known)
                next += 1
            }
            if new.range.start < new.range.end { filled.append(new) }
        }
        parts = filled + parts[next...]
    }

    /// Returns the parts; equal neighbours of one source are joined.
    func joined() -> [StageInterval] {
        var found: [StageInterval] = []
        for part in parts {
            if let last = found.last, last.range.end == part.range.start, last.stage == part.stage,
                last.source == part.source
            {
                found[found.count - 1].range.end = part.range.end
            } else {
                found.append(part)
            }
        }
        return found
    }
}

extension [TimeRange] {
    /// Returns the union in ascending order; ranges that touch are joined.
    func united() -> [TimeRange] {
        var found: [TimeRange] = []
        for range in sorted(by: { ($0.start, $0.end) < ($1.start, $1.end) }) {
            if let last = found.last, range.start <= last.end {
                found[found.count - 1].end = Swift.max(last.end, range.end)
            } else {
                found.append(range)
            }
        }
        return found
    }
}
