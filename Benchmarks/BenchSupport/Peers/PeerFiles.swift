// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

extension BenchFiles {
    /// Prints a progress line to standard error.
    package static func say(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}

extension BenchReport.Run {
    /// The line below the machine of a comparison.
    var text: String { "Started \(date)\(runs.map { ", --runs \($0)" } ?? "").\n" }
}

extension BenchSet {
    /// Writes sets as the files that `load` and the peers read.
    ///
    /// - Requires: times in whole microseconds.
    package static func write(_ sets: [BenchSet], to directory: String) throws {
        struct Manifest: Encodable {
            struct Group: Encodable { let series: [String] }
            let t0_us: Int64
            let scale: Double
            let sets: [String: Group]
        }
        try BenchFiles.makeDirectory(directory)
        let disk = RealDisk()
        func write(_ words: [UInt64], _ name: String) throws {
            let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
            try disk.createFile("\(directory)/\(name)", bytes)
        }
        for set in sets {
            for one in set.series {
                try write(one.times.map { UInt64(bitPattern: $0 / 1_000) }, one.name + ".ts")
                try write(one.values.map(\.bitPattern), one.name + ".val")
            }
        }
        let groups = sets.map { ($0.name, Manifest.Group(series: $0.series.map(\.name))) }
        let manifest = Manifest(
            t0_us: (sets.first?.origin ?? 0) / 1_000, scale: Double(sets.first?.days ?? 30) / 30,
            sets: Dictionary(groups) { first, _ in first })
        try disk.createFile(directory + "/manifest.json", Array(try JSONEncoder().encode(manifest)))
    }
}
