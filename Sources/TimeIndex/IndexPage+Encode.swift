// SPDX-License-Identifier: Apache-2.0

package import Bytes
import ColumnCodec
import Kernels

/// Encodes pages. The columns of each page first try the plans of the previous page.
package struct IndexPageEncoder {
    private var gaps = IntegerColumnEncoder()
    private var lengths = IntegerColumnEncoder()
    private var summaries = SummaryColumnsEncoder()
    private var scratch: [Int64] = []

    package init() {}

    /// Appends a page without its trailer; the encoded length already includes the trailer.
    ///
    /// - Throws: `misuse` for entries that no page can hold; then nothing is written.
    package mutating func encodeBody(
        _ page: IndexPage, series: UInt64, into writer: inout ByteWriter
    ) throws(IndexError) {
        if let why = page.fault(below: nil) { throw IndexError(.misuse, at: page.entries.first?.offset ?? 0, why) }
        let start = writer.count
        writer.put(IndexFormat.kind)
        writer.put(page.level)
        writer.put(UInt16(truncatingIfNeeded: page.entries.count))
        writer.put(UInt32(0))
        writer.put(series)
        writer.put(page.entries[0].offset)
        var expected = page.entries[0].offset
        scratch.removeAll(keepingCapacity: true)
        for entry in page.entries {
            scratch.append(Int64(bitPattern: entry.offset &- expected))
            expected = entry.offset &+ UInt64(entry.length)
        }
        _ = gaps.encode(scratch, 0..<scratch.count, into: &writer)
        scratch.removeAll(keepingCapacity: true)
        for entry in page.entries { scratch.append(Int64(entry.length)) }
        _ = lengths.encode(scratch, 0..<scratch.count, into: &writer)
        summaries.encode(page.entries.map(\.summary), into: &writer)
        let length = writer.count - start + IndexFormat.trailerBytes
        guard length <= IndexFormat.maximumPageBytes else {
            writer.bytes.removeSubrange(start...)
            throw IndexError(.misuse, at: page.entries[0].offset, "a page of \(length) bytes")
        }
        writer.patch(UInt32(length), at: start + 4)
    }

    /// Appends the trailer of the page that starts at `start` of the writer.
    ///
    /// - Parameter position: the page's offset in the file.
    package static func close(
        _ writer: inout ByteWriter, from start: Int, identity: IndexIdentity, position: UInt64
    ) throws(IndexError) {
        guard let sum = identity.checksum(writer.bytes, start..<writer.count, position: position) else {
            throw IndexError(.misuse, at: position, "the id of a store or segment does not have 16 bytes")
        }
        writer.put(sum)
    }
}

extension IndexPage {
    /// Appends a complete page for offset `position` of the file.
    package func encode(identity: IndexIdentity, position: UInt64, into writer: inout ByteWriter) throws(IndexError) {
        var encoder = IndexPageEncoder()
        let start = writer.count
        try encoder.encodeBody(self, series: identity.series, into: &writer)
        try IndexPageEncoder.close(&writer, from: start, identity: identity, position: position)
    }

    /// Returns the rule that the entries violate; nil if they are valid. `position` is the page's own offset, if known.
    func fault(below position: UInt64?) -> String? {
        guard !entries.isEmpty, entries.count <= IndexFormat.fanOut else { return "\(entries.count) entries" }
        guard level < IndexFormat.maximumLevels else { return "level \(level)" }
        let longest = level == 0 ? IndexFormat.maximumBlockBytes : UInt32(IndexFormat.maximumPageBytes)
        var reached: UInt64 = 0
        var lastStart = Int64.min
        for entry in entries {
            guard entry.length >= 1, entry.length <= longest else { return "an entry of \(entry.length) bytes" }
            let (end, overflow) = entry.offset.addingReportingOverflow(UInt64(entry.length))
            guard !overflow, entry.offset >= reached else { return "an entry at \(entry.offset), out of order" }
            let s = entry.summary
            if let fault = s.fault { return fault }
            guard s.firstStart >= lastStart else { return "a summary of times out of order, at \(s.firstStart)" }
            reached = end
            lastStart = s.lastStart
        }
        if let position, reached > position { return "an entry that is not before its page" }
        return nil
    }
}
