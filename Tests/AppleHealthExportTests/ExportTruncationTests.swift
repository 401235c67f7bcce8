// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import AppleHealthExport

@Suite("T-1 truncated exports")
struct ExportTruncationTests {
    /// Counts the elements that end at or before a byte of the fixture, with an independent parser: top-level elements
    /// start after one space and end with `/>` on the same line or with their end tag.
    private static func elements(in lines: [Substring], before cut: Int) -> Int {
        var offset = 0
        var open: Substring?
        var count = 0
        for line in lines {
            let end = offset + line.utf8.count
            if let name = open {
                if line.hasPrefix(" </\(name)>"), end <= cut {
                    count += 1
                }
                if line.hasPrefix(" </\(name)>") { open = nil }
            } else if line.hasPrefix(" <"), !line.hasPrefix(" <ExportDate"), !line.hasPrefix(" <Me ") {
                let name = line.dropFirst(2).prefix { $0.isLetter }
                if line.hasSuffix("/>") {
                    if end <= cut { count += 1 }
                } else {
                    open = name
                }
            }
            offset = end + 1
        }
        return count
    }

    @Test("every complete element before the cut is kept, and the cut is reported")
    func truncated() throws {
        let bytes = try Fixture.bytes("generated_150.xml")
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let whole = ExportOutcome(bytes)
        #expect(whole.summary?.complete == true)
        var random = SeededGenerator(seed: 31)
        let start = try #require(bytes.firstRange(of: Array("<Me ".utf8))).lowerBound
        var cuts = (0..<60).map { _ in start + random.below(bytes.count - start) }
        cuts += [bytes.count - 1, bytes.count - 2, bytes.count - 14, bytes.count - 15]
        for cut in cuts {
            let outcome = ExportOutcome(Array(bytes[..<cut]))
            let expected = Self.elements(in: lines, before: cut)
            let kept = outcome.events.records.count + outcome.events.elements.count
            #expect(kept == expected, "seed \(random.seed), cut at \(cut)")
            #expect(outcome.events.all.elementsEqual(whole.events.all.prefix(kept + 1)), "cut at \(cut)")
            if cut >= bytes.count - 1 {
                // Only the last line feed is missing.
                #expect(outcome.summary?.complete == true)
                continue
            }
            #expect(outcome.summary?.complete == false, "cut at \(cut)")
            #expect(outcome.reasons == [.truncated: 1], "cut at \(cut): \(outcome.summary?.issues.listed ?? [])")
            let issue = try #require(outcome.summary?.issues.listed.first)
            #expect(issue.line == bytes[..<Int(issue.offset)].count { $0 == 0x0A } + 1)
            #expect(issue.offset <= UInt64(cut))
        }
    }

    @Test("a file that is cut before the root is not an export")
    func beforeRoot() throws {
        let bytes = try Fixture.bytes("generated_150.xml")
        let root = try #require(bytes.firstRange(of: Array("<HealthData".utf8))).lowerBound
        for cut in stride(from: 0, through: root, by: 97) {
            guard case .notAnExport = ExportOutcome(Array(bytes[..<cut])).error else {
                Issue.record("cut at \(cut) was read")
                return
            }
        }
    }
}

@Suite("T-1 the window of the scanner")
struct ExportWindowTests {
    private static func check(
        _ bytes: [UInt8], _ name: String, windows: [Int], within bounds: ExportLimits = ExportLimits()
    ) {
        let whole = ExportOutcome(bytes, limits: bounds)
        for window in windows {
            var limits = bounds
            limits.window = window
            let outcome = ExportOutcome(bytes, limits: limits)
            #expect(outcome.events.all == whole.events.all, "\(name), window \(window)")
            #expect(outcome.events.places == whole.events.places, "\(name), window \(window)")
            #expect(outcome.summary?.issues == whole.summary?.issues, "\(name), window \(window)")
            #expect(outcome.summary?.complete == whole.summary?.complete, "\(name), window \(window)")
            #expect(outcome.summary?.recordsSkipped == whole.summary?.recordsSkipped, "\(name), window \(window)")
            #expect("\(outcome.error as Any)" == "\(whole.error as Any)", "\(name), window \(window)")
        }
    }

