// SPDX-License-Identifier: Apache-2.0

internal import CGuard

/// The identity of this process, which forked children do not share.
///
/// A forked child has a copy of every handle of its parent, but not its threads, and must not use its locks. A handle
/// stores the mark of its process and compares it with `current`, which costs one load from memory.
package struct ProcessMark: Hashable, Sendable {
    private let number: UInt64

    /// The mark of the calling process.
    @inline(__always)
    package static var current: ProcessMark { ProcessMark(number: cg_process_mark()) }
}
