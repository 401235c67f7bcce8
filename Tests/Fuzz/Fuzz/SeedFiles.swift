// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem

/// The files of the repository from which seeds are made. All of them may be redistributed.
struct SeedFiles {
    let root: String

    func bytes(_ path: String) -> [UInt8] {
        do { return try RealDisk().contents(of: root + "/" + path, limit: 1 << 20) } catch {
            finding("cannot read \(path) for the seeds: \(error)")
        }
    }

    private func paths(_ folder: String, _ ending: String) -> [String] {
        let names = (try? RealDisk().list(root + "/" + folder)) ?? []
        return names.filter { $0.hasSuffix(ending) }.sorted().map { folder + "/" + $0 }
    }

    /// Segments of every version of the format.
    var goldenSegments: [[UInt8]] {
        paths("Tests/ChunkFormatTests/Golden", ".kseg").map(bytes)
    }

    /// Excerpts of exports.
    var exports: [[UInt8]] {
        (paths("Docs/Samples", ".xml") + paths("Tests/AppleHealthExportTests/Fixtures", ".xml")).map(bytes)
    }

    /// Files of sports watches.
    var workouts: [[UInt8]] {
        [".fit", ".gpx", ".tcx"].flatMap { paths("Tests/WorkoutFilesTests/Fixtures", $0) }.map(bytes)
    }

    /// The intact units of one kind in the golden segments, each with the header of its segment.
    func units(_ kind: UnitKind) -> [(header: SegmentHeader, unit: FoundUnit, bytes: [UInt8])] {
        goldenSegments.flatMap { bytes in
            var found: [(header: SegmentHeader, unit: FoundUnit, bytes: [UInt8])] = []
            guard let header = try? SegmentHeader.decode(bytes) else { return found }
            var scanner = UnitScanner(bytes, store: header.store, segment: header.segment)
            while let unit = scanner.next() {
                if unit.kind != kind { continue }
                let at = Int(unit.offset)
                found.append((header, unit, Array(bytes[at..<at + unit.length])))
            }
            return found
        }
    }
}
