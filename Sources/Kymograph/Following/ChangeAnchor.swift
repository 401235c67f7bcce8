// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

/// A position in the change feed of a store. See `Docs/Guide/Engine.md`.
public struct ChangeAnchor: Hashable, Sendable, CustomStringConvertible {
    /// The position inside a range of commits at which a page ended.
    struct Place: Hashable, Sendable {
        /// The last commit of the range.
        var through: Int64
        /// The page ended after all samples of lower series, and the samples of this series up to this start.
        var series: Int64
        var start: Int64
    }

    let store: [UInt8]
    /// The epoch of the store that made the anchor; 0 is the first.
    package let epoch: Int64
    /// The last commit whose changes were all returned.
    let commit: Int64
    let place: Place?

    init(store: [UInt8], epoch: Int64, commit: Int64, place: Place? = nil) {
        self.store = store
        self.epoch = epoch
        self.commit = commit
        self.place = place
    }

    /// The commit up to which all changes were returned. Some later changes may have been returned, too.
    public var sequence: Int64 { commit }

    /// True if the anchor is inside a range of commits, whose deletions were returned.
    package var isInside: Bool { place != nil }

    /// Returns the anchor of a page that ends before the samples of `series` that start at `start`. The next page
    /// returns these samples again.
    ///
    /// - Parameter begun: the anchor with which the page began.
    package func rewound(from begun: ChangeAnchor?, before start: Int64, of series: SeriesID) -> ChangeAnchor {
        let place = Place(through: place?.through ?? commit, series: series.rawValue, start: start &- 1)
        return ChangeAnchor(store: store, epoch: epoch, commit: begun?.commit ?? 0, place: place)
    }

    private static let version: UInt8 = 2
    /// The version without an epoch, which is 0.
    private static let firstVersion: UInt8 = 1

    /// The anchor as lower-case hexadecimal text, for storage: a version (1 byte), the store's id (16), the epoch (8),
    /// the commit and the end of the page as varints, and a CRC-32C (4).
    public var text: String {
        var writer = ByteWriter(capacity: 64)
        writer.put(Self.version)
        writer.put(bytes: store)
        writer.put(epoch)
        writer.put(varint: UInt64(commit))
        if let place {
            writer.put(varint: UInt64(place.through))
            writer.put(varint: UInt64(place.series))
            writer.put(zigzag: place.start)
        }
        writer.put(Kernel.crc32c(writer.bytes, 0..<writer.bytes.count))
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: writer.bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The same as `text`.
    public var description: String { text }

    /// Parses the text of an anchor; returns nil if the text is invalid or altered.
    public init?(text: String) {
        guard let bytes = Self.bytes(text), bytes.count > 21 else { return nil }
        let end = bytes.count - 4
        let body = Array(bytes[..<end])
        var reader = ByteReader(bytes)
        do throws(ByteError) {
            let version = try reader.u8()
            guard version == Self.version || version == Self.firstVersion else { return nil }
            store = Array(try reader.bytes(16))
            epoch = version == Self.firstVersion ? 0 : try reader.i64()
            commit = try Self.number(&reader)
            if reader.offset < end {
                place = Place(
                    through: try Self.number(&reader), series: try Self.number(&reader), start: try reader.zigzag())
            } else {
                place = nil
            }
            guard reader.offset == end, try reader.u32() == Kernel.crc32c(body, 0..<end) else { return nil }
        } catch {
            return nil
        }
        if let place, place.through <= commit { return nil }
    }

    private static func number(_ reader: inout ByteReader) throws(ByteError) -> Int64 {
        Int64(clamping: try reader.varint())
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0, digits.count <= 160 else { return nil }
        var bytes = [UInt8]()
        for i in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[i]), let low = value(digits[i + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
