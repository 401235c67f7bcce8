// SPDX-License-Identifier: Apache-2.0

/// The report of a comparison in progress.
@dynamicMemberLookup
struct ComparisonReport {
    private(set) var result = HealthStoreComparison()
    private let most: Int

    init(most: Int) { self.most = most }

    /// Whether a further difference is listed, and not only counted.
    var hasRoom: Bool { result.differences.count < most }

    /// Adds a difference.
    ///
    /// - Parameter difference: called only if the difference is listed.
    mutating func add(_ difference: () -> HealthStoreComparison.Difference) {
        if hasRoom { result.differences.append(difference()) }
        result.differenceCount += 1
    }

    subscript(dynamicMember count: WritableKeyPath<HealthStoreComparison, Int>) -> Int {
        get { result[keyPath: count] }
        set { result[keyPath: count] = newValue }
    }
}

extension HealthStore {
    /// Compares the content of two stores: samples, objects, elements and files of imports, attachments,
    /// characteristics and settings.
    ///
    /// Samples and objects are equal if they have the same identity, type, times, value to the last bit, unit, source,
    /// device, metadata and time of creation. Samples of series that no sample type has are compared by times and
    /// value. Numbers of commits and rows, the order of samples with one start, and the layout of files are not
    /// compared. `Docs/Guide/Sync.md` has the rules.
    ///
    /// ```swift
    /// let comparison = try store.compare(with: copy)
    /// for difference in comparison.differences { print(difference) }
    /// ```
    ///
    /// - Parameters:
    ///   - other: the other store, open in any mode, with a key of its own if it is encrypted.
    ///   - limit: the maximum number of listed differences; all are counted. A number below 0 counts as 0.
    /// - Throws: `corrupt`, `engine(.inputOutput)`, `engine(.closed)` of either store.
    /// - Complexity: O(samples + objects), read once. Memory of some 10 MB, and of some 50 bytes per element of an
    ///   import.
    public func compare(
        with other: HealthStore, limit: Int = 20
    ) throws(HealthStoreError) -> HealthStoreComparison {
        let (first, second) = (try ComparedStore(owner), try ComparedStore(other.owner))
        var report = ComparisonReport(most: max(0, limit))
        var objects = ObjectComparison(first, second)
        try objects.run(&report)
        var samples = SampleComparison(first, second)
        try samples.run(&report)
        let rest = ImportComparison(first, second)
        try rest.compareElements(objects.erasedElsewhere, &report)
        try rest.compareDocuments(&report)
        try rest.compareAttachments(&report)
        try rest.compareSettings(&report)
        return report.result
    }
}