    @Test(
        "damaged documents give the same result with any window",
        arguments: [64, 65, 71, 97, 128, 193, 256, 1_024, 4_096])
    func damaged(_ window: Int) {
        let all = DamagedXML.characters + DamagedXML.structure + DamagedXML.elements + DamagedXML.values
        for damaged in all where damaged.xml.count < 20_000 {
            Self.check(damaged.xml, damaged.name, windows: [window])
        }
    }

    @Test("excerpts of real exports give the same result with any window")
    func excerpt() throws {
        let windows = [64, 77, 100, 127, 129, 255, 300, 500, 511, 513, 700, 1_000, 2_047, 4_096]
        for name in [
            "v03_tdda_iphone6s_2016.xml", "v08_jdecool_fr_2019.xml", "dogsheep_inline_locations_2019.xml",
            "aleksi_ru_fragment.xml",
        ] {
            Self.check(try Fixture.bytes(name), name, windows: windows)
        }
        Self.check(try Fixture.bytes("generated_150.xml"), "generated", windows: [64, 333, 4_096])
    }

    @Test("random changes of an excerpt never trap and give the same result with any window")
    func mutations() throws {
        let original = try Fixture.bytes("v08_jdecool_fr_2019.xml")
        var random = SeededGenerator(seed: 41)
        let pieces = [
            "<", ">", "\"", "'", "&", "/", "=", "<!--", "-->", "]]>", "<![CDATA[", "</Record>", "<Record ",
            "</HealthData>", "<HealthData>", "\0", " ",
        ].map { Array($0.utf8) }
        for round in 0..<400 {
            var bytes = original
            for _ in 0...random.below(4) {
                let at = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.replaceSubrange(at..<at, with: random.pick(pieces))
                case 2: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(40)))
                default:
                    let from = random.below(bytes.count)
                    bytes.insert(contentsOf: bytes[from..<min(bytes.count, from + random.below(300))], at: at)
                }
            }
            Self.check(bytes, "seed \(random.seed), round \(round)", windows: [64 + random.below(1_000)])
        }
    }

    /// Malformed markup that depends on where its end tag or the file ends.
    private static let straddling: [(name: String, body: String)] = [
        ("an end tag that ends late", "<Workout a=b></Workout\(spaces(50))>x<Workout a='1'/>"),
        ("an end tag that ends too late", "<Workout a=b></Workout\(spaces(70))>x<Workout a='1'/>"),
        ("an end tag that holds more", "<Workout a=b></Workout <Workout a='1'/>x<Workout a='2'/>"),
        ("a record in a correlation", "<Correlation a=b><Record \(Sample.dates)/></Correlation  >x"),
        ("an open declaration", "<Workout a='1'/><!"), ("an open comment", "<Workout a='1'/><!-"),
        ("an open section", "<Workout a='1'/><![CDATA"), ("an open instruction", "<Workout a='1'/><?"),
        ("an open end tag", "<Workout a='1'/></HealthData"), ("a bare bracket", "<Workout a='1'/><"),
    ]

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

    @Test("markup across the edge of a window is read as markup inside a window")
    func straddlingMarkup() {
        for (name, body) in Self.straddling {
            for pad in 0..<64 {
                let document = "<HealthData>\(Self.spaces(pad))\(body)"
                Self.check(Array(document.utf8), "\(name), \(pad) spaces before it", windows: [64, 71])
                Self.check(Array("\(document)</HealthData>".utf8), "\(name), \(pad) spaces", windows: [64, 71])
            }
        }
    }

    @Test("no record is lost after an end tag without its end")
    func endTagThatDoesNotEnd() {
        for count in 50..<70 {
            let document = "<HealthData><Workout a=b></Workout\(Self.spaces(count))\(Sample.record())</HealthData>"
            #expect(ExportOutcome(document).events.records.count == 1, "\(count) spaces")
        }
    }

    @Test("the length limit of text in a record applies in the same way with any window")
    func longText() {
        for length in [1 << 20, 1 << 20 + 1, 5 << 19] {
            let text = String(repeating: "x", count: length)
            let body = "<Record type='a' \(Sample.dates)>\(text)</Record><Workout a='1'/>"
            Self.check(Array(Sample.export(body).utf8), "\(length) bytes", windows: [64, 1 << 16, 1 << 22])
        }
    }

    @Test("limits are reached at the same byte with any window")
    func bounds() {
        var limits = ExportLimits()
        limits.elementBytes = 300
        limits.attributeBytes = 64
        limits.attributes = 4
        limits.depth = 3
        limits.prologBytes = 256
        let dates = "startDate='2023-05-13 10:30:00 +0200' endDate='2023-05-13 10:31:00 +0200'"
        var bodies: [String] = []
        for extra in stride(from: 0, to: 300, by: 23) {
            let (x, entry) = (String(repeating: "x", count: extra), "<MetadataEntry key='a' value='b'/>")
            bodies += [
                "<Record type='a' \(dates)>\(Self.spaces(extra))</Record>",
                "<Workout a='1'>\(String(repeating: entry, count: extra / 23))</Workout>",
                "<Workout \(Self.spaces(extra)) a='1'/>", "<Workout a='\(x)'/>", "<Workout \(x)='1'/>",
                "<Workout a='\(x)", "<Workout><!--\(x)--></Workout>", "<Workout>\(x)</Workout>", "<!--\(x)-->",
                "<Record type='a' \(dates)><\(x)x/></Record>", "<\(x)x", "<!--\(x)",
            ]
        }
        for rescan in [100, 400, 16 << 20] {
            limits.rescanBytes = rescan
            for (number, body) in bodies.enumerated() {
                let document = "<HealthData>\(body)<Record type='b' \(dates)/><Workout a='<x>'/>\(body)</HealthData>"
                Self.check(Array(document.utf8), "body \(number)", windows: [64, 131], within: limits)
            }
        }
    }

    @Test("a file that is not an export gives the same error with any window")
    func noExport() {
        var limits = ExportLimits()
        limits.prologBytes = 256
        let x = String(repeating: "x", count: 300)
        for document in [
            x, "\(x)\0\(x)\(x)", "\0\(x)<HealthData/>", "<\(x)/>", "<HealthData \(x)='1'><Workout a='1'/>",
            "\(Self.spaces(256))<HealthData/>", "\(Self.spaces(257))<HealthData/>", "<!--\(x)--><HealthData/>",
        ] {
            Self.check(Array(document.utf8), document, windows: [64, 71, 131, 300], within: limits)
        }
    }

    @Test("references to line feeds do not change the line numbers")
    func linesOfReferences() throws {
        let entry = "<MetadataEntry key=\"a\" value=\"one&#10;two&#10;three\"/>"
        let record = "<Record type=\"a\" \(Sample.dates)>\n\(entry)\n</Record>\n"
        let document = "<HealthData>\n\(record)\(record)\u{1}<Workout a='1'/></HealthData>"
        let outcome = ExportOutcome(document)
        #expect(outcome.events.places.dropFirst().map { $0.prefix { $0 != ":" } } == ["2", "5", "8"])
        #expect(try #require(outcome.summary?.issues.listed.first).line == 8)
        Self.check(Array(document.utf8), "references to line feeds", windows: [64, 71])
    }

    @Test("time is linear in the length of a hostile repetition")
    func hostileRepeats() {
        // Each of these would take minutes if the reader searched the rest of the file at every start of an element.
        let hostile = [
            String(repeating: "<Record><!--", count: 60_000), String(repeating: "<Workout a='", count: 60_000),
            String(repeating: "<Correlation><Record ", count: 40_000), String(repeating: "<a b=\"", count: 100_000),
            String(repeating: "<Workout><![CDATA[", count: 40_000), String(repeating: "<!--", count: 200_000),
            String(repeating: "&lt;<", count: 100_000),
            String(repeating: "<Record type=\"a\" \(Sample.dates)>", count: 5_000),
        ]
        for body in hostile {
            var limits = ExportLimits()
            limits.rescanBytes = 1 << 20
            let outcome = ExportOutcome(Sample.export(Sample.record() + body), limits: limits)
            #expect(outcome.events.records.count >= 1)
            #expect(outcome.error == nil)
            #expect(outcome.summary?.issues.listed.count ?? 0 <= 300)
        }
        // Before the root there are no elements to return.
        for prolog in [String(repeating: "<!--", count: 200_000), String(repeating: "<?", count: 400_000)] {
            var limits = ExportLimits()
            limits.rescanBytes = 1 << 20
            let outcome = ExportOutcome(Sample.export(Sample.record(), before: prolog), limits: limits)
            #expect(outcome.events.records.count == 1)
        }
    }
}
