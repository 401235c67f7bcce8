// SPDX-License-Identifier: Apache-2.0
// FileSystem: the only outside world. Files, locks, mapped memory, clocks, random bytes, terminal and machine.
//
// All other modules access files through `Disk`, so that a test can substitute a disk that loses, tears or rejects
// writes. `Docs/Internals/FileSystem.md` lists the guarantees of each call.

/// A tree of files. All members are safe to call from any number of threads.
///
/// Paths are plain strings with `/` between the names. No call waits for a lock, and no call follows a symbolic link in
/// the last name of a path that it creates or writes.
package protocol Disk: Sendable {
    /// Creates one directory, accessible by its owner only (0700).
    ///
    /// Not durable before `syncDirectory` of the parent. Throws `alreadyExists` if the name is taken.
    func createDirectory(_ path: String) throws(DiskError)

    /// Returns the kind of the entry at a path; nil if there is none.
    func kind(of path: String) throws(DiskError) -> EntryKind?

    /// Returns the length of a file in bytes.
    func size(of path: String) throws(DiskError) -> UInt64

    /// Returns what distinguishes the file or directory at a path from all others that exist; nil if that is unknown.
    func identity(of path: String) throws(DiskError) -> FileIdentity?

    /// Returns the names in a directory, ascending by bytes, without `.` and `..`.
    func list(_ path: String) throws(DiskError) -> [String]

    /// Creates a new file, accessible by its owner only (0600), open for reading and writing.
    ///
    /// Throws `alreadyExists` if the name is taken. The name is not durable before `syncDirectory` of the parent, the
    /// content not before `DiskFile.sync`.
    func create(_ path: String) throws(DiskError) -> any DiskFile

    /// Opens an existing regular file.
    func open(_ path: String, writable: Bool) throws(DiskError) -> any DiskFile

    /// Maps exactly the first `length` bytes of a file for reading.
    ///
    /// Throws `isDamage` if the file is shorter. The file may be unlinked or replaced by a rename while it is mapped.
    func map(_ path: String, length: Int) throws(DiskError) -> any MappedFile

    /// Removes a file or an empty directory. Not durable before `syncDirectory` of the parent.
    func remove(_ path: String) throws(DiskError)

    /// Renames a file or directory and replaces a file with the new name. Atomic for readers; not durable before
    /// `syncDirectory` of both parents.
    ///
    /// - Ordering: sync the file first; otherwise a crash may leave the new name without content.
    func rename(_ path: String, to newPath: String) throws(DiskError)

    /// Makes the names in a directory durable: creations, removals and renames.
    func syncDirectory(_ path: String) throws(DiskError)

    /// Locks one byte of an existing file, which may lie after its end; returns nil if a conflicting lock is held.
    ///
    /// The returned object owns the lock: two locks of one process conflict like those of two processes. The lock ends
    /// with `release`, with the object, or with the process.
    /// - Parameter exclusive: false allows other shared locks on the byte and needs no write permission.
    func lock(_ path: String, exclusive: Bool, byte: Int64) throws(DiskError) -> (any DiskLock)?

    /// Returns the lowest locked byte of a range, shared or exclusive, or nil. The result may be outdated on return.
    func firstLockedByte(_ path: String, in bytes: Range<Int64>) throws(DiskError) -> Int64?

    /// Returns the bytes that an unprivileged writer may still allocate on the path's file system.
    func freeSpace(at path: String) throws(DiskError) -> UInt64

    /// Removes the access rights of all users but the owner from a directory that belongs to this user.
    ///
    /// Another user's directory stays unchanged, and so does one on a file system without access rights; check
    /// `access`.
    func makePrivate(_ path: String)

    /// Returns who may change the names in a directory.
    func access(to path: String) throws(DiskError) -> DirectoryAccess
}

/// The numbers of a file's device and of the file on it.
package struct FileIdentity: Equatable, Sendable {
    package var device: UInt64
    package var number: UInt64
}

/// The users who may add, replace and remove entries of a directory.
package struct DirectoryAccess: Sendable, Equatable {
    /// Whether the directory belongs to the user of this process.
    package var isOwn = true
    /// Whether the directory's group may write.
    package var isWritableByGroup = false
    /// Whether users outside the directory's group may write.
    package var isWritableByOthers = false
}

package enum EntryKind: Sendable, Equatable {
    case file, directory, symbolicLink, other
}

