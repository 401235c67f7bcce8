// SPDX-License-Identifier: Apache-2.0

// Code as a program for Apple's systems has it: the only import is HealthKit, which exports Foundation.
import HealthKit

/// Records glasses of water, and adds them up by day.
final class WaterDiary: NSObject {
    private let store: HKHealthStore
    private let water = HKObjectType.quantityType(forIdentifier: .dietaryWater)!
    private(set) var lastError: HKError?

    init(store: HKHealthStore) {
        self.store = store
        super.init()
    }

    func drink(_ litres: Double, at date: Date, completion: @escaping @Sendable (Bool) -> Void) {
        let glass = HKQuantitySample(
            type: water, quantity: HKQuantity(unit: .liter(), doubleValue: litres), start: date, end: date,
            metadata: [HKMetadataKeyWasUserEntered: true, "glasses": 2])
        store.save(glass) { isSaved, error in
            if let error = error as? HKError, error.code != .noError { print(error.userInfo) }
            completion(isSaved)
        }
    }

    func total(from start: Date, to end: Date, completion: @escaping @Sendable (Double) -> Void) {
        let some = HKQuery.predicateForQuantitySamples(
            with: .greaterThan, quantity: HKQuantity(unit: .liter(), doubleValue: 0))
        let period = HKQuery.predicateForSamples(withStart: start, end: end, options: .strictStartDate)
        let query = HKStatisticsQuery(
            quantityType: water,
            quantitySamplePredicate: NSCompoundPredicate(andPredicateWithSubpredicates: [period, some]),
            options: .cumulativeSum
        ) { _, statistics, _ in completion(statistics?.sumQuantity()?.doubleValue(for: .liter()) ?? 0) }
        store.execute(query)
    }

    /// Reads the glasses that a person entered, newest first.
    func glasses() async throws -> [HKQuantitySample] {
        let entered = NSPredicate(format: "metadata.%K == YES", HKMetadataKeyWasUserEntered)
        let descriptor = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: HKQuantityType(.dietaryWater), predicate: entered)],
            sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: 10)
        return try await descriptor.result(for: store)
    }

    func days(of collection: HKStatisticsCollection, from start: Date, to end: Date) -> [Double] {
        var sums: [Double] = []
        collection.enumerateStatistics(from: start, to: end) { statistics, stop in
            sums.append(statistics.sumQuantity()?.doubleValue(for: .liter()) ?? 0)
            if sums.count == 3 { unsafe stop.pointee = true }
        }
        return sums
    }

    func check() throws {
        guard HKHealthStore.isHealthDataAvailable() else { throw HKError(.errorHealthDataUnavailable) }
    }
}

/// The store of a program's tests.
final class MockHealthStore: HKHealthStore, @unchecked Sendable {
    private(set) var executed: [HKQuery] = []
    private(set) var stopped = 0
    private(set) var saved: [HKObject] = []

    override func execute(_ query: HKQuery) { executed.append(query) }
    override func stop(_ query: HKQuery) { stopped += 1 }
    override func save(_ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void)
    {
        saved.append(object)
        completion(true, nil)
    }
    override func biologicalSex() throws -> HKBiologicalSexObject { MockSex() }
    override class func isHealthDataAvailable() -> Bool { false }
}

final class MockSex: HKBiologicalSexObject, @unchecked Sendable {
    override var biologicalSex: HKBiologicalSex { .other }
}

/// A query that its owner recognises.
final class NamedQuery: HKSampleQuery, @unchecked Sendable {
    var name = ""
}

/// An asynchronous query of a program; HealthKit does not require it to be `Sendable`.
final class LatestGlass: HKAsyncQuery {
    var count = 0

    func result(for healthStore: HKHealthStore) async throws -> HKSample? {
        count += 1
        return try await HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: HKQuantityType(.dietaryWater))],
            sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: 1
        ).result(for: healthStore).first
    }
}

/// Keeps an anchor and a device in a program's settings.
struct Settings {
    var values: [String: Data] = [:]

    mutating func keep(_ object: some NSObject & NSSecureCoding, as key: String) throws {
        values[key] = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    }

    func read<Object: NSObject & NSSecureCoding>(_ type: Object.Type, _ key: String) throws -> Object? {
        try values[key].flatMap { try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: $0) }
    }
}

/// The place where a route begins, in the types that HealthKit exports.
func beginning(of locations: [CLLocation]) -> CLLocationCoordinate2D? { locations.first?.coordinate }
