// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Kernels
import Synchronization

/// Samples that are encoded for the tail, except for the checksums of their blocks, which include the commit. A draft
/// is made without the writer.
struct TailDraft: Sendable {
    /// A block of at most 1,536 samples.
    struct Part: Sendable {
        let series: Int64
        /// The block without its trailer.
        let bytes: ByteWriter
        let summary: Summary
        /// True if the samples become visible with the row's commit; otherwise a column has the commit of each sample.
        let isBornNow: Bool
    }

    let parts: [Part]

    var samples: Int64 { parts.reduce(0) { $0 + $1.summary.count } }
    var bytes: Int { parts.reduce(0) { $0 + $1.bytes.count } }
}
