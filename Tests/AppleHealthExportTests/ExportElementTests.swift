// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AppleHealthExport

@Suite("T-1 records and elements of an export")
struct ExportElementTests {
    private static func read(_ body: String) -> ExportEvents { ExportOutcome(Sample.export(body)).events }

    @Test("the header has locale, date, version and the attributes of Me")
    func header() throws {
        let text =
            Sample.doctype
            + "<HealthData locale=\"fr_FR\"><ExportDate value=\"2023-05-13 10:36:12 +0200\"/>"
            + "<Me a=\"1\" b=\"&lt;&#233;\"/></HealthData>"
        let header = try #require(ExportOutcome(text).events.header)
        #expect(header.kind == .xml && header.entry == nil)
        #expect(header.locale == "fr_FR")
        #expect(header.exportDate == "2023-05-13 10:36:12 +0200")
        #expect(header.version == 12)
        #expect(header.me == [ExportAttribute(name: "a", value: "1"), ExportAttribute(name: "b", value: "<é")])
        let bare = try #require(ExportOutcome("<HealthData/>").events.header)
        #expect(bare == ExportHeader())
    }

    @Test("every field of a record is unescaped, and the device has no heap address")
    func record() throws {
        let events = Self.read(
            """
            <Record type="HKQuantityTypeIdentifierBloodGlucose" sourceName="Dr&apos;s &quot;Meter&quot;" \
            sourceVersion="" device="&lt;&lt;HKDevice: 0x282e3a260&gt;, name:A&amp;B, model:Watch&gt;" \
            unit="mmol&lt;180.1558800000541&gt;/L" creationDate="2023-05-13 10:36:12 +0200" \
            startDate="2023-05-13 10:30:00 +0200" endDate="2023-05-13 10:30:00.5 +0200" \
            value="5.50" Extra="&gt;">
             <MetadataEntry key="K&#101;y" value="a&amp;b"/>
             <MetadataEntry value="2" key="Second"></MetadataEntry>
             <MetadataEntry key="None"/>
            </Record>
            """)
        let expected = """
            record type=HKQuantityTypeIdentifierBloodGlucose sourceName=Dr's "Meter" sourceVersion= \
            device=<<HKDevice: >, name:A&B, model:Watch> unit=mmol<180.1558800000541>/L \
            creationDate=2023-05-13 10:36:12 +0200 startDate=2023-05-13 10:30:00 +0200 \
            endDate=2023-05-13 10:30:00.5 +0200 \
            value=5.50 [Key=a&b] [Second=2] (Extra=>) <MetadataEntry key="None"/> \
            start=1683966600000000000 end=1683966600500000000 \
            created=1683966972000000000 number=5.5 canonical=false
            """
        #expect(events.records == [expected])
    }

    @Test("the beats of a heart rate variability record are read")
    func beats() {
        let events = Self.read(
            """
            <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" \(Sample.dates) value="45.3">
            <MetadataEntry key="a" value="b"/>
            <HeartRateVariabilityMetadataList>
              <InstantaneousBeatsPerMinute bpm="72" time="7:47:41.86&#8239;PM"/>
              <InstantaneousBeatsPerMinute time="08:33:44,67" bpm="68"></InstantaneousBeatsPerMinute>
            </HeartRateVariabilityMetadataList></Record>
            """)
        #expect(events.records.first?.contains("[a=b] list {72@7:47:41.86\u{202F}PM} {68@08:33:44,67}") == true)
    }

    @Test("unknown attributes and children of a record are kept")
    func unknown() {
        let events = Self.read(
            "<Record type=\"A\" \(Sample.dates) My Key=\"v\"><New a=\"&lt;\"><b/></New><!-- c --><Other/></Record>")
        #expect(events.records.first?.contains("(My Key=v) <New a=\"&lt;\"><b/></New> <Other/> start") == true)
    }

