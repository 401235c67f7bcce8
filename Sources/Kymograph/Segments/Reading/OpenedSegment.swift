// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem

/// The mapped file of a segment, with its header and the key of its units.
final class OpenedSegment: Sendable {
    let file: any MappedFile
    let header: SegmentHeader
    /// The key of the units; nil for a plain segment.
    let key: SegmentKey?
    private let path: String

    /// Reads the header of a file and finds its key.
    ///
    /// - Throws: `corrupt`, `newerFormat`, `forged` (a plain segment in an encrypted store), `needsKey`.
    init(_ file: any MappedFile, path: String, keys: StoreKeys?) throws(StoreError) {
        var bytes = [UInt8]()
        let head = min(file.count, SegmentHeader.encryptedSize)
        try onDisk { () throws(DiskError) in try file.copy(0..<head, into: &bytes, at: 0) }
        let start = Array(bytes[0..<head])
        let header = try inFormat(path) { () throws(FormatError) in
            try SegmentHeader.decode(start, latest: SegmentFormat.encryptedVersion)
        }
        self.file = file
        self.header = header
        self.path = path
        key = try inFormat(path) { () throws(FormatError) in try keys.key(of: header) }
    }

    /// Reads the footer.
    func footer() throws(StoreError) -> SegmentFooter {
        var bytes = [UInt8]()
        let length = header.footerLength
        let tail = max(0, file.count - length)
        try onDisk { () throws(DiskError) in try file.copy(tail..<file.count, into: &bytes, at: 0) }
        return try inFormat(path) { () throws(FormatError) in
            try SegmentFooter.decode(
                Array(bytes.prefix(length)), fileLength: UInt64(file.count), header: header, key: key)
        }
    }
}
