// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The bytes of standard input, which can be read only once.
struct StreamSource: ByteSource {
    private let stream: FileReader
    /// The bytes that were read already.
    private var head: ArraySlice<UInt8>
    /// The length of a file; 0 for a pipe.
    let total: UInt64
    var damage: String? { nil }

    private static let piece = 1 << 20

    init(_ stream: FileReader, head: [UInt8]) {
        self.stream = stream
        self.head = head[...]
        total = stream.size ?? 0
    }

    mutating func read(into buffer: inout [UInt8], offset: Int, count: Int) throws(ExportError) -> Int {
        let first = min(head.count, count)
        buffer.replaceSubrange(offset..<offset + first, with: head.prefix(first))
        head = head.dropFirst(first)
        return first + (try Self.read(stream, into: &buffer, offset: offset + first, count: count - first))
    }

    /// Reads from a stream, and converts the error to `ExportError`.
    static func read(
        _ stream: FileReader, into buffer: inout [UInt8], offset: Int, count: Int
    ) throws(ExportError) -> Int {
        do {
            return try stream.read(into: &buffer, offset: offset, count: count)
        } catch {
            throw error.isCancelled
                ? .consumer(ImportError.cancelled) : .unreadable(path: error.path, what: error.message)
        }
    }

    /// Writes all bytes to a file, and returns their number.
    ///
    /// - Parameter progress: called with the number of bytes after each piece.
    mutating func copy(
        to file: any DiskFile, _ progress: (UInt64) throws(ExportError) -> Void
    ) throws(ExportError) -> UInt64 {
        var buffer = [UInt8](repeating: 0, count: Self.piece)
        var size: UInt64 = 0
        while true {
            let count = try read(into: &buffer, offset: 0, count: buffer.count)
            do {
                try file.write(buffer, 0..<count, at: size)
            } catch {
                throw .unreadable(path: FileReader.standardInput, what: "its temporary copy failed: \(error)")
            }
            size += UInt64(count)
            try progress(size)
            if count < buffer.count { return size }
        }
    }
}
