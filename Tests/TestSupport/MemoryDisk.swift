// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import Synchronization

/// A tree of files in memory with the semantics of a disk; everything is durable at once.
///
/// Several engines may use one tree at the same time, as processes use a directory: locks conflict between them. `/`
/// and the empty path are the root.
package final class MemoryDisk: Disk {
    enum Entry {
        case directory
        case file(MemoryContent)
    }

    struct HeldLock {
        let file: ObjectIdentifier
        let byte: Int64
        let exclusive: Bool
    }

    struct State {
        /// Entries by normal path: no leading slash, no empty or dot names. The root has no entry.
        var entries: [String: Entry] = [:]
        var locks: [UInt64: HeldLock] = [:]
        var lastLock: UInt64 = 0
    }

    let state = Mutex(State())

    /// The result of `freeSpace`.
    package let reportedFreeSpace: UInt64

    package init(reportedFreeSpace: UInt64 = 1 << 40) {
        self.reportedFreeSpace = reportedFreeSpace
    }

    /// Creates a disk with these directories and files; parents are created as needed.
    package convenience init(directories: [String], files: [String: [UInt8]]) {
        self.init()
        state.withLock { state in
            for path in directories { state.makePath(Self.normal(path)) }
            for (path, bytes) in files {
                let path = Self.normal(path)
                state.makePath(Self.parent(of: path))
                state.entries[path] = .file(MemoryContent(bytes))
            }
        }
    }

    /// The contents of all files, by normal path.
    package var files: [String: [UInt8]] {
        state.withLock { state in
            state.entries.compactMapValues { entry in
                if case .file(let content) = entry { content.bytes.withLock { $0 } } else { nil }
            }
        }
    }

    /// All directories but the root, ascending.
    package var directories: [String] {
        state.withLock { state in
            state.entries.compactMap { if case .directory = $0.value { $0.key } else { nil } }.sorted()
        }
    }

    /// Returns the identity of the file at a path, which renames preserve; nil if there is no file.
    package func identity(of path: String) -> ObjectIdentifier? {
        state.withLock { state in
            if case .file(let content) = state.entries[Self.normal(path)] { ObjectIdentifier(content) } else { nil }
        }
    }

    // MARK: Paths

    /// Returns the path without empty names and dots; `..` removes the preceding name.
    package static func normal(_ path: String) -> String {
        var names: [Substring] = []
        for name in path.split(separator: "/") where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return names.joined(separator: "/")
    }

    /// Returns the parent directory of a normal path; empty for children of the root.
    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[..<slash])
    }
}

extension MemoryDisk.State {
    func isDirectory(_ path: String) -> Bool {
        if path.isEmpty { return true }
        if case .directory = entries[path] { return true }
        return false
    }

    func isEmpty(_ directory: String) -> Bool {
        !entries.keys.contains { $0.hasPrefix(directory + "/") }
    }

    mutating func makePath(_ path: String) {
        if path.isEmpty || entries[path] != nil { return }
        makePath(MemoryDisk.parent(of: path))
        entries[path] = .directory
    }

    /// Returns the normal form of a path; throws unless its parent is a directory.
    func place(_ path: String, _ operation: String) throws(DiskError) -> String {
        let normal = MemoryDisk.normal(path)
        guard isDirectory(MemoryDisk.parent(of: normal)) else {
            throw DiskError(operation, path, entries[MemoryDisk.parent(of: normal)] == nil ? ENOENT : ENOTDIR)
        }
        return normal
    }

    func file(_ path: String, _ operation: String) throws(DiskError) -> MemoryContent {
        let normal = try place(path, operation)
        switch entries[normal] {
        case .file(let content): return content
        case .directory: throw DiskError(operation, path, ENOTSUP, "not a regular file")
        case nil:
            if normal.isEmpty { throw DiskError(operation, path, ENOTSUP, "not a regular file") }
            throw DiskError(operation, path, ENOENT)
        }
    }

    /// Moves a directory with all entries below it.
    mutating func moveTree(_ old: String, to new: String) {
        for key in entries.keys.filter({ $0.hasPrefix(old + "/") }) {
            entries[new + key.dropFirst(old.count)] = entries.removeValue(forKey: key)
        }
        entries[new] = .directory
        entries[old] = nil
    }
}
