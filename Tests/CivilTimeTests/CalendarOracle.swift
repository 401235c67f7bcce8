// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation

/// Slow reference implementations for comparison.
enum Oracle {
    /// Zones with unusual rules: half-hour offsets, skipped days, clock changes at midnight, negative summer time.
    static let oddZones = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Europe/Dublin",
        "America/Sao_Paulo", "Asia/Beirut", "Africa/Casablanca", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tehran",
        "America/Havana", "Africa/Cairo", "America/St_Johns", "Antarctica/Troll", "Pacific/Kwajalein",
        "Pacific/Kiritimati", "America/Caracas", "Asia/Pyongyang", "Europe/Moscow", "America/Asuncion", "Asia/Gaza",
        "Pacific/Chatham", "UTC",
    ]

    static func calendar(_ zone: CivilZone) -> Calendar? {
        guard let timeZone = TimeZone(identifier: zone.identifier) else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar
    }

    static func transitions(of zone: CivilZone) -> [Int64] {
        var result: [Int64] = []
        var last = Int64.min
        while let next = zone.nextTransition(after: last) {
            result.append(next)
            last = next
        }
        return result
    }

    /// Returns Foundation's anchor plus `n` steps, in seconds.
    static func edge(_ calendar: Calendar, anchor: Int64, _ step: CalendarStep, _ n: Int) -> Int64? {
        var components = DateComponents()
        components.year = step.years * n
        components.month = step.months * n
        components.day = (step.weeks * 7 + step.days) * n
        components.hour = step.hours * n
        components.minute = step.minutes * n
        components.second = step.seconds * n
        let date = calendar.date(byAdding: components, to: Date(timeIntervalSince1970: Double(anchor)))
        return date.map { Int64($0.timeIntervalSince1970) }
    }
}

/// Resolves local times by trying every offset in the zone's history.
struct LocalOracle {
    let zone: CivilZone
    let transitions: [Int64]
    private let offsets: Set<Int>

    init(_ zone: CivilZone) {
        self.zone = zone
        transitions = Oracle.transitions(of: zone)
        offsets = Set([zone.offset(at: .min)] + transitions.map { zone.offset(at: $0) })
    }

    /// Returns the earliest UTC second at which the zone's clocks show a local second. For a local second in a gap, the
    /// offset before the gap applies.
    func instant(ofLocal local: Int64) -> Int64 {
        let matches = offsets.map { local - Int64($0) }.filter { $0 + Int64(zone.offset(at: $0)) == local }
        if let first = matches.min() { return first }
        // The local second lies in a gap: uses the last transition before which the clocks showed less.
        let skipping = transitions.last { $0 + Int64(zone.offset(at: $0 - 1)) <= local }
        return local - Int64(zone.offset(at: (skipping ?? 0) - 1))
    }
}
