// SPDX-License-Identifier: Apache-2.0

/// The contents that are right after an action, or after a kill in it.
struct RecordedPattern {
    /// The content before the action, with what the action certainly adds.
    var content: RecordedContent
    /// Whether there may be more samples, events and locations: those of the sensors.
    var mayGrow = false
    /// Whether the activities may have other starts.
    var isDateFree = false
    /// The number of locations that there may be more.
    var locations = 0

    func matches(_ found: RecordedContent) -> Bool {
        let hasSamples =
            mayGrow
            ? found.samples.count >= content.samples.count && found.events.count >= content.events.count
            : found.samples == content.samples && found.events == content.events
        let hasActivities =
            isDateFree ? found.activities.count == content.activities.count : found.activities == content.activities
        let more = found.locations - content.locations
        return hasSamples && hasActivities && more >= 0 && more <= locations && found.workouts == content.workouts
    }
}

/// The last seconds of the sensors and the last events of a recovered session, each with its total.
struct RecordedLate {
    private var seconds: [(second: Int, total: RecordedTotal)] = []
    private var events: [(end: Double, total: RecordedTotal)] = []

    init?(_ words: some Sequence<Substring>) {
        for word in words {
            let parts = word.split(separator: ":", maxSplits: 2)
            guard parts.count == 3, let total = RecordedTotal(parts[2]) else { return nil }
            if parts[0] == "s", let second = Int(parts[1]) {
                seconds.append((second, total))
            } else if parts[0] == "e", let end = Double(parts[1]) {
                events.append((end, total))
            } else {
                return nil
            }
        }
    }

    /// Returns the totals of the samples and events that the sensors delivered in these seconds; nil if seconds in
    /// between are missing.
    func delivered(from first: Int, seconds count: Int) -> (samples: RecordedTotal, events: RecordedTotal)? {
        let late = seconds.filter { $0.second >= first }
        // In a pause nothing is delivered; otherwise every second has samples.
        guard late.count <= count, late.enumerated().allSatisfy({ $0.element.second == first + $0.offset }) else {
            return nil
        }
        return (
            late.reduce(RecordedTotal()) { $0 + $1.total },
            events.filter { $0.end > Double(first) }.reduce(RecordedTotal()) { $0 + $1.total }
        )
    }
}

extension RecordedContent {
    /// Returns the content after a complete action.
    func after(_ action: RecordedAction) -> RecordedPattern {
        var pattern = RecordedPattern(content: self)
        switch action {
        case .sensors(_, let seconds): (pattern.mayGrow, pattern.locations) = (true, seconds)
        case .samples(let total): pattern.content.samples = samples + total
        case .event(let total): pattern.content.events = events + total
        case .activity(let total), .begin(let total): pattern.content.activities = activities + total
        case .locations(let count): pattern.content.locations += count
        case .finish: pattern.content.workouts += 1
        }
        return pattern
    }

    /// Returns the contents that a recovery may find: an action in progress has happened completely or not at all, the
    /// deliveries of the sensors up to one of them.
    func recovered(_ action: RecordedAction?, _ late: RecordedLate) -> [RecordedPattern] {
        guard let action else { return [RecordedPattern(content: self)] }
        switch action {
        case .sensors(let first, let seconds):
            guard let delivered = late.delivered(from: first, seconds: seconds) else { return [] }
            var pattern = RecordedPattern(content: self)
            pattern.content.samples = samples + delivered.samples
            pattern.content.events = events + delivered.events
            pattern.locations = seconds
            return [pattern]
        case .begin:
            // The recovered session begins its collection later, and with it the activity.
            var begun = after(action)
            begun.isDateFree = true
            return [RecordedPattern(content: self), begun]
        default: return [RecordedPattern(content: self), after(action)]
        }
    }
}
