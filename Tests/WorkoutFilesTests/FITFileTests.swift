// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@testable import WorkoutFiles

@Suite("S-88 FIT files")
struct FITFileTests {
    private typealias Field = FITBuilder.Field

    /// Compares the points of a file with the output of `Tests/Oracles/fit.py`, bit by bit.
    private func compare(_ file: WorkoutFile, _ csv: String) throws {
        let rows = try FixtureFiles.rows(csv)
        #expect(file.points.count == rows.count)
        for (point, row) in zip(file.points, rows) {
            let values: [Double?] = [
                point.date.timeIntervalSince1970, point.heartRate, point.distance, point.speed, point.cadence,
                point.power, point.latitude, point.longitude, point.altitude,
            ]
            // A date counts seconds from 2001, so the fraction has a different rounding.
            if let expected = Double(row[0]), let seconds = values[0] {
                #expect(abs(seconds - expected) < 1e-6, "\(csv) \(row)")
            }
            #expect(Array(values.dropFirst()) == row.dropFirst().map { Double($0) }, "\(csv) \(row)")
            if Array(values.dropFirst()) != row.dropFirst().map({ Double($0) }) { return }
        }
    }

    @Test(
        "the points equal those of an independent decoder",
        arguments: ["garmin-fenix-5-run", "compressed-speed-distance", "activity-unexpected-eof"])
    func oracle(_ name: String) throws {
        let file = try WorkoutFile(contentsOf: FixtureFiles.path(name + ".fit"))
        #expect(file.format == .fit)
        try compare(file, FixtureFiles.path(name + ".csv"))
    }

    @Test(
        "the points of further files equal those of an independent decoder",
        .enabled(if: FixtureFiles.folder != nil))
    func manyFiles() throws {
        let folder = try #require(FixtureFiles.folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".fit") }
        var compared = 0
        for name in names.sorted() {
            let start = ContinuousClock.now
            guard let file = try? WorkoutFile(contentsOf: "\(folder)/\(name)") else {
                #expect(try FixtureFiles.rows("\(folder)/\(name.dropLast(4)).csv").isEmpty)
                continue
            }
            print(
                name, file.points.count, file.parts.map(\.activity), file.laps.count, file.lengths.count,
                file.pauses.count, file.damage.map { "\($0)" } ?? "complete", ContinuousClock.now - start)
            try compare(file, "\(folder)/\(name.dropLast(4)).csv")
            compared += file.points.count
        }
        #expect(compared > 0)
    }

    @Test("packed speeds and distances equal the list of another program")
    func packed() throws {
        let file = try WorkoutFile(contentsOf: FixtureFiles.path("compressed-speed-distance.fit"))
        let rows = try FixtureFiles.rows(FixtureFiles.path("compressed-speed-distance-records.csv")).dropFirst()
        // The first record without a measurement is left out.
        let known = rows.filter { row in row.dropFirst().contains { Double($0) != nil } }
        #expect(file.points.count == known.count)
        for (point, row) in zip(file.points, known) {
            #expect(point.date.timeIntervalSince1970 - FITBuilder.epoch == Double(row[0]))
            #expect(point.heartRate == Double(row[1]) && point.speed == Double(row[2]))
            #expect(point.distance == Double(row[3]) && point.cadence == Double(row[4]))
        }
        #expect(file.laps.count == 11 && file.parts.first?.energy == 708 && file.damage == nil)
    }

    @Test("a run of a watch equals the list of another program")
    func run() throws {
        let file = try WorkoutFile(contentsOf: FixtureFiles.path("garmin-fenix-5-run.fit"))
        let rows = try FixtureFiles.rows(FixtureFiles.path("garmin-fenix-5-run-records.csv")).dropFirst()
        #expect(file.points.count == rows.count)
        for (point, row) in zip(file.points, rows) {
            #expect(point.heartRate == Double(row[1]) && point.speed == Double(row[3]))
            #expect(point.distance == Double(row[4]) && point.temperature == Double(row[8]))
            #expect(point.latitude == Double(row[5]).map { $0 * (180 / 2_147_483_648) })
            #expect(abs((point.altitude ?? 0) - (Double(row[7]) ?? .nan)) < 1e-9)
        }
        let part = try #require(file.parts.first)
        #expect(part.activity == .running && part.distance == 157.56 && part.energy == 5)
        #expect(file.pauses.count <= 1 && file.damage == nil)
    }

