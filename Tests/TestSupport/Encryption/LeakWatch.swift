// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// Looks for plain text in the files of encrypted stores and their backups.
///
/// A text in a file ends the process. Directories without keys are not searched: they hold plain stores or exports.
package enum LeakWatch {
    /// Texts that no encrypted file holds: of SQLite's pages, and of the series that campaigns create.
    private static let texts = ["SQLite format 3", "CREATE TABLE", "canary "]

    /// Searches the files of a disk, by path, in a run in which all stores are encrypted.
    package static func inspect(_ files: [String: [UInt8]]) {
        guard TestKey.isUsed else { return }
        let encrypted = Set(files.keys.filter(isKeys).map { $0.dropLast(name(of: $0).count) })
        for (path, bytes) in files where encrypted.contains(where: { path.hasPrefix($0) }) {
            if let found = firstText(in: bytes) {
                fatalError("a file of an encrypted store holds \"\(found)\": \(path)")
            }
        }
    }

    /// Searches the files below a directory, and removes them.
    package static func removeTree(_ path: String) {
        defer { TemporaryDirectory.removeTree(path, RealDisk()) }
        guard TestKey.isUsed else { return }
        var files: [String: [UInt8]] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
            let file = path + "/" + name
            guard (try? RealDisk().kind(of: file)) == .file else { continue }
            files[file] = (try? RealDisk().contents(of: file, limit: 1 << 30)) ?? []
        }
        inspect(files)
    }

    /// Returns the first of the texts that the bytes hold.
    package static func firstText(in bytes: [UInt8]) -> String? {
        texts.first { text in
            let needle = Array(text.utf8)
            return unsafe bytes.withUnsafeBytes { hay in
                unsafe needle.withUnsafeBytes { unsafe ByteSearch.contains(hay, $0) }
            }
        }
    }

    private static func name(of path: String) -> Substring { path.split(separator: "/").last ?? "" }

    /// Whether a file holds the keys of a store, or those in a backup.
    private static func isKeys(_ path: String) -> Bool { name(of: path).hasPrefix("KEYS") }
}
