// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-115 heartbeat series")
struct HeartbeatSeriesTests {
    private func builder(_ door: TestDoor) -> HKHeartbeatSeriesBuilder {
        HKHeartbeatSeriesBuilder(healthStore: door.health, device: .local(), start: clock)
    }

    private func beats(_ door: TestDoor, of sample: HKHeartbeatSeriesSample) throws -> [HeartbeatRecord.Beat] {
        try door.health.store().heartbeats(of: sample)
    }

    @Test("times, gaps and metadata read back to the last bit, also after reopening and a repair")
    func roundTrip() async throws {
        let door = try TestDoor()
        let builder = builder(door)
        let times = [0.25, 1.003, 1.9, 7.125, 8.0]
        for (place, time) in times.enumerated() { try await builder.addHeartbeat(at: time, precededByGap: place == 3) }
        try await builder.addMetadata(["a": 1, "b": "x"])
        try await builder.addMetadata(["a": 2])
        let made = try await builder.finishSeries()
        for _ in 0..<2 {
            let found = try door.all(HKSeriesType.heartbeat())
            let sample = try #require(found.first as? HKHeartbeatSeriesSample)
            #expect(found.count == 1 && sample.uuid == made.uuid && sample.count == 5)
            #expect(sample.startDate == clock && sample.endDate == clock.addingTimeInterval(8))
            #expect(sample.metadata?["a"] as? Int == 2 && sample.metadata?["b"] as? String == "x")
            #expect(sample.device == .local() && sample.sourceRevision == door.health.revision)
            #expect(try beats(door, of: sample).map(\.time) == times)
            #expect(try beats(door, of: sample).map(\.isAfterGap) == [false, false, false, true, false])
            #expect(try door.health.store().verify().isSound)
            door.health.close()
        }
        let target = door.directory.file("repaired")
        #expect(try HealthStore.repair(from: door.directory.file("store"), to: target).isComplete)
        let store = try HealthStore.open(at: target)
        defer { store.close() }
        #expect(try store.heartbeats(of: made).map(\.time) == times)
    }

