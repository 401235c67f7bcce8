// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("X-1 E-10 samples of several sources for the same time are merged")
struct HealthMergingTests {
    private static let steps = HealthTypes.type(for: .stepCount)
    private static let watch = "<<HKDevice>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2>"
    private static let phone = "<<HKDevice>, name:iPhone, manufacturer:Apple Inc., model:iPhone>"

    private func sample(
        _ source: String, _ start: Int64, _ end: Int64, _ value: Double, device: String? = nil, unit: String = "count"
    ) -> TestSample {
        TestSample(
            source: source, device: device, unit: unit, start: newYear + start * second, end: newYear + end * second,
            value: value)
    }

    private func sum(
        _ test: TestHealthStore, _ change: (inout StatisticsRequest) -> Void = { _ in }
    ) throws -> [Double?] {
        var request = StatisticsRequest(Self.steps)
        change(&request)
        return try test.store.statistics(request).rows.map(\.sum)
    }

    @Test("The watch has priority over the phone, and both over apps, whichever sample is latest")
    func defaultOrder() throws {
        let test = try TestHealthStore()
        try test.store.load([
            sample("Pocket", 0, 100, 10, device: Self.phone), sample("Wrist", 50, 100, 40, device: Self.watch),
            sample("App", 0, 200, 200), sample("Other app", 150, 300, 1_500),
        ])
        let report = try test.store.statistics(StatisticsRequest(Self.steps))
        #expect(report.explanation.priority == ["Wrist", "Pocket", "Other app", "App"])
        #expect(report.rows.map(\.sum) == [1_595])
        #expect(try sum(test) { $0.merging = .union } == [1_750])
        #expect(try sum(test) { $0.priority = ["App"] } == [1_200])
        #expect(try sum(test) { $0.priority = ["Other app", "nobody", "App"] } == [1_650])
        #expect(try sum(test) { $0.sources = ["App", "Pocket"] } == [110])
    }

    @Test("The simulated wearer's source is last in the default order, whatever its device, unless it is named")
    func simulatedSource() throws {
        let test = try TestHealthStore()
        try test.store.load([
            sample("Simulated watch", 0, 400, 4_000, device: Self.watch), sample("App", 0, 200, 200),
            sample("Pocket", 0, 100, 10, device: Self.phone),
        ])
        let report = try test.store.statistics(StatisticsRequest(Self.steps))
        #expect(report.explanation.priority == ["Pocket", "App", "Simulated watch"])
        #expect(report.rows.map(\.sum) == [2_110])
        #expect(try sum(test) { $0.priority = ["Simulated watch"] } == [4_000])
        #expect(try sum(test) { $0.priority = ["App"] } == [2_200])
    }

