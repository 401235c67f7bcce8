// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// A recording from a device or an archive.
package struct RealSeries: Sendable {
    /// The kind of signal: `ECG`, `motion`, `route`, ...
    package let group: String
    /// The path of the recording below the data directory.
    package let source: String
    /// Times in nanoseconds, not descending, and values.
    package let series: BenchSeries

    private struct Manifest: Decodable {
        struct Entry: Decodable { let file, name, group, source: String }
        let series: [Entry]
        let missing: [String]
    }

    /// The folders of recordings in the data directory.
    private static let folders = ["ecg", "heart", "motion", "routes", "fit"]

    /// Throws if a directory has none of the folders of recordings.
    package static func requireFolders(_ directory: String) throws {
        guard !folders.contains(where: { FileManager.default.fileExists(atPath: "\(directory)/\($0)") }) else { return }
        throw BenchError(
            "\(directory) has no recordings: none of the folders \(folders.joined(separator: ", ")); "
                + "Docs/Internals/Performance.md lists the files")
    }

    /// Reads the output of `real_series.py`: `N.ts` holds nanoseconds as little-endian Int64, `N.val` doubles. Also
    /// returns the reasons for missing recordings.
    package static func load(_ directory: String) throws -> (series: [RealSeries], missing: [String]) {
        let disk = RealDisk()
        let bytes = try disk.contents(of: directory + "/manifest.json", limit: 1 << 24)
        let manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
        let series = try manifest.series.map { entry in
            let times = try words("\(directory)/\(entry.file).ts").map { Int64(bitPattern: $0) }
            let values = try words("\(directory)/\(entry.file).val").map { Double(bitPattern: $0) }
            guard times.count == values.count, !times.isEmpty else {
                throw BenchError("\(entry.name): \(times.count) times and \(values.count) values")
            }
            return RealSeries(
                group: entry.group, source: entry.source,
                series: BenchSeries(name: entry.name, times: times, values: values))
        }
        return (series, manifest.missing)
    }

    private static func words(_ path: String) throws -> [UInt64] {
        let bytes = try RealDisk().contents(of: path, limit: 1 << 34)
        return (0..<bytes.count / 8).map { i in
            (0..<8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[i * 8 + $1]) }
        }
    }
}
