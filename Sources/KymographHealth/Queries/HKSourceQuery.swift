// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HealthCatalog
public import HealthModel

/// A query of the sources with samples of a type that match a predicate.
open class HKSourceQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// Receives the sources, or the error.
    public typealias Handler = @Sendable (HKSourceQuery, Set<HKSource>?, (any Error)?) -> Void

    private let handler: Handler

    /// - Parameters:
    ///   - samplePredicate: selects the samples; nil for all samples.
    ///   - completionHandler: called once, on a thread of the store.
    @preconcurrency public init(
        sampleType: HKSampleType, samplePredicate: NSPredicate?, completionHandler: @escaping Handler
    ) {
        handler = completionHandler
        super.init(objectType: sampleType, predicate: samplePredicate)
    }

    func run(in store: HKHealthStore) throws {
        guard let sampleType else { return }
        let found = try store.store().sources(of: sampleType, condition.get(), lifecycle)
        if !lifecycle.isStopped { handler(self, Set(found), nil) }
    }

    func fail(_ error: HKError) { handler(self, nil, error) }
}

/// A query of the sources with samples that match a predicate.
public struct HKSourceQueryDescriptor<Sample: HKSample>: HKAsyncQuery, Sendable {
    /// The type, and the predicate for its samples.
    public var predicate: HKSamplePredicate<Sample>

    /// Creates a query of sources.
    public init(predicate: HKSamplePredicate<Sample>) { self.predicate = predicate }

    /// Returns the sources, by name.
    ///
    /// - Throws: ``HKError``, `CancellationError`.
    /// - Complexity: one search for a single sample per source.
    public func result(for healthStore: HKHealthStore) async throws -> [HKSource] {
        try await BlockingQueue.answer { lifecycle in
            try healthStore.store().sources(of: predicate.sampleType, predicate.condition.get(), lifecycle)
        }
    }
}

extension HealthStore {
    /// Returns the sources with samples of a type that match a predicate, by name, then bundle identifier.
    func sources(of type: HKSampleType, _ predicate: SamplePredicate, _ lifecycle: QueryLifecycle) throws -> [HKSource]
    {
        let view = try currentView()
        let withSeries = Set((view.tables.byType[type.identifier] ?? []).map(\.source))
        let mayHaveObjects = view.tables.rows.lastSavedObject > 0
        var found: Set<HKSource> = []
        for (id, row) in view.tables.sources where mayHaveObjects || withSeries.contains(id) {
            // Sources with only a name are distinguished by it.
            let source = HKSource(name: row.name, bundleIdentifier: row.bundle ?? row.name)
            if lifecycle.isStopped { break }
            if found.contains(source) { continue }
            let one = SampleSearch(type: type, predicate: .and([.sources([source]), predicate]), limit: 1)
            try search(one, in: view) { _ in
                found.insert(source)
                return false
            }
        }
        return found.sorted { ($0.name, $0.bundleIdentifier) < ($1.name, $1.bundleIdentifier) }
    }
}
