// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
public import HealthModel

/// Gives the voltages of an electrocardiogram one by one, by time.
public final class HKElectrocardiogramQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// What the handler is told.
    public enum Result: Sendable {
        /// The voltages of one moment.
        case measurement(HKElectrocardiogram.VoltageMeasurement)
        /// There are no more.
        case done
        /// What went wrong; nothing comes after it.
        case error(any Error)
    }

    /// Takes a measurement, the end, or what went wrong.
    public typealias Handler = @Sendable (HKElectrocardiogramQuery, Result) -> Void

    private let electrocardiogram: HKElectrocardiogram
    private let handler: Handler

    /// A query for the voltages of an electrocardiogram that a store has given.
    ///
    /// - Parameter dataHandler: called once for each measurement and once for the end, on a thread of the store.
    public init(_ electrocardiogram: HKElectrocardiogram, dataHandler: @escaping Handler) {
        self.electrocardiogram = electrocardiogram
        handler = dataHandler
        super.init(objectType: HKObjectType.electrocardiogramType(), predicate: nil)
    }

    func run(in store: HKHealthStore) throws {
        let voltages = try store.store().voltages(of: electrocardiogram)
        for place in 0..<voltages.count {
            if course.isStopped { return }
            handler(self, .measurement(voltages[place]))
        }
        if !course.isStopped { handler(self, .done) }
    }

    func fail(_ error: HKError) { handler(self, .error(error)) }
}

/// Asks for the voltages of an electrocardiogram.
public struct HKElectrocardiogramQueryDescriptor: HKAsyncSequenceQuery {
    /// The electrocardiogram.
    public let electrocardiogram: HKElectrocardiogram

    /// Asks for the voltages of an electrocardiogram that a store has given.
    public init(_ electrocardiogram: HKElectrocardiogram) { self.electrocardiogram = electrocardiogram }

    /// The voltages, by time.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, electrocardiogram: electrocardiogram)
    }

    /// Voltages moment by moment.
    public struct Results: AsyncSequence, Sendable {
        /// The voltages of one moment.
        public typealias Element = HKElectrocardiogram.VoltageMeasurement

        fileprivate let healthStore: HKHealthStore
        fileprivate let electrocardiogram: HKElectrocardiogram

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator {
            Iterator(healthStore: healthStore, electrocardiogram: electrocardiogram)
        }

        /// Reads the electrocardiogram when the first voltage is asked for.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let electrocardiogram: HKElectrocardiogram
            private var voltages: VoltageMeasurements?
            private var place = 0

            fileprivate init(healthStore: HKHealthStore, electrocardiogram: HKElectrocardiogram) {
                self.healthStore = healthStore
                self.electrocardiogram = electrocardiogram
            }

            /// The next voltages; nil at the end.
            ///
            /// - Throws: ``HKError``: `errorInvalidArgument` for an electrocardiogram that the store does not have,
            ///   `errorDatabaseInaccessible`; `CancellationError`.
            public mutating func next() async throws -> HKElectrocardiogram.VoltageMeasurement? {
                try Task.checkCancellation()
                let (one, healthStore) = (electrocardiogram, healthStore)
                if voltages == nil {
                    voltages = try await BlockingQueue.answer { _ in try healthStore.store().voltages(of: one) }
                }
                guard let voltages, place < voltages.count else { return nil }
                defer { place += 1 }
                return voltages[place]
            }
        }
    }
}

extension HealthStore {
    /// The voltages of an electrocardiogram.
    ///
    /// - Throws: `HKError` `errorInvalidArgument` for a sample that the store does not have; what reading throws.
    func voltages(of sample: HKElectrocardiogram) throws -> VoltageMeasurements {
        if mode != .readWrite { try refresh() }
        let sequence = try view().snapshot.sequence
        let found = try catalog([SavedObjectRow?]()) {
            try HealthCatalog.savedObjects(uuids: [SampleIdentity(sample.uuid).bytes], asOf: sequence, $0)
        }
        guard let row = found.first.flatMap({ $0 }), row.kind == SavedObjectKind.electrocardiogram.rawValue else {
            throw HKError(
                .errorInvalidArgument, reason: "the electrocardiogram is not in the store", place: "\(sample)",
                advice: "ask for a sample that a query of this store has given")
        }
        return VoltageMeasurements(try ElectrocardiogramRecord(row.body))
    }
}
