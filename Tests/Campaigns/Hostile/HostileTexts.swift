// SPDX-License-Identifier: Apache-2.0

import TestSupport

extension HostileCase {
    /// Unusual types, units, names and metadata.
    static func textCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let first = random.below(16)
        let texts = [
            "../../etc/passwd", "/dev/full", "C:\\x", "'; DROP TABLE series; --", "\u{202E}evil", "a\u{200B}b\u{2060}c",
            "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "e\u{301}", "\u{E9}", "\u{FFFF}", "\u{10FFFF}", "ﷺ",
            "%s%n%x",
            "$(reboot)", "\u{1100}\u{1161}", String(repeating: "\u{300}", count: 500), "Zalgo\u{336}\u{33F}", "-",
            String(repeating: "x", count: 10_000), "source=1", "unit", "|", "\u{A0}", "null", "\u{2028}\u{2029}",
        ]
        var cases: [HostileCase] = []
        for text in texts {
            let name = HostileContent.short(Array(text.utf8)).debugDescription
            let record = GoodRecord(61)
            let quoted = text.replacing("'", with: "&apos;")
            for (what, changed, line) in [
                ("type", "type=\"\(quoted)\"", record.changed(type: text, value: 1)),
                (
                    "type with a known prefix", "type=\"HKQuantityTypeIdentifier\(quoted)\"",
                    record.changed(type: "HKQuantityTypeIdentifier" + text, value: 1)
                ),
                ("source", "sourceName=\"\(quoted)\"", record.changed(source: text, value: 1)),
                ("unit", "unit=\"\(quoted)\"", record.changed(unit: text, value: 1)),
            ] {
                let field = changed.prefix { $0 != "=" } + "="
                var xml = GoodRecord.xml("value=\"1\"", record)
                let old = xml.components(from: String(field) + "\"", to: "\"")
                xml = xml.replacing(old, with: changed)
                var export = HostileExport(first: first)
                export.records(1)
                export.raw(xml + "\n", good: [line])
                export.records(2)
                // A third of these, chosen by the seed, to keep a round short.
                if random.below(3) == 0 { cases.append(.xml("text", "the \(what) \(name)", export)) }
            }
        }
        return cases + beatCases(first) + metadataCases(first)
    }

    /// Beats with absurd times.
    private static func beatCases(_ first: Int) -> [HostileCase] {
        let lists: [[(String, String)]] = [
            [("61", "9:00:52.18 AM"), ("60", "9:00:51.18 AM")], [("-1", "25:99:99.99")], [("", "")],
            [("999999999999999999999", "99:00:00.00")], [("NaN", "00:00:00,00"), ("1e9", "12:00:00.00 AM")],
            (0..<3_000).map { ("\($0)", "0\($0 % 10):00:00.00") }, [("61", "٠٩:٠٠:٥٢")], [],
        ]
        return lists.enumerated().map { number, list in
            let record = GoodRecord(62)
            let beats = list.map { "<InstantaneousBeatsPerMinute bpm=\"\($0.0)\" time=\"\($0.1)\"/>" }.joined()
            let child = "<HeartRateVariabilityMetadataList>\(beats)</HeartRateVariabilityMetadataList>"
            let more = (list.map { "\($0.0)@\($0.1)" } + ["beats"]).joined(separator: ";")
            var export = HostileExport(first: first)
            export.records(1)
            export.raw(
                GoodRecord.xml("value=\"1\"", record, children: child) + "\n",
                good: [record.changed(value: 1, more: more)])
            export.records(2)
            return .xml("text", "list of beats \(number)", export)
        }
    }

    /// Metadata that is long, repeated or empty.
    private static func metadataCases(_ first: Int) -> [HostileCase] {
        let long = String(repeating: "v", count: 900_000)
        let sets: [(String, [(String, String)])] = [
            ("10,000 entries", (0..<10_000).map { ("k\($0)", "v") }),
            ("doubled keys", [("k", "1"), ("k", "2"), ("k", "1")]),
            ("an empty key", [("", "v")]), ("an empty value", [("k", "")]), ("a value of 900,000 bytes", [("k", long)]),
            ("a key of 900,000 bytes", [(long, "v")]), ("odd keys", [("../x", "\u{202E}"), ("\u{1F496}", "-")]),
        ]
        return sets.map { name, entries in
            let record = GoodRecord(63)
            let child = entries.map { "<MetadataEntry key=\"\($0.0)\" value=\"\($0.1)\"/>" }.joined()
            let more = entries.map { "\($0.0)=\($0.1)" }.joined(separator: ";")
            var export = HostileExport(first: first)
            export.records(1)
            export.raw(
                GoodRecord.xml("value=\"1\"", record, children: child) + "\n",
                good: [record.changed(value: 1, more: more)])
            export.records(2)
            return .xml("text", "metadata: \(name)", export)
        }
    }

    /// Files with very many items of one kind.
    static func floodCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "flood"
        let first = random.below(16)
        let wide = String(repeating: "w", count: 1_000_000)
        func flood(_ name: String, _ count: Int, _ xml: @escaping @Sendable (Int) -> String) -> HostileCase {
            Self.flood(group, name, count, first, xml)
        }
        @Sendable func record(_ number: Int, _ attributes: String, children: String = "") -> String {
            var record = GoodRecord(number)
            (record.type, record.unit, record.source) = ("HKQuantityTypeIdentifierHeartRate", "u", "f")
            return GoodRecord.xml("value=\"1\" " + attributes, record, children: children)
        }
        let metadata = "<MetadataEntry key=\"\" value=\"\"/>"
        let beats = String(repeating: "<InstantaneousBeatsPerMinute/>", count: 400_000)
        let date = "2023-01-01 00:00:00 +0000"
        let dates = "startDate=\"\(date)\" endDate=\"\(date)\""
        return [
            flood("100 names of 1 MB", 100) { record($0, "sourceVersion=\"\(wide)\($0)\"") },
            flood("100 devices of 1 MB", 100) { record($0, "device=\"\(wide)\($0)\"") },
            flood("300 sets of metadata of 1 MB", 300) {
                record($0, "", children: "<MetadataEntry key=\"k\" value=\"\(wide)\($0)\"/>")
            },
            flood("300 values of 4 KB", 300) { record($0, "note=\"\(wide.prefix(4_000))\($0)\"") },
            flood("60 values of a category of 1 MB", 60) {
                "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" \(dates) value=\"\(wide)\($0)\"/>"
            },
            flood("60 characteristics of 1 MB", 1) { _ in
                "<Me " + (0..<60).map { "c\($0)=\"\(wide)\"" }.joined(separator: " ") + "/>"
            },
            flood("20,000 types", 20_000) { "<Record type=\"T\($0)\" sourceName=\"s\" \(dates) value=\"1\"/>" },
            flood("100 types of 1 MB", 100) { "<Record type=\"\(wide)\($0)\" sourceName=\"s\" \(dates) value=\"1\"/>" },
            flood("50,000 unknown elements", 50_000) { "<e\($0)/>" },
            flood("100,000 kinds of issues", 100_000) { "<Record b\($0)=\"\" b\($0)=\"\"/></x\($0)>" },
            flood("a record with 500,000 entries", 1) {
                record($0, "", children: String(repeating: metadata, count: 500_000))
            },
            flood("a record with 400,000 beats", 1) {
                record(
                    $0, "", children: "<HeartRateVariabilityMetadataList>\(beats)</HeartRateVariabilityMetadataList>")
            },
            flood("a record with 6,000,000 children", 1) {
                record($0, "", children: String(repeating: "<a/>", count: 6_000_000))
            },
            flood("a record with 6,000,000 texts", 1) {
                record($0, "", children: String(repeating: "a<b/>", count: 6_000_000))
            },
            flood("a workout with 3,000,000 doubled attributes", 1) { _ in
                "<Workout>" + String(repeating: "<a b=\"\" b=\"\"/>", count: 3_000_000) + "</Workout>"
            },
            flood("an attribute of 100 MB", 1) {
                record($0, "note=\"" + String(repeating: "n", count: 100 << 20) + "\"")
            },
            flood("text of 100 MB", 1) { _ in String(repeating: "n", count: 100 << 20) },
            flood("a workout of 100 MB", 1) { _ in
                "<Workout>" + String(repeating: "<Location date=\"2023\" latitude=\"47\"/>\n", count: 2_600_000)
                    + "</Workout>"
            },
            flood("a workout of 100 MB of noise", 1) { _ in
                "<Workout>" + (0..<2_600_000).map { "<L d=\"\($0 &* 2_654_435_761)\" l=\"\($0 &* 40_503)\"/>" }.joined()
                    + "</Workout>"
            },
        ]
    }

    /// Returns an export with many pieces of XML between good records.
    private static func flood(
        _ group: String, _ name: String, _ count: Int, _ first: Int, _ xml: @escaping @Sendable (Int) -> String
    ) -> HostileCase {
        var sound = HostileExport(first: first)
        sound.records(6)
        let expected = HostileExpectation(outcome: .more, good: sound.good)
        // Created on demand, because some are large.
        return HostileCase(group, name, expected) { folder in
            var export = HostileExport(first: first)
            export.records(3)
            for number in 0..<count { export.raw(xml(number)) }
            export.records(3)
            return try folder.write(export.finished, to: "export.xml")
        }
    }

    /// Nested elements.
    static func nestingCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "nesting"
        let first = random.below(16)
        func nested(_ name: String, _ depth: Int, _ outer: String) -> String {
            "<\(outer)>" + String(repeating: "<\(name)>", count: depth) + String(repeating: "</\(name)>", count: depth)
                + "</\(outer)>"
        }
        var cases: [HostileCase] = []
        for depth in [33, 1_000, 1_000_000] {
            for outer in ["Workout", "Correlation", "Unknown"] {
                cases.append(
                    .xml(
                        group, "a \(outer), \(depth) deep",
                        HostileExport.around(nested("a", depth, outer), "limit", first: first), exact: false))
            }
            let record = GoodRecord.xml("value=\"1\"", GoodRecord(64), children: nested("a", depth, "b"))
            cases.append(
                .xml(
                    group, "a record, \(depth) deep", HostileExport.around(record, "limit", first: first), exact: false)
            )
        }
        let line = GoodRecord(65).xml
        for (name, kind, xml) in [
            ("a correlation with a record", "correlation", "<Correlation>\(line)</Correlation>"),
            ("an audiogram with points", "audiogram", "<Audiogram><p h=\"NaN\"/><p h=\"\"/></Audiogram>"),
            (
                "a workout with a missing route", "workout",
                "<Workout><WorkoutRoute><FileReference path=\"/workout-routes/none.gpx\"/></WorkoutRoute></Workout>"
            ),
            (
                "a workout whose route is outside the export", "workout",
                "<Workout><WorkoutRoute><FileReference path=\"/../../../etc/passwd\"/></WorkoutRoute></Workout>"
            ),
            ("a summary of an invalid day", "activitySummary", "<ActivitySummary dateComponents=\"2023-99-99\"/>"),
        ] {
            var export = HostileExport(first: first)
            export.records(2)
            let place = export.count
            export.object(kind, start: nil, xml)
            if kind == "correlation" { export.expect("missingAttribute", place..<export.count) }
            if ["activitySummary", "audiogram", "workout"].contains(kind) {
                export.expect("unreadableDate", place..<export.count)
            }
            export.records(2)
            cases.append(.xml(group, name, export))
        }
        for (name, text) in [
            (
                "a correlation in itself",
                "<Correlation><Correlation><Correlation></Correlation></Correlation></Correlation>"
            ),
            ("a workout in a correlation", "<Correlation><Workout></Workout></Correlation>"),
            ("a correlation in a workout", "<Workout><Correlation></Correlation></Workout>"),
            ("a record in a record", "<Record><Record></Record></Record>"),
        ] {
            var export = HostileExport(first: first)
            export.records(3)
            let least = export.good
            export.raw(text)
            export.records(3)
            let expected = HostileExpectation(outcome: .more, good: least)
            cases.append(HostileCase(group, name, bytes: export.finished, expected))
        }
        return cases
    }
}

extension String {
    /// Returns the part after one text, to the end of the next occurrence of another.
    fileprivate func components(from start: String, to end: String) -> String {
        guard let first = range(ofText: start), let last = self[first.upperBound...].firstRange(of: end) else {
            return ""
        }
        return String(self[first.lowerBound..<last.upperBound])
    }

    private func range(ofText text: String) -> Range<String.Index>? { firstRange(of: text) }
}
