// SPDX-License-Identifier: Apache-2.0

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

    var columns: SampleColumns {
        var columns: SampleColumns = []
        if contains(.identity) { columns.formUnion(.identity) }
        if contains(.born) { columns.formUnion(.born) }
        return columns
    }
}
