// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem
import Synchronization

extension StoreContext {
    /// Creates a new, empty segment, whose blocks are encoded on at most `threads` threads.
    ///
    /// - Parameter commit: a commit before the segment's samples, for its header: the last one, unless the samples are
    ///   known to be older.
    func newSegment(
        threads: Int, after commit: Int64? = nil, mostRuns: Int = SegmentFormat.maximumRuns
    ) throws(StoreError) -> SegmentWriter {
        let uuid = try onDisk { () throws(DiskError) in try SystemRandom.bytes(16) }
        let target = SegmentWriter.Target(layout: layout, disk: disk, store: storeID, uuid: uuid, zone: zone)
        return try SegmentWriter(
            target, after: commit ?? published.withLock { $0.seq }, threads: threads, mostRuns: mostRuns)
    }
}
