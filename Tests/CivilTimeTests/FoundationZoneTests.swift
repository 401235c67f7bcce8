// SPDX-License-Identifier: Apache-2.0
// CivilTimeTests: the calendar compared with Foundation and with recorded facts, and tested with hostile input.

import CivilTime
import Foundation
import TestSupport
import Testing

@Suite("E-9 buckets: time zones agree with Foundation")
struct FoundationZoneTests {
    @Test("Every zone has Foundation's offset, at random instants and around every transition")
    func offsets() throws {
        var random = SeededGenerator(seed: 1)
        for identifier in TimeZone.knownTimeZoneIdentifiers {
            let theirs = try #require(TimeZone(identifier: identifier))
            let ours = try #require(CivilZone(identifier: identifier))
            var instants = (0..<60).map { _ in random.number(in: -9_223_372_036...9_223_372_035) }
            instants += (0..<60).map { _ in random.number(in: 0...2_000_000_000) }
            for at in Oracle.transitions(of: ours) { instants += [at - 1, at, at + 1] }
            let wrong = instants.first { at in
                ours.offset(at: at) != theirs.secondsFromGMT(for: Date(timeIntervalSince1970: Double(at)))
            }
            #expect(wrong == nil, "\(identifier), seed \(random.seed)")
        }
    }

    @Test("Local times resolve as in a search over all offsets in the zone's history")
    func localTimes() throws {
        var random = SeededGenerator(seed: 2)
        for identifier in Oracle.oddZones {
            let zone = try #require(CivilZone(identifier: identifier))
            let oracle = LocalOracle(zone)
            var locals = (0..<30).map { _ in random.number(in: -9_000_000_000...9_000_000_000) }
            for at in oracle.transitions where abs(at) < 2_500_000_000 {
                let before = at + Int64(zone.offset(at: at - 1))
                let after = at + Int64(zone.offset(at: at))
                let inside = random.number(in: min(before, after)...max(before, after))
                locals += [before - 1, before, after - 1, after, inside]
            }
            let wrong = locals.first { zone.instant(ofLocal: $0) != oracle.instant(ofLocal: $0) }
            #expect(wrong == nil, "\(identifier), seed \(random.seed)")
        }
    }

    @Test("Transitions of every zone are far enough apart to order local times")
    func order() throws {
        for identifier in TimeZone.knownTimeZoneIdentifiers {
            let zone = try #require(CivilZone(identifier: identifier))
            let ends = Oracle.transitions(of: zone).map { $0 + Int64(zone.offset(at: $0 - 1)) }
            #expect(ends == ends.sorted(), "\(identifier)")
        }
    }

    @Test("Unknown zone names are refused")
    func unknownNames() {
        for name in [
            "", "Europe/Nowhere", "../etc/passwd", "+", "+1", "+25:00", "GMT+99", "+02:60", "UTC+", "GMT+1:2",
            "+18:01", "GMT+00.\u{fffd}5", "GMT+0x1", "America/../UTC", "Europe/Zürich",
            String(repeating: "a", count: 100_000),
        ] {
            #expect(CivilZone(identifier: name) == nil, "\(name.prefix(20))")
        }
    }

    @Test("Every spelling of a fixed offset is parsed")
    func fixedOffsets() throws {
        let spellings: [(String, Int)] = [
            ("UTC", 0), ("GMT", 0), ("Z", 0), ("+00:00", 0), ("-00:00", 0), ("+02:00", 7200), ("+0200", 7200),
            ("+02", 7200), ("GMT+2", 7200), ("UTC-3", -10_800), ("GMT+05:30", 19_800), ("UTC+0545", 20_700),
            ("-03:30", -12_600), ("GMT-11", -39_600), ("+18:00", 64_800), ("+00:53:28", 3208), ("-005328", -3208),
        ]
        for (text, offset) in spellings {
            let zone = try #require(CivilZone(identifier: text), "\(text)")
            #expect(zone.offset(at: 0) == offset && zone.offset(at: .max) == offset && zone.isFixed, "\(text)")
            #expect(zone.instant(ofLocal: 100_000) == 100_000 - Int64(offset), "\(text)")
            #expect(zone.identifier == text)
        }
        #expect(CivilZone(secondsEast: 3208)?.identifier == "+00:53:28")
        #expect(CivilZone(secondsEast: 64_801) == nil)
        #expect(CivilZone(identifier: "UTC") == CivilZone.utc)
    }

    @Test("Offsets at extreme seconds are returned without a trap")
    func extremes() throws {
        let zone = try #require(CivilZone(identifier: "Europe/Berlin"))
        #expect(zone.offset(at: .min) == 3208 && zone.offset(at: .max) > 0)
        _ = zone.instant(ofLocal: .min)
        _ = zone.instant(ofLocal: .max)
        #expect(zone.nextTransition(after: .max) == nil)
    }
}
