// SPDX-License-Identifier: Apache-2.0

public import HealthModel

/// A query of the voltages of an electrocardiogram, one by one, sorted by time.
open class HKElectrocardiogramQuery: HKQuery, @unchecked Sendable, RunnableQuery {
    /// A call of the handler.
    public enum Result: Sendable {
        /// The voltages at one time.
        case measurement(HKElectrocardiogram.VoltageMeasurement)
        /// The end: there are no more voltages.
        case done
        /// An error; no call follows.
        case error(any Error)
    }

    /// Receives a measurement, the end, or an error.
    public typealias Handler = (HKElectrocardiogramQuery, Result) -> Void

    private let electrocardiogram: HKElectrocardiogram
    private let handler: Handler

    /// Creates a query of the voltages of a stored electrocardiogram.
    ///
    /// - Parameter dataHandler: called once for each measurement and once for the end, on a thread of the store.
    @preconcurrency public init(_ electrocardiogram: HKElectrocardiogram, dataHandler: @escaping Handler) {
        self.electrocardiogram = electrocardiogram
        handler = dataHandler
        super.init(objectType: HKObjectType.electrocardiogramType(), predicate: nil)
    }

    func run(in store: HKHealthStore) throws {
        let voltages = try store.store().voltages(of: electrocardiogram)
        for place in 0..<voltages.count {
            if lifecycle.isStopped { return }
            handler(self, .measurement(voltages[place]))
        }
        if !lifecycle.isStopped { handler(self, .done) }
    }

    func fail(_ error: HKError) { handler(self, .error(error)) }
}

/// A query of the voltages of an electrocardiogram.
public struct HKElectrocardiogramQueryDescriptor: HKAsyncSequenceQuery, Sendable {
    /// The electrocardiogram.
    public let electrocardiogram: HKElectrocardiogram

    /// Creates a query of the voltages of a stored electrocardiogram.
    public init(_ electrocardiogram: HKElectrocardiogram) { self.electrocardiogram = electrocardiogram }

    /// Returns a sequence of the voltages, sorted by time.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, electrocardiogram: electrocardiogram)
    }

    /// The voltages by time.
    public struct Results: AsyncSequence, Sendable {
        /// The voltages at one time.
        public typealias Element = HKElectrocardiogram.VoltageMeasurement

        fileprivate let healthStore: HKHealthStore
        fileprivate let electrocardiogram: HKElectrocardiogram

        /// Starts to read.
        public func makeAsyncIterator() -> Iterator {
            Iterator(healthStore: healthStore, electrocardiogram: electrocardiogram)
        }

        /// An iterator that reads the electrocardiogram at the request of the first voltages.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let electrocardiogram: HKElectrocardiogram
            fileprivate var voltages: VoltageMeasurements?
            fileprivate var place = 0

            /// Returns the next voltages; nil at the end.
            ///
            /// - Throws: ``HKError``: `errorInvalidArgument` for an electrocardiogram that is not stored,
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
    /// Returns the voltages of an electrocardiogram.
    ///
    /// - Throws: `HKError` `errorInvalidArgument` for a sample that is not stored; errors of reading.
    func voltages(of sample: HKElectrocardiogram) throws -> VoltageMeasurements {
        VoltageMeasurements(try ElectrocardiogramRecord(body(of: sample, .electrocardiogram, "electrocardiogram")))
    }
}
