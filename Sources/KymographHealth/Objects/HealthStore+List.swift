// SPDX-License-Identifier: Apache-2.0

package import HealthModel

/// A sample of a list, with the nanoseconds of its times since 1970-01-01 UTC.
package struct ListedSample: Sendable {
    /// The sample; a series without its parts.
    package let sample: HKSample
    package let start: Int64
    /// The latest that a store can hold for an end that is not known.
    package let end: Int64
}

extension HealthStore {
    /// Gives the samples of a type in order of their starts: for types without a value of their own, such as
    /// electrocardiograms, whose samples `samples(_:)` does not have.
    ///
    /// - Parameters:
    ///   - range: where they start.
    ///   - commit: after which the store is looked at; nil for now.
    ///   - body: takes one and says whether it wants more.
    /// - Throws: `invalidArgument`, `engine(.notRetained)`, `newerFormat`, `corrupt`, `engine(.closed)`,
    ///   `engine(.inputOutput)`, and what `body` throws.
    /// - Complexity: reads what it gives.
    package func list(
        _ type: HKSampleType, startingIn range: TimeRange = .all, backward: Bool = false, asOf commit: Int64? = nil,
        _ body: (ListedSample) throws -> Bool
    ) throws {
        if mode != .readWrite { try refresh() }
        var search = SampleSearch(type: type, predicate: .always(true), backward: backward)
        search.range = range
        try self.search(search, in: try view(asOf: commit)) { found in
            for (sample, start) in zip(found.samples, found.starts) {
                let end = StoredTime.end(sample.endDate) ?? start
                if try !body(ListedSample(sample: sample, start: start, end: end)) { return false }
            }
            return true
        }
    }
}
