// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

let perMinute = HKUnit.count().unitDivided(by: .minute())

extension TestDoor {
    func builder(
        _ type: HKQuantityTypeIdentifier = .heartRate, start: Date = clock, device: HKDevice? = nil
    ) -> HKQuantitySeriesSampleBuilder {
        HKQuantitySeriesSampleBuilder(
            healthStore: health, quantityType: HKQuantityType(type), startDate: start, device: device)
    }

    /// Returns the quantities of one sample.
    func quantities(of sample: HKQuantitySample) throws -> [SeriesQuantity] {
        var found = [SeriesQuantity]()
        try health.store().quantities(of: sample) {
            found += $0
            return true
        }
        return found
    }

    /// Returns the quantities of all samples that match a predicate.
    func quantities(
        _ type: HKQuantityTypeIdentifier, _ predicate: SamplePredicate = .always(true), includesSample: Bool = false,
        bySample: Bool = false
    ) throws -> [SeriesQuantity] {
        var found = [SeriesQuantity]()
        let request = SeriesRequest(
            type: HKQuantityType(type), predicate: predicate, includesSample: includesSample, isBySample: bySample)
        try health.store().quantities(request) {
            found += $0
            return true
        }
        return found
    }
}

func beats(_ value: Double) -> HKQuantity { HKQuantity(unit: perMinute, doubleValue: value) }

func at(_ seconds: Double) -> Date { clock.addingTimeInterval(seconds) }

func span(_ start: Double, _ end: Double) -> DateInterval { DateInterval(start: at(start), end: at(end)) }

@Suite("S-113 S-114 S-118 S-119 a builder makes one sample of many quantities")
struct QuantitySeriesBuilderTests {
    @Test("quantities are sorted by start, and of two with the same start the last inserted one is kept")
    func order() async throws {
        let door = try TestDoor()
        let builder = door.builder()
        try builder.insert(beats(63), at: at(3))
        try builder.insert(beats(61), at: at(1))
        try builder.insert(beats(99), for: span(2, 2.5))
        try builder.insert(beats(62), at: at(2))
        try builder.insert(beats(64), for: span(4, 4.5))
        try builder.insert(beats(65), for: span(4, 4.75))
        let samples = try await builder.finishSeries(metadata: ["note": "run"], endDate: nil)
        #expect(samples.count == 1)
        let sample = try #require(samples.first as? HKDiscreteQuantitySample)
        #expect(sample.count == 4 && sample.startDate == clock && sample.endDate == at(4.75))
        #expect(sample.minimumQuantity.value == 61 && sample.maximumQuantity.value == 65)
        #expect(sample.mostRecentQuantity.value == 65 && sample.mostRecentQuantityDateInterval == span(4, 4.75))
        #expect(sample.metadata?["note"] as? String == "run")
        // Each quantity lasts until the next one starts; a quantity with its own interval keeps its end.
        let found = try door.quantities(of: sample)
        #expect(found.map(\.value) == [61, 62, 63, 65])
        #expect(found.map(\.interval) == [span(1, 2), span(2, 3), span(3, 4), span(4, 4.75)])
    }

    @Test("the last quantity is a point, or lasts until the given end")
    func end() async throws {
        let door = try TestDoor()
        for (end, wanted) in [(nil, span(1, 1)), (at(5), span(1, 5))] as [(Date?, DateInterval)] {
            let builder = door.builder()
            try builder.insert(beats(60), at: at(0))
            try builder.insert(beats(70), at: at(1))
            let sample = try #require(try await builder.finishSeries(metadata: nil, endDate: end).first)
            #expect(sample.endDate == wanted.end)
            #expect(try door.quantities(of: sample).map(\.interval) == [span(0, 1), wanted])
        }
        // A quantity with its own interval keeps its end.
        let builder = door.builder()
        try builder.insert(beats(60), for: span(0, 1))
        let sample = try #require(try await builder.finishSeries(metadata: nil, endDate: at(9)).first)
        #expect(sample.endDate == at(9))
        #expect(try door.quantities(of: sample).map(\.interval) == [span(0, 1)])
    }

