// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// File operations of the benchmarks.
package enum BenchFiles {
    /// Removes a directory with everything in it, as far as possible.
    package static func removeTree(_ path: String) {
        let disk = RealDisk()
        if (try? disk.kind(of: path)) == .directory {
            for name in (try? disk.list(path)) ?? [] { removeTree(path + "/" + name) }
        }
        try? disk.remove(path)
    }

    /// Returns the size of each file under a directory in bytes, by relative path.
    package static func sizes(under path: String) throws -> [(name: String, bytes: Int)] {
        let disk = RealDisk()
        return try disk.list(path).flatMap { name -> [(name: String, bytes: Int)] in
            let inside = "\(path)/\(name)"
            if try disk.kind(of: inside) == .directory {
                return try sizes(under: inside).map { ("\(name)/\($0.name)", $0.bytes) }
            }
            return [(name, Int(try disk.size(of: inside)))]
        }
    }

    /// Creates a directory, if it does not exist.
    package static func makeDirectory(_ path: String) throws {
        let disk = RealDisk()
        if try !disk.exists(path) { try disk.createDirectory(path) }
    }

    /// Writes a report over an existing one, as `OutputPlace` does.
    package static func write(_ text: String, to path: String) throws { try OutputPlace(path).write(text) }

    /// Runs a body with a new directory for stores. The directory is removed afterwards, even if a signal ends the
    /// process.
    ///
    /// - Parameter parent: nil for `TMPDIR` or, without it, `/tmp`.
    package static func withWorkDirectory<R>(in parent: String?, _ body: (String) throws -> R) throws -> R {
        if parent?.isEmpty == true { throw BenchError("--work is empty; give a directory") }
        let fallback = Environment.value("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let parent = parent ?? fallback
        let name = "\(parent)/kymo-bench-\(Environment.processIdentifier)"
        for number in 1...100 {
            // A killed process with the same identifier may have left its directory.
            let path = number == 1 ? name : "\(name)-\(number)"
            let result: R? = try Interruption.protecting(path) {
                do {
                    try RealDisk().createDirectory(path)
                } catch let error as DiskError where error.alreadyExists {
                    return nil
                } catch {
                    throw BenchError("stores cannot be created in \(parent) (\(error)); give a directory with --work")
                }
                defer { removeTree(path) }
                return try body(path)
            }
            if let result { return result }
        }
        throw BenchError("stores cannot be created in \(parent): \(name) is taken; give a directory with --work")
    }

    /// Drops the system's file cache; false if this process may not do so.
    package static func dropCaches() -> Bool {
        guard let file = FileHandle(forWritingAtPath: "/proc/sys/vm/drop_caches") else { return false }
        defer { try? file.close() }
        return (try? file.write(contentsOf: Data("3".utf8))) != nil
    }
}
