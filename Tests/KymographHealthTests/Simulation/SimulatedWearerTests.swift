// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("X-5 a simulated wearer has the same days on every machine, and they can be saved")
struct SimulatedWearerTests {
    private func facts(_ samples: [HKSample]) -> [String] {
        samples.map { sample in
            let value =
                (sample as? HKQuantitySample)?.quantity.description ?? "\((sample as? HKCategorySample)?.value ?? -1)"
            return "\(sample.uuid) \(sample.sampleType.identifier) \(sample.startDate.timeIntervalSince1970) "
                + "\(sample.endDate.timeIntervalSince1970) \(value)"
        }
    }

    @Test("the same seed and day give the same samples, other seeds and days others")
    func same() {
        let wearer = SimulatedWearer(seed: 4)
        let day = facts(wearer.samples(of: clock))
        #expect(day.count > 1_000)
        #expect(facts(wearer.samples(of: clock.addingTimeInterval(3_600))) == day, "any time of a day selects the day")
        #expect(Set(facts(wearer.samples(of: clock.addingTimeInterval(86_400)))).isDisjoint(with: day))
        #expect(Set(facts(SimulatedWearer(seed: 5).samples(of: clock))).isDisjoint(with: day))
        // The first sample as recorded on one machine.
        #expect(day.first == Self.firstSample)
    }

    private static let firstSample =
        "F3BFECF8-50DA-8ABF-8000-000000000001 HKCategoryTypeIdentifierSleepAnalysis 1735687020.0 1735716360.0 0"

    @Test("no two days share random numbers, whatever the seed")
    func days() {
        for seed: UInt64 in [0, 1, 4, .max, 0xD129_0B2B_6D1F_3C41, 0x9E37_79B9_7F4A_7C15] {
            var seen: Set<UInt64> = []
            for day: UInt64 in 0..<500 {
                var dice = SimulatedDice(seed: seed, day: day)
                for _ in 0..<20 { seen.insert(dice.next()) }
            }
            #expect(seen.count == 10_000, "\(seed)")
        }
    }

    @Test("identities depend on the seed and the day only")
    func identities() {
        let one = SimulatedWearer(seed: 3).samples(of: clock)
        let other = SimulatedWearer(seed: 3, restingHeartRate: 70, dailySteps: 3_000).samples(of: clock)
        let another = SimulatedWearer(seed: 2).samples(of: clock)
        #expect(one.first?.uuid == other.first?.uuid)
        #expect(Set(one.map(\.uuid)).isDisjoint(with: another.map(\.uuid)))
    }

    @Test(
        "samples lie within their day, satisfy the save rules and have plausible values",
        arguments: [
            "GMT", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe",
        ])
    func plausible(zone: String) throws {
        let timeZone = try #require(TimeZone(identifier: zone))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let wearer = SimulatedWearer(seed: 1, timeZone: timeZone)
        var steps = 0.0
        for number in 0..<120 {
            let noon = try #require(
                calendar.date(from: DateComponents(year: 2024, month: 1, day: 1 + number * 3, hour: 12)))
            let span = try #require(calendar.dateInterval(of: .day, for: noon))
            let samples = wearer.samples(of: noon)
            try HealthSaveRules.check(samples)
            #expect(Set(samples.map(\.uuid)).count == samples.count)
            for sample in samples {
                #expect(sample.endDate <= span.end)
                if !(sample is HKCategorySample) { #expect(sample.startDate >= span.start) }
            }
            let rates = samples.compactMap { $0 as? HKQuantitySample }.filter {
                $0.sampleType == HKQuantityType(.heartRate)
            }.map { $0.quantity.doubleValue(for: HKUnit.count().unitDivided(by: .minute())) }
            #expect(rates.count > 1_000 && rates.allSatisfy { (30...185).contains($0) })
            steps += samples.compactMap { $0 as? HKQuantitySample }.filter {
                $0.sampleType == HKQuantityType(.stepCount)
            }.reduce(0) { $0 + $1.quantity.doubleValue(for: .count()) }
            // The stages of a night follow each other without a gap.
            let stages = samples.compactMap { $0 as? HKCategorySample }.dropFirst()
            #expect(zip(stages, stages.dropFirst()).allSatisfy { $0.endDate == $1.startDate })
        }
        #expect((5_000...13_000).contains(steps / 120))
    }

