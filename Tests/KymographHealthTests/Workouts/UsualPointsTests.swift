// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KymographHealth

@Suite("T-1 points in the usual spelling of a route's file")
struct UsualPointsTests {
    /// A point as Apple's exports have it.
    private static let point = #"""
        <trkpt lon="-122.396397" lat="37.781672"><ele>4.076904</ele><time>2019-06-11T22:00:42Z</time>\#
        <extensions><speed>0.180883</speed><course>206.252884</course><hAcc>8.063116</hAcc><vAcc>6.428697</vAcc>\#
        </extensions></trkpt>
        """#

    private static func file(_ points: Int) -> [UInt8] {
        let lines = (0..<points).map { _ in "      \(point)\n" }.joined()
        let head = "<?xml version=\"1.0\"?>\n<gpx creator=\"Apple\">\n  <trk>\n    <trkseg>\n"
        let tail = "    </trkseg>\n  </trk>\n</gpx>\n" + String(repeating: " ", count: 400)
        return Array((head + lines + tail).utf8)
    }

    /// Pieces that damage or vary a file: markup, numbers, dates, spaces.
    private static let pieces = [
        "<!-- -->", "<![CDATA[1.5]]>", "<?x?>", "&#49;", "&amp;", "<a/>", "<a>", "</a>", "</trkpt>", "<trkpt/>", " ",
        "\n", "\t", "\"", "'", ">", "<", "/", "-", "+", ".", "0", "9", "00000000", "e5", "E-3", "nan", "inf", "1e400",
        "-0.0", "-0.000000", "91.0", "181.000000", "12345678.1", "1.12345678", "1.1234567", "1234567.1234567",
        "0x1p3", "1,5", "\u{FEFF}", "2019-06-31T22:00:42Z", "2019-02-28T23:59:59Z", "2019-06-11T24:00:00Z",
        "1600-01-01T00:00:00Z", "2019-06-11T22:00:42.5Z", "2019-06-11 22:00:42Z", "+0200", " lon=\"1.5\"",
        " lat=\"1.5\"", "<ele>7.5</ele>", "<time>2019-06-11T22:00:43Z</time>", "<speed>1.5</speed>",
    ]

    /// Parts of a point, for exchanges.
    private static let parts = [
        " lon=\"-122.396397\"", " lat=\"37.781672\"", "<ele>4.076904</ele>", "<time>2019-06-11T22:00:42Z</time>",
        "<speed>0.180883</speed>", "<course>206.252884</course>", "<hAcc>8.063116</hAcc>", "<extensions>", "trkpt",
    ]

    /// The result of a file, or its fault, with the bits of all numbers.
    private static func outcome(_ bytes: [UInt8], takesUsual: Bool) -> String {
        do {
            let file = try GPXFile(bytes, takesUsual: takesUsual)
            let points = file.points
            let columns = [
                points.latitudes, points.longitudes, points.altitudes, points.horizontalAccuracies,
                points.verticalAccuracies, points.courses, points.speeds,
            ]
            return "\(file.incomplete) \(points.times) \(columns.map { $0.map(\.bitPattern) })"
        } catch {
            return error.what
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ dice: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = dice.below(bytes.count)
        switch dice.below(8) {
        case 0: bytes[place] = UInt8(dice.below(256))
        case 1: bytes[place] ^= UInt8(1 << dice.below(8))
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + dice.below(dice.chance(0.2) ? 200 : 3)))
        case 3, 4: bytes.insert(contentsOf: pieces[dice.below(pieces.count)].utf8, at: place)
        case 5: bytes.removeSubrange(place...)
        case 6:
            // A number, a date or a text between two tags is replaced.
            guard let open = bytes[place...].firstIndex(where: { $0 == 0x3E || $0 == 0x22 }),
                let close = bytes[(open + 1)...].firstIndex(where: { $0 == 0x3C || $0 == 0x22 })
            else { return }
            bytes.replaceSubrange((open + 1)..<close, with: pieces[dice.below(pieces.count)].utf8)
        default:
            // A part of the point moves to another place, or is repeated.
            let part = Array(parts[dice.below(parts.count)].utf8)
            if dice.chance(0.5), let range = bytes[place...].firstRange(of: part) { bytes.removeSubrange(range) }
            let marks = bytes.indices.filter { bytes[$0] == 0x3C || bytes[$0] == 0x20 || bytes[$0] == 0x3E }
            if !marks.isEmpty { bytes.insert(contentsOf: part, at: marks[dice.below(marks.count)]) }
        }
    }

    @Test("mutated files give the same points or the same fault with both readers", arguments: 1...4)
    func sameResults(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var (files, faults) = (0, 0)
        for _ in 0..<6_000 {
            var bytes = Self.file(1 + dice.below(4))
            for _ in 0..<(1 + dice.below(dice.chance(0.8) ? 2 : 6)) { Self.mutate(&bytes, &dice) }
            if dice.chance(0.5) { bytes += [UInt8](repeating: 0x20, count: 500) }
            let quick = Self.outcome(bytes, takesUsual: true)
            let general = Self.outcome(bytes, takesUsual: false)
            #expect(quick == general, "\(String(decoding: bytes, as: UTF8.self))")
            if quick.contains("[") { files += 1 } else { faults += 1 }
            if quick != general { return }
        }
        #expect(files > 500 && faults > 500)
    }

    @Test("numbers of every length are read as the general reader reads them")
    func numbers() {
        var dice = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            let digits = (0..<7).map { _ in
                let whole = String((0..<dice.below(9)).map { _ in Character("\(dice.below(10))") })
                let fraction = String((0..<dice.below(9)).map { _ in Character("\(dice.below(10))") })
                return (dice.chance(0.3) ? "-" : "") + whole + (dice.chance(0.95) ? "." : "") + fraction
            }
            let point = """
                <trkpt lon="\(digits[0].suffix(9))" lat="\(digits[1].suffix(8))"><ele>\(digits[2])</ele>\
                <time>2019-06-11T22:00:42Z</time><extensions><speed>\(digits[3])</speed><course>\(digits[4])</course>\
                <hAcc>\(digits[5])</hAcc><vAcc>\(digits[6])</vAcc></extensions></trkpt>
                """
            let spaces = String(repeating: " ", count: 400)
            let bytes = Array("<gpx>\(point)\(Self.point)\(point)</gpx>\(spaces)".utf8)
            #expect(Self.outcome(bytes, takesUsual: true) == Self.outcome(bytes, takesUsual: false), "\(point)")
        }
    }

    @Test("times are read as the general reader reads them, also in the minute of the point before")
    func times() {
        let zeros = String(repeating: "\0", count: 16)
        let texts = [
            "2019-06-11T22:00:42", "2019-06-11T22:00:43", "2019-06-11 22:00:44", "2019-06-11T22:00:60",
            "2019-06-11T22:00:6/", "2019-06-11T22:00.42", "2019-06-11T22:01:00", "\(zeros):00", "1677-09-21T00:12:44",
            "1678-06-18T04:26:39", "1678-06-18T04:26:40", "1678-06-18T04:26:41", "2261-07-15T19:33:19",
            "2261-07-15T19:33:20", "2261-07-15T19:33:21", "2261-07-15T19:33:59", "2262-04-11T23:47:16",
            "2262-04-11T23:47:17", "1970-01-01T00:00:00", "1969-12-31T23:59:59",
        ]
        for first in texts {
            for second in texts {
                let points = [first, second, first].map { Self.point.replacing("2019-06-11T22:00:42", with: $0) }
                let bytes = Array("<gpx>\(points.joined())</gpx>\(String(repeating: " ", count: 500))".utf8)
                let results = [true, false].map { Self.outcome(bytes, takesUsual: $0) }
                #expect(results[0] == results[1], "\(first) \(second)")
            }
        }
    }

    @Test("at every depth and with every number of spaces both readers agree")
    func depths() {
        for depth in 0...MarkupReader.deepest {
            let bytes = Array(
                ("<gpx>" + String(repeating: "<a>", count: depth) + Self.point + Self.point
                    + String(repeating: "</a>", count: depth) + "</gpx>" + String(repeating: " ", count: 500)).utf8)
            #expect(Self.outcome(bytes, takesUsual: true) == Self.outcome(bytes, takesUsual: false), "\(depth)")
        }
        for count in 0...140 {
            let spaces = String(repeating: "\n", count: count)
            let text = "<gpx>\(spaces)\(Self.point)\(spaces)\(Self.point)\(spaces)</gpx>"
            for tail in [0, 200, 500] {
                let bytes = Array((text + String(repeating: " ", count: tail)).utf8)
                #expect(Self.outcome(bytes, takesUsual: true) == Self.outcome(bytes, takesUsual: false), "\(count)")
            }
        }
        // The root is never a point.
        let root = Array("\(Self.point)\(String(repeating: " ", count: 500))".utf8)
        #expect(Self.outcome(root, takesUsual: true) == Self.outcome(root, takesUsual: false))
    }

    @Test("the fast reader takes Apple's spelling, and no other")
    func taken() {
        let bytes = Self.file(3)
        var reader = GPXPointReader()
        var place = bytes.firstRange(of: Array("<trkpt".utf8))?.lowerBound ?? 0
        let start = place
        #expect(reader.read(bytes.span, &place)?.latitude == 37.781672)
        #expect(place == start + Self.point.utf8.count)
        #expect(reader.read(bytes.span, &place)?.verticalAccuracy == 6.428697)
        for change in ["trkpt lat", "ELE", "+4.076904", "4.076904 ", "42.0Z", "ele >"] {
            let old =
                ["trkpt lat": "trkpt lon", "ELE": "ele", "42.0Z": "42Z", "ele >": "ele>"][change] ?? "4.076904"
            let text = Self.point.replacing(old, with: change) + String(repeating: " ", count: 500)
            var at = 0
            #expect(reader.read(Array(text.utf8).span, &at) == nil && at == 0, "\(change)")
        }
    }
}
