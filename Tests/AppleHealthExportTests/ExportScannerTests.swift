// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AppleHealthExport

/// A damaged document and the expected result.
struct DamagedXML: Sendable, CustomTestStringConvertible {
    var name: String
    var xml: [UInt8]
    var records: Int
    var elements: Int
    var reasons: [ExportIssue.Reason: Int]
    var complete: Bool

    init(
        _ name: String, _ xml: String, records: Int, elements: Int = 0, _ reasons: [ExportIssue.Reason: Int] = [:],
        complete: Bool = true
    ) {
        self.init(name, bytes: Array(xml.utf8), records: records, elements: elements, reasons, complete: complete)
    }

    init(
        _ name: String, bytes: [UInt8], records: Int, elements: Int = 0, _ reasons: [ExportIssue.Reason: Int] = [:],
        complete: Bool = true
    ) {
        self.name = name
        xml = bytes
        self.records = records
        self.elements = elements
        self.reasons = reasons
        self.complete = complete
    }

    var testDescription: String { name }

    private static let r = Sample.record()
    private static let w = Sample.workout
    private static func e(_ body: String) -> String { Sample.export(body) }
    private static func many(_ n: Int, _ text: (Int) -> String) -> String { (0..<n).map(text).joined() }
    private static let correlation = "<Correlation type=\"BP\" sourceName=\"Health\" \(Sample.dates)>"
    private static let list = "<HeartRateVariabilityMetadataList>"
    private static let latin1: [UInt8] = [0x43, 0x61, 0x66, 0xE9]

    static let characters: [DamagedXML] = [
        .init("nothing wrong", e(r + w + r), records: 2, elements: 1),
        .init("byte order mark", "\u{FEFF}" + e(r), records: 1),
        .init(
            "vertical tab in a source name", e(r.replacing("Watch", with: "Wa\u{B}tch")), records: 1,
            [.illegalCharacter: 1]),
        .init("NUL in a source name", e(r.replacing("Watch", with: "Wa\0tch")), records: 1, [.illegalCharacter: 1]),
        .init(
            "control character in a tag", e("<Record\u{1}type=\"A\" \(Sample.dates)/>" + r), records: 2,
            [.illegalCharacter: 1]),
        .init(
            "Latin-1 in a value", bytes: Array(e(r).utf8).replacing(Array("Watch".utf8), with: latin1), records: 1,
            [.illFormedUTF8: 1]),
        .init(
            "surrogate in UTF-8", bytes: Array(e(r).utf8).replacing(Array("Watch".utf8), with: [0xED, 0xA0, 0x80]),
            records: 1, [.illFormedUTF8: 1]),
        .init(
            "overlong slash", bytes: Array(e(r).utf8).replacing(Array("Watch".utf8), with: [0xC0, 0xAF]), records: 1,
            [.illFormedUTF8: 1]),
        .init(
            "bad UTF-8 in a name", bytes: Array(e("<Rec\u{1}ord/>" + r).utf8).map { $0 == 1 ? 0xFF : $0 }, records: 1,
            elements: 1, [.illFormedUTF8: 1]),
        .init(
            "DEL, C1, emoji, no-break space", e(r.replacing("Watch", with: "\u{7F}\u{85}🏃\u{A0}")), records: 1),
        .init(
            "known references", e(r.replacing("Watch", with: "&lt;&gt;&amp;&quot;&apos;&#183;&#xB7;")),
            records: 1),
        .init(
            "unknown references", e(r.replacing("Watch", with: "a &nbsp; b & c &lol1;")), records: 1,
            [.unknownReference: 3]),
        .init(
            "references to forbidden characters", e(r.replacing("Watch", with: "&#0;&#11;&#xD800;&#x110000;")),
            records: 1, [.illegalCharacter: 4]),
        .init(
            "reference in a workout", e(w.replacing("Watch", with: "&foo;&#1;")), records: 0, elements: 1,
            [.unknownReference: 1, .illegalCharacter: 1]),
        .init("a bare < in a value", e(r.replacing("Watch", with: "<Watch>")), records: 1, [.unescapedMarkup: 1]),
        .init("single quotes", e(r.replacing("\"", with: "'")), records: 1),
        .init("line breaks between attributes", e(r.replacing(" type", with: "\r\n\ttype")), records: 1),
        .init(
            "CDATA and comments in between", e("<!-- <Record/> -->\(r)<![CDATA[ <Record> ]]>\(w)<?pi <Record ?>"),
            records: 1, elements: 1),
    ]

