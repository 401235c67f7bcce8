// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

/// The cost of permissions: a look at one, the first look after an opening, and queries of a client in an open store,
/// with full permission and with limited history.
package struct AccessBenchmark: Sendable {
    package struct Bounds: Sendable {
        /// The samples of the store.
        package var samples = 100_000
        /// The programs with decisions about each of `types` types.
        package var clients = 100
        package var types = 200
        /// The repetitions of each measurement.
        package var runs = 5

        package init() {}

        /// Bounds for a run of some seconds.
        package static var small: Bounds {
            var bounds = Bounds()
            (bounds.samples, bounds.clients, bounds.types) = (2_000, 5, 20)
            return bounds
        }
    }

    let work: String
    let bounds: Bounds

    package init(work: String, _ bounds: Bounds) {
        self.work = work
        self.bounds = bounds
    }

    static let client = "com.example.client1"
    static let heartRate = HKQuantityType(.heartRate)
    static let begin = WorkoutBenchmark.begin

    /// Runs all measurements in one store.
    package func run() async throws -> [BenchResult] {
        let path = "\(work)/access"
        BenchFiles.removeTree(path)
        defer { BenchFiles.removeTree(path) }
        let store = try HealthStore.openOrCreate(at: path, mode: .shared)
        defer { store.close() }
        try await Self.fill(store, bounds.samples)
        var rows = [try await queries(store, "open store")]
        try store.setAuthorizationMode(.enforced)
        try decide(store)
        rows.append(compared(try await queries(store, "full permission"), rows[0]))
        var since = AuthorizationChange(client: Self.client, origin: "benchmark")
        since.read[Self.heartRate] = true
        since.readFrom = Self.begin
        try store.decide(since)
        rows.append(compared(try await queries(store, "limited history"), rows[0]))
        rows.append(try look(store))
        rows.append(try opening(store))
        return rows
    }

    /// Saves heart rates, one a second, as another program.
    static func fill(_ store: HealthStore, _ count: Int) async throws {
        let samples = (0..<count).map { i in
            let date = begin.addingTimeInterval(Double(i))
            let rate = HKQuantity(unit: WorkoutBenchmark.perMinute, doubleValue: WorkoutBenchmark.rate(i))
            return HKQuantitySample(type: heartRate, quantity: rate, start: date, end: date)
        }
        try await HKHealthStore(store).save(samples)
    }

    /// Allows every program to read and to save all types, in one commit each.
    private func decide(_ store: HealthStore) throws {
        let types = Array(HKObjectType.allKnown.prefix(bounds.types))
        for number in 0..<bounds.clients {
            var change = AuthorizationChange(client: "com.example.client\(number)", origin: "benchmark")
            for type in types + [Self.heartRate] { (change.read[type], change.share[type]) = (true, true) }
            try store.decide(change)
        }
    }

    /// Measures a query of the latest thousand samples.
    private func queries(_ store: HealthStore, _ set: String) async throws -> BenchResult {
        let health = HKHealthStore(store, client: Self.client)
        let count = min(1_000, bounds.samples)
        let query = HKSampleQueryDescriptor(
            predicates: [.quantitySample(type: Self.heartRate)], sortDescriptors: [.init(\.startDate, order: .reverse)],
            limit: count)
        var watch = Stopwatch()
        for _ in 0..<max(1, bounds.runs) * 20 {
            let found = try await watch.measureAwaited { try await query.result(for: health) }
            guard found.count == count else { throw BenchError("\(found.count) of \(count) samples were found") }
        }
        return row("query", set, watch, count, "the latest \(count) of \(bounds.samples) samples, by a program")
    }

    private func compared(_ row: BenchResult, _ base: BenchResult) -> BenchResult {
        var row = row
        row.ratio = row.medianSeconds / max(base.medianSeconds, 1e-12)
        row.ratioTo = "open store"
        return row
    }

    /// Measures a look at one permission.
    private func look(_ store: HealthStore) throws -> BenchResult {
        let health = HKHealthStore(store, client: Self.client)
        var isAllowed = true
        let watch = Stopwatch.rounds(bounds.runs * 3, seconds: 0.005) {
            isAllowed = isAllowed && health.authorizationStatus(for: Self.heartRate) == .sharingAuthorized
        }
        guard isAllowed else { throw BenchError("the permission to save is missing") }
        return row("status", decisions, watch, 1, "authorizationStatus(for:)")
    }

    /// Measures the first look of a new client, which reads its decisions.
    private func opening(_ store: HealthStore) throws -> BenchResult {
        var watch = Stopwatch()
        for _ in 0..<max(1, bounds.runs) * 20 {
            let health = HKHealthStore(store, client: Self.client)
            let status = watch.measure { health.authorizationStatus(for: Self.heartRate) }
            guard status == .sharingAuthorized else { throw BenchError("the permission to save is missing") }
        }
        return row("decisions", decisions, watch, bounds.types * 2, "the first look, which reads a program's decisions")
    }

    private var decisions: String { "\(bounds.clients) programs, \(bounds.types) types" }

    private func row(
        _ id: String, _ set: String, _ watch: Stopwatch, _ samples: Int, _ what: String
    ) -> BenchResult {
        BenchResult(id: id, set: set, mode: "access", watch: watch, samples: samples, hash: nil, what: what)
    }
}
