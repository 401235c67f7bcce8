// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A window on the bytes of a file, or on an array.
struct ByteWindow {
    private let reader: FileReader?
    private var bytes: [UInt8]
    /// The index of the next byte.
    private var at = 0
    /// The index after the last byte in the window.
    private var end: Int
    /// The offset of the window in the file.
    private var base: UInt64 = 0

    private static let step = 1 << 16

    init(_ path: String) throws(WorkoutFileError) {
        do {
            reader = try FileReader(path)
        } catch {
            throw WorkoutFileError(.unreadable, at: 0, "\(error)")
        }
        bytes = []
        end = 0
    }

    init(bytes: [UInt8]) {
        reader = nil
        self.bytes = bytes
        end = bytes.count
    }

    /// The offset of the next byte in the file.
    var offset: UInt64 { base + UInt64(at) }

    /// Returns whether a number of further bytes exists, and reads them into the window.
    mutating func has(_ count: Int) throws(WorkoutFileError) -> Bool {
        if count <= end - at { return true }
        guard let reader else { return false }
        if at > 0 {
            bytes.removeSubrange(0..<at)
            base += UInt64(at)
            end -= at
            at = 0
        }
        do {
            end += try reader.read(into: &bytes, offset: end, count: max(Self.step, count - end))
        } catch {
            throw WorkoutFileError(.unreadable, at: offset, "\(error)")
        }
        return count <= end
    }

    /// Returns the byte at a distance from the next byte.
    ///
    /// - Requires: `has` returned true for this byte.
    subscript(_ distance: Int) -> UInt8 { bytes[at + distance] }

    /// Moves past a number of bytes.
    ///
    /// - Requires: `has` returned true for these bytes.
    mutating func skip(_ count: Int) { at += count }

    /// Returns the next byte, and moves past it; nil at the end of the file.
    mutating func next() throws(WorkoutFileError) -> UInt8? {
        guard at < end ? true : try has(1) else { return nil }
        at += 1
        return bytes[at - 1]
    }

    /// Returns the next byte without moving; nil at the end of the file.
    mutating func peek() throws(WorkoutFileError) -> UInt8? {
        guard try has(1) else { return nil }
        return bytes[at]
    }
}