    static let structure: [DamagedXML] = [
        .init("empty root", "<HealthData locale=\"de\"/>", records: 0),
        .init("root without records", e(""), records: 0),
        .init(
            "document type", Sample.doctype + e("").replacing("<?xml version=\"1.0\" encoding=\"UTF-8\"?>", with: ""),
            records: 0),
        .init(
            "document type of iOS 16", Sample.export(r, before: Sample.brokenDoctype), records: 1, [.malformedDTD: 1]),
        .init(
            "document type closed twice", Sample.export(r, before: Sample.doctype + "<!ELEMENT a EMPTY>\n]>\n"),
            records: 1, [.malformedDTD: 1]),
        .init(
            "document type never closed", Sample.export(r, before: Sample.doctype.replacing("]>", with: "")),
            records: 1, [.malformedDTD: 1]),
        .init(
            "document type that contains tags",
            Sample.export(r, before: Sample.doctype.replacing("]>", with: "<RightEye> ]>")), records: 1,
            [.malformedDTD: 1]),
        .init(
            "external document type is not loaded",
            Sample.export(r, before: "<!DOCTYPE HealthData SYSTEM \"http://example.org/x.dtd\">"), records: 1),
        .init("comment with ENTITY", Sample.export(r, before: "<!-- <!ENTITY a 'b'> -->"), records: 1),
        .init("text before the root", "junk " + e(r), records: 1, [.strayText: 1]),
        .init("text between elements", e("a \(r) b > c \(r)"), records: 2, [.strayText: 2]),
        .init("unclosed comment", e("\(r)<!-- \(r)"), records: 2, [.strayText: 1]),
        .init("declaration between elements", e("\(r)<!ENTITY x 'y'>\(r)"), records: 2, [.strayText: 1]),
        .init("end tag without start tag", e("\(r)</Record>\(r)"), records: 2, [.malformedElement: 1]),
        .init("end tag without end", e("\(r)</\(String(repeating: "x", count: 300))\(r)"), records: 2, [.strayText: 1]),
        .init("two roots", e(r) + "\n" + e(r + r), records: 3, [.secondRoot: 1, .unexpectedElement: 2]),
        .init("root in a root", "<HealthData>" + e(r), records: 1, [.secondRoot: 1]),
        .init("element after the root", e(r) + w + r, records: 2, elements: 1, [.contentAfterRoot: 2]),
        .init("text after the root", e(r) + " the end", records: 1, [.strayText: 1]),
        .init("comment after the root", e(r) + "<!-- the end -->\n", records: 1),
        .init("no root: records", r + "\n" + r, records: 2, [.missingRoot: 1], complete: false),
        .init("no root: workout", " " + w, records: 0, elements: 1, [.missingRoot: 1], complete: false),
        .init(
            "unclosed ExportDate and Me", "<HealthData><ExportDate value=\"a\"><Me b=\"c\">\(r)</HealthData>",
            records: 1, [.unclosedElement: 2]),
        .init(
            "ExportDate after records", "<HealthData>\(r)<ExportDate value=\"2023\"/></HealthData>", records: 1,
            [.unexpectedElement: 1]),
        .init("unknown element", e("<StateOfMind a=\"1\"><b/>text</StateOfMind>\(r)"), records: 1, elements: 1),
        .init("unclosed unknown tag", e("<br>\(r)<br>\(r)"), records: 2, [.strayText: 2]),
        .init("malformed unknown tag", e("<br clear=all>\(r)"), records: 1, [.malformedElement: 1]),
        .init("root without end tag", "<HealthData>\(r)", records: 1, [.truncated: 1], complete: false),
    ]

