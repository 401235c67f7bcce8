// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Kernels
import Synchronization

/// Encodes samples as drafts. Not for concurrent use.
struct TailEncoder {
    private var encoder = BlockEncoder()
    private let block = BlockBuffer()

    /// Encodes sorted rows of some series.
    mutating func draft(_ rows: [(series: Int64, rows: SampleRows)]) throws(FormatError) -> TailDraft {
        var parts = [TailDraft.Part]()
        for (series, rows) in rows {
            var at = 0
            while at < rows.count {
                let end = min(rows.count, at + SegmentFormat.usualSamples)
                block.reset()
                rows.fill(block, at..<end)
                var bytes = ByteWriter(capacity: 256)
                let summary = try encoder.draft(block, series: UInt64(series), into: &bytes).summary
                parts.append(
                    TailDraft.Part(series: series, bytes: bytes, summary: summary, isBornNow: block.born.isAbsent))
                at = end
            }
        }
        return TailDraft(parts: parts)
    }
}

/// A pool of encoders for threads that append at the same time. A single thread gets the same encoder every time.
final class TailEncoders: Sendable {
    private final class Desk: Sendable {
        let encoder = Mutex(TailEncoder())
    }

    /// Free encoders; the last used one is at the end.
    private let free = Mutex([Desk]())
    /// Maximum free encoders; each takes about 60 KB.
    private static let mostFree = 16

    func draft(_ rows: [(series: Int64, rows: SampleRows)]) throws(FormatError) -> TailDraft {
        let desk = free.withLock { $0.popLast() } ?? Desk()
        defer { free.withLock { if $0.count < Self.mostFree { $0.append(desk) } } }
        return try desk.encoder.withLock { encoder throws(FormatError) in try encoder.draft(rows) }
    }
}

/// Samples that are encoded for the tail, except for the checksums of their blocks, which include the commit. A draft
/// is made without the writer.
struct TailDraft: Sendable {
    /// A block of at most 1,536 samples.
    struct Part: Sendable {
        let series: Int64
        /// The block without its trailer.
        let bytes: ByteWriter
        let summary: Summary
        /// True if the samples become visible with the row's commit; otherwise a column has the commit of each sample.
        let isBornNow: Bool
    }

    let parts: [Part]

    var samples: Int64 { parts.reduce(0) { $0 + $1.summary.count } }
    var bytes: Int { parts.reduce(0) { $0 + $1.bytes.count } }
}
