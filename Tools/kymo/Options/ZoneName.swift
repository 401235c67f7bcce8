// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Foundation

/// The names of time zones as people write them: in any case, with blanks.
enum ZoneName {
    /// The names of the system's time zones.
    static var all: [String] { TimeZone.knownTimeZoneIdentifiers }

    /// Returns the zone of a name or an offset: `Europe/Zurich`, `europe/zurich`, `america/new york`, `+02:00`, `utc`.
    static func zone(_ text: String) -> CivilZone? {
        if let zone = CivilZone(identifier: text) { return zone }
        let wanted = plain(text)
        if let name = all.first(where: { plain($0) == wanted }) { return CivilZone(identifier: name) }
        return CivilZone(identifier: text.uppercased())
    }

    /// Returns the names that are most similar to a mistyped name: a city is enough.
    static func similar(to text: String) -> [String] {
        let wanted = plain(text)
        let cities = all.filter { plain($0).hasSuffix("/" + wanted) }
        if !cities.isEmpty { return Array(cities.prefix(3)) }
        let near = Spelling.nearest(wanted, all)
        if !near.isEmpty { return near }
        func city(_ name: String) -> String { name.split(separator: "/").last.map { String($0) } ?? name }
        let nearCities = Spelling.nearest(wanted, all.map(city))
        return Array(all.filter { nearCities.contains(city($0)) }.prefix(3))
    }

    private static func plain(_ name: String) -> String {
        String(name.lowercased().map { $0.isWhitespace || $0 == "-" ? "_" : $0 })
    }
}