    @Test("damage is reported with its offset, and what came before is kept")
    func damage() throws {
        let short = try WorkoutFile(contentsOf: FixtureFiles.path("activity-unexpected-eof.fit"))
        // The offset of the message that is cut.
        #expect(short.damage?.reason == .truncated && short.damage?.offset == 752)
        #expect(short.points.count == 14 && short.parts.first?.activity == .running)
        let garbage = try WorkoutFile(contentsOf: FixtureFiles.path("activity-settings-corruptheader.fit"))
        #expect(garbage.damage?.reason == .badHeader && garbage.points.count == 14)
        let end = garbage.damage?.offset ?? 0
        #expect(end > 700 && end < 854)
        var bytes = try FixtureFiles.bytes("garmin-fenix-5-run.fit")
        bytes[bytes.count - 3] ^= 0x10
        let changed = try WorkoutFile(bytes: bytes)
        #expect(changed.damage?.reason == .badChecksum && changed.points.count == 21)
        #expect(changed.damage?.offset == UInt64(bytes.count - 2))
        bytes[13] ^= 1
        #expect(try WorkoutFile(bytes: bytes).damage?.offset == 12)
        for count in [0, 1, 11, 12, 13, 14] {
            #expect(throws: WorkoutFileError.self) { try WorkoutFile(bytes: Array(bytes.prefix(count))) }
        }
        // A day of a tracker has no workout.
        #expect(throws: WorkoutFileError.self) {
            try WorkoutFile(contentsOf: FixtureFiles.path("MonitoringFile.fit"))
        }
        #expect {
            try WorkoutFile(contentsOf: "/nowhere/ride.fit")
        } throws: {
            ($0 as? WorkoutFileError)?.reason == .unreadable
        }
    }

    @Test("big-endian numbers, times of five bits, fields of developers and several blocks", arguments: [false, true])
    func forms(isBigEndian: Bool) throws {
        var builder = FITBuilder()
        builder.isBigEndian = isBigEndian
        builder.define(
            0, 20,
            [
                Field(number: 253, size: 4, type: 0x86), Field(number: 3, size: 1, type: 2),
                Field(number: 5, size: 4, type: 0x86),
            ])
        builder.define(1, 20, [Field(number: 3, size: 1, type: 2), Field(number: 2, size: 2, type: 0x84)])
        builder.add(0, [(1_000_000_030, 4), (100, 1), (12_345, 4)])
        // The low bits of the time: 30 is 1,000,000,030 modulo 32; 3 is in the next 32 seconds.
        let low = UInt8(1_000_000_030 % 32)
        builder.add(0x80 | 1 << 5 | (low &+ 1) & 31, [(101, 1), (3_000, 2)])
        builder.add(0x80 | 1 << 5 | (low &+ 20) & 31, [(102, 1), (0xFFFF, 2)])
        let once = builder.file
        let file = try WorkoutFile(bytes: once)
        #expect(file.damage == nil && file.points.map(\.heartRate) == [100, 101, 102])
        #expect(
            file.points.map { $0.date.timeIntervalSince1970 - FITBuilder.epoch } == [
                1_000_000_030, 1_000_000_031, 1_000_000_050,
            ])
        #expect(file.points[0].distance == 123.45)
        #expect(file.points[1].altitude == 100 && file.points[2].altitude == nil)
        #expect(try WorkoutFile(bytes: once + once).points.count == 6)
    }

    @Test("beats between the seconds have times of 1/1024 s")
    func beats() throws {
        var builder = FITBuilder()
        builder.define(
            0, 132,
            [
                Field(number: 253, size: 4, type: 0x86), Field(number: 9, size: 4, type: 0x86),
                Field(number: 6, size: 1, type: 2),
            ])
        builder.add(0, [(900_000_000, 4), (5_000, 4), (60, 1)])
        builder.define(1, 132, [Field(number: 10, size: 3, type: 13), Field(number: 6, size: 2, type: 2)])
        // 5,000 is 904 modulo 4,096; the next beats are at 5,512 and 8,192.
        builder.add(1, [(0, 0)])
        let (first, second) = (5_512 & 0xFFF, 8_192 & 0xFFF)
        builder.add(raw: [
            UInt8(first & 0xFF), UInt8(first >> 8) | UInt8(second & 0xF) << 4, UInt8(second >> 4), 61, 62,
        ])
        let file = try WorkoutFile(bytes: builder.file)
        #expect(file.points.map(\.heartRate) == [60, 61, 62])
        let seconds = file.points.map { $0.date.timeIntervalSince1970 - FITBuilder.epoch - 900_000_000 }
        #expect(seconds == [0, 0.5, 3.1171875])
    }

    @Test("a swim has lengths with strokes, and its pool")
    func swim() throws {
        let file = try WorkoutFile(bytes: SampleSwim.bytes)
        #expect(file.damage == nil && file.lengths.count == 5 && file.laps.count == 1)
        #expect(file.lengths.map(\.style) == [.freestyle, .freestyle, .unknown, .breaststroke, .breaststroke])
        #expect(file.lengths[0].score == 16 + 30 && file.lengths[2].score == nil)
        let configuration = file.configuration
        #expect(configuration.activityType == .swimming && configuration.swimmingLocationType == .pool)
        #expect(configuration.lapLength?.doubleValue(for: .meter()) == 25)
    }
}

/// A swim of four lengths of 25 m with a rest, as a FIT file.
enum SampleSwim {
    static let start: UInt64 = 950_000_000

    static var bytes: [UInt8] {
        typealias Field = FITBuilder.Field
        var builder = FITBuilder()
        builder.define(
            0, 101,
            [
                Field(number: 2, size: 4, type: 0x86), Field(number: 3, size: 4, type: 0x86),
                Field(number: 5, size: 2, type: 0x84), Field(number: 7, size: 1, type: 0),
                Field(number: 12, size: 1, type: 0),
            ])
        let lengths: [(UInt64, UInt64, UInt64, UInt64, UInt64)] = [
            (0, 30, 16, 0, 1), (30, 31, 17, 0, 1), (61, 15, 0xFFFF, 0xFF, 0), (76, 40, 12, 2, 1), (116, 41, 12, 2, 1),
        ]
        for (offset, seconds, strokes, style, kind) in lengths {
            builder.add(0, [(start + offset, 4), (seconds * 1_000, 4), (strokes, 2), (style, 1), (kind, 1)])
        }
        builder.define(1, 19, [Field(number: 2, size: 4, type: 0x86), Field(number: 7, size: 4, type: 0x86)])
        builder.add(1, [(start, 4), (157_000, 4)])
        builder.define(
            2, 18,
            [
                Field(number: 2, size: 4, type: 0x86), Field(number: 7, size: 4, type: 0x86),
                Field(number: 5, size: 1, type: 0), Field(number: 6, size: 1, type: 0),
                Field(number: 44, size: 2, type: 0x84), Field(number: 11, size: 2, type: 0x84),
            ])
        builder.add(2, [(start, 4), (157_000, 4), (5, 1), (17, 1), (2_500, 2), (40, 2)])
        return builder.file
    }
}
