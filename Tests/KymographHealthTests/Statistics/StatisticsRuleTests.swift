// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-121 S-129 the rules of statistics: units, sources, missing data, cost")
struct StatisticsRuleTests {
    private let steps = HKQuantityType(.stepCount)

    private func steps(
        _ count: Double, _ start: Double, _ length: Double, _ metadata: [String: Any]? = nil
    ) -> HKQuantitySample {
        HKQuantitySample(
            type: steps, quantity: HKQuantity(unit: .count(), doubleValue: count),
            start: clock.addingTimeInterval(start), end: clock.addingTimeInterval(start + length), metadata: metadata)
    }

    @Test("without samples the error is errorNoData and a collection is empty; wrong options are errorInvalidArgument")
    func nothing() async throws {
        let door = try TestDoor()
        let store = try door.health.store()
        func both(_ type: HKQuantityType, _ options: HKStatisticsOptions) async -> (HKError.Code?, HKError.Code?) {
            let one = await code { _ = try store.statistics(of: type, options) }
            let other = await code {
                let question = StatisticsQuestion(type: type, predicate: .always(true), options: options)
                let found = try store.statisticsCollection(
                    CollectionQuestion(statistics: question, anchor: clock, components: DateComponents(day: 1)))
                #expect(found.statistics().isEmpty && found.sources().isEmpty)
                #expect(found.statistics(for: clock)?.sumQuantity() == nil)
            }
            return (one, other)
        }
        #expect(await both(steps, .cumulativeSum) == (.errorNoData, nil))
        #expect(await both(steps, .discreteMax) == (.errorInvalidArgument, .errorInvalidArgument))
        #expect(await both(HKQuantityType(.bodyMass), .cumulativeSum) == (.errorInvalidArgument, .errorInvalidArgument))
        try await door.health.save(steps(1, 0, 10))
        let later = SamplePredicate.time(start: clock.addingTimeInterval(10), end: nil, options: [])
        await #expect(code { _ = try store.statistics(of: steps, where: later, []) } == .errorNoData)
        await #expect(code { _ = try store.statistics(of: steps, where: .always(false), []) } == .errorNoData)
    }

