// SPDX-License-Identifier: Apache-2.0

/// Detects sequential reads of a file's blocks, and asks the system to read the next ones ahead.
///
/// The system's own read-ahead is switched off for segments, since a query of one minute would read megabytes.
struct ReadAhead {
    /// The end of the last block, and the number of blocks in a row that began at the end of the previous block.
    private var end: UInt64 = 0
    private var streak = 0
    /// The end of the requested piece.
    private var asked: UInt64 = 0

    /// Records a block that is about to be read.
    mutating func note(_ file: SegmentFile, _ offset: UInt64, _ length: UInt32) {
        streak = offset == end ? streak + 1 : 0
        if streak == 0 { asked = 0 }
        end = offset &+ UInt64(length)
        // Two blocks in a row may be the two ends of a short range.
        guard streak >= 2, AskedPiece.isShort(asked, at: end) else { return }
        asked = file.readAhead(from: end)
    }
}

/// The piece of a file that the system was last asked to read ahead, shared by all queries of the file.
///
/// A request costs time for each of its pages, even if all are in memory already. Without this record, many small
/// queries would request the same megabytes again.
struct AskedPiece {
    private var range: Range<UInt64> = 0..<0
    /// The time of the request on the monotonic clock, in nanoseconds.
    private var time = Int64.min

    private static let window: UInt64 = 4 << 20
    /// After this time, in nanoseconds, the system may have dropped the pages.
    private static let lifetime: Int64 = 1_000_000_000

    /// Returns true if less than a quarter of the window remains before the requested end `asked`.
    static func isShort(_ asked: UInt64, at offset: UInt64) -> Bool { offset &+ window / 4 > asked }

    /// Moves the piece forward so that it reaches far enough beyond an offset. Returns the bytes to request; nil if all
    /// were requested already.
    mutating func advance(to offset: UInt64, now: Int64) -> Range<UInt64>? {
        var from = offset
        if range.contains(offset), now &- Self.lifetime < time {
            if !Self.isShort(range.upperBound, at: offset) { return nil }
            from = range.upperBound
        }
        range = offset..<max(offset, offset &+ Self.window)
        time = now
        return from < range.upperBound ? from..<range.upperBound : nil
    }

    /// The end of the requested piece.
    var end: UInt64 { range.upperBound }
}
