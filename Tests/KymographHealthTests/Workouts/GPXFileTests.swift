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
}
