// SPDX-License-Identifier: Apache-2.0

/// Frames of SQLite's log.
package enum LogFrames {
    private static let header = 32
    private static let frame = 4_120

    /// Returns a log without the zeros after its last frame. A frame has the number of its page, from 1.
    package static func trimmed(_ log: [UInt8]) -> [UInt8] {
        var end = min(header, log.count)
        while end + frame <= log.count, log[end..<end + 4].contains(where: { $0 != 0 }) { end += frame }
        return Array(log.prefix(end))
    }
}
