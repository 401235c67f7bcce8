// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@testable import WorkoutFiles

@Suite("S-88 GPX and TCX files")
struct XMLFileTests {
    private func file(_ text: String) throws -> WorkoutFile { try WorkoutFile(bytes: Array(text.utf8)) }

    @Test("the same ride in both formats has the same points")
    func ride() throws {
        let tcx = try WorkoutFile(contentsOf: FixtureFiles.path("activity_5039744860.tcx"))
        let gpx = try WorkoutFile(contentsOf: FixtureFiles.path("activity_5039744860.gpx"))
        #expect(tcx.format == .tcx && gpx.format == .gpx && tcx.damage == nil && gpx.damage == nil)
        #expect(tcx.points.count == 100 && gpx.points.count == 96)
        #expect(tcx.configuration.activityType == .cycling && gpx.configuration.activityType == .cycling)
        let byDate = Dictionary(tcx.points.map { ($0.date, $0) }, uniquingKeysWith: { first, _ in first })
        let first = try #require(tcx.points.first)
        var same = 0
        for point in gpx.points {
            guard let other = byDate[point.date] else { continue }
            same += 1
            #expect(point.heartRate == other.heartRate && point.cadence == other.cadence)
            #expect(point.latitude == other.latitude && point.longitude == other.longitude)
            #expect(abs((point.altitude ?? 0) - (other.altitude ?? .nan)) < 1e-6)
        }
        #expect(same == gpx.points.count)
        #expect(first.date == Date(timeIntervalSince1970: 1_591_023_160) && first.heartRate == 154)
        #expect(first.speed == 6.438000202178955 && first.power == 162 && first.distance == 6.590000152587891)
        #expect(first.latitude == 52.15776275843382 && first.altitude == -20.200000762939453)
        // Distances that were computed from positions are close to those of the device, up to the device's pause.
        let metres = try #require(gpx.points[24].distance) - (gpx.points[0].distance ?? 0)
        let device = try #require(byDate[gpx.points[24].date]?.distance) - (first.distance ?? 0)
        #expect(abs(metres - device) < 0.03 * device)
        #expect(tcx.laps.first?.distance == 142.35 && tcx.laps.first?.energy == 4)
    }

    @Test("extensions of Apple's routes are read, and -1 means unknown")
    func apple() throws {
        let route = try file(
            """
            <?xml version="1.0"?><!DOCTYPE gpx [<!ELEMENT gpx ANY>]><!-- a > b -->
            <gpx><trk><name>Route &amp; more</name><trkseg>
            <trkpt lon="0.000377" lat='-0.000284'><ele>244.685308</ele><time>2024-12-26T14:01:58Z</time><extensions>\
            <speed>2.759833</speed><course>-1</course><hAcc>1.602866</hAcc><vAcc>1.438631</vAcc></extensions></trkpt>
            <trkpt lon="181" lat="0"><time>2024-12-26T15:01:59+01:00</time><hr><![CDATA[ 120 ]]></hr></trkpt>
            <trkpt lon="1" lat="0"/><trkpt lon="1" lat="0"><time>yesterday</time></trkpt>
            </trkseg></trk></gpx>
            """)
        #expect(route.damage == nil && route.points.count == 2)
        let point = route.points[0]
        #expect(point.speed == 2.759833 && point.course == nil && point.horizontalAccuracy == 1.602866)
        #expect(point.verticalAccuracy == 1.438631 && point.longitude == 0.000377 && point.latitude == -0.000284)
        #expect(route.points[1].latitude == nil && route.points[1].heartRate == 120)
        #expect(route.points[1].date.timeIntervalSince(point.date) == 1)
    }

    @Test("damage is reported with its offset, and what came before is kept")
    func damage() throws {
        let bytes = try FixtureFiles.bytes("activity_5039744860.gpx")
        let half = try WorkoutFile(bytes: Array(bytes.prefix(20_000)))
        #expect(half.damage?.reason == .truncated && half.damage?.offset == 20_000)
        #expect(half.points.count > 30 && half.parts.count == 1)
        let tcx = try WorkoutFile(bytes: Array(try FixtureFiles.bytes("activity_5039744860.tcx").prefix(20_000)))
        #expect(tcx.damage?.reason == .truncated && tcx.parts.first?.activity == .cycling)
        let crossed = try file(
            "<gpx><trkpt lat='1' lon='2'><time>2024-01-01T00:00:00Z</time></trkpt><trk></gpx></trk>")
        #expect(crossed.damage?.reason == .malformed && crossed.damage?.offset == 74 && crossed.points.count == 1)
        let deep = String(repeating: "<a>", count: 70)
        #expect(throws: WorkoutFileError.self) { try file("<gpx>" + deep) }
        for text in ["", " ", "hello", "<html></html>", "<gpx", "<gpx></gpx>", "<>", "<gpx a></gpx>", "\u{FEFF}"] {
            #expect(throws: WorkoutFileError.self) { try file(text) }
        }
        #expect {
            try file("<html></html>")
        } throws: {
            ($0 as? WorkoutFileError)?.reason == .unknownFormat
        }
    }
}