    @Test("invalid arguments are refused and change nothing")
    func refused() async throws {
        let door = try TestDoor()
        let builder = door.builder()
        let steps = HKQuantity(unit: .meter(), doubleValue: 1)
        #expect(await code { try builder.insert(beats(60), at: at(-0.001)) } == .errorInvalidArgument)
        #expect(await code { try builder.insert(beats(60), for: span(-1, 5)) } == .errorInvalidArgument)
        #expect(await code { try builder.insert(beats(60), at: .distantFuture) } == .errorInvalidArgument)
        #expect(await code { try builder.insert(steps, at: at(1)) } == .errorInvalidArgument)
        #expect(await code { try builder.insert(beats(.nan), at: at(1)) } == .errorInvalidArgument)
        #expect(await code { try builder.insert(beats(.infinity), at: at(1)) } == .errorInvalidArgument)
        #expect(await code { _ = try await builder.finishSeries(metadata: nil) } == .errorNoData)
        try builder.insert(beats(60), for: span(0, 10))
        for end in [at(-1), at(9.999), .distantFuture] {
            #expect(
                await code { _ = try await builder.finishSeries(metadata: nil, endDate: end) }
                    == .errorInvalidArgument)
        }
        for metadata in [["a": [1]], ["a": Double.nan], ["": 1], [HKMetadataKeySyncIdentifier: "x"]] as [[String: Any]]
        {
            #expect(
                await code { _ = try await builder.finishSeries(metadata: metadata) } == .errorInvalidArgument,
                "\(metadata)")
        }
        // The builder can still be finished, once.
        #expect(try await builder.finishSeries(metadata: nil).map(\.count) == [1])
        #expect(await code { try builder.insert(beats(60), at: at(1)) } == .errorInvalidArgument)
        #expect(await code { _ = try await builder.finishSeries(metadata: nil) } == .errorInvalidArgument)
        #expect(try door.all(HKQuantityType(.heartRate)).count == 1)
    }

    @Test("a discarded builder accepts nothing and saves nothing")
    func discard() async throws {
        let door = try TestDoor()
        let builder = door.builder()
        try builder.insert(beats(60), at: at(1))
        builder.discard()
        #expect(await code { try builder.insert(beats(60), at: at(2)) } == .errorInvalidArgument)
        #expect(await code { _ = try await builder.finishSeries(metadata: nil) } == .errorInvalidArgument)
        builder.discard()
        #expect(try door.all(HKQuantityType(.heartRate)).isEmpty)
    }

    @Test("the sequence of quantities ends when its task is cancelled")
    func cancelled() async throws {
        let door = try TestDoor()
        let builder = door.builder()
        for second in [1.0, 2, 3] { try builder.insert(beats(60), at: at(second)) }
        _ = try await builder.finishSeries(metadata: nil)
        let query = HKQuantitySeriesSampleQueryDescriptor(predicate: .quantitySample(type: HKQuantityType(.heartRate)))
        #expect(await isEndedByCancelling { query.results(for: door.health) })
    }

    @Test("a builder that is discarded during finish stays closed, also if the save fails")
    func discardMeanwhile() async throws {
        for isFailing in [true, false] {
            let door = try TestDoor()
            let builder = door.builder()
            try builder.insert(beats(60), at: at(0))
            let outcome = try await door.discardWhileFinishing(isFailing: isFailing) {
                await code { _ = try await builder.finishSeries(metadata: nil) }
            } isTaking: {
                (try? builder.insert(beats(60), at: at(1))) != nil
            } discard: {
                builder.discard()
            }
            #expect(outcome == (isFailing ? .errorDatabaseInaccessible : nil))
            #expect(await code { try builder.insert(beats(60), at: at(2)) } == .errorInvalidArgument)
            #expect(await code { _ = try await builder.finishSeries(metadata: nil) } == .errorInvalidArgument)
            door.health.close()
            #expect(try door.all(HKQuantityType(.heartRate)).count == (isFailing ? 0 : 1))
        }
    }

    @Test("the forms with a completion handler do the same")
    func handlers() async throws {
        let door = try TestDoor()
        let builder = door.builder()
        func finish() async -> (count: Int?, code: HKError.Code?) {
            await withCheckedContinuation { waiting in
                builder.finishSeries(metadata: nil) { samples, error in
                    waiting.resume(returning: (samples?.first?.count, (error as? HKError)?.code))
                }
            }
        }
        #expect(await finish() == (nil, .errorNoData))
        try builder.insert(beats(60), at: at(1))
        #expect(await finish() == (1, nil))
        #expect(await finish() == (nil, .errorInvalidArgument))
    }

    @Test("columns follow the rules of single quantities and are inserted all or none")
    func columns() async throws {
        let door = try TestDoor()
        let base = Int64(clock.timeIntervalSince1970) * second
        let builder = door.builder(.distanceWalkingRunning)
        try builder.insert(values: [1, 2], unit: .meter(), starts: [at(0), at(1)])
        #expect(
            await code { try builder.insert(values: [1], unit: .meter(), nanoseconds: [base - 1]) }
                == .errorInvalidArgument)
        #expect(
            await code { try builder.insert(values: [1, .nan], unit: .meter(), nanoseconds: [base, base + 1]) }
                == .errorInvalidArgument)
        #expect(await code { try builder.insert(values: [1], unit: .meter(), starts: []) } == .errorInvalidArgument)
        #expect(await code { try builder.insert(values: [1], unit: .gram(), starts: [at(5)]) } == .errorInvalidArgument)
        #expect(
            await code { try builder.insert(values: [1], unit: .meter(), nanoseconds: [.max]) }
                == .errorInvalidArgument)
        // Other units convert to the unit of the first quantity; these start before and replace one.
        try builder.insert(
            values: [0.003, 0.004], unit: .meterUnit(with: .kilo), nanoseconds: [base + second, base + second / 2])
        let sample = try #require(
            try await builder.finishSeries(metadata: nil).first as? HKCumulativeQuantitySample)
        #expect(sample.sumQuantity == HKQuantity(unit: .meter(), doubleValue: 8) && sample.count == 3)
        #expect(try door.quantities(of: sample).map(\.value) == [1, 4, 3])
        #expect(try door.quantities(of: sample).map(\.interval) == [span(0, 0.5), span(0.5, 1), span(1, 1)])
    }

    @Test("count, sum, minimum, maximum, average and most recent are those of the quantities", arguments: 1...12)
    func summary(seed: UInt64) async throws {
        let door = try TestDoor()
        var dice = SeededGenerator(seed: seed)
        let types: [(HKQuantityTypeIdentifier, HKUnit)] = [
            (.heartRate, perMinute), (.bodyMass, .gram()), (.stepCount, .count()),
            (.environmentalAudioExposure, .decibelAWeightedSoundPressureLevel()),
        ]
        for _ in 0..<10 {
            let (type, unit) = dice.pick(types)
            let builder = door.builder(type)
            var oracle: [Int: (value: Double, end: Int?)] = [:]
            for _ in 0...dice.below(60) {
                let start = dice.below(100)
                let value = Double(dice.below(1_000)) / 7 + 1
                let end = dice.chance(0.3) ? start + dice.below(40) : nil
                let quantity = HKQuantity(unit: unit, doubleValue: value)
                if let end {
                    try builder.insert(quantity, for: span(Double(start), Double(end)))
                } else {
                    try builder.insert(quantity, at: at(Double(start)))
                }
                oracle[start] = (value, end)
            }
            let rows = oracle.sorted { $0.key < $1.key }
            var wanted: [(value: Double, start: Int, end: Int)] = []
            for (place, row) in rows.enumerated() {
                let next = place + 1 < rows.count ? rows[place + 1].key : row.key
                wanted.append((row.value.value, row.key, row.value.end ?? next))
            }
            let sample = try #require(try await builder.finishSeries(metadata: nil).first)
            try check(sample, wanted, unit)
            let stored = try #require(try door.all(HKQuantityType(type)).last { $0.uuid == sample.uuid })
            try check(try #require(stored as? HKQuantitySample), wanted, unit)
            let found = try door.quantities(of: sample)
            #expect(found.map(\.value) == wanted.map(\.value))
            #expect(found.map(\.interval) == wanted.map { span(Double($0.start), Double($0.end)) })
        }
        #expect(try door.health.store().verify().isSound)
    }

    private func check(
        _ sample: HKQuantitySample, _ wanted: [(value: Double, start: Int, end: Int)], _ unit: HKUnit
    ) throws {
        func isNear(_ quantity: HKQuantity, _ value: Double) -> Bool {
            abs(quantity.doubleValue(for: unit) - value) <= 1e-9 * max(1, abs(value))
        }
        let values = wanted.map(\.value)
        #expect(sample.count == wanted.count && sample.startDate == clock)
        #expect(sample.endDate == at(Double(wanted.map(\.end).max() ?? -1)))
        if let sample = sample as? HKCumulativeQuantitySample {
            #expect(isNear(sample.sumQuantity, values.reduce(0, +)))
            return
        }
        let one = try #require(sample as? HKDiscreteQuantitySample)
        let last = try #require(wanted.last)
        #expect(one.minimumQuantity.value == values.min() && one.maximumQuantity.value == values.max())
        #expect(one.mostRecentQuantity.value == last.value)
        #expect(one.mostRecentQuantityDateInterval == span(Double(last.start), Double(last.end)))
        // Averages are weighted by time if the type requires it; without durations all quantities weigh the same.
        let isWeighted = one.quantityType.aggregationStyle != .discreteArithmetic
        let lengths = wanted.map { Double($0.end - $0.start) }
        let weights = isWeighted && lengths.reduce(0, +) > 0 ? lengths : lengths.map { _ in 1 }
        func mean(_ number: (Double) -> Double) -> Double {
            var (sum, weight) = (0.0, 0.0)
            for (value, length) in zip(values, weights) {
                sum += number(value) * length
                weight += length
            }
            return sum / weight
        }
        let isLevel = one.quantityType.aggregationStyle == .discreteEquivalentContinuousLevel
        let energy: (Double) -> Double = { pow(10, $0 / 10) }
        let wantedMean = isLevel ? 10 * log10(mean(energy)) : mean { $0 }
        #expect(isNear(one.averageQuantity, wantedMean))
    }
}

extension HealthStore {
    /// Calls `body` with the quantities of the samples that match a predicate, batch by batch; a sample outside of a
    /// series has one quantity.
    ///
    /// - Parameter body: receives quantities, and returns whether to continue.
    /// - Complexity: O(log n + rows in the time of the samples); memory for the matching series, not for their
    ///   quantities.
    func quantities(_ request: SeriesRequest, _ body: ([SeriesQuantity]) throws -> Bool) throws {
        var pager = try SeriesPager(self, request)
        while let page = try pager.next(self) { if try !body(page) { return } }
    }

    /// Calls `body` with the quantities of one sample; a sample outside of a series has one quantity.
    ///
    /// - Throws: `HKError` `errorInvalidArgument` for a series that is not stored; errors of reading.
    func quantities(of sample: HKQuantitySample, _ body: ([SeriesQuantity]) throws -> Bool) throws {
        var pager = try SeriesPager(self, of: sample)
        while let page = try pager.next(self) { if try !body(page) { return } }
    }
}
