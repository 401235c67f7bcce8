// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import TestSupport
import Testing

@testable import WorkoutFiles

@Suite("changed workout files are read or refused, and never end the process")
struct HostileFileTests {
    /// Reads a file, and plays 40 seconds.
    private func check(_ bytes: [UInt8]) {
        guard let file = try? WorkoutFile(bytes: bytes) else { return }
        _ = (file.startDate, file.endDate, file.configuration)
        #expect(zip(file.points, file.points.dropFirst()).allSatisfy { $0.date <= $1.date })
        if let damage = file.damage, damage.reason != .tooLarge { #expect(damage.offset <= UInt64(bytes.count)) }
        var tape = ReplayTape(file)
        for second in 0..<40 { _ = tape.play(from: Date(timeIntervalSince1970: 1e9 + Double(second))) }
    }

    @Test("random changes, insertions, deletions and ends", arguments: FixtureFiles.all)
    func changes(_ name: String) throws {
        let original = try FixtureFiles.bytes(name)
        var random = TestRandom(seed: 25)
        for _ in 0..<250 {
            var bytes = original
            if random.oneIn(4) { bytes = Array(bytes.prefix(random.below(bytes.count))) }
            for _ in 0..<random.within(1...6) where !bytes.isEmpty {
                let place = random.below(bytes.count)
                switch random.below(5) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes[place] ^= 1 << UInt8(random.below(8))
                case 2: bytes.insert(random.pick([0, 0xFF, 0x3C, 0x3E, 0x40, 0x80]), at: place)
                case 3: bytes.removeSubrange(place..<min(bytes.count, place + random.below(40)))
                default: bytes[place] = random.pick([0, 0xFF, 0x7F, 0x80])
                }
            }
            check(bytes)
        }
    }

    @Test("random bytes after a header, with every kind of field")
    func noise() {
        var random = TestRandom(seed: 26)
        for _ in 0..<300 {
            var builder = FITBuilder()
            let messages: [UInt16] = [18, 19, 20, 21, 101, 132]
            for local in UInt8(0)..<4 {
                let fields = (0..<random.below(8)).map { _ in
                    FITBuilder.Field(
                        number: random.pick([0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 44, 253]),
                        size: UInt8(random.pick([0, 1, 2, 3, 4, 8, 9])), type: UInt8(truncatingIfNeeded: random.next()))
                }
                builder.define(local, random.pick(messages), fields)
                let size = fields.reduce(0) { $0 + Int($1.size) }
                for _ in 0..<random.below(30) {
                    let header = random.oneIn(3) ? 0x80 | local << 5 | UInt8(random.below(32)) : local
                    builder.add(
                        raw: [header]
                            + (0..<size).map { _ in random.oneIn(3) ? 0xFF : UInt8(truncatingIfNeeded: random.next()) })
                }
            }
            check(builder.file)
        }
    }

    @Test("extreme numbers in XML")
    func numbers() {
        for number in ["1e308", "-1e308", "nan", "inf", "1e999", "", "0x1p4", "99999999999999999999"] {
            check(
                Array(
                    """
                    <TrainingCenterDatabase><Activity Sport="Running"><Lap StartTime="2024-01-01T00:00:00Z">
                    <TotalTimeSeconds>\(number)</TotalTimeSeconds><DistanceMeters>\(number)</DistanceMeters>
                    <Calories>\(number)</Calories>
                    <Trackpoint><Time>2024-01-01T00:00:00Z</Time><Cadence>\(number)</Cadence></Trackpoint>
                    <Trackpoint><Time>2024-01-01T00:00:01Z</Time><Cadence>\(number)</Cadence>
                    <DistanceMeters>\(number)</DistanceMeters></Trackpoint>
                    <Trackpoint><Time>9999-12-31T23:59:59Z</Time><Cadence>\(number)</Cadence></Trackpoint>
                    </Lap></Activity></TrainingCenterDatabase>
                    """.utf8))
        }
    }

    @Test("values keep extreme numbers, and a missing file is an error")
    func values() throws {
        let strange = Date(timeIntervalSince1970: .infinity)
        #expect(WorkoutFilePoint(date: strange).isEmpty)
        #expect(WorkoutFileLap(start: strange, end: .distantPast, distance: .nan, energy: -1).energy == -1)
        var part = WorkoutFilePart(activity: .swimming, start: .distantFuture, end: .distantPast)
        part.poolLength = .nan
        #expect(part.end == part.start && part.configuration.lapLength == nil)
        let error = WorkoutFileError(.malformed, at: .max, "")
        #expect(error.description == "byte 18446744073709551615: ")
        #expect(throws: WorkoutFileError.self) { try WorkoutFileReader.read("/nowhere") { _ in true } }
        #expect(throws: WorkoutFileError.self) { try WorkoutFileReader.read(bytes: []) { _ in true } }
        var count = 0
        let swim = try WorkoutFileReader.read(bytes: SampleSwim.bytes) { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3 && swim.damage == nil)
    }

    @Test("a player ignores times that are no numbers")
    func times() throws {
        let file = try WorkoutFile(bytes: SampleSwim.bytes)
        for number in [Double.nan, .infinity, -.infinity, -1, 1e300] {
            let replayer = WorkoutReplayer(file, pace: .accelerated(by: number), skipping: number)
            #expect(replayer.remainingTime <= 157)
            let manual = WorkoutReplayer(file, pace: .manual, start: Date(timeIntervalSince1970: 0))
            manual.update(.running, file.configuration)
            manual.advance(by: number)
            #expect(manual.currentDate.timeIntervalSince1970 == (number == 1e300 ? 86_400 : 0))
            manual.stop()
        }
    }
}
