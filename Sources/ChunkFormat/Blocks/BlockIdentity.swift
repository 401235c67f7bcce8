// SPDX-License-Identifier: Apache-2.0

package import Bytes
import Kernels

/// The identity of a unit: its file and position. The checksum includes it, so misplaced bytes do not verify.
package struct BlockIdentity: Sendable {
    /// The store's id, 16 bytes.
    package var store: [UInt8]
    /// The segment's id, 16 bytes; zeros in the catalog's tail.
    package var segment: [UInt8]
    /// The series; 0 for a directory and a footer.
    package var series: UInt64
    /// The unit's offset in the file; in the tail, the sequence number of the row's commit.
    package var position: UInt64

    package init(store: [UInt8], segment: [UInt8], series: UInt64, position: UInt64) {
        self.store = store
        self.segment = segment
        self.series = series
        self.position = position
    }

    /// Whether the block is in a row of the catalog's tail and not in a file.
    var isInTail: Bool { segment.allSatisfy { $0 == 0 } }
}

/// The checksum over identity and stored bytes that ends every unit.
///
/// It caches the checksum of the two ids, which do not change between blocks, and reuses a buffer for the rest.
package struct UnitChecksum {
    private var store: [UInt8] = []
    private var segment: [UInt8] = []
    private var idsChecksum: UInt32 = 0
    private var rest = [UInt8](repeating: 0, count: 16)

    package init() {}

    /// Returns the checksum of a unit with the bytes `bytes[range]` before its trailer; nil if an id does not have 16
    /// bytes.
    mutating func checksum(_ bytes: [UInt8], _ range: Range<Int>, of identity: BlockIdentity) -> UInt32? {
        guard remember(identity) else { return nil }
        for index in 0..<8 {
            let shift = UInt64(index) * 8
            rest[index] = UInt8(truncatingIfNeeded: identity.series >> shift)
            rest[index + 8] = UInt8(truncatingIfNeeded: identity.position >> shift)
        }
        let seed = Kernel.crc32c(rest, 0..<16, seed: idsChecksum)
        return Kernel.crc32c(bytes, range, seed: seed)
    }

    private mutating func remember(_ identity: BlockIdentity) -> Bool {
        if identity.store == store, identity.segment == segment { return true }
        guard identity.store.count == SegmentFormat.idBytes, identity.segment.count == SegmentFormat.idBytes else {
            return false
        }
        store = identity.store
        segment = identity.segment
        idsChecksum = Kernel.crc32c(segment, 0..<16, seed: Kernel.crc32c(store, 0..<16))
        return true
    }

    /// Appends the trailer of the unit that starts at `start` of the writer.
    package mutating func close(
        _ writer: inout ByteWriter, from start: Int, of identity: BlockIdentity
    ) throws(FormatError) {
        guard let sum = checksum(writer.bytes, start..<writer.count, of: identity) else { throw Self.wrongIds }
        writer.put(sum)
    }

    /// Verifies the trailer of the unit `bytes[at..<at + length]`.
    ///
    /// - Requires: the unit lies inside `bytes`.
    mutating func verify(
        _ bytes: [UInt8], at: Int, length: Int, of identity: BlockIdentity, _ unit: StaticString
    ) throws(FormatError) {
        let end = at + length - SegmentFormat.trailerBytes
        guard let sum = checksum(bytes, at..<end, of: identity) else { throw Self.wrongIds }
        let stored = load32(bytes, end)
        guard sum == stored else {
            throw FormatError(.checksum, at: UInt64(at), "\(unit): stored \(hex(stored)), computed \(hex(sum))")
        }
    }

    static let wrongIds = FormatError(.misuse, at: 0, "the id of a store or segment does not have 16 bytes")
}

/// Formats a number as eight hexadecimal digits.
func hex(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
}
