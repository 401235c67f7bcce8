// SPDX-License-Identifier: Apache-2.0

package import HealthModel

/// A sample with its exact times in nanoseconds since 1970-01-01 UTC.
package struct ListedSample: Sendable {
    /// The sample; a series without its quantities or beats.
    package let sample: HKSample
    package let start: Int64
    /// The end; the latest storable time if the end is unknown.
    package let end: Int64
}

extension HealthStore {
    /// Calls `body` with the samples of a type, sorted by start. For types without a value, such as electrocardiograms,
    /// which `samples(_:)` does not return.
    ///
    /// - Parameters:
    ///   - predicate: a condition that the samples fulfil.
    ///   - range: the range of the samples' starts.
    ///   - commit: the state of the store after this commit; nil for the newest.
    ///   - body: receives a sample, and returns whether to continue.
    /// - Throws: `invalidArgument`, `engine(.notRetained)`, `newerFormat`, `corrupt`, `engine(.closed)`,
    ///   `engine(.inputOutput)`, and the errors of `body`.
    /// - Complexity: O(returned samples).
    package func list(
        _ type: HKSampleType, matching predicate: SamplePredicate = .always(true), startingIn range: TimeRange = .all,
        backward: Bool = false, asOf commit: Int64? = nil, _ body: (ListedSample) throws -> Bool
    ) throws {
        if mode != .readWrite { try refresh() }
        var search = SampleSearch(type: type, predicate: predicate, backward: backward)
        search.range = range
        search.documents = .all
        try self.search(search, in: try view(asOf: commit)) { found in
            for (sample, start) in zip(found.samples, found.starts) {
                let end = StoredTime.end(sample.endDate) ?? start
                if try !body(ListedSample(sample: sample, start: start, end: end)) { return false }
            }
            return true
        }
    }
}
