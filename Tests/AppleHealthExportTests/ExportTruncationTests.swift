// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import AppleHealthExport

@Suite("T-1 truncated exports")
struct ExportTruncationTests {
    /// What ends at or before a byte of the fixture, by a reading of its own: top-level elements start behind one
    /// space, and are closed by `/>` on the same line or by their end tag.
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

    @Test("a cut before the root is no export")
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
    private static func check(_ bytes: [UInt8], _ name: String, windows: [Int]) {
        let whole = ExportOutcome(bytes)
        for window in windows {
            var limits = ExportLimits()
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
        "damaged documents read the same through any window", arguments: [64, 65, 71, 97, 128, 193, 256, 1_024, 4_096])
    func damaged(_ window: Int) {
        let all = DamagedXML.characters + DamagedXML.structure + DamagedXML.elements + DamagedXML.values
        for damaged in all where damaged.xml.count < 20_000 {
            Self.check(damaged.xml, damaged.name, windows: [window])
        }
    }

    @Test("a real excerpt reads the same through any window")
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

    @Test("mutations of a real excerpt never trap, and read the same through any window")
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

    @Test("time is linear in what a hostile file repeats")
    func hostileRepeats() {
        // Each of these would take minutes if every start of an element were read to the end of the file.
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
    }
}
