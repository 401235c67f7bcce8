// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat

/// The identity of a sample, unique in its store: the sixteen bytes of a UUID. It never changes.
public struct SampleIdentity: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes, as a big-endian number.
    public let high: Int64
    /// The last eight bytes, as a big-endian number.
    public let low: Int64

    /// Creates an identity from its halves.
    @inlinable
    public init(high: Int64, low: Int64) {
        self.high = high
        self.low = low
    }

    /// Compares the first halves, then the second halves, as signed numbers.
    public static func < (a: SampleIdentity, b: SampleIdentity) -> Bool { (a.high, a.low) < (b.high, b.low) }

    /// The UUID as text.
    public var description: String { UUIDBytes(high: high, low: low).text }

    /// Creates an identity from sixteen bytes.
    package init(_ bytes: [UInt8]) {
        let uuid = UUIDBytes(bytes)
        self.init(high: Int64(bitPattern: uuid.high), low: Int64(bitPattern: uuid.low))
    }

    /// The identity as sixteen bytes.
    package var bytes: [UInt8] { UUIDBytes(high: high, low: low).bytes }

    init(_ block: BlockBuffer, _ row: Int) {
        high = block.identityHigh.at(row)
        low = block.identityLow.at(row)
    }
}