    @Test("A person's source order is stored, and only an order in the request has priority over it")
    func chosenOrder() async throws {
        let door = try TestDoor()
        let (type, store) = (HKQuantityType(.stepCount), try door.health.store())
        try store.load([
            sample("Pocket", 0, 100, 10, device: Self.phone), sample("Wrist", 0, 100, 40, device: Self.watch),
            sample("App", 0, 100, 200),
        ])
        func sums() async throws -> [Double?] {
            let one = HKStatisticsQueryDescriptor(predicate: .quantitySample(type: type), options: .cumulativeSum)
            let hidden = try await one.result(for: door.health)?.sumQuantity()?.value
            return [try door.health.store().statistics(StatisticsRequest(Self.steps)).rows[0].sum, hidden]
        }
        let sources = ["Wrist", "Pocket", "App"].map { HKSource(name: $0, bundleIdentifier: $0) }
        #expect(try await sums() == [40, 40])
        #expect(try await door.health.preferredSources(for: type).isEmpty)
        try await door.health.setPreferredSources([sources[2], sources[1]], for: type)
        for _ in 0..<2 {
            #expect(try await sums() == [200, 200])
            #expect(try await door.health.preferredSources(for: type) == [sources[2], sources[1]])
            let (order, count) = try door.health.store().sourceOrder(of: Self.steps)
            #expect(order.map(\.name) == ["App", "Pocket", "Wrist"] && count == 2)
            door.health.close()
        }
        var request = StatisticsRequest(Self.steps)
        request.priority = ["Pocket"]
        let report = try door.health.store().statistics(request)
        #expect(report.rows[0].sum == 10 && report.explanation.priority == ["Pocket", "Wrist", "App"])
        // A source that the store does not have, with a name that needs quotes in text.
        let odd = HKSource(name: "A \"B\"\n\u{1F}", bundleIdentifier: "A \"B\"\n\u{1F}")
        try await door.health.setPreferredSources([odd], for: type)
        #expect(try await sums() == [40, 40])
        #expect(try await door.health.preferredSources(for: type) == [odd])
        try await door.health.setPreferredSources([], for: type)
        #expect(try await sums() == [40, 40])
        #expect(try await door.health.preferredSources(for: type).isEmpty)
        let rate = HKQuantityType(.heartRate)
        #expect(
            await code { try await door.health.setPreferredSources(sources, for: rate) } == .errorInvalidArgument)
        let many = (0..<1_001).map { HKSource(name: "\($0)", bundleIdentifier: "\($0)") }
        #expect(await code { try await door.health.setPreferredSources(many, for: type) } == .errorInvalidArgument)
    }

    @Test("Live collections and live summaries are updated when the source order changes")
    func liveOrder() async throws {
        let door = try TestDoor()
        let type = HKQuantityType(.activeEnergyBurned)
        try door.health.store().load([
            activity(.activeEnergyBurned, 10, from: clock, minutes: 5, source: "A"),
            activity(.activeEnergyBurned, 30, from: clock, minutes: 5, source: "B"),
        ])
        let collections = HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: type), options: .cumulativeSum, anchorDate: clock,
            intervalComponents: DateComponents(hour: 1)
        ).results(for: door.health)
        let summaries = HKActivitySummaryQueryDescriptor(predicate: nil).results(for: door.health)
        let store = door.health
        try await store.setPreferredSources([HKSource(name: "A", bundleIdentifier: "A")], for: type)
        var seen: [Double] = []
        for try await result in collections {
            seen.append(result.statisticsCollection.statistics().first?.sumQuantity()?.value ?? 0)
            if seen.count == 2 { break }
            try await store.setPreferredSources([HKSource(name: "B", bundleIdentifier: "B")], for: type)
        }
        #expect(seen == [10, 30])
        var days: [Double] = []
        for try await result in summaries {
            days.append(result.first?.activeEnergyBurned.value ?? 0)
            if days.count == 2 { break }
            try await store.setPreferredSources([HKSource(name: "A", bundleIdentifier: "A")], for: type)
        }
        #expect(days == [30, 10])
    }

    @Test("Rows per source contain all samples of the source, or only its merged part if merging is requested")
    func bySource() throws {
        let test = try TestHealthStore()
        try test.store.load([
            sample("Pocket", 0, 100, 10, device: Self.phone), sample("Wrist", 50, 100, 40, device: Self.watch),
        ])
        #expect(try sum(test) { $0.bySource = true } == [10, 40])
        let merged = try sum(test) { request in
            request.bySource = true
            request.merging = .byPriority
        }
        #expect(merged == [5, 40])
    }

    @Test("Samples of one source in several units are converted and still hide those of the next source")
    func units() throws {
        let test = try TestHealthStore()
        let type = "HKQuantityTypeIdentifierDistanceWalkingRunning"
        var all = [
            sample("Wrist", 0, 100, 1, device: Self.watch, unit: "km"),
            sample("Wrist", 100, 200, 1_000, device: Self.watch, unit: "m"),
            sample("Pocket", 150, 250, 4, device: Self.phone, unit: "km"),
            sample("Pocket", 0, 150, 9, device: Self.phone, unit: "km"),
        ]
        for i in all.indices { all[i].type = type }
        try test.store.load(all)
        let request = StatisticsRequest(HealthTypes.type(for: type), unit: try HKUnit(parsing: "m"))
        #expect(try test.store.statistics(request).rows.map(\.sum) == [4_000])
    }

    @Test("Copies of a sample count once when merged, and each when not")
    func copies() throws {
        let test = try TestHealthStore()
        let one = sample("Pocket", 0, 100, 10, device: Self.phone)
        try test.store.load([one, one, one, sample("Pocket", 0, 100, 11, device: Self.phone)])
        #expect(try sum(test) == [21])
        #expect(try sum(test) { $0.merging = .union } == [41])
        try test.store.load([sample("Wrist", 50, 150, 7, device: Self.watch)])
        #expect(try sum(test) == [17.5])
    }

    @Test("Deviations and quantiles use all samples, and types that are not cumulative are not merged")
    func others() throws {
        let test = try TestHealthStore()
        try test.store.load([
            sample("Pocket", 0, 100, 10, device: Self.phone), sample("Wrist", 0, 100, 40, device: Self.watch),
        ])
        var request = StatisticsRequest(Self.steps, options: .all, quantiles: [0, 1])
        let row = try #require(try test.store.statistics(request).rows.first)
        #expect(row.sum == 40 && row.count == 1)
        #expect(row.duration == 1e11)
        #expect(row.standardDeviation == 15 && row.quantiles == [10, 40])
        let ofSample = row.sampleStandardDeviation ?? 0
        #expect(abs(ofSample * ofSample - 450) < 1e-9)
        var pulse = sample("Pocket", 0, 0, 60, unit: "count/min")
        pulse.type = "HKQuantityTypeIdentifierHeartRate"
        var other = pulse
        other.source = "Wrist"
        try test.store.load([pulse, other])
        request = StatisticsRequest(HealthTypes.type(for: .heartRate))
        let report = try test.store.statistics(request)
        #expect(report.rows.map(\.count) == [2] && report.explanation.priority.isEmpty)
    }
}
