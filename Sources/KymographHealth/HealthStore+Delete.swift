// SPDX-License-Identifier: Apache-2.0

extension HealthStore {
    /// Deletes the samples of a type that start in a range, durably, in one commit. An import brings back those that
    /// its file has.
    ///
    /// Workouts and other objects stay, also where they speak of samples that are deleted.
    /// - Parameters:
    ///   - range: in nanoseconds since 1970-01-01 UTC; without one, all samples go.
    ///   - sources: names of the sources whose samples go; without any, those of all.
    /// - Returns: the commit, and how many samples were deleted.
    /// - Throws: `engine` of the kinds that `TimeSeriesStore.delete(from:startingIn:)` names, `corrupt`.
    @discardableResult
    public func delete(
        _ type: HealthType, startingIn range: TimeRange = .all, sources: Set<String>? = nil
    ) throws(HealthStoreError) -> DeletionReceipt {
        let work = try inEngine { () throws(StoreError) in try engine.beginWork() }
        defer { work.end() }
        let view = try view()
        let parts = try view.parts(of: type.identifier).only(sources, view).parts
        return try inEngine { () throws(StoreError) in
            let receipts = try engine.delete(parts.map { ($0.id, .range(range)) })
            return DeletionReceipt(
                sequence: receipts.first?.sequence ?? view.snapshot.sequence,
                count: receipts.reduce(0) { $0 + $1.count }, unknown: [])
        }
    }
}
