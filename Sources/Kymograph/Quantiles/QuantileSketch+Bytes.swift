// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

// `Docs/Internals/Accuracy.md` describes the bytes.
extension QuantileSketch {
    private static let magic: [UInt8] = [0x4B, 0x51, 0x53, 0x31]
    private static let headerBytes = 36
    private static let entryBytes = 16

    /// The sketch as bytes, for storage or transfer. Equal sketches have equal bytes.
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

    /// Creates a sketch from the bytes of another sketch.
    /// - Throws: `corrupt` with the offset and the reason if the bytes are no valid sketch.
    public init(bytes: [UInt8]) throws(StoreError) {
        do throws(ByteError) {
            try self.init(reading: bytes)
        } catch {
            throw StoreError(
                .corrupt, "the bytes are not a quantile sketch: \(error.what)", offset: UInt64(error.offset))
        }
    }

    private init(reading bytes: [UInt8]) throws(ByteError) {
        func require(_ condition: Bool, _ offset: Int, _ what: String) throws(ByteError) {
            if !condition { throw ByteError(offset: offset, what: what) }
        }
        var reader = ByteReader(bytes)
        try require(bytes.starts(with: Self.magic), 0, "the bytes do not start with KQS1")
        _ = try reader.u32()
        let capacity = Int(try reader.u32())
        let shift = Int(try reader.u32())
        let entries = Int(try reader.u32())
        let count = try reader.i64()
        let (least, greatest) = (Double(bitPattern: try reader.u64()), Double(bitPattern: try reader.u64()))
        try require((Self.defaultCapacity...Self.greatestCapacity).contains(capacity), 4, "capacity out of range")
        try require(shift <= KeyCounts.greatestShift, 8, "shift out of range")
        try require(entries <= capacity, 12, "more keys than the capacity")
        try require(
            reader.remaining == Self.entryBytes * entries + 4, 12, "\(bytes.count) bytes for \(entries) keys")
        let end = bytes.count - 4
        try require((entries == 0) == (count == 0) && count >= 0, 16, "the count contradicts the keys")
        self.init(capacity: capacity)
        if entries == 0 {
            try require(least.bitPattern == 0 && greatest.bitPattern == 0 && shift == 0, 8, "must be 0 without keys")
        }
        var total: UInt64 = 0
        var before: Int64?
        for _ in 0..<entries {
            let at = reader.offset
            let (key, times) = (try reader.i64(), try reader.u64())
            try require(before.map { $0 < key } ?? true, at, "the keys do not ascend")
            try require(times > 0 && times <= UInt64(count) &- total, at + 8, "the count contradicts the keys")
            if before == nil {
                let isFirst = !least.isNaN && KeyCounts.key(of: least, shift: shift) == key
                try require(isFirst, 24, "the first key does not match the least value")
            }
            total += times
            before = key
            keys.add(key: key, ofShift: shift, count: times)
        }
        if let before {
            let isLast = !greatest.isNaN && KeyCounts.key(of: greatest, shift: shift) == before
            try require(isLast && least <= greatest, 32, "the last key does not match the greatest value")
            note(least, greatest, Int(count))
        }
        try require(total == UInt64(count), 16, "the count contradicts the keys")
        try require(try reader.u32() == Kernel.crc32c(bytes, 0..<end), end, "the checksum does not match")
    }
}
