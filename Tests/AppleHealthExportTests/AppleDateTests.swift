// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import AppleHealthExport
@testable import KymographHealth

@Suite("Dates of an export")
struct AppleDateTests {
    static func seconds(_ text: String) -> Int64? { AppleDate(Array(text.utf8)).map { $0.nanoseconds / 1_000_000_000 } }

    @Test("the usual form is parsed")
    func ordinary() throws {
        let date = try #require(AppleDate(Array("2023-05-13 10:36:12 +0200".utf8)))
        #expect(date.nanoseconds == 1_683_966_972_000_000_000)
        #expect(date.offset == 7_200)
        #expect(date.text == "2023-05-13 10:36:12 +0200")
        #expect(Self.seconds("1970-01-01 00:00:00 +0000") == 0)
        #expect(Self.seconds("1969-12-31 19:00:00 -0500") == 0)
        #expect(Self.seconds("2024-02-29 00:00:00 +0545") == 1_709_144_100)
    }

    @Test("equivalent forms give the same date")
    func variants() throws {
        let base = try #require(AppleDate(Array("2023-05-13 10:36:12 +0200".utf8)))
        for text in [
            "2023-05-13 10:36:12 +02:00", "2023-05-13T10:36:12+02:00", "2023-05-13 10:36:12+0200",
            "2023-05-13 10:36:12.000 +0200",
        ] {
            #expect(AppleDate(Array(text.utf8)) == base, "\(text)")
        }
        for text in ["2023-05-13T08:36:12Z", "2023-05-13 08:36:12 Z", "2023-05-13 08:36:12 -0000"] {
            #expect(AppleDate(Array(text.utf8))?.nanoseconds == base.nanoseconds, "\(text)")
        }
        #expect(
            AppleDate(Array("2023-05-13 10:36:12.123456789 +0200".utf8))?.nanoseconds == base.nanoseconds + 123_456_789)
        #expect(AppleDate(Array("2023-05-13 10:36:12.5Z".utf8))?.nanoseconds == 1_683_974_172_500_000_000)
    }

    @Test(
        "dates outside their ranges and other forms are refused",
        arguments: [
            "", "2023", "2023-05-13", "2023-05-13 10:36:12", "2023-05-13 10:36:12 ", "2023-05-13 10:36:12 +02",
            "2023-05-13 10:36:12 +020",
            "2023-00-13 10:36:12 +0200", "2023-13-13 10:36:12 +0200", "2023-02-29 10:36:12 +0200",
            "2023-04-31 10:36:12 +0200", "1900-02-29 10:36:12 +0200",
            "2023-05-00 10:36:12 +0200", "2023-05-32 10:36:12 +0200", "2023-05-13 24:00:00 +0200",
            "2023-05-13 10:60:12 +0200", "2023-05-13 10:36:60 +0200",
            "2023-05-13 10:36:12 +1801", "2023-05-13 10:36:12 +1900", "2023-05-13 10:36:12 +0260",
            "2023-05-13 10:36:12 0200", "2023-05-13 10:36:12 *0200",
            "2023/05/13 10:36:12 +0200", "2023-05-13_10:36:12 +0200", "2023-05-13 10.36.12 +0200",
            "23-05-13 10:36:12 +020000", "2023-05-13 10:36:12. +0200",
            "2023-05-13 10:36:12.1234567890 +0200", "2023-05-13 10:36:12 +0200 ", " 2023-05-13 10:36:12 +0200",
            "-023-05-13 10:36:12 +0200",
            "1600-01-01 00:00:00 +0000", "2300-01-01 00:00:00 +0000", "0000-00-00 00:00:00 +0000",
            "9999-12-31 23:59:59 -1800", "２023-05-13 10:36:12 +0200",
            "2023-05-13 10:36:12 +02:0", "2023-05-13 10:36:12 +02-00", "2023-05-13 1a:36:12 +0200",
        ])
    func refused(_ text: String) { #expect(AppleDate(Array(text.utf8)) == nil) }

    @Test("the first and the last second of the range are parsed, and no date beyond")
    func ends() {
        #expect(Self.seconds("2262-04-11 23:47:16 +0000") == 9_223_372_036)
        #expect(Self.seconds("2262-04-11 23:47:17 +0000") == nil)
        #expect(Self.seconds("1677-09-21 00:12:44 +0000") == -9_223_372_036)
        #expect(Self.seconds("1677-09-21 00:12:43 +0000") == nil)
    }

    @Test("dates agree with Foundation and read back from their text")
    func foundation() throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
        var random = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            let seconds = random.number(in: -5_000_000_000...9_000_000_000)
            let offset = Int32(random.number(in: -72...72) * 900)
            let text = AppleDate(nanoseconds: seconds * 1_000_000_000, offset: offset).text
            let parsed = try #require(AppleDate(Array(text.utf8)))
            #expect(parsed == AppleDate(nanoseconds: seconds * 1_000_000_000, offset: offset), "\(text)")
            #expect(
                formatter.date(from: text)?.timeIntervalSince1970 == Double(seconds), "seed \(random.seed): \(text)")
        }
    }

    @Test("a reader of dates with the day of an earlier date gives the values of a single date")
    func reader() {
        var random = SeededGenerator(seed: 12)
        var reader = DateReader()
        let usual = Array("2023-05-13 10:36:12 +0200".utf8)
        var base = usual
        for _ in 0..<50_000 {
            var text = base
            for _ in 0..<random.below(3) { text[11 + random.below(8)] = 0x30 + UInt8(random.below(11)) }
            if random.chance(0.1) { text[random.below(text.count)] = UInt8(random.below(256)) }
            if random.chance(0.02) { text.removeLast() }
            let bytes = text + [UInt8](repeating: 0x39, count: ExportScanner.slack)
            #expect(reader.read(bytes.span, 0..<text.count) == AppleDate(text), "\(text)")
            if random.chance(0.1) {
                let texts = [
                    "2023-05-13 10:36:12.1234Z", "1677-09-21 00:12:44 +0000", "2262-04-11 23:47:16 +0000",
                    "2024-02-29 00:00:00 -0930", "2023-05-13T10:36:12 +0200",
                ]
                base = random.chance(0.5) ? usual : Array(random.pick(texts).utf8)
            }
        }
    }
}
