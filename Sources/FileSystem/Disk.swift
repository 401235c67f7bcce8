// SPDX-License-Identifier: Apache-2.0
// FileSystem: the only outside world; files, locks, mapped memory, clocks, random bytes, terminal and machine.
//
// Everything above this room reaches files through `Disk`, so that a test can put a disk there that forgets, tears,
// fills up and fails. `Docs/FileSystem.md` says what each call promises and what it does not.

/// A tree of files. All members may be called from any number of threads.
///
/// Paths are plain strings with `/` between the names. No call waits for a lock, and none follows a symbolic link in
/// the last name of a path it creates or writes.
package protocol Disk: Sendable {
    /// Makes one directory, readable by its owner only (0700).
    ///
    /// Not durable before `syncDirectory` of the parent. Fails with `alreadyExists` if the name is taken.
    func createDirectory(_ path: String) throws(DiskError)

    /// What stands under the name, or nil if nothing does.
    func kind(of path: String) throws(DiskError) -> EntryKind?

    /// The length of a file in bytes.
    func size(of path: String) throws(DiskError) -> UInt64

    /// The names in a directory, ascending by bytes, without `.` and `..`.
    func list(_ path: String) throws(DiskError) -> [String]

    /// Makes a new file, readable by its owner only (0600), open for reading and writing.
    ///
    /// Fails with `alreadyExists` if the name is taken. The name is not durable before `syncDirectory` of the parent,
    /// the content not before `DiskFile.sync`.
    func create(_ path: String) throws(DiskError) -> any DiskFile

    /// Opens an existing regular file.
    func open(_ path: String, writable: Bool) throws(DiskError) -> any DiskFile

    /// Maps exactly the first `length` bytes of a file for reading.
    ///
    /// Fails with `isDamage` if the file is shorter. The file may be unlinked or renamed over while mapped.
    func map(_ path: String, length: Int) throws(DiskError) -> any MappedFile

    /// Removes a file or an empty directory. Not durable before `syncDirectory` of the parent.
    func remove(_ path: String) throws(DiskError)

    /// Gives a file or directory another name, replacing a file that has it. Atomic for readers; not durable before
    /// `syncDirectory` of both parents. Sync the file first, or a crash may leave the new name without content.
    func rename(_ path: String, to newPath: String) throws(DiskError)

    /// Makes the names in a directory durable: what was created, removed and renamed in it.
    func syncDirectory(_ path: String) throws(DiskError)

    /// Locks one byte of an existing file, which need not have that byte; nil if a conflicting lock is held.
    ///
    /// The lock belongs to the returned object: two locks of one process conflict like those of two processes. It
    /// ends with `release`, with the object, or with the process.
    /// - Parameter exclusive: false allows other shared locks beside it and needs no permission to write.
    func lock(_ path: String, exclusive: Bool, byte: Int64) throws(DiskError) -> (any DiskLock)?

    /// The lowest locked byte of a range, shared or exclusive, or nil. A hint: it may change before it is read.
    func firstLockedByte(_ path: String, in bytes: Range<Int64>) throws(DiskError) -> Int64?

    /// The bytes that an unprivileged writer may still allocate on the file system that holds the path.
    func freeSpace(at path: String) throws(DiskError) -> UInt64

    /// Whether the path is known to lie on another machine's disk, where locks and syncs may not mean what they say.
    func isRemote(_ path: String) throws(DiskError) -> Bool

    /// Takes the rights of everybody but the owner from a directory that belongs to this user.
    ///
    /// Another user's directory stays as it is, and so does one on a file system without rights: ask `access`.
    func makePrivate(_ path: String)

    /// Who may change the names in a directory.
    func access(to path: String) throws(DiskError) -> DirectoryAccess
}

/// Who may add, replace and remove what lies in a directory.
package struct DirectoryAccess: Sendable, Equatable {
    /// Whether the directory belongs to the user of this process.
    package var isOwn = true
    /// Whether the directory's group has the right to write.
    package var isWritableByGroup = false
    /// Whether users outside the directory's group have the right to write.
    package var isWritableByOthers = false
}

/// What a name in a directory stands for.
package enum EntryKind: Sendable, Equatable {
    case file, directory, symbolicLink, other
}

