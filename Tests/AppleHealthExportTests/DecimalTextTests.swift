// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KymographHealth

@Suite("X-3 decimal numbers of an export")
struct DecimalTextTests {
    @Test("decimal numbers are parsed")
    func numbers() {
        let cases: [(String, Double)] = [
            ("0", 0), ("72", 72), ("-1", -1), ("+1", 1), ("0.5", 0.5), (".5", 0.5), ("5.", 5), ("1e3", 1_000),
            ("1E-3", 0.001), ("22.5312", 22.5312),
            ("180.1558800000541", 180.1558800000541), ("139.3170000000021", 139.3170000000021),
            ("9007199254740993", 9007199254740992),
            ("9007199254740992.5", 9007199254740992),
            ("123456789012345678901234567890", 123456789012345677877719597056), ("1e22", 1e22), ("1e23", 1e23),
            ("5e-324", .leastNonzeroMagnitude), ("2.4703282292062327e-324", 0),
            ("1.7976931348623157e308", 1.7976931348623157e308), ("1e-99999999999", 0), ("0e999999", 0),
        ]
        for (text, value) in cases { #expect(DecimalText.parse(Array(text.utf8)) == value, "\(text)") }
        #expect(DecimalText.parse(Array("-0".utf8))?.sign == .minus)
    }

    @Test(
        "texts that are not decimal numbers are refused",
        arguments: [
            "", " ", "-", "+", ".", "-.", "e5", ".e5", "1e", "1e+", "1.2.3", "1,5", "1 ", " 1", "0x10", "nan", "inf",
            "-infinity", "1e999", "1_000", "１", "1e5.5", "--1", "1-",
        ])
    func refused(_ text: String) { #expect(DecimalText.parse(Array(text.utf8)) == nil) }

    @Test("a text longer than the limit is refused")
    func long() {
        #expect(DecimalText.parse([UInt8](repeating: 0x31, count: 300)) != nil)
        #expect(DecimalText.parse(Array(("0." + String(repeating: "3", count: 4_000)).utf8)) == 0.3333333333333333)
        #expect(DecimalText.parse([UInt8](repeating: 0x30, count: 4_097)) == nil)
    }

    @Test("rounding equals the standard library's")
    func rounding() {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<20_000 {
            var text = random.chance(0.3) ? "-" : ""
            for _ in 0...random.below(random.chance(0.1) ? 30 : 9) { text += String(random.below(10)) }
            if random.chance(0.7) {
                text += "."
                for _ in 0...random.below(random.chance(0.1) ? 30 : 12) { text += String(random.below(10)) }
            }
            if random.chance(0.2) { text += "e\(random.number(in: -40...40))" }
            let value = DecimalText.parse(Array(text.utf8))
            #expect(value?.bitPattern == Double(text)?.bitPattern, "seed \(random.seed): \(text)")
        }
    }

    @Test("a number halfway between two doubles rounds to even")
    func halfway() {
        var random = SeededGenerator(seed: 22)
        for _ in 0..<500 {
            // The number is halfway between n and n + 2, above 2^53.
            let low = UInt64(1) << 53 + UInt64(random.below(1 << 50)) * 2
            for exponent in 0...3 {
                let text = String(low + 1) + "." + String(repeating: "0", count: exponent)
                #expect(DecimalText.parse(Array(text.utf8)) == Double(low % 4 == 0 ? low : low + 2), "\(text)")
            }
        }
    }

    @Test("the canonical text has the fewest digits and no exponent")
    func canonical() {
        let cases: [(Double, String)] = [
            (0, "0"), (-0.0, "-0"), (72, "72"), (0.1, "0.1"), (-2.5, "-2.5"), (100, "100"),
            (1e21, "1000000000000000000000"), (1.5e22, "15000000000000000000000"),
            (1e-5, "0.00001"), (1.25e-7, "0.000000125"), (123456.789, "123456.789"),
            (9007199254740992, "9007199254740992"), (0.1 + 0.2, "0.30000000000000004"),
        ]
        for (value, text) in cases { #expect(DecimalText.text(value) == text) }
        #expect(DecimalText.text(.leastNonzeroMagnitude).utf8.count == 326)
        #expect(DecimalText.text(.greatestFiniteMagnitude).utf8.count == 309)
    }

    @Test("every double reads back from its canonical text, which is recognised as canonical")
    func roundTrip() {
        var random = SeededGenerator(seed: 23)
        for index in 0..<20_000 {
            let value = index % 2 == 0 ? Double(bitPattern: random.next()) : (random.fraction() * 1_000).rounded() / 100
            guard value.isFinite else { continue }
            let text = Array(DecimalText.text(value).utf8)
            #expect(DecimalText.parse(text)?.bitPattern == value.bitPattern, "seed \(random.seed): \(value)")
            #expect(DecimalText.isCanonical(text, value), "seed \(random.seed): \(value)")
        }
    }

    @Test("a text is canonical exactly if it equals the formatted number")
    func recognition() {
        var random = SeededGenerator(seed: 24)
        var canonical = 0
        for _ in 0..<40_000 {
            var text = random.chance(0.1) ? "-" : ""
            for _ in 0..<random.below(random.chance(0.05) ? 25 : 5) {
                text += String(random.below(random.chance(0.5) ? 2 : 10))
            }
            if random.chance(0.7) { text += "." }
            for _ in 0..<random.below(random.chance(0.2) ? 25 : 6) {
                text += String(random.below(random.chance(0.5) ? 2 : 10))
            }
            if random.chance(0.05) { text += "e1" }
            guard let value = DecimalText.parse(Array(text.utf8)) else { continue }
            let expected = DecimalText.text(value) == text
            if expected { canonical += 1 }
            #expect(DecimalText.isCanonical(Array(text.utf8), value) == expected, "seed \(random.seed): \(text)")
        }
        #expect(canonical > 5_000)
    }
}
