// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A file that gets its name when it is complete; until then the data is in a temporary file beside it.
final class NewFile {
    let path: String
    private let temporary: String
    private let replaces: Bool
    private let disk = RealDisk()
    private let file: any DiskFile
    private var buffer: [UInt8] = []
    private var position: UInt64 = 0
    private static let chunk = 1 << 20

    /// Creates the temporary file, readable only by its owner.
    ///
    /// - Parameter replaces: whether completion replaces an existing regular file; otherwise such a file is an error.
    init(_ path: String, replaces: Bool) throws {
        try Self.check(path, replaces: replaces)
        self.path = path
        self.replaces = replaces
        let random = try SystemRandom.bytes(4).map { String($0, radix: 16) }.joined()
        temporary = "\(path).\(random).part"
        file = try disk.create(temporary)
    }

    func write(_ bytes: [UInt8]) throws(DiskError) {
        buffer += bytes
        if buffer.count >= Self.chunk { try flush() }
    }

    func flush() throws(DiskError) {
        try file.write(buffer, at: position)
        position += UInt64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }

    /// Throws if a file with this path cannot be created, or exists and must not be replaced.
    static func check(_ path: String, replaces: Bool) throws {
        switch try RealDisk().kind(of: path) {
        case nil:
            let directory = directory(of: path)
            if try RealDisk().kind(of: directory) == nil { throw Failure(.failed, "\(directory): no such directory") }
        case .file:
            if !replaces { throw Failure(.failed, "\(path) exists already; add --force to replace it") }
        case .directory, .symbolicLink, .other:
            throw Failure(.failed, "\(path) is not a regular file; use another, or omit it for standard output")
        }
    }

    /// Syncs the file and gives it its name; the file is durable on return.
    func complete() throws {
        try Self.check(path, replaces: replaces)
        try flush()
        try file.sync()
        try file.close()
        try disk.rename(temporary, to: path)
        try disk.syncDirectory(Self.directory(of: path))
    }

    /// Returns the directory of a file.
    static func directory(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return parts.isEmpty ? "." : parts == [""] ? "/" : parts.joined(separator: "/")
    }

    /// Removes the temporary file, before an error is reported.
    func abandon() {
        try? file.close()
        try? disk.remove(temporary)
    }
}
