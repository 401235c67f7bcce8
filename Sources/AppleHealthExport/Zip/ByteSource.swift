// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A source of the bytes of an XML document.
protocol ByteSource {
    /// The total number of bytes, as far as known.
    var total: UInt64 { get }

    /// The reason for missing or invalid bytes; read after the end.
    var damage: String? { get }

    /// The raw deflate stream of all bytes, if the source kept it; read after the end.
    var deflated: [UInt8]? { get }

    /// Writes `count` bytes to `buffer[offset...]`; fewer only at the end. Returns the number of bytes.
    ///
    /// - Requires: the buffer has that length.
    mutating func read(into buffer: inout [UInt8], offset: Int, count: Int) throws(ExportError) -> Int
}

extension ByteSource {
    var deflated: [UInt8]? { nil }
}

/// A whole file, or a range of one.
struct FileSource: ByteSource {
    private let file: any DiskFile
    private var position: UInt64
    private let end: UInt64
    let total: UInt64
    var damage: String? { nil }

    /// - Parameter total: the total for progress; nil for the length of the range.
    init(_ file: any DiskFile, _ range: Range<UInt64>, total: UInt64? = nil) {
        self.file = file
        position = range.lowerBound
        end = range.upperBound
        self.total = total ?? range.upperBound - range.lowerBound
    }

    mutating func read(into buffer: inout [UInt8], offset: Int, count: Int) throws(ExportError) -> Int {
        let wanted = Int(min(UInt64(count), end - position))
        guard wanted > 0 else { return 0 }
        let got = try file.bytes(at: position, count: wanted, into: &buffer, offset: offset)
        position += UInt64(got)
        return got
    }
}

/// Bytes in memory.
struct MemorySource: ByteSource {
    private let bytes: [UInt8]
    private var position = 0
    var total: UInt64 { UInt64(bytes.count) }
    var damage: String? { nil }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read(into buffer: inout [UInt8], offset: Int, count: Int) -> Int {
        let got = min(count, bytes.count - position)
        buffer.replaceSubrange(offset..<offset + got, with: bytes[position..<position + got])
        position += got
        return got
    }
}

extension DiskFile {
    /// Reads bytes, and converts the error to `ExportError`.
    func bytes(at position: UInt64, count: Int, into buffer: inout [UInt8], offset: Int) throws(ExportError) -> Int {
        do {
            return try read(at: position, count: count, into: &buffer, offset: offset)
        } catch {
            throw .unreadable(path: error.path, what: error.message)
        }
    }
}
