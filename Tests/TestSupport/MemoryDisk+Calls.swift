// SPDX-License-Identifier: Apache-2.0

package import FileSystem
import Foundation
import Synchronization

extension MemoryDisk {
    package func createDirectory(_ path: String) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            let normal = try state.place(path, "create directory")
            if normal.isEmpty || state.entries[normal] != nil { throw DiskError("create directory", path, EEXIST) }
            state.entries[normal] = .directory
        }
    }

    package func kind(of path: String) throws(DiskError) -> EntryKind? {
        state.withLock { state in
            let normal = Self.normal(path)
            if normal.isEmpty { return .directory }
            return switch state.entries[normal] {
            case .file: .file
            case .directory: .directory
            case nil: nil
            }
        }
    }

    package func size(of path: String) throws(DiskError) -> UInt64 {
        let content = try state.withLock { (state) throws(DiskError) in try state.file(path, "size") }
        return UInt64(content.bytes.withLock { $0.count })
    }

    package func list(_ path: String) throws(DiskError) -> [String] {
        try state.withLock { (state) throws(DiskError) in
            let normal = Self.normal(path)
            guard state.isDirectory(normal) else {
                throw DiskError("list", path, state.entries[normal] == nil ? ENOENT : ENOTDIR)
            }
            let names = state.entries.keys.filter { Self.parent(of: $0) == normal }
                .map { normal.isEmpty ? $0 : String($0.dropFirst(normal.count + 1)) }
            return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    package func create(_ path: String) throws(DiskError) -> any DiskFile {
        let content = MemoryContent([])
        try state.withLock { (state) throws(DiskError) in
            let normal = try state.place(path, "create")
            if normal.isEmpty || state.entries[normal] != nil { throw DiskError("create", path, EEXIST) }
            state.entries[normal] = .file(content)
        }
        return MemoryFile(content, path: path, writable: true)
    }

    package func open(_ path: String, writable: Bool) throws(DiskError) -> any DiskFile {
        let content = try state.withLock { (state) throws(DiskError) in try state.file(path, "open") }
        return MemoryFile(content, path: path, writable: writable)
    }

    package func map(_ path: String, length: Int) throws(DiskError) -> any MappedFile {
        let content = try state.withLock { (state) throws(DiskError) in try state.file(path, "map") }
        let size = content.bytes.withLock { $0.count }
        guard length >= 0, length <= size else {
            throw DiskError("map", path, EIO, "the file has \(size) bytes, but \(length) are required")
        }
        return MemoryMap(content, path: path, count: length)
    }

    package func remove(_ path: String) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            let normal = try state.place(path, "remove")
            guard let entry = state.entries[normal] else { throw DiskError("remove", path, ENOENT) }
            if case .directory = entry, !state.isEmpty(normal) { throw DiskError("remove", path, ENOTEMPTY) }
            state.entries[normal] = nil
        }
    }

    package func rename(_ path: String, to newPath: String) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            let old = try state.place(path, "rename")
            let new = try state.place(newPath, "rename")
            guard let entry = state.entries[old] else { throw DiskError("rename", path, ENOENT) }
            if old == new { return }
            let target = state.entries[new]
            switch (entry, target) {
            case (.file, .directory): throw DiskError("rename", path, EISDIR, "to \(newPath)")
            case (.directory, .file): throw DiskError("rename", path, ENOTDIR, "to \(newPath)")
            case (.file, _):
                state.entries[new] = entry
                state.entries[old] = nil
            case (.directory, _):
                if new.hasPrefix(old + "/") { throw DiskError("rename", path, EINVAL, "to \(newPath)") }
                if target != nil, !state.isEmpty(new) { throw DiskError("rename", path, ENOTEMPTY, "to \(newPath)") }
                state.moveTree(old, to: new)
            }
        }
    }

    package func syncDirectory(_ path: String) throws(DiskError) {
        try state.withLock { (state) throws(DiskError) in
            let normal = Self.normal(path)
            guard state.isDirectory(normal) else {
                throw DiskError("sync directory", path, state.entries[normal] == nil ? ENOENT : ENOTDIR)
            }
        }
    }

    package func lock(_ path: String, exclusive: Bool, byte: Int64) throws(DiskError) -> (any DiskLock)? {
        guard byte >= 0, byte < Int64.max else { throw DiskError("lock", path, EINVAL, "byte \(byte)") }
        let number: UInt64? = try state.withLock { (state) throws(DiskError) in
            let file = ObjectIdentifier(try state.file(path, "lock"))
            for held in state.locks.values where held.file == file && held.byte == byte {
                if exclusive || held.exclusive { return nil }
            }
            state.lastLock += 1
            state.locks[state.lastLock] = HeldLock(file: file, byte: byte, exclusive: exclusive)
            return state.lastLock
        }
        guard let number else { return nil }
        return MemoryLock(self, number)
    }

    package func firstLockedByte(_ path: String, in bytes: Range<Int64>) throws(DiskError) -> Int64? {
        guard bytes.lowerBound >= 0 else { throw DiskError("lock", path, EINVAL, "bytes \(bytes)") }
        return try state.withLock { (state) throws(DiskError) in
            let file = ObjectIdentifier(try state.file(path, "lock"))
            return state.locks.values.filter { $0.file == file && bytes.contains($0.byte) }.map(\.byte).min()
        }
    }

    package func freeSpace(at path: String) throws(DiskError) -> UInt64 {
        try requirePresence(path, "free space")
        return reportedFreeSpace
    }

    /// Throws if no entry exists at the path.
    private func requirePresence(_ path: String, _ operation: String) throws(DiskError) {
        if try kind(of: path) == nil { throw DiskError(operation, path, ENOENT) }
    }
}

/// A lock in a `MemoryDisk`.
final class MemoryLock: DiskLock {
    private let disk: MemoryDisk
    private let number: UInt64

    init(_ disk: MemoryDisk, _ number: UInt64) {
        self.disk = disk
        self.number = number
    }

    deinit { release() }

    func release() {
        disk.state.withLock { state in
            _ = state.locks.removeValue(forKey: number)
        }
    }
}
