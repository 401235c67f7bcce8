// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// The identity of a sample, unique in its store: the sixteen bytes of a UUID. It never changes.
public struct SampleIdentity: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes, as a big-endian number.
    public let high: Int64
    /// The last eight bytes, as a big-endian number.
    public let low: Int64

    /// Creates an identity from its halves.
    public init(high: Int64, low: Int64) {
        self.high = high
        self.low = low
    }

    /// Compares the first halves, then the second halves, as signed numbers.
    public static func < (a: SampleIdentity, b: SampleIdentity) -> Bool { (a.high, a.low) < (b.high, b.low) }

    /// The UUID as text.
    public var description: String {
        StoreLayout.name(
            [high, low].flatMap { half in
                (0..<8).map { UInt8(truncatingIfNeeded: half >> Int64(56 - 8 * $0)) }
            })
    }

    init(_ block: BlockBuffer, _ row: Int) {
        high = block.identityHigh.at(row)
        low = block.identityLow.at(row)
    }
}

/// A sample's series, start and identity. They distinguish samples that share the identity of a saved object.
struct SampleMark: Hashable {
    let series: Int64
    let start: Int64
    let identity: SampleIdentity

    init(series: Int64, start: Int64, identity: SampleIdentity) {
        self.series = series
        self.start = start
        self.identity = identity
    }

    init(_ series: Int64, _ block: BlockBuffer, _ row: Int) {
        self.init(series: series, start: block.starts[row], identity: SampleIdentity(block, row))
    }

    /// Returns true if all samples of a block have identities and are in `known`.
    static func areAll(_ series: Int64, of block: BlockBuffer, in known: Set<SampleMark>) -> Bool {
        if case .absent = block.identityHigh { return false }
        return !known.isEmpty && (0..<block.count).allSatisfy { known.contains(SampleMark(series, block, $0)) }
    }
}

/// Optional columns of a scan, in addition to starts, ends and values.
public struct SampleSides: OptionSet, Sendable, Hashable {
    /// The raw bits.
    public let rawValue: UInt8
    /// Creates a set from its raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The identity of each sample.
    public static let identity = SampleSides(rawValue: 1)
    /// The commit that added each sample.
    public static let born = SampleSides(rawValue: 2)

    var columns: ColumnSet {
        var columns: ColumnSet = []
        if contains(.identity) { columns.formUnion(.identity) }
        if contains(.born) { columns.formUnion(.born) }
        return columns
    }
}
