// SPDX-License-Identifier: Apache-2.0

import TestSupport

extension HostileCase {
    /// Elements that are unclosed, closed twice, hidden in others, or misplaced.
    static func structureCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "structure"
        let first = random.below(16)
        let record = GoodRecord(70)
        let tag = String(GoodRecord.xml("value=\"1\"", record).dropLast(2))
        func around(_ text: String, _ reasons: String...) -> HostileExport {
            var export = HostileExport(first: first)
            export.records(3)
            let place = export.count
            export.raw(text + "\n")
            for reason in reasons { export.expect(reason, place..<export.count + 1) }
            export.records(3)
            return export
        }
        let cases: [HostileCase] = [
            .xml(group, "an unterminated tag", around(tag, "malformedElement")),
            .xml(group, "a value without its quote", around(tag + " x=\"1/>", "malformedElement"), exact: false),
            .xml(group, "a value without quotes", around(tag + " x=1/>", "malformedElement")),
            .xml(group, "an attribute without a value", around(tag + " x/>", "malformedElement")),
            .xml(group, "a slash in the tag", around(tag + " / x=\"1\"/>", "malformedElement")),
            .xml(group, "a lone <", around("<", "strayText")),
            .xml(group, "a lone < and a number", around("<5", "strayText")),
            .xml(group, "text", around("hello &amp; goodbye", "strayText")),
            .xml(group, "a ]]> between records", around("]]>", "strayText")),
            .xml(group, "a comment that hides a record", around("<!-- " + tag + "/> -->")),
            .xml(group, "a section that hides a record", around("<![CDATA[" + tag + "/>]]>")),
            .xml(group, "an instruction that hides a record", around("<?x " + tag + "/> ?>")),
            .xml(group, "an end tag without an element", around("</Record>", "malformedElement")),
            .xml(group, "an unterminated end tag", around("</Rec", "strayText"), exact: false),
            .xml(group, "a declaration", around("<!ELEMENT a EMPTY>", "strayText"), exact: false),
            .xml(group, "an entity below the root", around("<!ENTITY a \"b\">", "strayText"), exact: false),
            .xml(
                group, "65 attributes",
                around(
                    tag + (0..<65).map { " a\($0)=\"\"" }.joined() + "/>", "limit")),
            .xml(
                group, "1,000,000 attributes",
                around(
                    tag + (0..<1_000_000).map { " a\($0)=\"\"" }.joined() + "/>", "limit"), exact: false),
            .xml(
                group, "an attribute name of 300 bytes",
                around(
                    tag + " " + String(repeating: "n", count: 300) + "=\"1\"/>", "malformedElement")),
            .xml(
                group, "an element name of 1 MB",
                around(
                    "<" + String(repeating: "n", count: 1_000_000) + "/>"), exact: false),
            .xml(
                group, "an attribute of 2 MB",
                around(
                    tag + " note=\"" + String(repeating: "n", count: 2_000_000) + "\"/>", "limit")),
            .xml(
                group, "a comment of 20 MB",
                around(
                    "<!--" + String(repeating: "n", count: 20 << 20) + "-->"), exact: false),
        ]
        return cases + unendingCases(first) { around($0) } + rootCases(first) + unclosedCases(first)
    }

    /// Very many beginnings without an end.
    private static func unendingCases(_ first: Int, _ around: (String) -> HostileExport) -> [HostileCase] {
        var cases: [HostileCase] = []
        for (name, text) in [
            ("comments", "<!--"), ("comments with brackets", "<!-->"), ("instructions", "<?>"),
            ("sections", "<![CDATA["),
            ("records", "<Record "), ("values", "<Record a=\""), ("names", "<a"),
            ("unknown elements", "<a>"), ("end tags", "</"), ("lists of beats", "<HeartRateVariabilityMetadataList>"),
            ("records with children", "<Record a=\"\"><b>"), ("second roots", "<HealthData>"),
        ] {
            let many = String(repeating: text, count: 8_000_000 / text.utf8.count)
            var good = HostileExport(first: first)
            good.records(3)
            let least = good.good
            good.records(3)
            cases.append(
                HostileCase(
                    "structure", "\(many.utf8.count) bytes of unterminated \(name)", bytes: around(many).finished,
                    HostileExpectation(outcome: .either, good: good.good, least: least)))
        }
        return cases
    }

    /// Roots that are missing, doubled or closed early.
    private static func rootCases(_ first: Int) -> [HostileCase] {
        let group = "structure"
        var missing = HostileExport(root: "", header: "", first: first)
        missing.expect("missingRoot", missing.count - 1..<missing.count + 1)
        missing.records(4)
        missing.expect("malformedElement", missing.count..<missing.count + 1)
        var second = HostileExport(first: first)
        second.records(2)
        second.bad("</HealthData><HealthData>", "secondRoot")
        second.records(2)
        var nested = HostileExport(first: first)
        nested.records(2)
        nested.bad("<HealthData><HealthData>", "secondRoot", "secondRoot")
        nested.records(2)
        var behind = HostileExport(first: first)
        behind.records(2)
        behind.raw("</HealthData>\n")
        for _ in 0..<2 {
            behind.expect("contentAfterRoot", behind.count..<behind.count + 1)
            behind.records(1)
        }
        behind.expect("malformedElement", behind.count..<behind.count + 1)
        var empty = HostileExport(root: "<HealthData locale=\"x\"/>\n", header: "", first: first)
        empty.expect("contentAfterRoot", empty.count..<empty.count + 1)
        empty.records(1)
        empty.expect("malformedElement", empty.count..<empty.count + 1)
        var broken = HostileExport(root: "<HealthData locale=x>\n", first: first)
        broken.records(3)
        return [
            .xml(group, "no root", missing, complete: false), .xml(group, "a second root", second),
            .xml(group, "roots in roots", nested), .xml(group, "records after the root", behind),
            .xml(group, "a root that closes itself", empty),
            .xml(group, "a root whose tag is malformed", broken, exact: false, complete: nil),
            refused(group, "a closing root only", Array("</HealthData>".utf8)),
        ]
    }

    /// Elements without their end tags, of each kind.
    private static func unclosedCases(_ first: Int) -> [HostileCase] {
        let group = "structure"
        let tag = GoodRecord.xml("value=\"1\"", GoodRecord(80)).dropLast(2)
        let line = GoodRecord(80).changed(value: 1)
        var record = HostileExport(first: first)
        record.records(2)
        let place = record.count
        record.raw(tag + ">\n", good: [line])
        record.expect("unclosedElement", place..<record.count)
        record.records(2)
        var cases = [HostileCase.xml(group, "a record without its end tag", record)]
        for name in ["Workout", "Correlation", "ActivitySummary", "Audiogram", "VisionPrescription", "ClinicalRecord"] {
            var export = HostileExport(first: first)
            export.records(2)
            let place = export.count
            // The element ends where the next one begins; the records after a correlation belong to it.
            let isCorrelation = name == "Correlation"
            export.raw("<\(name) a=\"1\"><MetadataEntry key=\"k\" value=\"v\"/>")
            if isCorrelation { export.raw("<Workout b=\"2\"/>") }
            export.expect("unclosedElement", place..<export.count)
            let kind =
                [
                    "Workout": "workout", "Correlation": "correlation", "ActivitySummary": "activitySummary",
                    "Audiogram": "audiogram", "VisionPrescription": "visionPrescription",
                    "ClinicalRecord": "clinicalRecord",
                ][name] ?? ""
            let xml = "<\(name) a=\"1\"><MetadataEntry key=\"k\" value=\"v\"/>\(isCorrelation ? "" : "\n")</\(name)>"
            export.raw("\n", good: [HostileContent.object(kind, nil, Array(xml.utf8))])
            if isCorrelation {
                export.raw("", good: [HostileContent.object("workout", nil, Array("<Workout b=\"2\"/>".utf8))])
            }
            export.records(2)
            cases.append(.xml(group, "a \(name) without its end tag", export, exact: false))
        }
        return cases
    }

    /// Exports that are truncated, at each kind of position and at random ones.
    static func cutCases(_ random: inout SeededGenerator) -> [HostileCase] {
        var export = HostileExport(first: random.below(16))
        export.records(2)
        // The end of the bytes that each record needs, and its line.
        var ends: [(end: Int, line: String)] = []
        for number in 100..<140 {
            let record = GoodRecord(number)
            export.add(record)
            ends.append((export.count - 1, record.line))
        }
        let whole = export.finished
        let body = export.count
        let before = HostileExport().count
        var cuts = [before, before + 1, body - 1, body, body + 1, whole.count - 3, ends[3].end, ends[3].end - 1]
        cuts += [ends[5].end - 2, ends[7].end - 40]
        for _ in 0..<24 { cuts.append(ends[0].end + random.below(whole.count - ends[0].end - 2)) }
        var cases: [HostileCase] = []
        for cut in Set(cuts).sorted() where cut >= ends[0].end {
            var good: [String: Int] = export.good
            for (end, line) in ends where end > cut { good[line] = nil }
            cases.append(
                HostileCase(
                    "cut", "to \(cut) of \(whole.count) bytes", bytes: Array(whole[..<cut]),
                    HostileExpectation(
                        outcome: .kept, good: good,
                        planted: [Planted(reason: "truncated", place: 0..<whole.count + 1)], isExact: true,
                        complete: false)))
        }
        for cut in [1, 5, 20, 60, HostileExport.prolog.utf8.count - 3] {
            cases.append(refused("cut", "to \(cut) of \(whole.count) bytes", Array(whole[..<cut])))
        }
        return cases
    }
}
