// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

/// A moment in the life of a store, from which on changes are asked for. See `Docs/Guide/Engine.md`.
public struct ChangeAnchor: Hashable, Sendable, CustomStringConvertible {
    /// Where a page ended inside a stretch of commits.
    struct Place: Hashable, Sendable {
        /// The last commit of the stretch.
        var through: Int64
        /// All samples of lower series, and those of this one that start at this time or earlier, were given.
        var series: Int64
        var start: Int64
    }

    let store: [UInt8]
    /// The epoch of the store that gave it; 0 is the first.
    package let epoch: Int64
    /// The last commit of which everything was given.
    let commit: Int64
    let place: Place?

    init(store: [UInt8], epoch: Int64, commit: Int64, place: Place? = nil) {
        self.store = store
        self.epoch = epoch
        self.commit = commit
        self.place = place
    }

    /// The commit whose changes, and those of all before it, have been given; of later ones some may have been.
    public var sequence: Int64 { commit }

    /// Whether it lies in the middle of a stretch of commits, whose deletions were told.
    package var isInside: Bool { place != nil }

    /// Where a page that ended here would have ended before the samples of a series that start at some time: the page
    /// after it gives them again.
    ///
    /// - Parameter begun: the anchor with which that page began.
    package func rewound(from begun: ChangeAnchor?, before start: Int64, of series: SeriesID) -> ChangeAnchor {
        let place = Place(through: place?.through ?? commit, series: series.rawValue, start: start &- 1)
        return ChangeAnchor(store: store, epoch: epoch, commit: begun?.commit ?? 0, place: place)
    }

    private static let version: UInt8 = 2
    /// Without an epoch, which was the first one.
    private static let firstVersion: UInt8 = 1

    /// The anchor as lower-case hexadecimal digits, to be kept anywhere: a version (1 byte), the store's id (16), the
    /// epoch (8), the commit, and where a page ended, as varints, and a CRC-32C (4).
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

    /// The text.
    public var description: String { text }

    /// An anchor from its text; nil if it is none, or was altered.
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