    @Test("the first of two equal attributes is used")
    func duplicates() {
        #expect(
            Self.read(Sample.record().replacing("unit=", with: "unit=\"m\" unit=")).records.first?.contains("unit=m ")
                == true)
    }

    @Test("a line break in a value is kept")
    func lineBreak() {
        #expect(
            Self.read(Sample.record().replacing("Watch", with: "a\nb")).records.first?.contains("sourceName=a\nb")
                == true)
    }

    @Test("hash, equals and bytes of fields agree")
    func helpers() {
        struct Check: ExportConsumer {
            var hashes: [UInt64] = []
            mutating func header(_ header: ExportHeader) {}
            mutating func record(_ r: borrowing RecordFields) {
                let same = r.equals(r.sourceName, Array("Watch".utf8))
                let other = r.equals(r.sourceName, Array("Watcx".utf8)) || r.equals(r.sourceName, Array("Watc".utf8))
                let bytes = r.bytes(r.sourceName)
                let device = (r.has(.device), r.device.isEmpty, r.has(.unit))
                #expect(same && !other && bytes == Array("Watch".utf8))
                #expect(device == (false, true, true))
                hashes += [r.hash(r.sourceName), r.hash(r.type), r.hash(r.device), r.hash(r.unit)]
            }
            mutating func element(name: String, xml: ArraySlice<UInt8>, line: Int, offset: UInt64) {}
        }
        var check = Check()
        _ = try? ExportReader.read(xml: Array(Sample.export(Sample.record() + Sample.record()).utf8), consumer: &check)
        #expect(check.hashes.count == 8)
        #expect(Array(check.hashes[0..<4]) == Array(check.hashes[4..<8]))
        #expect(Set(check.hashes).count == 4)
    }

    @Test("elements are parsed as trees")
    func trees() throws {
        let events = Self.read(
            "<Workout a=\"1\" a=\"2\"><!-- x --><b c=\"&lt;&foo;\"><![CDATA[ <no> ]]><d/></b>text<e></e></Workout>")
        let text = try #require(events.elements.first)
        let tree = try #require(ExportElement(Array(text.utf8)[...]))
        #expect(tree.name == "Workout" && tree["a"] == "1" && tree["z"] == nil)
        #expect(tree.children.map(\.name) == ["b", "e"])
        #expect(tree.children[0]["c"] == "<&foo;")
        #expect(tree.children[0].children.map(\.name) == ["d"])
    }

    @Test("a second startDate of WorkoutStatistics is the end date")
    func statistics() throws {
        let xml = "<WorkoutStatistics type=\"t\" startDate=\"a\" startDate=\"b\" sum=\"1\"/>"
        let tree = try #require(ExportElement(Array(xml.utf8)[...]))
        #expect(tree["startDate"] == "a" && tree["endDate"] == "b")
        let whole = "<WorkoutStatistics startDate=\"a\" endDate=\"c\" startDate=\"b\"/>"
        #expect(ExportElement(Array(whole.utf8)[...])?["endDate"] == "c")
    }

    @Test("an unclosed element is closed with the missing end tags")
    func unclosed() throws {
        let events = Self.read("<Workout x=\"1\"><WorkoutRoute><FileReference path=\"/p\"/>\n" + Sample.record())
        let text = try #require(events.elements.first)
        #expect(text.hasSuffix("</WorkoutRoute></Workout>"))
        #expect(ExportElement(Array(text.utf8)[...])?.children.first?.children.first?["path"] == "/p")
        #expect(events.records.count == 1)
    }

    @Test(
        "bytes that are not an element have no tree",
        arguments: ["", "x", "<a", "<a>", "<a b=c/>", "</a>", "<a></b", "<!-- <a/> -->"])
    func noTree(_ text: String) { #expect(ExportElement(Array(text.utf8)[...]) == nil) }

    @Test("a workout longer than the limit is left out, and reading continues after it")
    func longElement() {
        var limits = ExportLimits()
        limits.window = 256
        limits.elementBytes = 10_000
        let location = "<Location date=\"2016-11-14 07:25:44 -0700\" latitude=\"37.7777\" longitude=\"-122.426\"/>"
        let workout = { (count: Int) in
            "<Workout><WorkoutRoute>\(String(repeating: location, count: count))</WorkoutRoute></Workout>"
        }
        let outcome = ExportOutcome(
            Sample.export(workout(100) + Sample.record() + workout(500) + Sample.record()), limits: limits)
        #expect(outcome.events.elements.count == 1)
        #expect(outcome.events.records.count == 2)
        #expect(outcome.reasons == [.limit: 1])
        #expect(outcome.summary?.complete == true)
    }

    @Test("an error of the consumer ends the reading")
    func consumerError() {
        for failing in 0..<4 {
            var events = ExportEvents()
            events.failAt = failing
            do {
                _ = try ExportReader.read(
                    xml: Array(Sample.export(Sample.record() + Sample.workout + Sample.record()).utf8),
                    consumer: &events)
                Issue.record("the reading continued")
            } catch {
                guard case .consumer(let inner) = error else {
                    Issue.record("unexpected error: \(error)")
                    continue
                }
                #expect(inner is ExportEvents.Failure)
            }
            #expect(events.all.count == failing)
        }
    }

    @Test("many issues of one kind are counted and do not hide the others")
    func flood() {
        let many = String(repeating: Sample.record("x"), count: 1_000)
        let outcome = ExportOutcome(Sample.export(many + Sample.record().replacing("Watch", with: "&x;")))
        #expect(outcome.reasons == [.unreadableValue: 1_000, .unknownReference: 1])
        #expect(outcome.summary?.issues.listed.count == IssueLog.listedPerReason + 1)
        #expect(outcome.summary?.issues.skipped == 1_000 && outcome.summary?.issues.repaired == 1)
        #expect(outcome.summary?.recordsSkipped == 1_000)
        #expect(outcome.summary?.issues.listed.last?.reason == .unknownReference)
    }
}
