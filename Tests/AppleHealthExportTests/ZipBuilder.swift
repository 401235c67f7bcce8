// SPDX-License-Identifier: Apache-2.0

import CZlib

/// Builds zip archives, valid and invalid ones.
struct ZipBuilder {
    struct Entry {
        var name: [UInt8]
        var data: [UInt8]
        var deflated = true
        /// False values for the central directory; nil writes the true value.
        var crc: UInt32?
        var size: UInt64?
        var packed: UInt64?
        var offset: UInt64?
        var method: UInt16?
        var flags: UInt16 = 0
        var attributes: UInt32 = 0
        var madeByUnix = false
        /// Different values for the local header.
        var localName: [UInt8]?
        var localMethod: UInt16?
        /// Writes the sizes after the data instead of in the local header.
        var descriptor = false
        /// Writes all numbers in the zip64 field.
        var zip64 = false
        /// Replaces the compressed data.
        var packedBytes: [UInt8]?

        init(_ name: String, _ data: [UInt8]) {
            self.name = Array(name.utf8)
            self.data = data
        }

        init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

        func with(_ change: (inout Entry) -> Void) -> Entry {
            var copy = self
            change(&copy)
            return copy
        }
    }

    var prefix: [UInt8] = []
    var comment: [UInt8] = []
    var zip64End = false
    /// False values for the end record.
    var count: UInt16?
    var directoryOffset: UInt32?

    static func deflate(_ data: [UInt8]) -> [UInt8] {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        defer { unsafe stream.deallocate() }
        guard unsafe cz_deflate_raw_init(stream, 9) == Z_OK else { return [] }
        var input = data
        var output = [UInt8](repeating: 0, count: data.count + data.count / 100 + 100)
        let made = unsafe input.withUnsafeMutableBufferPointer { from in
            unsafe output.withUnsafeMutableBufferPointer { to in
                unsafe stream.pointee.next_in = from.baseAddress
                unsafe stream.pointee.avail_in = UInt32(from.count)
                unsafe stream.pointee.next_out = to.baseAddress
                unsafe stream.pointee.avail_out = UInt32(to.count)
                unsafe CZlib.deflate(stream, Z_FINISH)
                return unsafe to.count - Int(stream.pointee.avail_out)
            }
        }
        unsafe deflateEnd(stream)
        return Array(output[..<made])
    }

    static func crc32(_ data: [UInt8]) -> UInt32 {
        var table = [UInt32](repeating: 0, count: 256)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
            table[index] = value
        }
        return ~data.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }

    private static func le<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
    }

    func build(_ entries: [Entry]) -> [UInt8] {
        var out = prefix
        var directory: [UInt8] = []
        for entry in entries {
            let packed = entry.packedBytes ?? (entry.deflated ? Self.deflate(entry.data) : entry.data)
            let crc = entry.crc ?? Self.crc32(entry.data)
            let size = entry.size ?? UInt64(entry.data.count)
            let packedSize = entry.packed ?? UInt64(packed.count)
            let offset = entry.offset ?? UInt64(out.count - prefix.count)
            let method: UInt16 = entry.deflated ? 8 : 0
            let flags = entry.flags | (entry.descriptor ? 8 : 0)
            let late = entry.descriptor || entry.zip64
            out +=
                [0x50, 0x4B, 3, 4] + Self.le(UInt16(20)) + Self.le(flags) + Self.le(entry.localMethod ?? method)
                + Self.le(UInt32(0))
            out += Self.le(late ? 0 : crc) + Self.le(UInt32(truncatingIfNeeded: late ? 0 : packedSize))
            out += Self.le(UInt32(truncatingIfNeeded: late ? 0 : size))
            let localName = entry.localName ?? entry.name
            out += Self.le(UInt16(localName.count)) + Self.le(UInt16(4)) + localName + [0x99, 0x99, 0, 0] + packed
            if entry.descriptor {
                out +=
                    [0x50, 0x4B, 7, 8] + Self.le(crc) + Self.le(UInt32(truncatingIfNeeded: packedSize))
                    + Self.le(UInt32(truncatingIfNeeded: size))
            }
            let extra =
                entry.zip64 ? [1, 0] + Self.le(UInt16(24)) + Self.le(size) + Self.le(packedSize) + Self.le(offset) : []
            directory += [0x50, 0x4B, 1, 2, 20, entry.madeByUnix ? 3 : 0] + Self.le(UInt16(20)) + Self.le(flags)
            directory += Self.le(entry.method ?? method) + Self.le(UInt32(0)) + Self.le(crc)
            directory += Self.le(entry.zip64 ? .max : UInt32(truncatingIfNeeded: packedSize))
            directory += Self.le(entry.zip64 ? .max : UInt32(truncatingIfNeeded: size))
            directory +=
                Self.le(UInt16(entry.name.count)) + Self.le(UInt16(extra.count)) + Self.le(UInt16(0))
                + Self.le(UInt32(0))
            directory +=
                Self.le(entry.attributes) + Self.le(entry.zip64 ? .max : UInt32(truncatingIfNeeded: offset))
                + entry.name + extra
        }
        let start = out.count - prefix.count
        out += directory
        if zip64End {
            let record = UInt64(out.count - prefix.count)
            out +=
                [0x50, 0x4B, 6, 6] + Self.le(UInt64(44)) + Self.le(UInt16(45)) + Self.le(UInt16(45))
                + Self.le(UInt32(0)) + Self.le(UInt32(0))
            out +=
                Self.le(UInt64(entries.count)) + Self.le(UInt64(entries.count)) + Self.le(UInt64(directory.count))
                + Self.le(UInt64(start))
            out += [0x50, 0x4B, 6, 7] + Self.le(UInt32(0)) + Self.le(record) + Self.le(UInt32(1))
        }
        let number = zip64End ? .max : count ?? UInt16(truncatingIfNeeded: entries.count)
        out += [0x50, 0x4B, 5, 6] + Self.le(UInt16(0)) + Self.le(UInt16(0)) + Self.le(number) + Self.le(number)
        out +=
            Self.le(zip64End ? .max : UInt32(directory.count))
            + Self.le(zip64End ? .max : directoryOffset ?? UInt32(start))
        return out + Self.le(UInt16(comment.count)) + comment
    }
}
