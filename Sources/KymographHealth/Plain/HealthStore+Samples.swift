// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import Kymograph

extension HealthStore {
    /// Calls `body` with the samples of a type in order of time, batch by batch.
    ///
    /// If the request has a unit, samples whose stored unit does not convert to it are excluded.
    ///
    /// - Parameter body: receives samples, and returns whether to continue.
    /// - Throws: `incompatibleUnit` (no sample converts), `invalidArgument` (no such commit), `engine(.notRetained)`
    ///   (the commit is no longer retained), `corrupt`, `engine(.closed)`, `engine(.inputOutput)`, and the errors of
    ///   `body`.
    /// - Complexity: O(log n + returned samples); memory of one block for each source and stored unit.
    public func samples(
        _ request: SampleRequest, _ body: ([HealthSample]) throws(HealthStoreError) -> Bool
    ) throws(HealthStoreError) {
        let view = try view(asOf: request.asOf)
        var parts = try view.parts(of: request.type.identifier).only(request.sources, view)
        if parts.parts.isEmpty { return }
        let units = try request.unit.map { unit throws(HealthStoreError) in
            try HealthUnits(request.type, parts, wanted: unit)
        }
        if let units { parts = try parts.without(units, view) }
        let reader = HealthSampleReader(self, view, request.type, units)
        var failure: HealthStoreError?
        var wanted = RunScan(request.range, .all)
        wanted.order = request.order
        try inEngine { () throws(StoreError) in
            try view.snapshot.scan(
                parts.parts.map(\.id), wanted, limit: request.limit
            ) { batch throws(StoreError) in
                do throws(HealthStoreError) {
                    return try body(try reader.samples(batch))
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if let failure { throw failure }
    }

    /// Returns the samples of a type in order of time. See `samples(_:_:)`.
    public func samples(_ request: SampleRequest) throws(HealthStoreError) -> [HealthSample] {
        var all = [HealthSample]()
        try samples(request) { batch throws(HealthStoreError) in
            all += batch
            return true
        }
        return all
    }

    /// Returns the decoded metadata sets of some rows.
    func metadata(_ ids: [Int64]) throws(HealthStoreError) -> [Int64: HealthMetadata] {
        let bodies = try inEngine { () throws(StoreError) in
            try engine.readCatalog { try HealthCatalog.metadataBodies(ids: ids, $0) }
        }
        var sets: [Int64: HealthMetadata] = [:]
        for (id, body) in bodies { sets[id] = try HealthMetadata(decoding: body) }
        return sets
    }
}