/// An open file. Calls may come from several threads; a call after `close` fails.
package protocol DiskFile: AnyObject, Sendable {
    /// Writes all of `bytes[range]` at an offset, or throws; after an error any part may have been written.
    ///
    /// Nothing is durable before `sync`. Writing past the end grows the file; a gap reads as zeros.
    func write(_ bytes: [UInt8], _ range: Range<Int>, at position: UInt64) throws(DiskError)

    /// Reads `count` bytes at an offset into `buffer[offset...]`; returns fewer only at the end of the file.
    ///
    /// The buffer grows if it is too short, and is never made shorter.
    func read(at position: UInt64, count: Int, into buffer: inout [UInt8], offset: Int) throws(DiskError) -> Int

    /// The length in bytes.
    func size() throws(DiskError) -> UInt64

    /// Asks the system to begin with putting a range on the disk, so that `sync` finds less left to do.
    ///
    /// It promises nothing and never fails: advice.
    func beginWriting(_ range: Range<UInt64>)

    /// Makes content and length durable (`fdatasync`).
    ///
    /// If it fails, what was written since the last sync is undefined for ever: a later sync that succeeds promises
    /// nothing about it, and reading it back proves nothing. Write a new file instead.
    func sync() throws(DiskError)

    /// Closes the descriptor. Calls under way finish first; closing twice does nothing.
    func close() throws(DiskError)
}

/// A file, or its first part, as memory that is only ever copied from.
package protocol MappedFile: AnyObject, Sendable {
    /// The number of bytes that may be copied.
    var count: Int { get }

    /// Copies a range into `out[offset...]`, which grows to hold it and 64 bytes more, and is never made shorter.
    ///
    /// Bytes of `out` beyond the copy keep their value. A page that cannot be read (truncated file, failing disk) is
    /// an error with `isDamage`, not a signal.
    func copy(_ range: Range<Int>, into out: inout [UInt8], at offset: Int) throws(DiskError)

    /// Tells the system how a range will be read. Never fails: it is advice, and nonsense is ignored.
    func advise(_ access: MappedAccess, _ range: Range<Int>)
}

/// How a mapped file is going to be read.
package enum MappedAccess: Sendable {
    /// No particular way: the system reads a little ahead. This is how every mapping starts.
    case normal
    /// Here and there: read no more than asked for.
    case random
    /// From front to back.
    case sequential
    /// Soon: start reading now, in the background.
    case willNeed
}

/// A held lock. Ends with `release`, or with the object.
package protocol DiskLock: AnyObject, Sendable {
    /// Ends the lock; a second call does nothing.
    func release()
}

extension Disk {
    package func makePrivate(_ path: String) {}

    package func access(to path: String) throws(DiskError) -> DirectoryAccess { DirectoryAccess() }

    /// Whether anything stands under the name.
    package func exists(_ path: String) throws(DiskError) -> Bool {
        try kind(of: path) != nil
    }

    /// The content of a file.
    /// - Parameter limit: a longer file is an error; nothing is allocated for it.
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

    /// Makes a new file with this content and syncs it; its name is not durable before `syncDirectory`.
    package func createFile(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
        let file = try create(path)
        try file.write(bytes, 0..<bytes.count, at: 0)
        try file.sync()
        try file.close()
    }
}

extension DiskFile {
    package func beginWriting(_ range: Range<UInt64>) {}

    /// Writes all of an array at an offset.
    package func write(_ bytes: [UInt8], at position: UInt64) throws(DiskError) {
        try write(bytes, 0..<bytes.count, at: position)
    }
}

extension MappedFile {
    /// Copies a range into `out[0..<range.count]`; `out` grows to `range.count + 64` bytes or more.
    package func copy(_ range: Range<Int>, into out: inout [UInt8]) throws(DiskError) {
        try copy(range, into: &out, at: 0)
    }

    /// Tells the system how all of the file will be read.
    package func advise(_ access: MappedAccess) {
        advise(access, 0..<count)
    }
}

extension Disk {
    /// Whether a place, which need not be there yet, is a directory or lies in it, whatever links and dots lead there.
    ///
    /// Of a place that is not there, the directory that it would be made in counts.
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
