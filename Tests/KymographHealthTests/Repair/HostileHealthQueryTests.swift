// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

private let metre = HKUnit.meter()

@Suite("S-40 S-49 hostile arguments of every public query and builder of the health store")
struct HostileHealthQueryTests {
    private let door: TestDoor

    init() async throws {
        door = try TestDoor()
        try await door.health.save([mass(70), mass(71, at: 60)])
    }

    @Test("queries accept any limit, and an empty list of descriptors")
    func queries() async throws {
        let health = door.health
        let body = HKQuantityType(.bodyMass)
        for limit in [Int.min, -1, 0, 1, .max] {
            let found = try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: body)], limit: limit)
                .result(for: health)
            #expect(found.count == (limit == 1 ? 1 : 2), "\(limit)")
            let all = HKAnchoredObjectQueryDescriptor(
                predicates: [.quantitySample(type: body)], anchor: nil, limit: limit)
            #expect(try await all.result(for: health).addedSamples.count == (limit == 1 ? 1 : 2), "\(limit)")
            let counts = Answers<Int>()
            health.execute(
                HKSampleQuery(sampleType: body, predicate: nil, limit: limit, sortDescriptors: nil) { _, found, _ in
                    counts.put(found?.count ?? -1)
                })
            health.execute(
                HKSampleQuery(queryDescriptors: [], limit: limit) { _, found, _ in counts.put(found?.count ?? 0) })
            health.execute(
                HKAnchoredObjectQuery(type: body, predicate: nil, anchor: nil, limit: limit) { _, found, _, _, _ in
                    counts.put(found?.count ?? -1)
                })
            health.execute(
                HKAnchoredObjectQuery(queryDescriptors: [], anchor: nil, limit: limit) { _, found, _, _, _ in
                    counts.put(found?.count ?? 0)
                })
            #expect(await counts.first(4).count == 4)
        }
        let none = HKSampleQueryDescriptor<HKQuantitySample>(predicates: [])
        let empty = await code {
            let found = try await none.result(for: health)
            #expect(found.isEmpty)
        }
        #expect([nil, .errorInvalidArgument].contains(empty))
    }

    @Test("texts that are not anchors, and anchors of another store, are refused")
    func anchors() async throws {
        let health = door.health
        let body = HKQuantityType(.bodyMass)
        let other = try TestDoor()
        try await other.health.save([mass(1)])
        let foreign = try await HKAnchoredObjectQueryDescriptor(predicates: [.quantitySample(type: body)], anchor: nil)
            .result(for: other.health).newAnchor
        let asked = HKAnchoredObjectQueryDescriptor(predicates: [.quantitySample(type: body)], anchor: foreign)
        #expect(await code { _ = try await asked.result(for: health) } == .errorInvalidArgument)
        #expect(await code { for try await _ in asked.results(for: health) { break } } == .errorInvalidArgument)
        for text in hostileTexts + ["q1", "q2:::::::", foreign.text + "0", String(foreign.text.dropLast())] {
            #expect(HKQueryAnchor(text: text) == nil)
        }
        for at in foreign.text.indices {
            var text = foreign.text
            text.replaceSubrange(at...at, with: text[at] == "1" ? "2" : "1")
            #expect(HKQueryAnchor(text: text) == nil, "\(text)")
        }
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.finishEncoding()
        #expect(HKQueryAnchor(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)) == nil)
        #expect(HKQueryAnchor(fromValue: .min) == HKQueryAnchor(fromValue: .max))
    }

    @Test("foreign predicates, unknown types, a second stop and a closed store give an error or no samples")
    func predicates() async throws {
        let health = door.health
        let body = HKQuantityType(.bodyMass)
        let block = NSPredicate { _, _ in true }
        // A block predicate is refused, or it returns the right samples.
        let foreignPredicate = HKSampleQueryDescriptor(predicates: [.quantitySample(type: body, predicate: block)])
        let answered = await code {
            let found = try await foreignPredicate.result(for: health)
            #expect(found.count == 2)
        }
        #expect([nil, .errorInvalidArgument].contains(answered))
        for batchesOf in [1, 2] {
            var count = 0
            for try await batch in HKSampleQueryDescriptor(predicates: [.quantitySample(type: body)], limit: batchesOf)
                .batches(for: health)
            { count += batch.count }
            #expect(count == batchesOf)
        }
        #expect(
            try await HKSourceQueryDescriptor(predicate: .quantitySample(type: HKQuantityType(.init(rawValue: ""))))
                .result(for: health).isEmpty)
        let sources = Answers<Int>()
        health.execute(
            HKSourceQuery(sampleType: HKQuantityType(.init(rawValue: "\0")), samplePredicate: nil) { _, found, _ in
                sources.put(found?.count ?? -1)
            })
        health.execute(
            HKCorrelationQuery(type: HKCorrelationType(.bloodPressure), predicate: nil, samplePredicates: [:]) {
                _, found, _ in sources.put(found?.count ?? -1)
            })
        #expect(await sources.first(2) == [0, 0])
        let observer = HKObserverQuery(sampleType: HKQuantityType(.init(rawValue: "\0")), predicate: nil) {
            _, done, _ in done()
        }
        let several = HKObserverQuery(queryDescriptors: [HKQueryDescriptor(sampleType: body, predicate: block)]) {
            _, _, done, _ in done()
        }
        for query: HKQuery in [observer, several] {
            health.execute(query)
            health.stop(query)
            health.stop(query)
        }
        for key in hostileTexts { _ = NSSortDescriptor(key: key, ascending: true) }
        health.close()
        let closed = HKSampleQueryDescriptor(predicates: [.quantitySample(type: body)])
        #expect([nil, .errorDatabaseInaccessible].contains(await code { _ = try await closed.result(for: health) }))
    }

    @Test("statistics refuse invalid intervals and options, and return nil for dates and sources outside")
    func statistics() async throws {
        let health = door.health
        let body = HKQuantityType(.bodyMass)
        let predicate = HKSamplePredicate.quantitySample(type: body)
        var odd = DateComponents()
        (odd.day, odd.month) = (.max, .min)
        for components in [
            DateComponents(), DateComponents(day: 0), DateComponents(day: -1), DateComponents(second: .min), odd,
        ] {
            let query = HKStatisticsCollectionQueryDescriptor(
                predicate: predicate, options: [], anchorDate: clock, intervalComponents: components)
            #expect(await code { _ = try await query.result(for: health) } == .errorInvalidArgument, "\(components)")
            #expect(await code { for try await _ in query.results(for: health) { break } } == .errorInvalidArgument)
            let answers = Answers<Bool>()
            let old = HKStatisticsCollectionQuery(
                quantityType: body, quantitySamplePredicate: nil, anchorDate: clock, intervalComponents: components)
            old.initialResultsHandler = { _, found, error in answers.put(found == nil && error != nil) }
            health.execute(old)
            #expect(await answers.first(1) == [true])
        }
        for date in hostileDates {
            let query = HKStatisticsCollectionQueryDescriptor(
                predicate: predicate, options: [], anchorDate: date, intervalComponents: DateComponents(day: 1))
            #expect(
                [nil, .errorInvalidArgument].contains(await code { _ = try await query.result(for: health) }), "\(date)"
            )
        }
        let wrong = HKStatisticsQueryDescriptor(predicate: predicate, options: .cumulativeSum)
        #expect(await code { _ = try await wrong.result(for: health) } == .errorInvalidArgument)
        let all = HKStatisticsQueryDescriptor(predicate: predicate, options: HKStatisticsOptions(rawValue: .max))
        #expect(await code { _ = try await all.result(for: health) } == .errorInvalidArgument)
        let answers = Answers<Bool>()
        health.execute(
            HKStatisticsQuery(quantityType: body, quantitySamplePredicate: nil, options: .cumulativeSum) {
                _, found, error in answers.put(found == nil && error != nil)
            })
        #expect(await answers.first(1) == [true])
        let days = HKStatisticsCollectionQueryDescriptor(
            predicate: predicate, options: .discreteAverage, anchorDate: clock,
            intervalComponents: DateComponents(day: 1))
        let found = try await days.result(for: health)
        let one = try #require(found.statistics().first)
        for date in hostileDates {
            #expect(found.statistics(for: date) == nil)
            found.enumerateStatistics(from: date, to: date) { _, _ in }
            found.enumerateStatistics(from: clock, to: clock - 86_400) { _, _ in Issue.record("reversed range") }
        }
        let stranger = HKSource(name: "x", bundleIdentifier: "x")
        #expect(one.averageQuantity(for: stranger) == nil && one.minimumQuantity(for: stranger) == nil)
        #expect(one.maximumQuantity(for: stranger) == nil && one.sumQuantity(for: stranger) == nil)
        #expect(one.mostRecentQuantity(for: stranger) == nil && one.duration(for: stranger) == nil)
        #expect(one.mostRecentQuantityDateInterval(for: stranger) == nil)
    }

    @Test("quantity series builders refuse invalid quantities, dates, columns and metadata")
    func builders() async throws {
        let health = door.health
        let rate = HKQuantity(unit: perMinute, doubleValue: 60)
        let builder = HKQuantitySeriesSampleBuilder(
            healthStore: health, quantityType: HKQuantityType(.heartRate), startDate: clock, device: nil)
        for quantity in [
            HKQuantity(unit: metre, doubleValue: 1), HKQuantity(unit: perMinute, doubleValue: .nan),
            HKQuantity(unit: perMinute, doubleValue: .infinity),
        ] {
            #expect(throws: HKError.self) { try builder.insert(quantity, at: clock) }
            #expect(throws: HKError.self) { try builder.insert(quantity, for: span(0, 1)) }
        }
        for date in hostileDates { #expect(throws: HKError.self, "\(date)") { try builder.insert(rate, at: date) } }
        #expect(throws: HKError.self) { try builder.insert(values: [1, 2], unit: perMinute, starts: [clock]) }
        #expect(throws: HKError.self) { try builder.insert(values: [1], unit: metre, starts: [clock]) }
        #expect(throws: HKError.self) { try builder.insert(values: [.nan], unit: perMinute, nanoseconds: [0]) }
        #expect(throws: HKError.self) { try builder.insert(values: [1], unit: perMinute, nanoseconds: [.min]) }
        #expect(throws: HKError.self) { try builder.insert(values: [1], unit: perMinute, nanoseconds: []) }
        #expect(await code { _ = try await builder.finishSeries(metadata: nil) } != nil)
        let second = door.builder()
        try second.insert(rate, at: at(5))
        #expect(
            await code { _ = try await second.finishSeries(metadata: nil, endDate: .distantFuture) }
                == .errorInvalidArgument)
        let third = door.builder()
        try third.insert(rate, at: at(5))
        #expect(await code { _ = try await third.finishSeries(metadata: ["own": NSObject()]) } == .errorInvalidArgument)
        let answers = Answers<Bool>()
        let (fourth, fifth) = (door.builder(), door.builder())
        fourth.finishSeries(metadata: nil) { found, error in answers.put(found == nil && error != nil) }
        fifth.finishSeries(metadata: nil, endDate: .distantPast) { found, error in
            answers.put(found == nil && error != nil)
        }
        #expect(await answers.first(2) == [true, true])
    }

    @Test("heartbeat and electrocardiogram builders refuse invalid times, voltages, frequencies and metadata")
    func beats() async throws {
        let health = door.health
        let beats = HKHeartbeatSeriesBuilder(healthStore: health, device: nil, start: clock)
        for time in [Double.nan, .infinity, -.infinity, -1, .greatestFiniteMagnitude] {
            #expect(
                await code { try await beats.addHeartbeat(at: time, precededByGap: false) } == .errorInvalidArgument)
            #expect(
                await code {
                    try await beats.addHeartbeatWithTimeInterval(sinceSeriesStartDate: time, precededByGap: true)
                } == .errorInvalidArgument)
        }
        #expect(await code { try await beats.addMetadata(["own": NSObject()]) } == .errorInvalidArgument)
        let received = Answers<Bool>()
        beats.addHeartbeatWithTimeInterval(sinceSeriesStartDate: .nan, precededByGap: false) { isDone, _ in
            received.put(isDone)
        }
        beats.addMetadata(["own": [1]]) { isDone, _ in received.put(isDone) }
        #expect(await received.first(2) == [false, false])
        let none = Answers<Bool>()
        HKHeartbeatSeriesBuilder(healthStore: health, device: nil, start: .distantFuture).finishSeries { found, error in
            none.put(found == nil && error != nil)
        }
        #expect(await none.first(1) == [true])

        for frequency in [
            HKQuantity(unit: metre, doubleValue: 1), HKQuantity(unit: .hertz(), doubleValue: .nan),
            HKQuantity(unit: .hertz(), doubleValue: 0), HKQuantity(unit: .hertz(), doubleValue: -1),
            HKQuantity(unit: .hertz(), doubleValue: .infinity),
        ] {
            let heart = HealthElectrocardiogramBuilder(
                healthStore: health, device: nil, start: clock, samplingFrequency: frequency)
            #expect(
                await code {
                    try heart.append(voltages: [1])
                    _ = try await heart.finish()
                } == .errorInvalidArgument)
        }
        let heart = HealthElectrocardiogramBuilder(
            healthStore: health, device: nil, start: clock,
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
        #expect(throws: HKError.self) { try heart.append(voltages: [.nan]) }
        #expect(throws: HKError.self) { try heart.append(voltages: [1], unit: metre) }
        #expect(await code { _ = try await heart.finish() } != nil)
        let other = HealthElectrocardiogramBuilder(
            healthStore: health, device: nil, start: clock,
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
        try other.append(voltages: [1])
        #expect(
            await code {
                _ = try await other.finish(
                    averageHeartRate: HKQuantity(unit: metre, doubleValue: .nan), metadata: ["own": 1])
            } == .errorInvalidArgument)
    }

    @Test("queries for series and electrocardiograms of another store end without data")
    func unknownSeries() async throws {
        let (health, other) = (door.health, try TestDoor())
        let builder = other.builder()
        try builder.insert(HKQuantity(unit: perMinute, doubleValue: 60), at: at(1))
        let quantity = try #require(try await builder.finishSeries(metadata: nil).first)
        let beats = HKHeartbeatSeriesBuilder(healthStore: other.health, device: nil, start: clock)
        try await beats.addHeartbeat(at: 1, precededByGap: false)
        let series = try await beats.finishSeries()
        let heart = HealthElectrocardiogramBuilder(
            healthStore: other.health, device: nil, start: clock,
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
        try heart.append(voltages: [1])
        let electrocardiogram = try await heart.finish()
        #expect(
            await code {
                for try await _ in HKHeartbeatSeriesQueryDescriptor(series).results(for: health) {
                    Issue.record("a heartbeat of an unknown series")
                }
            } != .unknownError)
        #expect(
            await code {
                for try await _ in HKElectrocardiogramQueryDescriptor(electrocardiogram).results(for: health) {
                    Issue.record("a voltage of an unknown electrocardiogram")
                }
            } != .unknownError)
        let options = HKQuantitySeriesSampleQueryDescriptor.Options(rawValue: .max)
        let descriptor = HKQuantitySeriesSampleQueryDescriptor(
            predicate: .quantitySample(type: quantity.quantityType), options: options)
        for try await _ in descriptor.results(for: health) { Issue.record("a quantity of an unknown series") }
        let answers = Answers<Bool>()
        health.execute(
            HKHeartbeatSeriesQuery(heartbeatSeries: series) { _, _, _, isDone, error in
                answers.put(isDone || error != nil)
            })
        health.execute(HKElectrocardiogramQuery(electrocardiogram) { _, _ in answers.put(true) })
        health.execute(
            HKQuantitySeriesSampleQuery(sample: quantity) { _, _, _, isDone, error in
                answers.put(isDone || error != nil)
            })
        health.execute(
            HKQuantitySeriesSampleQuery(quantityType: HKQuantityType(.init(rawValue: "")), predicate: nil) {
                _, _, _, _, isDone, error in answers.put(isDone || error != nil)
            })
        #expect(await answers.first(4) == [true, true, true, true])
        for try await measurement in HKElectrocardiogramQueryDescriptor(electrocardiogram).results(for: other.health) {
            #expect(measurement.quantity(for: .appleWatchSimilarToLeadI) != nil)
        }
    }
}