    static let elements: [DamagedXML] = [
        .init("attribute without quotes", e("<Record type=A/>\(r)"), records: 1, [.malformedElement: 1]),
        .init("attribute without value", e("<Record type/>\(r)"), records: 1, [.malformedElement: 1]),
        .init(
            "quote missing at the end", e(r.replacing("72\"", with: "72") + "\n" + r + r), records: 2,
            [.malformedElement: 1]),
        .init(
            "quote missing at the start", e(r.replacing("\"72", with: "72") + "\n" + r), records: 1,
            [.malformedElement: 1]),
        .init(
            "no space between attributes", e("<Record type=\"A\"unit=\"b\"/>\(r)"), records: 1, [.malformedElement: 1]),
        .init("slash inside of a tag", e("<Record / type=\"A\"/>\(r)"), records: 1, [.malformedElement: 1]),
        .init(
            "duplicate attribute", e(r.replacing("unit", with: "value=\"99\" unit")), records: 1,
            [.duplicateAttribute: 1]),
        .init(
            "startDate twice in statistics",
            e(w.replacing("<Meta", with: "<WorkoutStatistics startDate=\"a\" startDate=\"b\"/><Meta")), records: 0,
            elements: 1, [.duplicateAttribute: 1]),
        .init(
            "custom metadata of iOS 8 as attributes", e(r.replacing("unit", with: "My Key=\"v\" Other=\"w\" unit")),
            records: 1, [.spacedName: 1]),
        .init(
            "Record without end tag", e(r.replacing("/>", with: ">") + "\n" + r + w), records: 2, elements: 1,
            [.unclosedElement: 1]),
        .init("last Record without end tag", e(r.replacing("/>", with: ">")), records: 1, [.unclosedElement: 1]),
        .init(
            "Workout without end tag", e(w.replacing("</Workout>", with: "") + r), records: 1, elements: 1,
            [.unclosedElement: 1]),
        .init(
            "Workout with open children", e(w.replacing("</Workout>", with: "<WorkoutRoute><a>") + r), records: 1,
            elements: 1, [.unclosedElement: 1]),
        .init(
            "wrong end tag in a Workout", e(w.replacing("</Workout>", with: "</Wokrout></Workout>") + r), records: 1,
            [.malformedElement: 1]),
        .init(
            "crossed tags in a Workout", e(w.replacing("</Workout>", with: "<a><b></a></b></Workout>") + r), records: 1,
            [.malformedElement: 1]),
        .init(
            "malformed child of a Record", e("<Record type=\"A\" \(Sample.dates)><MetadataEntry key=x/></Record>\(r)"),
            records: 1, [.malformedElement: 1]),
        .init(
            "wrong end tag in a Record", e("<Record type=\"A\" \(Sample.dates)></MetadataEntry></Record>\(r)"),
            records: 1, [.malformedElement: 1]),
        .init(
            "records in a malformed Correlation are not counted", e("\(correlation)\(r)<a b=c/>\(r)</Correlation>\(r)"),
            records: 1, [.malformedElement: 1]),
        .init(
            "records in a Correlation are part of it", e("\(correlation)\(r)\(r)</Correlation>\(r)"), records: 1,
            elements: 1),
        .init(
            "Correlation without end tag", e("\(correlation)\(r)\(w)"), records: 0, elements: 2, [.unclosedElement: 1]),
        .init(
            "unknown child of a Record", e("<Record type=\"A\" \(Sample.dates)><New a=\"&lt;\"><b/></New></Record>"),
            records: 1),
        .init("text in a Record", e("<Record type=\"A\" \(Sample.dates)> text </Record>"), records: 1, [.strayText: 1]),
        .init(
            "MetadataEntry without key", e("<Record type=\"A\" \(Sample.dates)><MetadataEntry value=\"1\"/></Record>"),
            records: 1, [.missingAttribute: 1]),
        .init(
            "beat list in a beat list",
            e(
                "<Record type=\"A\" \(Sample.dates)>\(list)\(list)</Record>\(r)"
            ), records: 1, [.malformedElement: 1]),
        .init(
            "33 levels", e("<Workout>" + many(33) { _ in "<a>" } + many(33) { _ in "</a>" } + "</Workout>\(r)"),
            records: 1, [.limit: 1]),
        .init(
            "31 levels", e("<Workout>" + many(31) { _ in "<a>" } + many(31) { _ in "</a>" } + "</Workout>\(r)"),
            records: 1, elements: 1),
        .init(
            "100,000 tags", e("<Workout>" + many(100_000) { _ in "<a>" } + "</Workout>\(r)"), records: 1, [.limit: 1]),
        .init("65 attributes", e("<Record " + many(65) { "a\($0)=\"\" " } + "/>\(r)"), records: 1, [.limit: 1]),
        .init("64 attributes", e("<Workout " + many(64) { "a\($0)=\"\" " } + "/>\(r)"), records: 1, elements: 1),
        .init(
            "attribute of 2 MiB", e(r.replacing("Watch", with: String(repeating: "x", count: 2 << 20)) + r), records: 1,
            [.limit: 1]),
        .init(
            "1 MiB of value", e(r.replacing("Watch", with: String(repeating: "x", count: 1 << 20)) + r), records: 2),
        .init(
            "name of 300 bytes", e("<\(String(repeating: "x", count: 300))/>\(r)"), records: 1, [.malformedElement: 1]),
        .init(
            "comment of 2 MiB in a Workout",
            e("<Workout><!--\(String(repeating: " ", count: 2 << 20))--></Workout>\(r)"), records: 1, [.limit: 1]),
    ]