/// An open file. Calls may come from several threads; a call after `close` throws.
package protocol DiskFile: AnyObject, Sendable {
    /// Writes all of `bytes[range]` at an offset. After an error any part may have been written.
    ///
    /// Nothing is durable before `sync`. A write past the end grows the file; a gap reads as zeros.
    func write(_ bytes: [UInt8], _ range: Range<Int>, at position: UInt64) throws(DiskError)

    /// Reads `count` bytes at an offset into `buffer[offset...]`; returns fewer only at the end of the file.
    ///
    /// The buffer grows if it is too short; it never shrinks.
    func read(at position: UInt64, count: Int, into buffer: inout [UInt8], offset: Int) throws(DiskError) -> Int

    /// Returns the length in bytes.
    func size() throws(DiskError) -> UInt64

    /// Asks the system to start writing a range to the disk, so that a later `sync` has less to do.
    ///
    /// Advice only: it guarantees nothing and never fails.
    func beginWriting(_ range: Range<UInt64>)

    /// Makes content and length durable (`fdatasync`).
    ///
    /// If it fails, the state of all writes since the last sync is permanently undefined: a later successful sync does
    /// not make them durable, and reading them back proves nothing. Write a new file instead.
    func sync() throws(DiskError)

    /// Closes the descriptor after running calls end; a second call does nothing.
    func close() throws(DiskError)
}

/// A mapped file, or its first part. Its bytes are accessible only as copies.
package protocol MappedFile: AnyObject, Sendable {
    /// The number of mapped bytes.
    var count: Int { get }

    /// Copies a range into `out[offset...]`. `out` grows to hold the copy and 64 more bytes; it never shrinks.
    ///
    /// Bytes of `out` outside the copy keep their value. An unreadable page (truncated file, failing disk) throws an
    /// error with `isDamage` and raises no signal.
    func copy(_ range: Range<Int>, into out: inout [UInt8], at offset: Int) throws(DiskError)

    /// Informs the system how a range will be read. Advice only: it never fails, and invalid ranges are ignored.
    func advise(_ access: MappedAccess, _ range: Range<Int>)
}

/// The way in which a mapped file will be read.
package enum MappedAccess: Sendable {
    /// Default: the system reads a little ahead.
    case normal
    /// At random positions: no read-ahead.
    case random
    /// From start to end.
    case sequential
    /// Soon: the system starts to read now, in the background.
    case willNeed
    /// Not soon: the pages no longer count as memory of this process, and stay in the system's cache.
    case unused
}

/// A held lock. It ends with `release`, or with the object.
package protocol DiskLock: AnyObject, Sendable {
    /// Releases the lock; a second call does nothing.
    func release()
}

extension Disk {
    package func makePrivate(_ path: String) {}

    package func identity(of path: String) throws(DiskError) -> FileIdentity? { nil }

    package func access(to path: String) throws(DiskError) -> DirectoryAccess { DirectoryAccess() }

    /// Whether an entry exists at the path.
    package func exists(_ path: String) throws(DiskError) -> Bool {
        try kind(of: path) != nil
    }

    /// Returns the content of a file.
    ///
    /// - Parameter limit: a longer file throws an error before memory is allocated for it.
    package func contents(of path: String, limit: Int) throws(DiskError) -> [UInt8] {
        let file = try open(path, writable: false)
        let size = try file.size()
        guard size <= UInt64(max(limit, 0)) else {
            throw DiskError("read", path, DiskError.fileTooLarge, "\(size) bytes, more than the limit of \(limit)")
        }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = try file.read(at: 0, count: bytes.count, into: &bytes, offset: 0)
        try file.close()
        if count < bytes.count { bytes.removeLast(bytes.count - count) }
        return bytes
    }

    /// Creates a file with this content and syncs it; its name is not durable before `syncDirectory`.
    package func createFile(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
        let file = try create(path)
        try file.write(bytes, 0..<bytes.count, at: 0)
        try file.sync()
        try file.close()
    }
}

extension DiskFile {
    package func beginWriting(_ range: Range<UInt64>) {}

    /// Writes a whole array at an offset.
    package func write(_ bytes: [UInt8], at position: UInt64) throws(DiskError) {
        try write(bytes, 0..<bytes.count, at: position)
    }
}

extension MappedFile {
    /// Copies a range into `out[0..<range.count]`; `out` grows to `range.count + 64` bytes or more.
    package func copy(_ range: Range<Int>, into out: inout [UInt8]) throws(DiskError) {
        try copy(range, into: &out, at: 0)
    }
}

extension Disk {
    /// Whether a path leads to a directory or into it, after resolving links and dots.
    ///
    /// For a path that does not exist yet, its parent directory decides.
    package func leads(_ place: String, into directory: String) -> Bool {
        if place == directory || place.hasPrefix(directory + "/") { return true }
        // Other disks have no links.
        guard let disk = self as? RealDisk else { return false }
        if let isInside = try? disk.isDirectory(place, in: directory) { return isInside }
        var parts = place.split(separator: "/", omittingEmptySubsequences: true)
        if !parts.isEmpty { parts.removeLast() }
        let above = (place.hasPrefix("/") ? "/" : "./") + parts.joined(separator: "/")
        return (try? disk.isDirectory(above, in: directory)) ?? false
    }
}
