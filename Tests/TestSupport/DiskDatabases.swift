// SPDX-License-Identifier: Apache-2.0

internal import CDiskVFS
package import FileSystem
import Synchronization

/// Lets SQLite use a disk of the tests: databases opened through the VFS of this `name` lie on `disk`. Their writes and
/// syncs have one order, and the same faults, with those of all other files.
///
/// - Requires: every database is closed before this object is released, which unregisters the VFS.
package final class DiskDatabases: Sendable {
    /// The name under which the VFS is registered with SQLite.
    package let name: String
    private let files: OpenFiles

    private static let count = Atomic<Int>(0)

    package init(_ disk: any Disk) throws {
        name = "test-disk-\(Self.count.add(1, ordering: .relaxed).newValue)"
        files = OpenFiles(disk)
        var calls = unsafe kymo_disk_calls()
        unsafe calls.context = Unmanaged.passUnretained(files).toOpaque()
        unsafe calls.open = { unsafe OpenFiles.of($0).open(String(cString: $1!), create: $2 != 0, writable: $3 != 0) }
        unsafe calls.close = { unsafe OpenFiles.of($0).close($1) }
        unsafe calls.read = {
            unsafe OpenFiles.of($0).read($1, UnsafeMutableRawBufferPointer(start: $2, count: Int($3)), $4)
        }
        unsafe calls.write = {
            unsafe OpenFiles.of($0).write($1, UnsafeRawBufferPointer(start: $2, count: Int($3)), $4)
        }
        unsafe calls.truncate = { unsafe OpenFiles.of($0).truncate($1, $2) }
        unsafe calls.sync = { unsafe OpenFiles.of($0).sync($1) }
        unsafe calls.size = { unsafe OpenFiles.of($0).size($1) }
        unsafe calls.remove = { unsafe OpenFiles.of($0).remove(String(cString: $1!)) }
        unsafe calls.exists = { unsafe OpenFiles.of($0).exists(String(cString: $1!)) }
        unsafe calls.sync_directory = { unsafe OpenFiles.of($0).syncDirectory(of: String(cString: $1!)) }
        guard unsafe kymo_disk_vfs_register(name, &calls) == 0 else {
            throw DiskError("register", name, DiskError.inputOutput, "SQLite accepts no more file systems")
        }
    }

    deinit { unsafe kymo_disk_vfs_unregister(name) }
}

/// The files that SQLite has open on one disk, by handle.
private final class OpenFiles: Sendable {
    private struct State {
        var files: [Int64: any DiskFile] = [:]
        var last: Int64 = 0
    }

    private let disk: any Disk
    private let state = Mutex(State())

    init(_ disk: any Disk) { self.disk = disk }

    static func of(_ context: UnsafeMutableRawPointer?) -> OpenFiles {
        // The owner retains the object while the VFS is registered.
        unsafe Unmanaged<OpenFiles>.fromOpaque(context!).takeUnretainedValue()
    }

    private func file(_ handle: Int64) -> (any DiskFile)? { state.withLock { $0.files[handle] } }

    /// Returns 0, or the `errno` of a failure.
    private func attempt(_ body: () throws(DiskError) -> Void) -> Int32 {
        do throws(DiskError) {
            try body()
            return 0
        } catch {
            return error.errno
        }
    }

    /// Returns the result, or the negated `errno` of a failure.
    private func answer(_ body: () throws(DiskError) -> Int64) -> Int64 {
        do throws(DiskError) { return try body() } catch { return -Int64(error.errno) }
    }

    func open(_ path: String, create: Bool, writable: Bool) -> Int64 {
        answer { () throws(DiskError) in
            let isNew = create ? try !disk.exists(path) : false
            let file = try isNew ? disk.create(path) : disk.open(path, writable: writable)
            return state.withLock { state in
                state.last += 1
                state.files[state.last] = file
                return state.last
            }
        }
    }

    func close(_ handle: Int64) {
        let file = state.withLock { $0.files.removeValue(forKey: handle) }
        try? file?.close()
    }

    func read(_ handle: Int64, _ out: UnsafeMutableRawBufferPointer, _ position: Int64) -> Int64 {
        answer { () throws(DiskError) in
            var buffer: [UInt8] = []
            let count = try file(handle)?.read(at: UInt64(position), count: out.count, into: &buffer, offset: 0) ?? 0
            unsafe out.copyBytes(from: buffer[..<count])
            return Int64(count)
        }
    }

    func write(_ handle: Int64, _ bytes: UnsafeRawBufferPointer, _ position: Int64) -> Int32 {
        let copy = unsafe Array(bytes)
        return attempt { () throws(DiskError) in try file(handle)?.write(copy, at: UInt64(position)) }
    }

    func truncate(_ handle: Int64, _ size: Int64) -> Int32 {
        attempt { () throws(DiskError) in
            guard let file = file(handle) as? any ResizableFile else {
                throw DiskError("truncate", "", DiskError.inputOutput, "the file has a fixed length")
            }
            try file.truncate(to: UInt64(size))
        }
    }

    func sync(_ handle: Int64) -> Int32 { attempt { () throws(DiskError) in try file(handle)?.sync() } }

    func size(_ handle: Int64) -> Int64 {
        answer { () throws(DiskError) in Int64(try file(handle)?.size() ?? 0) }
    }

    func remove(_ path: String) -> Int32 { attempt { () throws(DiskError) in try disk.remove(path) } }

    func exists(_ path: String) -> Int32 {
        Int32(clamping: answer { () throws(DiskError) in try disk.exists(path) ? 1 : 0 })
    }

    func syncDirectory(of path: String) -> Int32 {
        attempt { () throws(DiskError) in try disk.syncDirectory(MemoryDisk.parent(of: MemoryDisk.normal(path))) }
    }
}