    static let values: [DamagedXML] = [
        .init("Record without type", e("<Record \(Sample.dates) value=\"1\"/>\(r)"), records: 1, [.missingType: 1]),
        .init("empty type", e(Sample.record(type: "") + r), records: 1, [.missingType: 1]),
        .init("no startDate", e(r.replacing("startDate", with: "startDat")), records: 0, [.unreadableDate: 1]),
        .init("no endDate", e(r.replacing("endDate", with: "endDat")), records: 0, [.unreadableDate: 1]),
        .init(
            "month 13", e(r.replacing("startDate=\"2023-05", with: "startDate=\"2023-13")), records: 0,
            [.unreadableDate: 1]),
        .init(
            "end before start", e(r.replacing("endDate=\"2023", with: "endDate=\"2022")), records: 0,
            [.endBeforeStart: 1]),
        .init(
            "creationDate no date", e(r.replacing("creationDate=\"2023", with: "creationDate=\"now")), records: 1,
            [.unreadableCreationDate: 1]),
        .init("no creationDate", e(r.replacing("creationDate=\"2023-05-13 10:36:12 +0200\"", with: "")), records: 1),
        .init("quantity without value", e(r.replacing("value=\"72\"", with: "")), records: 0, [.unreadableValue: 1]),
        .init(
            "quantity not a number",
            e(Sample.record("nan") + Sample.record("0x1p3") + Sample.record("1,5") + Sample.record("1e999")),
            records: 0, [.unreadableValue: 4]),
        .init(
            "category without value", e(r.replacing("value=\"72\"", with: "").replacing("Quantity", with: "Category")),
            records: 1),
        .init(
            "category with a name", e(Sample.record("HKCategoryValueNotApplicable", type: "HKCategoryTypeIdentifierX")),
            records: 1),
        .init("data type without a value", e(Sample.record("8", type: "HKDataTypeSleepDurationGoal")), records: 1),
    ]
}

@Suite("T-1 damaged XML is read")
struct ExportScannerTests {
    @Test("damaged characters are repaired or skipped, with an issue", arguments: DamagedXML.characters)
    func characters(_ damaged: DamagedXML) { check(damaged) }

    @Test("damaged structure is repaired or skipped, with an issue", arguments: DamagedXML.structure)
    func structure(_ damaged: DamagedXML) { check(damaged) }

