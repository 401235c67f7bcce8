// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A time zone: its offset from UTC at any instant, as a sorted table of transitions. Copies are cheap.
package struct CivilZone: Sendable {
    /// The identifier passed to `init`, for example `Europe/Berlin` or `+02:00`.
    package let identifier: String
    let table: ZoneTable

    /// Coordinated Universal Time.
    package static let utc = CivilZone(identifier: "UTC", table: ZoneTable(fixed: 0))

    /// Creates a zone from a name (`Europe/Berlin`) or a fixed offset (`+02:00`, `-0330`, `GMT+2`, `UTC`, `Z`).
    ///
    /// Returns nil for an unknown name. The first use of a name costs about a millisecond, later ones a dictionary
    /// lookup.
    package init?(identifier: String) {
        if let offset = Self.fixedOffset(identifier) {
            self.init(identifier: identifier, table: ZoneTable(fixed: offset))
            return
        }
        guard Self.canBeName(identifier) else { return nil }
        if let known = Self.known.withLock({ $0[identifier] }) {
            self.init(identifier: identifier, table: known)
            return
        }
        // Outside the lock: two threads may read the same zone twice, but neither waits for the other.
        guard let table = ZoneTable(foundationIdentifier: identifier) else { return nil }
        Self.known.withLock { $0[identifier] = table }
        self.init(identifier: identifier, table: table)
    }

    /// Creates a zone with a fixed offset in seconds east of Greenwich; nil beyond 18 hours.
    package init?(secondsEast: Int) {
        guard abs(secondsEast) <= Self.maxOffset else { return nil }
        self.init(identifier: Civil.offsetText(secondsEast), table: ZoneTable(fixed: secondsEast))
    }

    private init(identifier: String, table: ZoneTable) {
        self.identifier = identifier
        self.table = table
    }

    private static let known = Mutex<[String: ZoneTable]>([:])
    static let maxOffset = 18 * 3600

    /// Returns the offset in seconds east of Greenwich at a second since 1970 UTC. O(log transitions).
    package func offset(at seconds: Int64) -> Int {
        table.offset(at: seconds)
    }

    /// Returns the UTC second of a local second (both counted from 1970-01-01 00:00).
    ///
    /// A local time in a gap moves forward by the length of the gap, so that a skipped midnight becomes the first
    /// instant after the gap. A repeated local time means the earlier instant.
    package func instant(ofLocal seconds: Int64) -> Int64 {
        var hint = table.segment(ofLocal: seconds)
        return table.instant(ofLocal: seconds, hint: &hint)
    }

    /// Whether the zone has no transitions, so that every day has 24 hours.
    package var isFixed: Bool { table.transitions.isEmpty }

    /// Returns the next transition (seconds since 1970 UTC) after the given second, or nil.
    package func nextTransition(after seconds: Int64) -> Int64? {
        let index = table.segment(at: seconds)
        return index < table.transitions.count ? table.transitions[index] : nil
    }

    /// Whether a zone of this name may exist. Other names are not passed to Foundation, which ends the process for some
    /// texts that begin with `GMT`.
    private static func canBeName(_ text: String) -> Bool {
        if text.hasPrefix("GMT"), text != "GMT0" { return false }
        return text.utf8.count <= 255
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: "+"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Returns the offset in seconds of a text such as `+02:00`, `GMT-3` or `UTC`; nil for any other text.
    private static func fixedOffset(_ identifier: String) -> Int? {
        var text = Substring(identifier)
        if text == "Z" || text == "UTC" || text == "GMT" { return 0 }
        let hasPrefix = text.hasPrefix("UTC") || text.hasPrefix("GMT")
        if hasPrefix { text = text.dropFirst(3) }
        var scanner = CivilScanner(String(text))
        guard let offset = scanner.offset(allowsOneDigit: hasPrefix), scanner.isAtEnd else { return nil }
        return abs(offset) <= maxOffset ? offset : nil
    }
}

extension CivilZone: Equatable {
    /// Zones are equal if their identifiers are equal.
    package static func == (left: CivilZone, right: CivilZone) -> Bool { left.identifier == right.identifier }
}
