// SPDX-License-Identifier: Apache-2.0

public import Kernels

/// A block (on level 0) or a page of the level below, with the summary of its samples.
@usableFromInline
package struct IndexEntry: Sendable, Equatable {
    /// Offset in the file.
    @usableFromInline package var offset: UInt64
    /// Size in bytes.
    @usableFromInline package var length: UInt32
    /// Summary of all samples below this entry.
    @usableFromInline package var summary: Summary

    @inlinable
    package init(offset: UInt64, length: UInt32, summary: Summary) {
        self.offset = offset
        self.length = length
        self.summary = summary
    }
}

/// One page of a run's index: up to 64 entries in time order.
@usableFromInline
package struct IndexPage: Sendable, Equatable {
    /// 0 if the entries are blocks, else the level of the child pages plus 1.
    @usableFromInline package var level: UInt8
    /// 1 to 64 entries in time order.
    @usableFromInline package var entries: [IndexEntry]

    @inlinable
    package init(level: UInt8, entries: [IndexEntry]) {
        self.level = level
        self.entries = entries
    }

    /// The combined summary of all entries in order. O(entries).
    package var summary: Summary {
        var fold = Summary()
        for entry in entries { fold.append(entry.summary) }
        return fold
    }
}

/// The owner of index pages. A page's checksum covers it, together with the page's offset.
package struct IndexIdentity: Sendable {
    /// The store's id, 16 bytes.
    package var store: [UInt8]
    /// The segment's id, 16 bytes.
    package var segment: [UInt8]
    /// The series whose run is indexed.
    package var series: UInt64

    package init(store: [UInt8], segment: [UInt8], series: UInt64) {
        self.store = store
        self.segment = segment
        self.series = series
    }

    /// Returns the checksum over identity, position and the bytes of a page before its trailer; nil if an id does not
    /// have 16 bytes.
    package func checksum(_ bytes: [UInt8], _ range: Range<Int>, position: UInt64) -> UInt32? {
        guard store.count == IndexFormat.idBytes, segment.count == IndexFormat.idBytes else { return nil }
        var rest = [UInt8](repeating: 0, count: 16)
        for index in 0..<8 {
            let shift = UInt64(index) * 8
            rest[index] = UInt8(truncatingIfNeeded: series >> shift)
            rest[index + 8] = UInt8(truncatingIfNeeded: position >> shift)
        }
        var sum = Kernel.crc32c(store, 0..<IndexFormat.idBytes)
        sum = Kernel.crc32c(segment, 0..<IndexFormat.idBytes, seed: sum)
        sum = Kernel.crc32c(rest, 0..<16, seed: sum)
        return Kernel.crc32c(bytes, range, seed: sum)
    }
}
