// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog

/// Compares the objects of two stores: correlations, series, workouts, routes, electrocardiograms, records.
struct ObjectComparison {
    private static let pageSize = 256

    private let first: ComparedStore
    private let second: ComparedStore
    private var origins: ComparedOrigins
    /// The elements whose XML only one store has erased, by store. A compaction erases the XML of a correlation after
    /// the deletion of a member; the other store does so later.
    private(set) var erasedElsewhere: (first: Set<Int64>, second: Set<Int64>) = ([], [])

    init(_ first: ComparedStore, _ second: ComparedStore) {
        (self.first, self.second) = (first, second)
        origins = ComparedOrigins(first, second)
    }

    /// The live objects of a store by identity, page by page.
    private struct Cursor {
        let side: ComparedStore
        private var rows: ArraySlice<SavedObjectRow> = []
        private var last: [UInt8] = []
        private var isOver = false

        init(_ side: ComparedStore) { self.side = side }

        /// Returns the next object; nil at the end.
        mutating func peek() throws(HealthStoreError) -> SavedObjectRow? {
            if rows.isEmpty, !isOver {
                let (uuid, commit) = (last, side.commit)
                rows = try side.store.catalog([SavedObjectRow]()) {
                    try HealthCatalog.savedObjects(
                        afterUUID: uuid, asOf: commit, limit: ObjectComparison.pageSize, $0)
                }[...]
                isOver = rows.count < ObjectComparison.pageSize
                last = rows.last?.uuid ?? last
            }
            return rows.first
        }

        mutating func advance() { rows = rows.dropFirst() }
    }

    mutating func run(_ report: inout ComparisonReport) throws(HealthStoreError) {
        var (ours, theirs) = (Cursor(first), Cursor(second))
        while true {
            let (one, other) = (try ours.peek(), try theirs.peek())
            if one == nil, other == nil { return }
            report.objects += 1
            if let one, other.map({ one.uuid.lexicographicallyPrecedes($0.uuid) }) ?? true {
                report.add { Self.difference(one, .first) }
                ours.advance()
            } else if let other, one.map({ other.uuid.lexicographicallyPrecedes($0.uuid) }) ?? true {
                report.add { Self.difference(other, .second) }
                theirs.advance()
            } else if let one, let other {
                let details = try details(one, other)
                if !details.isEmpty { report.add { Self.difference(one, .both, details) } }
                ours.advance()
                theirs.advance()
            }
        }
    }

    private static func difference(
        _ row: SavedObjectRow, _ presence: HealthStoreComparison.Presence, _ details: [String] = []
    ) -> HealthStoreComparison.Difference {
        .init(
            type: row.type, name: SampleIdentity(row.uuid).uuid.uuidString, start: row.start, presence: presence,
            details: details)
    }

    /// Returns the properties that differ.
    private mutating func details(
        _ one: SavedObjectRow, _ other: SavedObjectRow
    ) throws(HealthStoreError) -> [String] {
        var found: [String] = []
        func note(_ name: String, _ first: String?, _ second: String?) {
            if first != second { found.append(ComparedText.difference(name, first, second)) }
        }
        note("type", one.type, other.type)
        note("kind", "\(one.kind)", "\(other.kind)")
        for (name, time) in [("start", \SavedObjectRow.start), ("end", \.end)]
        where one[keyPath: time] != other[keyPath: time] {
            note(name, SampleComparison.time(one[keyPath: time]), SampleComparison.time(other[keyPath: time]))
        }
        note(
            "time of creation", one.created.flatMap(SampleComparison.time), other.created.flatMap(SampleComparison.time)
        )
        if try !origins.isSame(provenance: one.provenance, other.provenance) {
            found += ComparedText.differences(try first.origin(one.provenance), try second.origin(other.provenance))
        }
        if try !origins.isSame(metadata: one.metadata, other.metadata) {
            found += ComparedText.differences(try first.metadata(one.metadata), try second.metadata(other.metadata))
        }
        guard one.kind == other.kind else { return found }
        let (content, wanted) = (try Self.content(one), try Self.content(other))
        if content.bytes != wanted.bytes {
            found.append(
                ComparedText.difference("content", "\(content.bytes.count) bytes", "\(wanted.bytes.count) others"))
        }
        noteErased(content.element, wanted.element)
        return found
    }

    private mutating func noteErased(_ one: Int64?, _ other: Int64?) {
        guard let one, let other, one != other else { return }
        if one == CorrelationBody.Element.erased { erasedElsewhere.second.insert(other) }
        if other == CorrelationBody.Element.erased { erasedElsewhere.first.insert(one) }
    }

    /// Returns the content of an object without the number of its element, and this number.
    private static func content(
        _ row: SavedObjectRow
    ) throws(HealthStoreError) -> (bytes: [UInt8], element: Int64?) {
        guard let element = try row.element else { return (try ObjectExpander.decode(row.body), nil) }
        let bare = CorrelationBody.Element(object: CorrelationBody.Element.erased, digest: element.digest)
        let body: [UInt8]
        switch SavedObjectKind(rawValue: row.kind) {
        case .correlation:
            body = CorrelationBody(members: try CorrelationBody(row.body).members, element: bare).bytes
        case .workout:
            var record = try WorkoutRecord(row.body)
            record.element = bare
            body = record.body
        case .fields:
            var record = try FieldsRecord(row.body)
            record.element = bare
            body = record.body
        default: body = row.body
        }
        return (try ObjectExpander.decode(body), element.object)
    }
}
