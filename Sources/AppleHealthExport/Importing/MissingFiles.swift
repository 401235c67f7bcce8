// SPDX-License-Identifier: Apache-2.0

/// The folders of the files that an import read, to distinguish a missing folder from a missing file.
struct MissingFiles {
    private var folders: Set<String> = []

    /// Adds a file that was read.
    mutating func found(_ path: String) { folders.insert(Self.folder(path)) }

    /// Returns names in the order in which people look for them: routes, recordings, others.
    func ordered(_ names: [String]) -> [String] {
        names.map { (rank: Self.rank($0), name: $0) }.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }.map(\.name)
    }

    /// Whether a folder of these files is absent altogether: then another copy of the export may have it.
    func isWholeFolder(in names: [String]) -> Bool { names.contains { !folders.contains(Self.folder($0)) } }

    private static func rank(_ name: String) -> Int {
        switch folder(name) {
        case "workout-routes": 0
        case "electrocardiograms": 1
        default: 2
        }
    }

    /// Returns the first folder of a path, in lower case; empty without one.
    private static func folder(_ path: String) -> String {
        let parts = path.split(separator: "/", maxSplits: 1)
        return parts.count < 2 ? "" : parts[0].lowercased()
    }
}
