// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// Corrects the checksums of a whole segment, as its writer would, so that other faults are reached.
enum SegmentSealing {
    /// Returns the sealed file of an input: a byte of flags and a file. Bit 0 seals units, bit 1 the header, bit 2 the
    /// footer and its copies.
    static func sealed(_ input: [UInt8]) -> [UInt8] {
        guard let flags = input.first else { return [] }
        var bytes = Array(input.dropFirst())
        seal(&bytes, flags)
        return bytes
    }

    static func seal(_ bytes: inout [UInt8], _ flags: UInt8) {
        guard bytes.count >= SegmentHeader.size + SegmentFooter.size else { return }
        if flags & 2 == 2 { Checksums.put(UInt64(Kernel.crc32c(bytes, 0..<60)), 4, into: &bytes, at: 60) }
        if flags & 1 == 1 { units(&bytes) }
        if flags & 4 == 4 { footer(&bytes) }
    }

    private static func identity(_ bytes: [UInt8], _ series: UInt64, _ at: Int) -> BlockIdentity {
        BlockIdentity(
            store: Array(bytes[16..<32]), segment: Array(bytes[32..<48]), series: series, position: UInt64(at))
    }

    /// Seals the units, walking by their lengths.
    private static func units(_ bytes: inout [UInt8]) {
        let end = bytes.count - SegmentFooter.size
        var at = SegmentHeader.size
        while at + 20 <= end {
            let length = Int(Checksums.number(bytes, at + 4, 4))
            guard let kind = UnitKind(rawValue: bytes[at]), kind != .footer, length >= 20, length <= end - at else {
                at += 1
                continue
            }
            let series = kind == .directory ? 0 : Checksums.number(bytes, at + 8, 8)
            Checksums.set(&bytes, at..<at + length, identity(bytes, series, at))
            at += length
        }
    }

    private static func footer(_ bytes: inout [UInt8]) {
        let at = bytes.count - SegmentFooter.size
        Checksums.put(UInt64(bytes.count), 8, into: &bytes, at: at + 64)
        Checksums.put(Checksums.number(bytes, 60, 4), 4, into: &bytes, at: at + 72)
        Checksums.put(Checksums.number(bytes, at - 4, 4), 4, into: &bytes, at: at + 76)
        Checksums.set(&bytes, at..<bytes.count, identity(bytes, 0, at))
    }
}
