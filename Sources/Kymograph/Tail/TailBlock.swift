// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// Samples of one series in the tail: one encoded block of one row.
final class TailBlock: Sendable {
    let seq: Int64
    /// The index of the block in its row.
    let ordinal: UInt64
    let series: Int64
    let store: [UInt8]
    /// The encoded block, followed by spare bytes for the decoder.
    let bytes: [UInt8]
    let length: Int
    let summary: Summary

    init(
        seq: Int64, ordinal: UInt64, series: Int64, store: [UInt8], bytes: [UInt8], length: Int, summary: Summary
    ) {
        self.seq = seq
        self.ordinal = ordinal
        self.series = series
        self.store = store
        self.bytes = bytes
        self.length = length
        self.summary = summary
    }

    /// The segment id of blocks in the tail: all zeros.
    static let noSegment = [UInt8](repeating: 0, count: 16)

    var identity: BlockIdentity {
        BlockIdentity(store: store, segment: Self.noSegment, series: UInt64(series), position: UInt64(seq))
    }

    func explained(_ error: FormatError) -> StoreError {
        StoreError(error, path: "tail row \(seq)").concerning(series, TimeRange(of: summary))
    }
}
