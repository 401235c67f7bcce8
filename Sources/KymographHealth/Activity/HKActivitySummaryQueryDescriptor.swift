// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HealthModel

/// A query of the activity summaries of days: once, or repeatedly as they change.
public struct HKActivitySummaryQueryDescriptor: HKAsyncQuery, HKAsyncSequenceQuery, Sendable {
    private var read: ReadPredicate

    /// Selects the days; nil for all days.
    public var predicate: NSPredicate? {
        get { read.nsPredicate }
        set { read = ReadPredicate(newValue) }
    }

    /// Creates a query of the days that match a predicate; nil for all days.
    public init(predicate: NSPredicate? = nil) { read = ReadPredicate(predicate) }

    /// Returns the summaries, by date.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a predicate with anything but days,
    ///   `errorDatabaseInaccessible`; `CancellationError`.
    /// - Complexity: O(days), the index entries and cut blocks of three sums, and the samples of stand hours.
    public func result(for healthStore: HKHealthStore) async throws -> [HKActivitySummary] {
        let read = read
        return try await BlockingQueue.answer { lifecycle in
            try SummaryQuestion(read.condition).answer(healthStore.store(), lifecycle).map {
                HKActivitySummary($0.day, $0.values)
            }
        }
    }

    /// Returns a sequence of results: the summaries, then all summaries again whenever a commit changed any of them.
    public func results(for healthStore: HKHealthStore) -> Results {
        Results(healthStore: healthStore, read: read)
    }

    /// The results of a running query.
    public struct Results: AsyncSequence, Sendable {
        /// All summaries, by date.
        public typealias Element = [HKActivitySummary]

        fileprivate let healthStore: HKHealthStore
        fileprivate let read: ReadPredicate

        /// Starts the query.
        public func makeAsyncIterator() -> Iterator { Iterator(healthStore: healthStore, read: read) }

        /// An iterator that reads each result when it is requested.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let healthStore: HKHealthStore
            fileprivate let read: ReadPredicate
            fileprivate var commits: CommitLoop?
            fileprivate var live: LiveSummaries?

            /// Returns the next result; nil once the task is cancelled.
            ///
            /// - Throws: ``HKError``, as ``HKActivitySummaryQueryDescriptor/result(for:)``.
            public mutating func next() async throws -> [HKActivitySummary]? {
                while !Task.isCancelled {
                    if live != nil {
                        if commits == nil { commits = try await CommitLoop(healthStore) }
                        guard try await commits?.wait() ?? false else { return nil }
                    }
                    let (known, read, healthStore) = (live, read, healthStore)
                    let (now, isChanged): (LiveSummaries, Bool)
                    do {
                        (now, isChanged) = try await BlockingQueue.answer { lifecycle in
                            let store = try healthStore.store()
                            guard var live = known else {
                                return (try LiveSummaries(SummaryQuestion(read.condition), store, lifecycle), true)
                            }
                            let isChanged = try live.update(store, lifecycle)
                            return (live, isChanged)
                        }
                    } catch is CancellationError {
                        return nil
                    }
                    live = now
                    if isChanged { return now.summaries }
                }
                return nil
            }
        }
    }
}
