// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem

extension SegmentHeader {
    /// The header of a file; nil if that cannot be read, or is none.
    static func read(_ path: String, _ disk: any Disk) -> SegmentHeader? {
        guard let file = try? disk.open(path, writable: false) else { return nil }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: size)
        guard (try? file.read(at: 0, count: size, into: &bytes, offset: 0)) == size else { return nil }
        return try? decode(bytes)
    }

    /// Whether a file of a store was begun after a commit that its catalog does not know: then the catalog is an older
    /// one, since a segment says behind which commit it was begun.
    static func isLater(_ path: String, than seq: Int64, of store: [UInt8], _ disk: any Disk) -> Bool {
        guard let header = read(path, disk), header.store == store else { return false }
        return header.commit > UInt64(max(0, seq))
    }
}