    @Test("damaged elements are repaired or skipped, with an issue", arguments: DamagedXML.elements)
    func elements(_ damaged: DamagedXML) { check(damaged) }

    @Test("damaged values are repaired or skipped, with an issue", arguments: DamagedXML.values)
    func values(_ damaged: DamagedXML) { check(damaged) }

    private func check(_ damaged: DamagedXML) {
        let outcome = ExportOutcome(damaged.xml)
        #expect(outcome.error == nil)
        #expect(outcome.summary?.records == damaged.records)
        #expect(outcome.events.records.count == damaged.records)
        #expect(outcome.events.elements.count == damaged.elements, "\(outcome.events.elements)")
        #expect(outcome.reasons == damaged.reasons, "\(outcome.summary?.issues.listed ?? [])")
        #expect(outcome.summary?.complete == damaged.complete)
        for issue in outcome.summary?.issues.listed ?? [] {
            #expect(issue.offset <= UInt64(damaged.xml.count))
            let before = damaged.xml[..<Int(issue.offset)].count { $0 == 0x0A }
            #expect(issue.line == before + 1, "\(issue)")
        }
    }
}

@Suite("T-1 files that are not exports")
struct NotAnExportTests {
    static let strangers: [(String, String)] = [
        ("", "an empty file"), ("\n \n", "3 bytes without"), ("hello", "5 bytes without"),
        ("<gpx version=\"1.1\"><trk/></gpx>", "root is <gpx>"), ("<html><body>", "root is <html>"),
        ("<?xml version=\"1.0\"?><ClinicalDocument xmlns=\"urn:hl7-org:v3\"/>", "root is <ClinicalDocument>"),
        ("<?xml version=\"1.0\"?><!DOCTYPE HealthData [", "without"), ("<HealthDatabase/>", "root is <HealthDatabase>"),
        ("\0\0\0<HealthData></HealthData>", "NUL at byte 0"), ("ustar\0\0<HealthData/>", "NUL at byte 5"),
        ("<", "1 byte without"), ("\u{E} \u{1}\u{2}\u{0}\u{0}\u{0}\u{0}.FIT\u{0}", "a FIT file, a workout"),
        ("<!", "2 bytes without"), ("<!--", "4 bytes without"), ("</HealthData>", "without"),
        ("{\"records\": []}", "15 bytes without"), (String(repeating: " ", count: 5 << 20), "the first 4194304 bytes"),
    ]

    @Test("the error describes the content of the file", arguments: strangers.indices)
    func refused(_ index: Int) throws {
        let (text, seen) = Self.strangers[index]
        let outcome = ExportOutcome(text)
        guard case .notAnExport(let what) = outcome.error else {
            Issue.record("\(text.prefix(40)) was read: \(String(describing: outcome.summary))")
            return
        }
        #expect(what.contains(seen), "\(what)")
        #expect(outcome.events.all.isEmpty)
    }

    @Test("random bytes are refused")
    func random() {
        for seed in 1...50 as ClosedRange<UInt64> {
            var state = seed
            let bytes = (0..<10_000).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            }
            guard case .notAnExport = ExportOutcome(bytes).error else {
                Issue.record("seed \(seed) was read")
                return
            }
        }
    }

    @Test("a document type with entities is refused")
    func entities() {
        let laughs = """
            <?xml version="1.0"?>
            <!DOCTYPE HealthData [
            <!ENTITY lol "lol">
            <!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
            ]>
            """
        let outside = "<!DOCTYPE HealthData [ <!ENTITY % x SYSTEM \"file:///etc/passwd\"> %x; ]>"
        for (before, line) in [(laughs, 3), (outside, 1)] {
            let outcome = ExportOutcome(Sample.export(Sample.record("&lol1;"), before: before))
            guard case .refused(let what, let found, let offset) = outcome.error else {
                Issue.record("the document was not refused")
                return
            }
            #expect(what.contains("entities"))
            #expect(found == line)
            #expect(offset > 0)
        }
    }
}
