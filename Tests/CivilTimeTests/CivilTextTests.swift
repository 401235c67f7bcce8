// SPDX-License-Identifier: Apache-2.0

import CivilTime
import TestSupport
import Testing

@Suite("T-2 dates and times as text")
struct CivilTextTests {
    let berlin = CivilZone(identifier: "Europe/Berlin")

    @Test(
        "Each supported spelling is parsed",
        arguments: [
            ("2024", "2024-01-01T00:00:00+01:00"), ("2024-07", "2024-07-01T00:00:00+02:00"),
            ("2024-01-31", "2024-01-31T00:00:00+01:00"), ("2024-01-31T12:34", "2024-01-31T12:34:00+01:00"),
            ("2024-01-31 12:34:56", "2024-01-31T12:34:56+01:00"),
            ("2024-01-31t12:34:56.5", "2024-01-31T12:34:56.500+01:00"),
            ("2024-01-31T12:00:00.123456789Z", "2024-01-31T13:00:00.123456789+01:00"),
            ("2024-01-31 12:00:00 +0530", "2024-01-31T07:30:00+01:00"),
            ("2024-01-31 12:00:00,000250-05:00", "2024-01-31T18:00:00.000250+01:00"),
            ("2024-01-31T24:00", "2024-02-01T00:00:00+01:00"), ("2024-01-31T23:59:60Z", "2024-02-01T01:00:00+01:00"),
            ("2024-03-31T02:30", "2024-03-31T03:30:00+02:00"), ("2024-10-27T02:30", "2024-10-27T02:30:00+02:00"),
            ("1969-12-31T23:59:59.999999999Z", "1970-01-01T00:59:59.999999999+01:00"),
            ("1890-01-01T00:00:00+00:53:28", "1890-01-01T00:00:00+00:53:28"),
            ("2262-04-11T23:47:16.854775807Z", "2262-04-12T01:47:16.854775807+02:00"),
            ("1677-09-21T00:12:43.145224192Z", "1677-09-21T01:06:11.145224192+00:53:28"),
        ])
    func understood(text: String, shown: String) throws {
        let zone = try #require(berlin)
        #expect(Civil.format(try Civil.parse(text, zone: zone), zone: zone) == shown)
    }

    @Test(
        "A text that is not a date throws an error with position and reason",
        arguments: [
            ("", 0), ("24-01-01", 0), ("2024-", 5), ("2024-1", 5), ("2024-13", 5), ("2024-00", 5), ("2024-02-30", 8),
            ("2023-02-29", 8), ("2024-01-00", 8), ("2024-01-31x", 10), ("2024-01-31T", 11), ("2024-01-31T25:00", 11),
            ("2024-01-31T12", 13), ("2024-01-31T12:60", 14), ("2024-01-31T12:00:61", 17), ("2024-01-31T12:00:00.", 20),
            ("2024-01-31T12:00:00.1234567890", 20), ("2024-01-31T24:00:01", 11), ("2024-01-31T12:00+2", 16),
            ("2024-01-31T12:00Zx", 17), ("2024Z", 4), ("2024-01-31T12:00 ", 17), ("２０２４", 0), ("now", 0),
            ("2024-01-31T12:00+24:00", 16), ("-2024-01-01", 0),
        ])
    func refused(text: String, offset: Int) throws {
        let error = #expect(throws: CivilError.self) { try Civil.parse(text, zone: .utc) }
        guard case .badText(text, let place, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place == offset, "\(reason)")
    }

    @Test("Dates outside the range of 64-bit nanoseconds are refused")
    func outOfRange() {
        for text in [
            "0000", "1600-01-01", "1677-09-21T00:12:43.145224191Z", "2262-04-11T23:47:16.854775808Z", "9999-12-31",
        ] {
            let error = #expect(throws: CivilError.self) { try Civil.parse(text, zone: .utc) }
            if case .outOfRange? = error {} else { Issue.record("\(text): \(String(describing: error))") }
        }
    }

    @Test("Text of a given precision denotes the period of that length")
    func periods() throws {
        let zone = try #require(berlin)
        let hour: Int64 = 3600 * Civil.second
        let lengths: [(String, Int64)] = [
            ("2024", 366 * 24 * hour), ("2023", 365 * 24 * hour), ("2024-02", 29 * 24 * hour),
            ("2024-03", 31 * 24 * hour - hour), ("2024-12", 31 * 24 * hour), ("2024-10-27", 25 * hour),
            ("2024-01-01T10:00", 60 * Civil.second), ("2024-01-01T10:00:00", Civil.second),
            ("2024-01-01T10:00:00.25", 10_000_000), ("2024-01-01T10:00:00.123456789", 1),
        ]
        for (text, length) in lengths {
            let period = try Civil.parsePeriod(text, zone: zone)
            #expect(period.upperBound - period.lowerBound == length, "\(text)")
            #expect(try Civil.parse(text, zone: zone) == period.lowerBound)
        }
        #expect(throws: CivilError.self) { try Civil.parsePeriod("2262", zone: zone) }
    }

    @Test("Formatted instants parse back to the same instant, in every zone and style")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 41)
        for _ in 0..<5000 {
            let zone = try #require(CivilZone(identifier: random.pick(Oracle.oddZones)))
            var instant = random.number(in: .min ... .max)
            if random.chance(0.5) { instant -= instant % random.pick([1000, 1_000_000, 1_000_000_000]) }
            let style: Civil.TimeStyle = random.chance(0.5) ? .iso8601 : .spaced
            let text = Civil.format(instant, zone: zone, style: style)
            #expect(try Civil.parse(text, zone: .utc) == instant, "\(text), seed \(random.seed)")
            let whole = Civil.format(instant, zone: zone, fractionDigits: 0, style: style)
            // The start of the whole second may lie just before the first representable instant.
            guard let cut = try? Civil.parse(whole, zone: .utc) else { continue }
            #expect((0..<Civil.second).contains(instant &- cut), "\(whole), seed \(random.seed)")
        }
    }

    @Test("Each style formats an instant as documented")
    func styles() throws {
        let zone = try #require(berlin)
        #expect(Civil.format(0, zone: .utc) == "1970-01-01T00:00:00Z")
        #expect(Civil.format(0, zone: .utc, style: .spaced) == "1970-01-01 00:00:00 +0000")
        #expect(Civil.format(1, zone: zone, fractionDigits: 3, style: .spaced) == "1970-01-01 01:00:00.000 +0100")
        #expect(Civil.format(-1, zone: .utc, fractionDigits: 99) == "1969-12-31T23:59:59.999999999Z")
        #expect(Civil.formatDate(-1, zone: .utc) == "1969-12-31")
    }

    @Test("Random text is parsed or refused and never traps")
    func noise() {
        var random = SeededGenerator(seed: 51)
        let alphabet = Array("0123456789-:TtZz+., 2024é")
        for _ in 0..<20_000 {
            let text = String((0..<random.below(32)).map { _ in random.pick(alphabet) })
            _ = try? Civil.parsePeriod("2024-01-31" + text, zone: .utc)
            _ = try? Civil.parsePeriod(text, zone: .utc)
            _ = CivilZone(identifier: "+" + text)
        }
    }
}
