// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// A predicate evaluated on the rows of a store, without creating a sample for each.
///
/// For a quantity of a series, the predicate is evaluated on the series, except for conditions on time, which use the
/// quantity's own time. Conditions on a provenance or a metadata set are evaluated once per provenance or set. Not
/// thread-safe.
final class RowFilter {
    private indirect enum Node {
        case constant(Bool)
        case all([Node])
        case any([Node])
        case not(Node)
        case time(TimeCondition)
        case uuids(Set<UUID>)
        case identities(IdentityRuns)
        case quantity(HealthComparison, HKQuantity)
        case uncorrelated
        /// A condition on a row's provenance: the index of the predicate.
        case provenance(Int)
        /// A condition on a row's metadata set.
        case metadata(Int)
    }

    private let reader: ObjectReader
    /// Series objects, by the mark in their quantities' metadata column.
    private var series: [Int64: HKSample] = [:]
    private let objects: ([Int64]) throws -> [SavedObjectRow]
    private var root = Node.constant(true)
    private var leaves: [SamplePredicate] = []
    /// The cached results of each leaf, by the number of a provenance or a metadata set.
    private var answers: [[Int64: Bool]] = []
    /// The columns that the filter reads.
    private(set) var columns: SampleColumns = [.starts, .ends, .values]

    /// - Parameters:
    ///   - reader: has the members of correlations, if the predicate tests for them.
    ///   - objects: reads saved objects by row number.
    init(
        _ predicate: SamplePredicate, _ reader: ObjectReader,
        objects: @escaping ([Int64]) throws -> [SavedObjectRow]
    ) {
        self.reader = reader
        self.objects = objects
        root = compile(predicate)
    }

    private func compile(_ predicate: SamplePredicate) -> Node {
        switch predicate {
        case .always(let all): return .constant(all)
        case .and(let parts): return .all(parts.map(compile))
        case .or(let parts): return .any(parts.map(compile))
        case .not(let part): return .not(compile(part))
        case .time(let start, let end, let options):
            var condition = TimeCondition()
            condition.add(start, end, options)
            return .time(condition)
        case .uuids(let uuids):
            columns.formUnion([.identity, .metadata])
            return .uuids(uuids)
        case .quantity(let comparison, let quantity):
            columns.insert(.metadata)
            return .quantity(comparison, quantity)
        case .withoutCorrelation:
            columns.insert(.identity)
            return .uncorrelated
        case .sources, .revisions, .devices, .device:
            columns.insert(.provenance)
            return .provenance(leaf(predicate))
        case .hasMetadata, .metadataIn, .metadata:
            columns.insert(.metadata)
            return .metadata(leaf(predicate))
        case .identities(let runs):
            columns.formUnion([.identity, .metadata])
            return .identities(runs)
        case .category, .categoryIn, .classification, .symptoms, .days, .refused: return .constant(false)
        case .field, .medication, .workout, .activity, .someActivity, .members, .effort: return .constant(false)
        }
    }

    private func leaf(_ predicate: SamplePredicate) -> Int {
        leaves.append(predicate)
        answers.append([:])
        return leaves.count - 1
    }

    /// Loads the metadata and series that the rows of a batch refer to.
    func prepare(_ batch: SampleBatch) throws {
        let metadata = batch.metadata
        guard columns.contains(.metadata), metadata.shared != 0 else { return }
        let ids = (0..<batch.count).lazy.map { metadata[$0] }
        try reader.prepare(metadata: ids)
        let marks = Set(ids.filter { $0 < 0 })
        // The cache is cleared before the missing series are determined, so that all requested series are loaded.
        if series.count + marks.count > Self.remembered { series.removeAll(keepingCapacity: true) }
        let missing = marks.filter { series[$0] == nil }
        if missing.isEmpty { return }
        for row in try objects(missing.map { -max($0, -.max) }) {
            series[QuantitySeriesRecord.mark(of: row.id)] = try reader.outline(row)
        }
    }

    /// Returns the series of a quantity; nil for a sample outside of a series.
    private func series(_ batch: SampleBatch, _ place: Int) -> HKSample? {
        let mark = batch.metadata[place]
        return mark < 0 ? series[mark] : nil
    }

    /// Returns whether the sample at a position of a batch matches.
    ///
    /// - Requires: `prepare` for the batch.
    /// - Parameter unit: the unit of its value.
    func matches(_ batch: SampleBatch, _ place: Int, _ unit: HKUnit) throws -> Bool {
        try holds(root, batch, place, unit)
    }

    private func holds(_ node: Node, _ batch: SampleBatch, _ place: Int, _ unit: HKUnit) throws -> Bool {
        switch node {
        case .constant(let value): return value
        case .all(let parts): return try parts.allSatisfy { try holds($0, batch, place, unit) }
        case .any(let parts): return try parts.contains { try holds($0, batch, place, unit) }
        case .not(let part): return try !holds(part, batch, place, unit)
        case .time(let condition):
            let sample = batch[place]
            return condition.matches(sample.start, sample.end)
        case .uuids(let uuids):
            if let series = series(batch, place) { return uuids.contains(series.uuid) }
            return uuids.contains(batch.identities[place].uuid)
        case .identities(let runs):
            if let series = series(batch, place) { return runs.contains(series.uuid) }
            let identity = batch.identities[place]
            return runs.contains(
                high: UInt64(bitPattern: identity.high), low: UInt64(bitPattern: identity.low))
        case .quantity(let comparison, let quantity):
            let whole = (series(batch, place) as? HKQuantitySample)?.quantity
            let own = whole ?? HKQuantity(unit: unit, doubleValue: batch[place].value)
            return SamplePredicate.compares(own, comparison, quantity)
        case .uncorrelated:
            return !reader.correlated.contains(batch.identities[place])
        case .provenance(let leaf):
            let provenance = batch.provenance[place]
            return try answer(leaf, provenance) {
                try reader.header(Self.nobody, provenance: provenance, metadata: 0)
            }
        case .metadata(let leaf):
            let metadata = batch.metadata[place]
            return try answer(leaf, metadata) {
                if let series = series(batch, place) { return series.header }
                return try reader.header(Self.nobody, provenance: 0, metadata: metadata)
            }
        }
    }

    private func answer(_ leaf: Int, _ key: Int64, _ header: () throws -> ObjectHeader) rethrows -> Bool {
        if let known = answers[leaf][key] { return known }
        let found = leaves[leaf].matches(HKObject(header: try header()))
        if answers[leaf].count >= Self.remembered { answers[leaf].removeAll(keepingCapacity: true) }
        answers[leaf][key] = found
        return found
    }

    private static let nobody = SampleIdentity(high: 0, low: 0)
    /// The maximum number of cached results per leaf.
    private static let remembered = 100_000
}
