// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

// `Docs/Quantiles.md` describes the bytes.
extension QuantileSketch {
    private static let magic: [UInt8] = [0x4B, 0x51, 0x53, 0x31]
    private static let headerBytes = 36
    private static let entryBytes = 16

    /// The sketch as bytes, to be kept or sent: equal sketches have equal bytes.
    public var bytes: [UInt8] {
        let sorted = keys.sorted
        var writer = ByteWriter(capacity: Self.headerBytes + Self.entryBytes * sorted.count + 4)
        writer.put(bytes: Self.magic)
        writer.put(UInt32(capacity))
        writer.put(UInt32(keys.shift))
        writer.put(UInt32(sorted.count))
        writer.put(Int64(count))
        writer.put(double: min ?? 0)
        writer.put(double: max ?? 0)
        for entry in sorted {
            writer.put(entry.key)
            writer.put(entry.count)
        }
        writer.put(Kernel.crc32c(writer.bytes, 0..<writer.count))
        return writer.bytes
    }

    /// The sketch that gave these bytes.
    /// - Throws: `corrupt`, with what is wrong, where no sketch gives them.
    public init(bytes: [UInt8]) throws(StoreError) {
        do throws(ByteError) {
            try self.init(reading: bytes)
        } catch {
            throw StoreError(
                .corrupt, "these bytes are no sketch of quantiles: \(error.what)", offset: UInt64(error.offset))
        }
    }

    private init(reading bytes: [UInt8]) throws(ByteError) {
        func require(_ condition: Bool, _ offset: Int, _ what: String) throws(ByteError) {
            if !condition { throw ByteError(offset: offset, what: what) }
        }
        var reader = ByteReader(bytes)
        try require(bytes.starts(with: Self.magic), 0, "they do not begin with KQS1")
        _ = try reader.u32()
        let capacity = Int(try reader.u32())
        let shift = Int(try reader.u32())
        let entries = Int(try reader.u32())
        let count = try reader.i64()
        let (least, greatest) = (Double(bitPattern: try reader.u64()), Double(bitPattern: try reader.u64()))
        try require((Self.defaultCapacity...Self.greatestCapacity).contains(capacity), 4, "no such capacity")
        try require(shift <= KeyCounts.greatestShift, 8, "no such shift")
        try require(entries <= capacity, 12, "more keys than the capacity")
        try require(
            reader.remaining == Self.entryBytes * entries + 4, 12, "\(bytes.count) bytes for \(entries) keys")
        let end = bytes.count - 4
        try require((entries == 0) == (count == 0) && count >= 0, 16, "the count is not that of the keys")
        self.init(capacity: capacity)
        if entries == 0 {
            try require(least.bitPattern == 0 && greatest.bitPattern == 0 && shift == 0, 8, "an empty sketch has none")
        }
        var total: UInt64 = 0
        var before: Int64?
        for _ in 0..<entries {
            let at = reader.offset
            let (key, times) = (try reader.i64(), try reader.u64())
            try require(before.map { $0 < key } ?? true, at, "keys do not ascend")
            try require(times > 0 && times <= UInt64(count) &- total, at + 8, "the count is not that of the keys")
            if before == nil {
                let isFirst = !least.isNaN && KeyCounts.key(of: least, shift: shift) == key
                try require(isFirst, 24, "the least value has another key")
            }
            total += times
            before = key
            keys.add(key: key, ofShift: shift, count: times)
        }
        if let before {
            let isLast = !greatest.isNaN && KeyCounts.key(of: greatest, shift: shift) == before
            try require(isLast && least <= greatest, 32, "the greatest value has another key")
            note(least, greatest, Int(count))
        }
        try require(total == UInt64(count), 16, "the count is not that of the keys")
        try require(try reader.u32() == Kernel.crc32c(bytes, 0..<end), end, "the checksum does not match")
    }
}
