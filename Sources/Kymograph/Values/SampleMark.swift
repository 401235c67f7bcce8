// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

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
