// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import HealthCatalog
public import Kymograph

/// A deletion in a type and one source.
public struct HealthDeletion: Hashable, Sendable {
    /// The source whose samples were deleted.
    public let source: String
    /// The range of the deleted samples' starts, in nanoseconds since 1970-01-01 UTC.
    public let range: TimeRange
    /// The deleted samples; nil for all samples that started in the range.
    public let uuids: [UUID]?
}

extension HealthStore {
    /// Reports the changes of a type since an anchor: the new samples that still exist, and deletions. See
    /// `TimeSeriesStore.changes(of:since:limit:including:explain:onDeletions:_:)` and `Docs/Guide/Engine.md`.
    ///
    /// An anchor is valid only for the request that returned it: another type, source or range needs its own anchor.
    /// - Parameters:
    ///   - request: the type, the sources, the unit and the limit of a page. Its range, order and commit are ignored.
    ///   - anchor: the end of the previous page; nil to start with all samples.
    ///   - onDeletions: receives the deletions, before the first sample.
    ///   - body: receives samples, and returns whether to continue.
    /// - Returns: the anchor of the next page, and whether there is nothing more.
    /// - Throws: `engine(.anchorExpired)`, `invalidArgument` (an anchor of another store), `incompatibleUnit`,
    ///   `corrupt`, `engine(.closed)`, `engine(.inputOutput)`, and the errors of the closures.
    public func changes(
        _ request: SampleRequest, since anchor: ChangeAnchor?,
        onDeletions: ([HealthDeletion]) throws(HealthStoreError) -> Void,
        _ body: ([HealthSample]) throws(HealthStoreError) -> Bool
    ) throws(HealthStoreError) -> (anchor: ChangeAnchor, isComplete: Bool) {
        let view = try currentView()
        var parts = view.allParts(of: request)
        let units: HealthUnits?
        if let unit = request.unit, !parts.isEmpty {
            let found = try HealthUnits(request.type, SeriesParts(parts, extent: nil), wanted: unit)
            parts.removeAll { found.leavesOut($0.row.unit) }
            units = found
        } else {
            units = nil
        }
        let reader = HealthSampleReader(self, view, request.type, units)
        do {
            let page = try engine.changes(
                ChangeRequest(of: parts.map(\.id), limit: request.limit, columns: .all), since: anchor,
                in: view.snapshot,
                onDeletions: { all in
                    if !all.isEmpty { try onDeletions(all.map { HealthDeletion($0, view) }) }
                },
                { batch in try body(try reader.samples(batch)) })
            return (page.anchor, page.isComplete)
        } catch {
            throw HealthStoreError(any: error)
        }
    }
}

extension HealthView {
    /// Returns the series of a type and some sources, including series without samples: their deletions are changes.
    fileprivate func allParts(of request: SampleRequest) -> [SeriesParts.Part] {
        var parts = [SeriesParts.Part]()
        for row in tables.byType[request.type.identifier] ?? [] {
            let id = SeriesID(rawValue: row.series)
            // The tables may contain a series that is newer than the snapshot.
            guard snapshot.has(id) else { continue }
            if let names = request.sources {
                guard let source = tables.sources[row.source], names.contains(source.name) else { continue }
            }
            parts.append(SeriesParts.Part(row: row, id: id, count: snapshot.count(of: id)))
        }
        return parts
    }
}

extension HealthDeletion {
    fileprivate init(_ deletion: ChangedDeletion, _ view: HealthView) {
        let row = view.tables.bySeries[deletion.series.rawValue]
        source = row.flatMap { view.tables.sources[$0.source]?.name } ?? ""
        range = deletion.range
        uuids = deletion.samples.map { $0.map(\.uuid) }
    }
}
