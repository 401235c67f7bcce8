// SPDX-License-Identifier: Apache-2.0

/// Notices that blocks of a file are read one after the other, and asks the system for the next ones in time.
///
/// The system's own reading ahead is switched off for segments: a question about one minute would pull in megabytes.
struct ReadAhead {
    /// Where the last block ended, and how many in a row began where the one before ended.
    private var end: UInt64 = 0
    private var streak = 0
    /// What was asked for ends here.
    private var asked: UInt64 = 0

    private static let window: UInt64 = 4 << 20

    /// Takes note of a block that is about to be read.
    mutating func note(_ file: SegmentFile, _ offset: UInt64, _ length: UInt32) {
        streak = offset == end ? streak + 1 : 0
        if streak == 0 { asked = 0 }
        end = offset &+ UInt64(length)
        // Two in a row may be the two ends of a short range.
        guard streak >= 2, end &+ Self.window / 4 > asked else { return }
        let from = max(asked, end)
        asked = end &+ Self.window
        if from < asked { file.willNeed(from..<asked) }
    }
}