    @Test("results are in the canonical unit, whatever the stored units, and leave out samples that do not convert")
    func units() throws {
        let test = try TestHealthStore()
        func sample(_ type: HKQuantityTypeIdentifier, _ unit: String?, _ value: Double, _ at: Int64) -> TestSample {
            TestSample(
                type: type.rawValue, unit: unit, start: newYear + at * second, end: newYear + (at + 10) * second,
                value: value)
        }
        try test.store.load([
            sample(.distanceCycling, "km", 1, 0), sample(.distanceCycling, "mi", 1, 100),
            sample(.distanceCycling, "kg", 77, 200), sample(.distanceCycling, "what?", 99, 300),
            sample(.bodyTemperature, "degF", 98.6, 0), sample(.bodyTemperature, "degC", 39, 20),
            sample(.height, "kg", 1, 0), sample(.stepCount, "blorb", 5, 0), sample(.stepCount, "count", 7, 20),
            sample(HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierNew"), "kJ", 4, 0),
            sample(HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierNew"), "J", 2_000, 20),
            sample(HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierNew"), "kJ", 6, 40),
        ])
        let distance = try test.store.statistics(of: HKQuantityType(.distanceCycling), .cumulativeSum)
        #expect(distance.sumQuantity()?.unit == HKQuantityType(.distanceCycling).canonicalUnit)
        #expect(distance.sumQuantity()?.doubleValue(for: .meter()) == 2_609.344)
        #expect(distance.endDate.timeIntervalSince(distance.startDate) == 110)
        let warm = try test.store.statistics(
            of: HKQuantityType(.bodyTemperature), [.discreteAverage, .discreteMin, .discreteMax, .mostRecent])
        #expect(warm.averageQuantity()?.doubleValue(for: .degreeCelsius()) == 38)
        #expect(warm.minimumQuantity()?.doubleValue(for: .degreeCelsius()) == 37)
        #expect(warm.maximumQuantity()?.doubleValue(for: .degreeFahrenheit()) == 102.2)
        #expect(warm.mostRecentQuantity()?.doubleValue(for: .degreeCelsius()) == 39)
        do throws(HKError) {
            _ = try test.store.statistics(of: HKQuantityType(.height), .discreteMax)
            Issue.record("statistics of a height in kilograms")
        } catch {
            #expect(error.code == .errorNoData && error.reason.contains("\"kg\""))
        }
        let all = try test.store.statistics(of: steps, .cumulativeSum)
        #expect(all.sumQuantity()?.doubleValue(for: .count()) == 7)
        var objects: [String] = []
        try test.store.search(SampleSearch(type: steps, predicate: .always(true))) { found in
            objects += found.samples.map { ($0 as? HKQuantitySample)?.quantity.description ?? "" }
            return true
        }
        #expect(objects == ["5 blorb", "7 count"])
        let new = HKQuantityType(HKQuantityTypeIdentifier(rawValue: "HKQuantityTypeIdentifierNew"))
        #expect(try test.store.statistics(of: new, .discreteAverage).averageQuantity()?.description == "4 kJ")
    }

    @Test("the watch hides the phone's samples of the same time, each source alone counts all of its own")
    func sources() async throws {
        let door = try TestDoor()
        func watch(_ model: String) -> HKDevice {
            HKDevice(
                name: nil, manufacturer: nil, model: model, hardwareVersion: nil, firmwareVersion: nil,
                softwareVersion: nil, localIdentifier: nil, udiDeviceIdentifier: nil)
        }
        let (phone, wrist) = (door.other("phone"), door.other("watch"))
        try await wrist.save(
            HKQuantitySample(
                type: steps, quantity: HKQuantity(unit: .count(), doubleValue: 50), start: clock,
                end: clock.addingTimeInterval(60), device: watch("Watch"), metadata: nil))
        try await phone.save(
            HKQuantitySample(
                type: steps, quantity: HKQuantity(unit: .count(), doubleValue: 40),
                start: clock.addingTimeInterval(30), end: clock.addingTimeInterval(90), device: watch("iPhone"),
                metadata: ["held": true]))
        let store = try door.health.store()
        func sums(_ predicate: SamplePredicate) throws -> [Double?] {
            let found = try store.statistics(
                of: steps, where: predicate, [.cumulativeSum, .separateBySource, .duration])
            return [found.sumQuantity()].map { $0?.value }
                + [wrist, phone].map { found.sumQuantity(for: $0.revision.source)?.value }
                + [found.duration()?.value, found.duration(for: phone.revision.source)?.value]
        }
        #expect(try sums(.always(true)) == [70, 50, 40, 90, 60])
        #expect(try sums(.sources([phone.revision.source])) == [40, nil, 40, 60, 60])
        // Samples outside the predicate hide nothing.
        #expect(try sums(.hasMetadata("held")) == [40, nil, 40, 60, 60])
        #expect(
            try sums(.time(start: clock.addingTimeInterval(30), end: nil, options: .strictStartDate))
                == [40, nil, 40, 60, 60])
        // A program with a new name is still one source.
        let renamed = HKHealthStore(
            path: door.directory.file("store"),
            as: HKSourceRevision(
                source: HKSource(name: "new name", bundleIdentifier: "watch"), version: nil, productType: nil,
                operatingSystemVersion: OperatingSystemVersion(majorVersion: 1, minorVersion: 0, patchVersion: 0)))
        try await renamed.save(steps(8, 0, 60))
        #expect(try sums(.always(true)) == [78, 58, 40, 90, 60])
    }

    @Test("the most recent sample ends last, and among equal ends starts last")
    func mostRecent() async throws {
        let door = try TestDoor()
        let type = HKQuantityType(.bodyMass)
        func mass(_ kilos: Double, _ start: Double, _ end: Double) -> HKQuantitySample {
            HKQuantitySample(
                type: type, quantity: HKQuantity(unit: .gramUnit(with: .kilo), doubleValue: kilos),
                start: clock.addingTimeInterval(start), end: clock.addingTimeInterval(end))
        }
        try await door.health.save([mass(70, 0, 100), mass(71, 10, 20), mass(72, 40, 100), mass(73, 50, 60)])
        for _ in 0..<2 {
            let store = try door.health.store()
            let found = try store.statistics(of: type, [.mostRecent])
            #expect(found.mostRecentQuantity()?.value == 72)
            #expect(found.mostRecentQuantityDateInterval()?.start == clock.addingTimeInterval(40))
            #expect(found.endDate == clock.addingTimeInterval(100) && found.startDate == clock)
            try store.engine.seal()
            door.health.close()
        }
    }

    @Test("statistics follow saves and deletions, and are the same after reopening")
    func restarts() async throws {
        let door = try TestDoor()
        let samples = (0..<500).map { steps(Double($0 % 7), Double($0) * 60, 90) }
        try await door.health.save(samples)
        func sum() throws -> Double? {
            try door.health.store().statistics(of: steps, .cumulativeSum).sumQuantity()?.value
        }
        let whole = try sum()
        #expect(whole == samples.reduce(0) { $0 + $1.quantity.value })
        door.health.close()
        #expect(try sum() == whole)
        try await door.health.delete(Array(samples.prefix(100)))
        #expect(try sum() == samples.dropFirst(100).reduce(0) { $0 + $1.quantity.value })
        try door.health.store().engine.seal()
        #expect(try sum() == samples.dropFirst(100).reduce(0) { $0 + $1.quantity.value })
    }

    @Test("daily sums come from summaries; a date range decodes only the blocks at its ends")
    func cost() async throws {
        let door = try TestDoor()
        // Sixty days with a sample of one minute for each minute.
        try await door.health.save((0..<86_400).map { steps(1, Double($0) * 60, 60) })
        let store = try door.health.store()
        try store.engine.seal()
        var days = DateComponents(day: 1)
        days.timeZone = TimeZone(identifier: "UTC")
        func decoded(_ predicate: SamplePredicate, _ options: HKStatisticsOptions) throws -> (Int, [Double?]) {
            let question = CollectionQuestion(
                statistics: StatisticsQuestion(type: steps, predicate: predicate, options: options), anchor: clock,
                components: days)
            // The first call searches for copies of samples.
            _ = try store.statisticsCollection(question)
            let explanation = QueryExplanation()
            let found = try store.statisticsCollection(question, explain: explanation)
            #expect(explanation.samplesCompared == 0)
            return (explanation.blocksDecoded, found.statistics().map { $0.sumQuantity()?.value })
        }
        let whole = try decoded(.always(true), .cumulativeSum)
        #expect(whole.0 == 0 && whole.1 == [Double?](repeating: 1_440, count: 60))
        #expect(try decoded(.and([.sources([HKSource.default()])]), [.cumulativeSum, .mostRecent]).0 == 0)
        #expect(try decoded(.always(true), [.cumulativeSum, .separateBySource]).0 == 0)
        let week = SamplePredicate.time(
            start: clock.addingTimeInterval(10 * 86_400), end: clock.addingTimeInterval(17 * 86_400), options: [])
        let some = try decoded(week, .cumulativeSum)
        #expect(some.0 <= 4 && some.1 == [Double?](repeating: 1_440, count: 7))
        #expect(try decoded(.and([week, .hasMetadata("x")]), .cumulativeSum).0 <= 14)
        #expect(try decoded(.hasMetadata("x"), .cumulativeSum).0 >= 50)
    }
}
