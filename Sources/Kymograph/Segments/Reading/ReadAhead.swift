// SPDX-License-Identifier: Apache-2.0

/// Detects that blocks of a file are read one after the other, and asks the system for the next ones in time.
///
/// The system's own reading ahead is switched off for segments: a question about one minute would pull in megabytes.
struct ReadAhead {
    /// Where the last block ended, and how many in a row began where the one before ended.
    private var end: UInt64 = 0
    private var streak = 0
    /// What was asked for ends here.
    private var asked: UInt64 = 0

    /// Takes note of a block that is about to be read.
    mutating func note(_ file: SegmentFile, _ offset: UInt64, _ length: UInt32) {
        streak = offset == end ? streak + 1 : 0
        if streak == 0 { asked = 0 }
        end = offset &+ UInt64(length)
        // Two in a row may be the two ends of a short range.
        guard streak >= 2, AskedPiece.isShort(asked, at: end) else { return }
        asked = file.readAhead(from: end)
    }
}

/// The piece of a file that the system was last asked to read ahead.
///
/// All queries of a file share it. A request costs the system time for each of its pages, also where all of them are
/// in memory already: without this piece many small calls would ask for the same megabytes again and again.
struct AskedPiece {
    private var range: Range<UInt64> = 0..<0
    /// When the system was asked, by the monotonic clock, in nanoseconds.
    private var time = Int64.min

    private static let window: UInt64 = 4 << 20
    /// After this time the system may have dropped the pages again.
    private static let lifetime: Int64 = 1_000_000_000

    /// Whether less than a quarter of the window is left of what was asked for, which ends at `asked`.
    static func isShort(_ asked: UInt64, at offset: UInt64) -> Bool { offset &+ window / 4 > asked }

    /// Moves the piece on so that it reaches far enough beyond an offset, and returns the bytes to ask for; nil if all
    /// of them were asked for.
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

    /// What was asked for ends here.
    var end: UInt64 { range.upperBound }
}
