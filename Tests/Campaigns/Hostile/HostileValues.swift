// SPDX-License-Identifier: Apache-2.0

import TestSupport

extension HostileCase {
    /// Invalid dates and unusual dates.
    static func dateCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "date"
        let first = random.below(16)
        let bad = [
            "", "2023", "2023-02-29 00:00:00 +0000", "2023-02-30 00:00:00 +0000", "2100-02-29 00:00:00 +0000",
            "2023-13-01 00:00:00 +0000", "2023-00-01 00:00:00 +0000", "2023-01-00 00:00:00 +0000",
            "2023-04-31 00:00:00 +0000", "2023-01-01 24:00:00 +0000", "2023-01-01 23:60:00 +0000",
            "2016-12-31 23:59:60 +0000", "2023-01-01 00:00:00 +9999", "2023-01-01 00:00:00 +1900",
            "2023-01-01 00:00:00 +0060", "2023-01-01 00:00:00", "2023-01-01", "300000-01-01 00:00:00 +0000",
            "-2023-01-01 00:00:00 +0000", "2023-1-1 0:0:0 +0000", "２０２３-01-01 00:00:00 +0000",
            "2023-01-01 00:00:00 PST", "2023-01-01 00:00:00.1234567890 +0000", "2023-01-01 00:00:00. +0000",
            "01/02/2023 00:00:00 +0000", "2023-01-01\t00:00:00 +0000", " 2023-01-01 00:00:00 +0000",
            "2023-01-01 00:00:00 +0000 ", "1672531200", "0000-00-00 00:00:00 +0000", "NaN", "now",
            "0000-01-01 00:00:00 +0000", "0001-01-01 00:00:00 +0000", "1600-12-31 23:59:59 +0000",
            "1601-01-01 00:00:00 +0000", "1677-09-21 00:00:00 +0000", "2262-04-12 00:00:00 +0000",
            "9999-12-31 23:59:59 +0000", "2023-01-01 00:00:00 +0000\u{200B}",
        ]
        var cases: [HostileCase] = []
        for text in bad {
            var export = HostileExport(first: first)
            export.records(2)
            for (start, end) in [(text, "2023-01-01 00:00:00 +0000"), ("2023-01-01 00:00:00 +0000", text)] {
                // If the end of a record is not a date, the record has no date, even if it ends long before its start.
                export.bad(dated(start, end), "unreadableDate")
            }
            export.records(2)
            cases.append(.xml(group, "\"\(text)\" is not a date", export))
        }
        let good: [(String, Int64)] = [
            ("2023-01-01 00:00:00 +0000", 1_672_531_200_000_000_000),
            ("2023-01-01T00:00:00Z", 1_672_531_200_000_000_000),
            ("2023-01-01 00:00:00.5 +0000", 1_672_531_200_500_000_000),
            ("2023-01-01 00:00:00.123456789 +0000", 1_672_531_200_123_456_789),
            ("2023-01-01 00:00:00 +1800", 1_672_531_200_000_000_000 - 64_800_000_000_000),
            ("2023-01-01 00:00:00 -1800", 1_672_531_200_000_000_000 + 64_800_000_000_000),
            ("2023-01-01 00:00:00 +05:45", 1_672_531_200_000_000_000 - 20_700_000_000_000),
            ("1970-01-01 00:00:00 +0000", 0), ("1969-12-31 23:59:59 +0000", -1_000_000_000),
            ("2024-02-29 12:00:00 +0000", 1_709_208_000_000_000_000),
            ("1700-01-01 00:00:00 +0000", -8_520_336_000_000_000_000),
            ("2100-01-01 00:00:00 +0000", 4_102_444_800_000_000_000),
            ("2250-01-01 00:00:00 +0000", 8_835_955_200_000_000_000),
        ]
        for (text, nanoseconds) in good {
            var export = HostileExport(first: first)
            export.records(2)
            export.raw(dated(text, text) + "\n", good: [datedLine(nanoseconds, nanoseconds)])
            export.records(2)
            cases.append(.xml(group, "\"\(text)\" is a date", export))
        }
        return cases + orderCases(first)
    }

    /// Records that end before they start, that last for centuries, and that are in reverse order.
    private static func orderCases(_ first: Int) -> [HostileCase] {
        let group = "date"
        var before = HostileExport(first: first)
        before.records(2)
        before.bad(dated("2023-01-01 00:00:01 +0000", "2023-01-01 00:00:00 +0000"), "endBeforeStart")
        before.bad(dated("2023-01-01 00:00:00 +0000", "2023-01-01 00:00:00 +0001"), "endBeforeStart")
        before.bad(dated("2250-01-01 00:00:00 +0000", "1700-01-01 00:00:00 +0000"), "endBeforeStart")
        before.records(2)
        var long = HostileExport(first: first)
        long.records(2)
        for _ in 0..<2 {
            long.raw(
                dated("1700-01-01 00:00:00 +0000", "2250-01-01 00:00:00 +0000") + "\n",
                good: [datedLine(-8_520_336_000_000_000_000, 8_835_955_200_000_000_000)])
        }
        long.records(2)
        var backwards = HostileExport(first: first)
        for number in (0..<3_000).reversed() { backwards.add(GoodRecord(10_000 + number * 7)) }
        var same = HostileExport(first: first)
        for _ in 0..<5_000 { same.add(GoodRecord(77)) }
        var created = HostileExport(first: first)
        created.records(2)
        let record = GoodRecord(90)
        let place = created.count
        created.raw(
            GoodRecord.xml("creationDate=\"yesterday\" value=\"1\"", record) + "\n",
            good: [record.changed(value: 1)])
        created.expect("unreadableCreationDate", place..<created.count)
        return [
            .xml(group, "ends before starts", before), .xml(group, "550 years, twice", long),
            .xml(group, "3,000 records backwards", backwards), .xml(group, "one record 5,000 times", same),
            .xml(group, "an invalid creation date", created),
        ]
    }

    private static func dated(_ start: String, _ end: String) -> String {
        "<Record type=\"HKQuantityTypeIdentifierHeight\" sourceName=\"D\" unit=\"m\" startDate=\"\(start)\""
            + " endDate=\"\(end)\" value=\"2\"/>"
    }

    private static func datedLine(_ start: Int64, _ end: Int64) -> String {
        HostileContent.sample(
            type: "HKQuantityTypeIdentifierHeight", source: "D", unit: "m", start: start, end: end, value: 2)
    }

    /// Invalid numbers and unusual numbers.
    static func valueCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "value"
        let first = random.below(16)
        let nines = String(repeating: "9", count: 10_000)
        let bad = [
            "", "NaN", "nan", "inf", "-Infinity", "1e400", "-1e400", "1e999999999999", "0x10", "1,5", "1.000,5",
            "1 000", " 1", "1 ", "\u{660}\u{661}", "\u{FF11}", "--1", "+-1", "1e", "1e+", ".", "-", "1..2", "1_000",
            "١",
            "½", "1%", "one", "true", "1e5e5", "1\u{2212}", nines, "&#49;&#120;", "1;DROP TABLE samples", "1/2",
        ]
        var cases: [HostileCase] = []
        for text in bad {
            var export = HostileExport(first: first)
            export.records(2)
            export.bad(GoodRecord.xml("value=\"\(text)\"", GoodRecord(50)), "unreadableValue")
            export.records(2)
            cases.append(.xml(group, "\(HostileContent.short(Array(text.utf8)).debugDescription) is invalid", export))
        }
        let digits = String(repeating: "1", count: 300)
        let good: [(String, Double, Bool)] = [
            ("-0", -0.0, true), ("+1", 1, false), ("007", 7, false), ("1.0", 1, false), ("5.50", 5.5, false),
            ("1e3", 1_000, false), ("1E-3", 0.001, false), (".5", 0.5, false), ("5.", 5, false),
            ("1e-400", 0, false), ("4.9e-324", .leastNonzeroMagnitude, false),
            ("1.7976931348623157e308", .greatestFiniteMagnitude, false),
            ("0.1", 0.1, true), ("123456789012345678", 123_456_789_012_345_680, false),
            (digits, Double(digits) ?? .nan, false), ("-273.15", -273.15, true), ("&#49;", 1, true),
            ("0." + digits, 1.0 / 9, false),
        ]
        for (text, value, isCanonical) in good {
            var export = HostileExport(first: first)
            export.records(2)
            let record = GoodRecord(51)
            export.raw(
                GoodRecord.xml("value=\"\(text)\"", record) + "\n",
                good: [record.changed(value: value, original: isCanonical ? nil : text)])
            export.records(2)
            cases.append(.xml(group, "\(HostileContent.short(Array(text.utf8))) is valid", export))
        }
        var missing = HostileExport(first: first)
        missing.records(2)
        missing.bad(GoodRecord.xml("", GoodRecord(52)), "unreadableValue")
        missing.bad(
            GoodRecord.xml("value=\"1\"", GoodRecord(52)).replacing("type=", with: "kind="), "missingType")
        missing.bad("<Record/>", "missingType")
        missing.records(2)
        cases.append(.xml(group, "missing required attributes", missing))
        return cases + categoryCases(first)
    }

    /// Values of categories: valid names and invalid ones.
    private static func categoryCases(_ first: Int) -> [HostileCase] {
        let type = "HKCategoryTypeIdentifierSleepAnalysis"
        return ["HKCategoryValueSleepAnalysisAsleepSoundly", "17", "", "-1", "\u{1F634}", "NaN"].map { text in
            var export = HostileExport(first: first)
            export.records(2)
            var record = GoodRecord(53)
            (record.type, record.unit) = (type, nil)
            export.raw(
                GoodRecord.xml("value=\"\(text)\"", record) + "\n",
                good: [record.changed(unit: .some(nil), value: Double(text) == 17 ? 17 : -1, original: text)])
            export.records(2)
            return .xml("value", "the category value \(text.debugDescription)", export)
        }
    }
}
