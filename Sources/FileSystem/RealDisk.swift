// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// The disk of the operating system.
package struct RealDisk: Disk {
    /// The way in which mapped files are read.
    package enum Mapping: Sendable {
        /// Real mappings with a SIGBUS handler, which the first mapping installs for the process. If the host replaces
        /// the handler later, new mappings use `pread` instead.
        case guarded
        /// No mapping and no signal handler: each copy is a `pread`.
        case pread
    }

    /// The way in which `map` reads.
    package let mapping: Mapping

    package init(mapping: Mapping = .guarded) {
        self.mapping = mapping
    }

    package func createDirectory(_ path: String) throws(DiskError) {
        if unsafe mkdir(path, 0o700) != 0 { throw DiskError("create directory", path, errno) }
    }

    package func kind(of path: String) throws(DiskError) -> EntryKind? {
        var about = stat()
        if unsafe lstat(path, &about) != 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw DiskError("stat", path, errno)
        }
        return Self.kind(about)
    }

    private static func kind(_ about: stat) -> EntryKind {
        switch about.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .directory
        case S_IFLNK: .symbolicLink
        default: .other
        }
    }

    package func size(of path: String) throws(DiskError) -> UInt64 {
        let about = try Self.about(path)
        guard Self.kind(about) == .file else { throw DiskError("size", path, ENOTSUP, "not a regular file") }
        return UInt64(max(about.st_size, 0))
    }

    /// Returns the status of the file that a path leads to, following links.
    private static func about(_ path: String) throws(DiskError) -> stat {
        var about = stat()
        if unsafe stat(path, &about) != 0 { throw DiskError("stat", path, errno) }
        return about
    }

    package func identity(of path: String) throws(DiskError) -> FileIdentity? {
        let about = try Self.about(path)
        return FileIdentity(device: UInt64(about.st_dev), number: UInt64(about.st_ino))
    }

    /// Whether a directory is `other` or lies inside it, after resolving links and dots.
    ///
    /// - Throws: an error if one of them does not exist.
    package func isDirectory(_ path: String, in other: String) throws(DiskError) -> Bool {
        let wanted = try Self.about(other)
        var (path, known) = (path, try Self.about(path))
        while known.st_dev != wanted.st_dev || known.st_ino != wanted.st_ino {
            path += "/.."
            let above = try Self.about(path)
            // The parent of the root is the root.
            if above.st_dev == known.st_dev, above.st_ino == known.st_ino { return false }
            known = above
        }
        return true
    }

    package func list(_ path: String) throws(DiskError) -> [String] {
        guard let stream = unsafe opendir(path) else { throw DiskError("list", path, errno) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        if errno != 0 { throw DiskError("list", path, errno) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    package func create(_ path: String) throws(DiskError) -> any DiskFile {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        return RealFile(Descriptor(try SystemCall.open(path, flags, operation: "create"), path: path))
    }

    package func open(_ path: String, writable: Bool) throws(DiskError) -> any DiskFile {
        RealFile(try Self.openRegular(path, writable: writable))
    }

    /// Opens a regular file and nothing else. `O_NONBLOCK` prevents waiting for the other end of a pipe; it has no
    /// effect on a regular file.
    package static func openRegular(_ path: String, writable: Bool) throws(DiskError) -> Descriptor {
        let flags = writable ? O_RDWR | O_NOFOLLOW : O_RDONLY
        let number = try SystemCall.open(path, flags | O_NONBLOCK | O_NOCTTY)
        let descriptor = Descriptor(number, path: path)
        guard kind(try SystemCall.status(number, path)) == .file else {
            throw DiskError("open", path, ENOTSUP, "not a regular file")
        }
        return descriptor
    }

    package func map(_ path: String, length: Int) throws(DiskError) -> any MappedFile {
        let descriptor = try Self.openRegular(path, writable: false)
        let size = try descriptor.use("map") { (n) throws(DiskError) in try SystemCall.status(n, path).st_size }
        guard length >= 0, Int64(length) <= size else {
            throw DiskError("map", path, EIO, "the file has \(size) bytes, but \(length) are required")
        }
        if mapping == .guarded, Self.installGuard(), Self.guardIsActive {
            return try GuardedMap(descriptor, length: length)
        }
        return ReadMap(descriptor, length: length)
    }

    package func remove(_ path: String) throws(DiskError) {
        if unsafe unlink(path) == 0 { return }
        var error = errno
        if error == EISDIR || error == EPERM {
            if unsafe rmdir(path) == 0 { return }
            if errno != ENOTDIR { error = errno }
        }
        throw DiskError("remove", path, error)
    }

    package func rename(_ path: String, to newPath: String) throws(DiskError) {
        if unsafe Glibc.rename(path, newPath) != 0 { throw DiskError("rename", path, errno, "to \(newPath)") }
    }

    package func syncDirectory(_ path: String) throws(DiskError) {
        let number = try SystemCall.open(path, O_RDONLY | O_DIRECTORY, operation: "sync directory")
        defer { _ = close(number) }
        while fsync(number) != 0 {
            if errno != EINTR { throw DiskError("sync directory", path, errno) }
        }
    }

    package func freeSpace(at path: String) throws(DiskError) -> UInt64 {
        var about = statvfs()
        while unsafe statvfs(path, &about) != 0 {
            if errno != EINTR { throw DiskError("free space", path, errno) }
        }
        return UInt64(about.f_bavail).multipliedReportingOverflow(by: UInt64(about.f_frsize)).partialValue
    }

    package func makePrivate(_ path: String) {
        guard let number = try? SystemCall.open(path, O_RDONLY | O_DIRECTORY) else { return }
        defer { _ = close(number) }
        guard let about = try? SystemCall.status(number, path), about.st_uid == geteuid() else { return }
        if about.st_mode & 0o077 != 0 { _ = fchmod(number, about.st_mode & 0o7700) }
    }

    package func access(to path: String) throws(DiskError) -> DirectoryAccess {
        let about = try Self.about(path)
        return DirectoryAccess(
            isOwn: about.st_uid == geteuid(), isWritableByGroup: about.st_mode & 0o020 != 0,
            isWritableByOthers: about.st_mode & 0o002 != 0)
    }
}
