// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// A `Workout` element of an export as a workout, with its origin, metadata and routes.
///
/// Reads the forms of all versions: totals as attributes (versions 3 to 11) or statistics (from 12), and routes as
/// points inside the element (version 8) or as files. `Docs/Guide/Import.md` has the rules.
struct WorkoutElement {
    /// The origin of a `Workout` or `WorkoutRoute`.
    struct Origin: Equatable {
        var source: String?
        var version: String?
        /// The description of the device, without its address.
        var device: String?
        /// Nanoseconds since 1970-01-01 UTC.
        var created: Int64?
    }

    /// A metadata entry in the text form of the export.
    struct Entry: Equatable {
        var key: String
        var value: String
    }

    /// A `WorkoutRoute`.
    struct Route {
        var origin = Origin()
        var metadata: [Entry] = []
        /// The path of the route's file; nil without a `FileReference`.
        var path: String?
        /// The points inside the element.
        var points = RoutePoints()
    }

    let origin: Origin
    /// Nanoseconds since 1970-01-01 UTC.
    let start: Int64
    let end: Int64
    let content: WorkoutContent
    /// The entries of the workout itself. Each key occurs once.
    let metadata: [Entry]
    let routes: [Route]
    /// Descriptions of the children and attributes that are left out of the workout; at most ``mostNotes``.
    let notes: [String]
    /// A digest of the content, independent of its spelling: equal for the same workout in all exports, except for the
    /// paths of files.
    let digest: Int64

    /// The maximum number of notes.
    static let mostNotes = 100

    /// Parses an element; nil if the bytes are not a complete `Workout` with a readable start and end.
    ///
    /// - Parameter units: the units of earlier elements.
    /// - Complexity: O(bytes · log(bytes)); the depth is bounded.
    init?(_ xml: [UInt8], _ units: UnitCache = UnitCache()) {
        var parser = WorkoutParser(xml, units)
        guard let element = parser.workout() else { return nil }
        self = element
    }

    init(
        origin: Origin, start: Int64, end: Int64, content: WorkoutContent, metadata: [Entry], routes: [Route],
        notes: [String], digest: Int64
    ) {
        self.origin = origin
        self.start = start
        self.end = end
        self.content = content
        self.metadata = metadata
        self.routes = routes
        self.notes = notes
        self.digest = digest
    }

    /// The bytes that identify the workout in all exports: activity, source, start, end and creation date. A later
    /// export may describe the same workout with more detail.
    private var key: [UInt8] {
        let activity = content.unknownActivity ?? content.activity.name
        let parts = [activity, origin.source ?? "", "\(start)", "\(end)", origin.created.map { "\($0)" } ?? ""]
        return Array("workout".utf8) + parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) }
    }

    /// Returns the identity of a copy of the workout.
    ///
    /// - Parameter copy: the number of workouts with the same key before this one; 0 for the first.
    func identity(copy: Int) -> SampleIdentity {
        SampleIdentity.digested(key + Array("#\(copy)".utf8))
    }

    /// Returns the paths of the files of an element's routes.
    static func paths(_ xml: [UInt8]) -> [String] {
        var reader = MarkupReader(xml)
        var found: [String] = []
        while let tag = reader.next() {
            if tag == .start, reader.isNamed("FileReference"), let path = reader["path"] { found.append(path) }
        }
        return found
    }
}

extension [WorkoutElement.Entry] {
    /// The entries as typed values. The key determines the type. For a repeated key the first entry counts.
    var values: HealthMetadataValues {
        var values: HealthMetadataValues = [:]
        for entry in self where values[entry.key] == nil {
            values[entry.key] = HealthMetadataValue(exportText: entry.value, of: entry.key)
        }
        return values
    }

    /// The first entry of each key, in the order of the element.
    var withoutRepetitions: Self {
        var seen: Set<String> = []
        return filter { seen.insert($0.key).inserted }
    }

    /// Writes the entries as a metadata set.
    ///
    /// - Parameter hasSource: whether the element names a source.
    func write(to writer: inout MetadataWriter, hasSource: Bool) {
        writer.begin()
        for entry in self {
            let bytes = [UInt8](entry.key.utf8) + [UInt8](entry.value.utf8)
            let key = 0..<entry.key.utf8.count
            writer.entry(bytes, key: key, value: key.upperBound..<bytes.count)
        }
        if !hasSource { writer.noSource() }
    }
}
