// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
import Kernels

extension IndexPage {
    /// Verifies and decodes the page `bytes[at..<at + length]`. Takes some microseconds.
    ///
    /// A page without 64 spare bytes after it is copied first.
    /// - Parameters:
    ///   - position: the page's offset in the file.
    ///   - level: the level that the page must have; for the root, the run's number of levels minus 1.
    package static func decode(
        _ bytes: [UInt8], at: Int = 0, length: Int, identity: IndexIdentity, position: UInt64, level: UInt8
    ) throws(IndexError) -> IndexPage {
        guard at >= 0, length >= IndexFormat.minimumPageBytes, length <= IndexFormat.maximumPageBytes,
            at <= bytes.count, length <= bytes.count - at
        else { throw IndexError(.truncated, at: position, "a page of \(length) bytes is incomplete") }
        try verify(bytes, at, at + length - IndexFormat.trailerBytes, identity, position)
        return try decodeVerified(bytes, at, length, identity, position, level)
    }

    /// Decodes a page whose bytes were verified and decrypted before; otherwise like `decode`.
    package static func decode(
        opened bytes: [UInt8], at: Int = 0, length: Int, identity: IndexIdentity, position: UInt64, level: UInt8
    ) throws(IndexError) -> IndexPage {
        guard at >= 0, length >= IndexFormat.minimumPageBytes, length <= IndexFormat.maximumPageBytes,
            at <= bytes.count, length <= bytes.count - at
        else { throw IndexError(.truncated, at: position, "a page of \(length) bytes is incomplete") }
        return try decodeVerified(bytes, at, length, identity, position, level)
    }

    private static func decodeVerified(
        _ bytes: [UInt8], _ at: Int, _ length: Int, _ identity: IndexIdentity, _ position: UInt64, _ level: UInt8
    ) throws(IndexError) -> IndexPage {
        guard bytes.count - at - length >= IndexFormat.spareBytes else {
            let spare = [UInt8](repeating: 0, count: IndexFormat.spareBytes)
            let copy = Array(bytes[at..<at + length]) + spare
            return try decodePadded(copy, 0, length, identity, position, level)
        }
        return try decodePadded(bytes, at, length, identity, position, level)
    }

    private static func decodePadded(
        _ bytes: [UInt8], _ at: Int, _ length: Int, _ identity: IndexIdentity, _ position: UInt64, _ level: UInt8
    ) throws(IndexError) -> IndexPage {
        func malformed(_ what: String) -> IndexError { IndexError(.malformed, at: position, what) }
        let end = at + length - IndexFormat.trailerBytes
        guard let header = PageHeader(bytes, at: at), header.kind == IndexFormat.kind, header.length == length,
            header.series == identity.series
        else { throw malformed("not a page of series \(identity.series) with \(length) bytes") }
        guard header.level == level else { throw malformed("level \(header.level) instead of \(level)") }
        guard header.count >= 1, header.count <= IndexFormat.fanOut else { throw malformed("\(header.count) entries") }
        let columns: Columns
        do throws(ByteError) {
            columns = try Columns(bytes, at, end, header.count)
        } catch {
            throw IndexError(.malformed, at: position &+ UInt64(max(0, error.offset - at)), error.what)
        }
        guard columns.next == end else { throw malformed("bytes after the last column") }
        let page = IndexPage(level: level, entries: try columns.entries(from: header.firstOffset, position))
        if let why = page.fault(below: position) { throw malformed(why) }
        return page
    }

    private static func verify(
        _ bytes: [UInt8], _ at: Int, _ end: Int, _ identity: IndexIdentity, _ position: UInt64
    ) throws(IndexError) {
        guard let computed = identity.checksum(bytes, at..<end, position: position) else {
            throw IndexError(.misuse, at: position, "the id of a store or segment does not have 16 bytes")
        }
        var stored: UInt32 = 0
        for index in 0..<4 { stored |= UInt32(bytes[end + index]) << UInt32(index * 8) }
        guard stored == computed else {
            let numbers = "stored \(String(stored, radix: 16)), computed \(String(computed, radix: 16))"
            throw IndexError(.checksum, at: position, numbers)
        }
    }
}

/// The columns of a page, decoded but not validated.
private struct Columns {
    var gaps = [Int64](repeating: 0, count: IndexFormat.fanOut + 64)
    var lengths = [Int64](repeating: 0, count: IndexFormat.fanOut + 64)
    let summaries: [Summary]
    /// The end of the last column.
    let next: Int

    init(_ bytes: [UInt8], _ at: Int, _ end: Int, _ count: Int) throws(ByteError) {
        var codec = ColumnDecoder()
        var next = at + IndexFormat.headerBytes
        next = try codec.integers(bytes, at: next, end: end, count: count, into: &gaps)
        next = try codec.integers(bytes, at: next, end: end, count: count, into: &lengths)
        let decoded = try SummaryCodec.decode(columns: bytes, at: next, end: end, count: count)
        summaries = decoded.summaries
        self.next = decoded.next
    }

    func entries(from firstOffset: UInt64, _ position: UInt64) throws(IndexError) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        entries.reserveCapacity(summaries.count)
        var offset = firstOffset
        for (index, summary) in summaries.enumerated() {
            guard gaps[index] >= 0, let length = UInt32(exactly: lengths[index]) else {
                throw IndexError(
                    .malformed, at: position, "entry \(index) overlaps the previous entry, or has no length")
            }
            offset = offset &+ UInt64(gaps[index])
            entries.append(IndexEntry(offset: offset, length: length, summary: summary))
            offset = offset &+ UInt64(length)
        }
        return entries
    }
}

/// The fixed part of a page as stored; only its size is checked.
package struct PageHeader: Sendable {
    package let kind: UInt8
    package let level: UInt8
    package let count: Int
    package let length: Int
    package let series: UInt64
    package let firstOffset: UInt64

    /// Returns nil if fewer bytes are left than a header has.
    package init?(_ bytes: [UInt8], at: Int) {
        var reader = ByteReader(bytes, at: at)
        guard at >= 0, at <= bytes.count, reader.remaining >= IndexFormat.headerBytes else { return nil }
        do throws(ByteError) {
            kind = try reader.u8()
            level = try reader.u8()
            count = Int(try reader.u16())
            length = Int(try reader.u32())
            series = try reader.u64()
            firstOffset = try reader.u64()
        } catch { return nil }
    }
}
