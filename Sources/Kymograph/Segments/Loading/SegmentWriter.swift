// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import CivilTime
import FileSystem
import Synchronization

/// Writes one segment file, run by run: cuts pieces, encodes them on one or several threads, and puts them in order.
///
/// It needs memory for the pieces under way, two for each thread: usually some 400 kB each, some MB at worst. The file
/// does not exist for anyone before a commit names it; `abandon` removes it. One caller at a time.
final class SegmentWriter: Sendable {
    /// Samples for which it is worth to wake a thread.
    private static let worthAThread = 32_768

    let uuid: [UInt8]
    let path: String
    let store: [UInt8]
    private let disk: any Disk
    private let threads: Int
    let planner: Mutex<PiecePlanner>
    let line = Mutex(Line())
    let sink: Mutex<SegmentSink>
    private let end: Mutex<SegmentEnd>

    /// What stands in line for the file, and what is there to be used again.
    struct Line {
        /// The number of the piece that comes next.
        var next = 0
        /// Encoded pieces, and failures, that wait for those before them.
        var waiting: [Int: Result<BlockBatch, StoreError>] = [:]
        /// Whether a thread is writing.
        var isWriting = false
        var encoders: [PieceEncoder] = []
        var memory: [[UInt8]] = []
        /// The encoder of the open run's last piece, if more blocks may belong to it.
        var open: PieceEncoder?
        /// Why nothing can be written any more.
        var failure: StoreError?
    }

    init(
        layout: StoreLayout, store: [UInt8], uuid: [UInt8], zone: CivilZone, disk: any Disk, commit: Int64,
        threads: Int, mostRuns: Int = SegmentFormat.maximumRuns
    ) throws(StoreError) {
        end = Mutex(SegmentEnd(mostRuns: mostRuns))
        self.uuid = uuid
        self.store = store
        self.disk = disk
        self.threads = threads
        let place = layout.segment(uuid)
        path = place
        planner = Mutex(PiecePlanner(zone: zone))
        do throws(StoreError) {
            let file = try onDisk { () throws(DiskError) in try disk.create(place) }
            sink = Mutex(try SegmentSink(uuid: uuid, store: store, commit: commit, path: place, file: file))
        } catch {
            // A call that failed may have made the file nevertheless; its name is ours alone.
            try? disk.remove(place)
            throw error
        }
    }

    /// The bytes so far.
    var bytes: UInt64 { sink.withLock { $0.bytes } }

    /// What can come behind the parts that are there.
    var last: SegmentEnd { end.withLock { $0 } }

    /// Appends parts, each of which the end of those before can take. The spans are the columns of a borrowed part.
    func append(
        _ parts: [RunPart], _ starts: Span<Int64> = Span(), _ ends: Span<Int64> = Span(),
        _ values: Span<Double> = Span()
    ) throws(StoreError) {
        if parts.isEmpty { return }
        planner.withLock { $0.begin(parts, ending: false) }
        end.withLock { end in
            for part in parts { end.take(part) }
        }
        let samples = parts.reduce(0) { $0 + $1.count }
        try encode(starts, ends, values, threads: min(threads, max(1, samples / Self.worthAThread)))
    }

    /// Ends the segment and syncs the file (not its directory). The row is for the commit.
    func finish() throws(StoreError) -> SegmentRow {
        planner.withLock { $0.begin([], ending: true) }
        try encode(Span(), Span(), Span(), threads: 1)
        return try sink.withLock { sink throws(StoreError) in try sink.finish() }
    }

    /// Removes the file.
    func abandon() {
        sink.withLock { $0.close() }
        try? disk.remove(path)
    }
}