    @Test("random times read back to the last bit, sorted", arguments: 1...6)
    func random(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let isWild = dice.chance(0.3)
            var all = [HeartbeatRecord.Beat]()
            for _ in 0..<dice.below(40) {
                let time = isWild ? dice.fraction() * 1e5 : Double(dice.below(1_000_000_000)) / 1e9
                all.append(HeartbeatRecord.Beat(time: time, isAfterGap: dice.chance(0.2)))
            }
            all.sort { $0.time < $1.time }
            let body = HeartbeatRecord(all).body
            let back = try HeartbeatRecord(body)
            #expect(back.beats.map(\.time.bitPattern) == all.map(\.time.bitPattern))
            #expect(back.beats.map(\.isAfterGap) == all.map(\.isAfterGap))
            #expect(try HeartbeatRecord.count(body) == all.count)
        }
    }

    @Test("regular beats take a few bytes each")
    func size() {
        var (time, dice) = (0.0, SeededGenerator(seed: 7))
        let all = (0..<1_000).map { _ in
            time = ((time + 0.8 + Double(dice.below(100)) / 1_000) * 1_000).rounded() / 1_000
            return HeartbeatRecord.Beat(time: time, isAfterGap: false)
        }
        #expect(HeartbeatRecord(all).body.count < 5_000)
    }

    @Test("damaged bytes are an error", arguments: 1...4)
    func hostile(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let good = HeartbeatRecord((0..<20).map { HeartbeatRecord.Beat(time: Double($0), isAfterGap: false) }).body
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0...dice.below(3) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
            if dice.chance(0.3) { bytes.removeLast(dice.below(bytes.count)) }
            do {
                #expect(try HeartbeatRecord(bytes).beats.count <= 1_000)
                _ = try? QuantitySeriesRecord(bytes)
            } catch {
                #expect(error.kind == .corrupt || error.kind == .newerFormat)
            }
        }
    }

    @Test("invalid arguments are refused, and the builder stays usable")
    func refused() async throws {
        let door = try TestDoor()
        let builder = builder(door)
        #expect(await code { _ = try await builder.finishSeries() } == .errorNoData)
        for time in [-1, Double.nan, .infinity, 1e18] {
            #expect(
                await code {
                    try await builder.addHeartbeatWithTimeInterval(sinceSeriesStartDate: time, precededByGap: false)
                } == .errorInvalidArgument, "\(time)")
        }
        #expect(await code { try await builder.addMetadata(["a": [1]]) } == .errorInvalidArgument)
        // Beats may come in any order; the series is sorted.
        for time in [3.0, 1, 2] {
            try await builder.addHeartbeatWithTimeInterval(sinceSeriesStartDate: time, precededByGap: time == 1)
        }
        let sample = try await builder.finishSeries()
        #expect(try beats(door, of: sample).map(\.time) == [1, 2, 3])
        #expect(try beats(door, of: sample).map(\.isAfterGap) == [true, false, false])
        #expect(await code { _ = try await builder.finishSeries() } == .errorInvalidArgument)
        let other = self.builder(door)
        other.discard()
        #expect(
            await code {
                try await other.addHeartbeatWithTimeInterval(sinceSeriesStartDate: 1, precededByGap: false)
            } == .errorInvalidArgument)
    }

    @Test("the sequence of beats ends when its task is cancelled")
    func cancelled() async throws {
        let door = try TestDoor()
        let builder = builder(door)
        for time in [1.0, 2, 3] { try await builder.addHeartbeat(at: time, precededByGap: false) }
        let series = try await builder.finishSeries()
        #expect(await isEndedByCancelling { HKHeartbeatSeriesQueryDescriptor(series).results(for: door.health) })
    }

    @Test("a builder that is discarded during finish stays closed, also if the save fails")
    func discardMeanwhile() async throws {
        for isFailing in [true, false] {
            let door = try TestDoor()
            let builder = builder(door)
            try builder.add(0, false)
            let outcome = try await door.discardWhileFinishing(isFailing: isFailing) {
                await code { _ = try await builder.finishSeries() }
            } isTaking: {
                (try? builder.add(1, false)) != nil
            } discard: {
                builder.discard()
            }
            #expect(outcome == (isFailing ? .errorDatabaseInaccessible : nil))
            #expect(await code { try builder.add(2, false) } == .errorInvalidArgument)
            #expect(await code { _ = try await builder.finishSeries() } == .errorInvalidArgument)
            door.health.close()
            #expect(try door.all(HKSeriesType.heartbeat()).count == (isFailing ? 0 : 1))
        }
    }

    @Test("a series is deleted like any object, and only by the program that saved it")
    func deletion() async throws {
        let door = try TestDoor()
        var samples = [HKHeartbeatSeriesSample]()
        for _ in 0..<3 {
            let builder = builder(door)
            try await builder.addHeartbeatWithTimeInterval(sinceSeriesStartDate: 1, precededByGap: false)
            samples.append(try await builder.finishSeries())
        }
        let (first, second) = (samples[0], samples[1])
        #expect(await code { try await door.other("com.example.x").delete(first) } == .errorAuthorizationDenied)
        try await door.health.delete(first)
        #expect(await code { try await door.health.delete(first) } == .errorInvalidArgument)
        #expect(try door.all(HKSeriesType.heartbeat()).count == 2)
        let predicate = HKQuery.predicateForObject(with: second.uuid)
        #expect(try await door.health.deleteObjects(of: HKSeriesType.heartbeat(), predicate: predicate) == 1)
        #expect(try door.all(HKSeriesType.heartbeat()).map(\.uuid) == [samples[2].uuid])
        #expect(throws: HKError.self) { try beats(door, of: first) }
    }

    @Test("more beats than the limit are errorDataSizeExceeded")
    func limit() async throws {
        let door = try TestDoor()
        let builder = builder(door)
        for _ in 0..<HKHeartbeatSeriesBuilder.maximumCount { try builder.add(0, false) }
        #expect(
            await code {
                try await builder.addHeartbeatWithTimeInterval(sinceSeriesStartDate: 1, precededByGap: false)
            } == .errorDataSizeExceeded)
    }
}
