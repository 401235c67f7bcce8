// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem

extension SegmentHeader {
    /// Returns the header of a file; nil if the file is missing, not a regular file, too short or damaged.
    static func ofFile(_ path: String, _ disk: any Disk) throws(DiskError) -> SegmentHeader? {
        var bytes = [UInt8]()
        let count: Int
        do throws(DiskError) {
            let file = try disk.open(path, writable: false)
            defer { try? file.close() }
            count = try file.read(at: 0, count: encryptedSize, into: &bytes, offset: 0)
        } catch {
            if error.isMissing || error.isWrongKind { return nil }
            throw error
        }
        return try? decode(Array(bytes.prefix(count)), latest: SegmentFormat.encryptedVersion)
    }

    /// Returns the header of a file; nil if the header is missing, damaged or unreadable.
    static func read(_ path: String, _ disk: any Disk) -> SegmentHeader? {
        (try? ofFile(path, disk)) ?? nil
    }

    /// Returns true if a segment file of a store was started after a commit that the catalog does not know, so the
    /// catalog is an older copy. The header of a segment has the last commit before its start.
    static func isLater(_ path: String, than seq: Int64, of store: [UInt8], _ disk: any Disk) -> Bool {
        read(path, disk)?.isLater(than: seq, of: store) ?? false
    }

    func isLater(than seq: Int64, of store: [UInt8]) -> Bool {
        self.store == store && commit > UInt64(max(0, seq))
    }
}
