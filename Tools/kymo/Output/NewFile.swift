// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A file that gets its name when it is complete; until then the data is in a temporary file beside it.
final class NewFile {
    let path: String
    private let temporary: String
    private let disk = RealDisk()
    private let file: any DiskFile
    private var buffer: [UInt8] = []
    private var position: UInt64 = 0
    private static let chunk = 1 << 20

    /// Creates the temporary file, readable only by its owner. An existing regular file is replaced on completion.
    init(_ path: String) throws {
        switch try disk.kind(of: path) {
        case nil, .file: break
        case .directory, .symbolicLink, .other:
            throw Failure(.failed, "\(path) is not a regular file; use another, or omit it for standard output")
        }
        self.path = path
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

    /// Syncs the file and gives it its name; the file is durable on return.
    func complete() throws(DiskError) {
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
