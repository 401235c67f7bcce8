// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem

extension SegmentHeader {
    /// The header of a file; nil if it is not there, no plain file, too short, or damaged.
    static func ofFile(_ path: String, _ disk: any Disk) throws(DiskError) -> SegmentHeader? {
        var bytes = [UInt8](repeating: 0, count: size)
        do throws(DiskError) {
            let file = try disk.open(path, writable: false)
            defer { try? file.close() }
            guard try file.read(at: 0, count: size, into: &bytes, offset: 0) == size else { return nil }
        } catch {
            if error.isMissing || error.isWrongKind { return nil }
            throw error
        }
        return try? decode(bytes)
    }

    /// The header of a file; nil also if that cannot be read.
    static func read(_ path: String, _ disk: any Disk) -> SegmentHeader? {
        (try? ofFile(path, disk)) ?? nil
    }

    /// Whether a file of a store was begun after a commit that its catalog does not know: then the catalog is an older
    /// one, since a segment says behind which commit it was begun.
    static func isLater(_ path: String, than seq: Int64, of store: [UInt8], _ disk: any Disk) -> Bool {
        read(path, disk)?.isLater(than: seq, of: store) ?? false
    }

    func isLater(than seq: Int64, of store: [UInt8]) -> Bool {
        self.store == store && commit > UInt64(max(0, seq))
    }
}
