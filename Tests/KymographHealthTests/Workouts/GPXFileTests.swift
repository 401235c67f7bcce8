// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KymographHealth

@Suite("T-1 the points of a route's file")
struct GPXFileTests {
    private static let file = #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- a > comment -->
        <gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">
          <metadata><time>2019-11-07T03:43:52Z</time></metadata>
          <trk><name>Route</name><trkseg>
          <trkpt lon="-122.396397" lat="37.781672"><ele>4.076904</ele><time>2019-06-11T22:00:42Z</time>
          <extensions><speed>0.180883</speed><course>206.252884</course><hAcc>8.063116</hAcc><vAcc>6.428697</vAcc>\#
        </extensions></trkpt>
          <trkpt lat='1' lon="2"> <ele> 5 </ele> <time> 2019-06-11T22:00:42.5Z </time><other><speed/></other></trkpt>
          <trkpt lat="1" lon="2"><ele>7</ele></trkpt>
          <trkpt lat="91" lon="2"><time>2019-06-11T22:00:44Z</time></trkpt>
          <trkpt lat="1" lon="2"/>
          <trkpt lat="-1" lon="-2"><time>2019-06-11T22:00:41+00:00</time></trkpt>
          </trkseg></trk>
        </gpx>
        """#

    @Test("points keep their order, and numbers that are not stated count as missing")
    func points() throws {
        let file = try GPXFile(Array(Self.file.utf8))
        #expect(file.incomplete == 3 && file.points.count == 3)
        let points = file.points
        let first: Int64 = 1_560_290_442 * second
        #expect(points.times == [first, first + second / 2, first - second])
        #expect(points.latitudes == [37.781672, 1, -1] && points.longitudes == [-122.396397, 2, -2])
        #expect(points.altitudes == [4.076904, 5, 0] && points.speeds == [0.180883, -1, -1])
        #expect(points.courses == [206.252884, -1, -1] && points.horizontalAccuracies == [8.063116, -1, -1])
        #expect(points.verticalAccuracies == [6.428697, -1, -1])
        #expect(try points.locations.count == 3)
    }

    @Test("a file that is not a route has a fault")
    func faults() {
        let whole = Self.file
        for text in [
            "", "Route", "<gpx>1</gpx>", "<gpx/>", "<kml><trkpt lat=\"1\" lon=\"2\"/></kml>", "<gpx><trkpt",
            String(whole.dropLast(8)), "<gpx>" + String(repeating: "<a>", count: 100_000),
        ] {
            #expect(throws: GPXFile.Fault.self, "\(text.prefix(40))") { try GPXFile(Array(text.utf8)) }
        }
    }

    @Test("damaged files give storable points or a fault, and never trap", arguments: 1...4)
    func hostile(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let good = Array(Self.file.utf8)
        for _ in 0..<1_500 {
            var bytes = good
            for _ in 0...dice.below(6) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
            if dice.chance(0.3) { bytes.removeLast(dice.below(bytes.count)) }
            guard let file = try? GPXFile(bytes) else { continue }
            let locations = try file.points.locations
            #expect(locations.count == file.points.count && locations.count > 0)
        }
    }

    /// Points in the spelling of Apple's exports, which are read in one pass.
    private static let usual = {
        let points = (0..<8).map { number in
            #"<trkpt lon="-122.\#(number)" lat="37.78\#(number)"><ele>\#(number).5</ele>"#
                + "<time>2019-06-11T22:00:4\(number)Z</time><extensions><speed>0.18\(number)</speed>"
                + "<course>206.25</course><hAcc>8.06</hAcc><vAcc>\(number)</vAcc></extensions></trkpt>\n"
        }
        return "<gpx><trk><trkseg>\n\(points.joined())</trkseg></trk></gpx>"
    }()

    /// Returns the same points in a spelling that the general reader reads: each has a further child.
    private func unusual(_ bytes: [UInt8]) -> [UInt8] {
        Array(String(decoding: bytes, as: UTF8.self).replacing("</trkpt>", with: "<x></x></trkpt>").utf8)
    }

    @Test("points in the usual spelling are the points of the general reader")
    func usual() throws {
        let bytes = Array(Self.usual.utf8)
        let none = GPXPoint(bytes.span, at: 0)
        #expect(none == nil)
        let place = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
        let found = GPXPoint(bytes.span, at: place)
        let point = try #require(found)
        #expect(point.point.longitude == -122 && point.point.latitude == 37.78 && point.point.verticalAccuracy == 0)
        let (usual, general) = (try GPXFile(bytes), try GPXFile(unusual(bytes)))
        #expect(usual.points == general.points && usual.points.count == 8 && usual.incomplete == 0)
        let other = unusual(bytes)
        let missed = GPXPoint(other.span, at: place)
        #expect(missed == nil)
    }

    @Test("damaged points have the same result in both readers", arguments: 1...4)
    func damagedPoints(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let good = Array(Self.usual.utf8)
        let marks = Array(#"<>/"= .0987az"#.utf8)
        for _ in 0..<1_000 {
            var bytes = good
            for _ in 0...dice.below(3) { bytes[dice.below(bytes.count)] = dice.pick(marks) }
            let (usual, general) = (try? GPXFile(bytes), try? GPXFile(unusual(bytes)))
            #expect(usual?.points == general?.points && usual?.incomplete == general?.incomplete)
        }
    }
}
