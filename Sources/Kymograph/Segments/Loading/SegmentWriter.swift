// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import CivilTime
import FileSystem
import Synchronization

/// Writes one segment file, run by run: cuts pieces, encodes them on one or several threads, and writes them in order.
///
/// The writer needs memory for two pieces per thread: usually about 400 kB each, some MB at worst. The file is
/// invisible before a commit names it; `abandon` removes it. One caller at a time.
final class SegmentWriter: Sendable {
    /// Samples from which another thread is worth its start.
    private static let worthAThread = 32_768

    let uuid: [UInt8]
    let path: String
    let store: [UInt8]
    /// Whether the file is encrypted: threads then make drafts of blocks, and the thread that writes encrypts them.
    let isEncrypted: Bool
    private let disk: any Disk
    private let threads: Int
    let planner: Mutex<PiecePlanner>
    let line = Mutex(Line())
    let sink: Mutex<SegmentSink>
    private let end: Mutex<SegmentEnd>

    /// The queue of encoded pieces for the file, and memory to be used again.
    struct Line {
        /// The number of the next piece.
        var next = 0
        /// Encoded pieces, and failures, that wait for earlier pieces.
        var waiting: [Int: Result<BlockBatch, StoreError>] = [:]
        /// True while a thread writes.
        var isWriting = false
        var encoders: [PieceEncoder] = []
        var memory: [[UInt8]] = []
        /// The encoder of the open run's last piece, if more blocks of that piece may follow.
        var open: PieceEncoder?
        /// The failure that ended all writing.
        var failure: StoreError?
    }

    /// The file of a new segment.
    struct Target {
        let layout: StoreLayout
        let access: FileAccess
        let store: [UInt8]
        let uuid: [UInt8]
        /// The zone at whose days blocks are cut.
        let zone: CivilZone

        /// Returns the builder of the file, with a new key for an encrypted one.
        func builder(after commit: Int64) throws(StoreError) -> SegmentBuilder {
            let number = UInt64(max(0, commit))
            guard let keys = access.keys else { return SegmentBuilder(store: store, segment: uuid, commit: number) }
            return try inFormat(layout.segment(uuid)) { () throws(FormatError) in
                try SegmentBuilder(store: store, segment: uuid, commit: number, keys: keys.ring)
            }
        }
    }

    /// - Parameter commit: a commit before the segment's samples, for its header.
    init(
        _ target: Target, after commit: Int64, threads: Int, mostRuns: Int = SegmentFormat.maximumRuns
    ) throws(StoreError) {
        end = Mutex(SegmentEnd(mostRuns: mostRuns))
        uuid = target.uuid
        store = target.store
        let disk = target.access.disk
        self.disk = disk
        isEncrypted = target.access.keys != nil
        self.threads = threads
        let place = target.layout.segment(uuid)
        path = place
        planner = Mutex(PiecePlanner(zone: target.zone))
        do throws(StoreError) {
            let builder = try target.builder(after: commit)
            let file = try onDisk { () throws(DiskError) in try disk.create(place) }
            sink = Mutex(try SegmentSink(uuid: uuid, store: store, builder, path: place, file: file))
        } catch {
            // A failed call may have created the file nevertheless; no other writer has its name.
            try? disk.remove(place)
            throw error
        }
    }

    /// The bytes so far.
    var bytes: UInt64 { sink.withLock { $0.bytes } }

    /// The end of the segment, which decides which part can follow.
    var last: SegmentEnd { end.withLock { $0 } }

    /// Appends parts. The spans are the columns of a borrowed part.
    ///
    /// - Requires: each part can follow the parts before it.
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

    /// Finishes the segment and syncs the file (not its directory). Returns the row for the commit.
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

extension StoreContext {
    /// Creates a new, empty segment, whose blocks are encoded on at most `threads` threads.
    ///
    /// - Parameter commit: a commit before the segment's samples, for its header: the last one, unless the samples are
    ///   known to be older.
    func newSegment(
        threads: Int, after commit: Int64? = nil, mostRuns: Int = SegmentFormat.maximumRuns
    ) throws(StoreError) -> SegmentWriter {
        let uuid = try onDisk { () throws(DiskError) in try SystemRandom.bytes(16) }
        let target = SegmentWriter.Target(layout: layout, access: access, store: storeID, uuid: uuid, zone: zone)
        return try SegmentWriter(
            target, after: commit ?? published.withLock { $0.seq }, threads: threads, mostRuns: mostRuns)
    }
}
