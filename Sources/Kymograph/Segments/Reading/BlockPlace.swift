// SPDX-License-Identifier: Apache-2.0

/// The identity of a block in a snapshot. It does not change while the snapshot lives.
package struct BlockPlace: Hashable, Sendable {
    /// The number of the segment's file in this process, or the negated commit of a tail row.
    let file: Int64
    let offset: UInt64
}