    @Test("wearers with extreme properties are limited to human ranges")
    func odd() {
        for value in [-1e300, 0, 1e300, .nan, .infinity] {
            let wearer = SimulatedWearer(
                seed: 1, restingHeartRate: value, maximumHeartRate: value, dailySteps: value, heartRateInterval: 600)
            #expect(wearer.samples(of: clock).count < 10_000)
        }
    }

    @Test("a wearer whose properties change stays within human ranges")
    func changed() {
        for value in [-1e300, -1, 0, 0.5, 1e30, 1e300, .nan, .infinity, -.infinity] {
            var wearer = SimulatedWearer(seed: 1, heartRateInterval: 600)
            wearer.maximumHeartRate = value
            wearer.restingHeartRate = value
            #expect((35...110).contains(wearer.restingHeartRate))
            #expect((wearer.restingHeartRate + 1...250).contains(wearer.maximumHeartRate))
            wearer.maximumHeartRate = value
            #expect((wearer.restingHeartRate + 1...250).contains(wearer.maximumHeartRate))
            wearer.dailySteps = value
            #expect((0...100_000).contains(wearer.dailySteps))
            #expect(wearer.samples(of: clock).count < 10_000)
            wearer.heartRateInterval = value
            #expect((1...86_400).contains(wearer.heartRateInterval))
        }
        var wearer = SimulatedWearer(seed: 1)
        (wearer.restingHeartRate, wearer.maximumHeartRate) = (50, 170)
        (wearer.dailySteps, wearer.heartRateInterval) = (12_000, 300)
        #expect(wearer.restingHeartRate == 50 && wearer.maximumHeartRate == 170)
        #expect(wearer.dailySteps == 12_000 && wearer.heartRateInterval == 300)
        // The maximum heart rate rises with the resting heart rate.
        wearer.maximumHeartRate = 60
        wearer.restingHeartRate = 90
        #expect(wearer.maximumHeartRate == 91)
    }

    @Test("a date outside the storable range has no samples")
    func noDay() {
        for time in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e12] {
            #expect(SimulatedWearer(seed: 1).samples(of: Date(timeIntervalSinceReferenceDate: time)).isEmpty)
        }
    }

    @Test("the samples have a source of their own, which is after real sources until an order names it")
    func source() async throws {
        let samples = SimulatedWearer(seed: 9).samples(of: clock)
        #expect(samples.allSatisfy { $0.sourceRevision == SimulatedWearer.sourceRevision })
        #expect(SimulatedWearer.source.name == "Simulated watch" && SimulatedWearer.source != HKSource.default())
        let directory = try TemporaryDirectory()
        let (path, type) = (directory.file("store"), HKQuantityType(.stepCount))
        try HKHealthStore(path: path, as: SimulatedWearer.sourceRevision).saveNow(samples)
        let own = HKHealthStore(directory: path)
        defer { own.close() }
        let step = try #require(samples.first { $0.sampleType == type })
        let quantity = HKQuantity(unit: .count(), doubleValue: 3)
        try own.saveNow([HKQuantitySample(type: type, quantity: quantity, start: step.startDate, end: step.endDate)])
        func order() throws -> [HKSource] { try own.store().sourceOrder(of: HealthTypes.type(for: .stepCount)).sources }
        #expect(try order() == [.default(), SimulatedWearer.source])
        try await own.setPreferredSources([SimulatedWearer.source], for: type)
        #expect(try order() == [SimulatedWearer.source, .default()])
    }

    @Test("a day can be saved only once")
    func saved() async throws {
        let door = try TestDoor()
        let samples = SimulatedWearer(seed: 9).samples(of: clock)
        try await door.health.save(samples)
        #expect(try door.all(HKQuantityType(.heartRate)).count > 1_000)
        #expect(try door.all(HKCategoryType(.sleepAnalysis)).first?.device == SimulatedWearer.device)
        let again = SimulatedWearer(seed: 9).samples(of: clock)
        #expect(await code { try await door.health.save(again) } == .errorInvalidArgument)
    }
}
