// SPDX-License-Identifier: Apache-2.0

import HealthKit
import TestSupport
import Testing
import UniformTypeIdentifiers

@Suite("X-5 programs with import HealthKit compile and work unchanged")
struct ClientTests {
    private let noon = Date(timeIntervalSince1970: 1_704_110_400)

    private func store() throws -> (HKHealthStore, TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        return (HKHealthStore(directory: directory.file("store")), directory)
    }

    @Test("a diary saves, adds up and reads back")
    func diary() async throws {
        let (health, directory) = try store()
        defer { withExtendedLifetime(directory) { health.close() } }
        let diary = WaterDiary(store: health)
        for place in 0..<3 {
            let date = noon.addingTimeInterval(Double(place) * 86_400)
            #expect(await withCheckedContinuation { one in diary.drink(0.5, at: date) { one.resume(returning: $0) } })
        }
        let sum = await withCheckedContinuation { one in
            diary.total(from: noon, to: noon.addingTimeInterval(86_401)) { one.resume(returning: $0) }
        }
        #expect(sum == 1)
        let glasses = try await diary.glasses()
        #expect(glasses.count == 3 && glasses.first?.metadata?["glasses"] as? Double == 2)
        #expect(try await LatestGlass().result(for: health) == glasses.first)
        let days = HKStatisticsCollectionQueryDescriptor(
            predicate: .quantitySample(type: HKQuantityType(.dietaryWater)), options: .cumulativeSum, anchorDate: noon,
            intervalComponents: DateComponents(day: 1))
        let collection = try await days.result(for: health)
        #expect(diary.days(of: collection, from: noon, to: noon.addingTimeInterval(10 * 86_400)) == [0.5, 0.5, 0.5])
        #expect(diary.lastError == nil && beginning(of: []) == nil)
        #expect(UTType(filenameExtension: "pdf") == .pdf)
    }

    @Test("a mock replaces the store")
    func mock() throws {
        let mock = MockHealthStore()
        let diary = WaterDiary(store: mock)
        diary.drink(1, at: noon) { _ in }
        diary.total(from: noon, to: noon) { _ in }
        let query = NamedQuery(
            sampleType: HKQuantityType(.stepCount), predicate: nil, limit: HKObjectQueryNoLimit, sortDescriptors: nil
        ) { _, _, _ in }
        query.name = "steps"
        mock.execute(query)
        mock.stop(query)
        #expect(mock.saved.count == 1 && mock.stopped == 1)
        #expect(mock.executed.count == 2 && (mock.executed.last as? NamedQuery)?.name == "steps")
        #expect(try mock.biologicalSex().biologicalSex == .other && !MockHealthStore.isHealthDataAvailable())
    }

    @Test("values are kept in settings, and requests in sets")
    func settings() throws {
        var settings = Settings()
        let anchor = HKQueryAnchor(fromValue: HKAnchoredObjectQueryNoAnchor)
        try settings.keep(anchor, as: "anchor")
        try settings.keep(HKDevice.local(), as: "device")
        try settings.keep(HKQuantity(unit: .pound(), doubleValue: 3), as: "goal")
        #expect(try settings.read(HKQueryAnchor.self, "anchor") == anchor)
        #expect(try settings.read(HKDevice.self, "device") == .local())
        #expect(try settings.read(HKQuantity.self, "goal") == HKQuantity(unit: .pound(), doubleValue: 3))
        let requests: Set<HKSamplePredicate<HKQuantitySample>> = [
            .quantitySample(type: HKQuantityType(.stepCount)), .quantitySample(type: HKQuantityType(.stepCount)),
        ]
        #expect(requests.count == 1 && HKActivitySummaryTypeIdentifier == HKObjectType.activitySummaryType().identifier)
        #expect(throws: HKError.self) {
            if !MockHealthStore.isHealthDataAvailable() { throw HKError(.errorHealthDataUnavailable) }
        }
        #expect(throws: Never.self) { try WaterDiary(store: MockHealthStore()).check() }
    }

    @Test("background delivery is disabled with HealthKit's label")
    func delivery() async throws {
        let (health, directory) = try store()
        defer { withExtendedLifetime(directory) { health.close() } }
        try await health.enableBackgroundDelivery(for: HKQuantityType(.stepCount), frequency: .immediate)
        let isDone = await withCheckedContinuation { one in
            health.disableAllBackgroundDelivery(completion: { isDone, _ in one.resume(returning: isDone) })
        }
        #expect(isDone)
    }

    @Test("an observer is called when it is executed, before any change")
    func observer() async throws {
        let (health, directory) = try store()
        defer { withExtendedLifetime(directory) { health.close() } }
        let (calls, each) = AsyncStream<Bool>.makeStream()
        let query = HKObserverQuery(sampleType: HKQuantityType(.stepCount), predicate: nil) { _, done, error in
            each.yield(error == nil)
            done()
        }
        health.execute(query)
        var iterator = calls.makeAsyncIterator()
        #expect(await iterator.next() == true)
        health.stop(query)
    }
}
