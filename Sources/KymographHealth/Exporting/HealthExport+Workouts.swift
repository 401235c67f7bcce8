// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
package import HealthModel

/// A workout as exported: one saved by a program, or an imported one whose element is lost.
package struct ExportedWorkout: Sendable {
    /// Nanoseconds since 1970-01-01 UTC.
    package let start: Int64
    package let end: Int64
    package let created: Int64?
    package let source: String
    package let version: String?
    package let device: String?
    package let metadata: HealthMetadata
    package let content: WorkoutContent
    /// The routes of the workout, by start.
    package let routes: [ExportedRoute]
}

/// A route of an exported workout.
package struct ExportedRoute: Sendable {
    /// Nanoseconds since 1970-01-01 UTC.
    package let start: Int64
    package let end: Int64
    package let created: Int64?
    package let source: String
    package let version: String?
    package let device: String?
    package let metadata: HealthMetadata
    package let locations: RouteLocations
}

extension HealthExport {
    /// Calls `body` with the workouts that no exported element describes, sorted by start.
    ///
    /// - Parameters:
    ///   - range: the range of the workouts' starts.
    ///   - body: receives a workout, and returns whether to continue.
    /// - Throws: `corrupt`, `engine(.closed)`, `engine(.inputOutput)`, and the errors of `body`.
    /// - Complexity: O(workouts + locations); memory of 16 bytes per workout, and of one workout with its routes.
    package func workouts(range: TimeRange = .all, _ body: (ExportedWorkout) throws -> Bool) throws {
        try eachSaved(.workout, without: .workout, range: range) { row in
            let origin = try origin(row)
            let workout = ExportedWorkout(
                start: row.start, end: row.end, created: row.created, source: origin.source, version: origin.version,
                device: origin.device, metadata: try metadata(of: row), content: try WorkoutRecord.content(row.body),
                routes: try routes(of: SampleIdentity(row.uuid).uuid))
            return try body(workout)
        }
    }

    /// Calls `body` with the saved objects of a kind that no exported element describes, sorted by start.
    ///
    /// - Parameters:
    ///   - type: only objects of this type; nil for all.
    ///   - elements: the kind of their elements.
    ///   - body: receives a row, and returns whether to continue.
    func eachSaved(
        _ kind: SavedObjectKind, of type: String? = nil, without elements: ImportedElementKind, range: TimeRange,
        _ body: (SavedObjectRow) throws -> Bool
    ) throws {
        let seq = view.snapshot.sequence
        let found = try store.catalog([(start: Int64, id: Int64)]()) { transaction in
            let kept = Set(try HealthCatalog.allElementIDs(kind: elements.rawValue, asOf: seq, transaction))
            var found = [(start: Int64, id: Int64)]()
            try HealthCatalog.eachSavedObject(kind: kind.rawValue, transaction) { row in
                guard row.born <= seq, row.died.map({ $0 > seq }) ?? true, range.contains(row.start),
                    type.map({ $0 == row.type }) ?? true
                else { return }
                if let element = try row.element, kept.contains(element.object) { return }
                found.append((row.start, row.id))
            }
            return found.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
        }
        for one in found {
            let rows = try store.catalog([SavedObjectRow]()) { try HealthCatalog.savedObjects(ids: [one.id], $0) }
            if let row = rows.first, try !body(row) { return }
        }
    }

    private func routes(of workout: UUID) throws -> [ExportedRoute] {
        let seq = view.snapshot.sequence
        let rows = try store.catalog([SavedObjectRow]()) {
            try RouteRecord.routes(of: [workout], asOf: seq, $0)
        }
        return try rows.map { row in
            let origin = try origin(row)
            return ExportedRoute(
                start: row.start, end: row.end, created: row.created, source: origin.source, version: origin.version,
                device: origin.device, metadata: try metadata(of: row),
                locations: try RouteReader(row, view).read(row.rowRange))
        }
    }
}
