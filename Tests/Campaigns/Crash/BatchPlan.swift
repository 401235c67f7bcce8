// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
package import Kymograph

/// A write batch of a script. Besides its samples it adds one to the series `noted`, which the first batch creates, and
/// a row to a table outside the engine. Both have the same number, unless a batch was torn apart.
package struct BatchPlan: Sendable {
    package static let noted = "noted"

    /// The number of the batch in its script.
    package var number: Int64
    package var adds: [(name: String, samples: [Sample])]
    package var deletes: [(name: String, range: TimeRange)] = []
    /// True if its closure throws at the end.
    package var fails = false

    struct PlannedFailure: Error {}

    /// The sample that it adds to `noted`.
    var note: Sample { Sample(start: number, value: Double(number)) }

    /// True if all of its series exist.
    package func isPossible(_ kinds: [String: SeriesKind]) -> Bool {
        adds.allSatisfy { kinds[$0.name] != nil } && deletes.allSatisfy { kinds[$0.name] != nil }
    }

    /// Returns the columns of samples, with identities of the batch.
    private func rows(_ samples: [Sample], from first: Int) -> SampleRows {
        var rows = SampleRows()
        rows.starts = samples.map(\.start)
        rows.ends = samples.map(\.end)
        rows.values = samples.map(\.value)
        rows.metadata = .constant(number)
        rows.identityHigh = .constant(number)
        rows.identityLow = .values(samples.indices.map { Int64(7 * (first + $0)) })
        return rows
    }

    /// Returns the batch; without its samples if a load adds them.
    func batch(_ now: WriteContext, isLoaded: Bool) throws -> WriteBatch {
        try now.transaction.run("CREATE TABLE IF NOT EXISTS noted(id INTEGER PRIMARY KEY,seq INTEGER NOT NULL)STRICT")
        var batch = WriteBatch()
        for (name, range) in deletes { batch.delete(.range(range), from: try id(name, now.snapshot)) }
        var first = 1
        for (name, samples) in adds where !isLoaded {
            batch.add(rows(samples, from: first), to: .stored(try id(name, now.snapshot)))
            first += samples.count
        }
        batch.add(rows([note], from: 0), to: .named(Self.noted, labels: [:], kind: .discrete))
        batch.inCommit = { transaction, receipt in
            try transaction.run("INSERT INTO noted(id,seq)VALUES(\(number),\(receipt.sequence))")
            if fails { throw PlannedFailure() }
        }
        return batch
    }

    /// Adds its samples to a load.
    func load(_ loader: BulkLoader, _ snapshot: Snapshot) throws {
        var first = 1
        for (name, samples) in adds {
            try loader.write(rows(samples, from: first), to: id(name, snapshot))
            first += samples.count
        }
    }

    private func id(_ name: String, _ snapshot: Snapshot) throws(StoreError) -> SeriesID {
        guard let series = snapshot.series(named: name) else {
            throw StoreError(.unknownSeries, "unknown series \(name)")
        }
        return series.id
    }
}

extension TimeSeriesStore {
    /// Writes batches that share a commit. Throws if a batch fails that should not.
    func perform(_ plans: [BatchPlan]) throws {
        let decisions = plans.map { plan in
            { @Sendable (now: WriteContext) throws in try plan.batch(now, isLoaded: false) }
        }
        for (plan, result) in zip(plans, try write(identities: .new, meeting: decisions)) {
            try expect(plan, result)
        }
    }

    /// Writes a batch whose samples are loaded.
    func perform(loading plan: BatchPlan) throws {
        let snapshot = snapshot()
        try expect(
            plan,
            Result {
                try write(identities: .new) { loader in
                    try plan.load(loader, snapshot)
                    return true
                } _: {
                    try plan.batch($0, isLoaded: true)
                }
            })
    }

    private func expect(_ plan: BatchPlan, _ result: Result<WriteReceipt, any Error>) throws {
        do {
            _ = try result.get()
        } catch let error as StoreError where error.kind == .identityTaken && error.identity?.high == plan.number {
            // The batch ran before, when another batch of its commit failed.
            return
        } catch is BatchPlan.PlannedFailure {
            if plan.fails { return }
            throw StoreError(.cancelled, "batch \(plan.number) got the error of another batch")
        }
        if plan.fails { throw StoreError(.cancelled, "batch \(plan.number) failed but was stored") }
    }

    /// True if a snapshot has exactly the batches whose rows are in the table.
    func notesAgree(with snapshot: Snapshot) throws -> Bool {
        let rows = try readCatalog { transaction in
            var isThere = false
            var found = Set<Int64>()
            try transaction.scan("SELECT 1 FROM sqlite_schema WHERE name='noted'") { _ in isThere = true }
            let last = snapshot.sequence
            if isThere {
                try transaction.scan("SELECT id FROM noted WHERE seq<=\(last)") { found.insert(try $0.int(0)) }
            }
            return found
        }
        var samples = Set<Int64>()
        if let series = snapshot.series(named: BatchPlan.noted) {
            try snapshot.scan(series.id) { batch in
                for row in 0..<batch.count { samples.insert(batch[row].start) }
                return true
            }
        }
        return rows == samples
    }
}
