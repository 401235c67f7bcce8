// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Kernels
import Synchronization

/// Samples that are encoded for the tail but for the checksums of their blocks, which name the commit: all of the work
/// that does not have to wait for the writer.
struct TailDraft: Sendable {
    /// A block of at most 1,536 samples.
    struct Part: Sendable {
        let series: Int64
        /// The block without its trailer.
        let bytes: ByteWriter
        let summary: Summary
        /// Whether the commit is what makes its samples visible; otherwise a column says which did.
        let isBornNow: Bool
    }

    let parts: [Part]

    var samples: Int64 { parts.reduce(0) { $0 + $1.summary.count } }
    var bytes: Int { parts.reduce(0) { $0 + $1.bytes.count } }
}
