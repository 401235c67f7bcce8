// SPDX-License-Identifier: Apache-2.0

internal import CGuard

/// Identifies this process among the processes that are forked from it.
///
/// A forked child has a copy of every handle of its parent, but not its threads, and must not use its locks. A handle
/// that keeps the mark of the process that made it compares it with `current`, which costs a load from memory.
package struct ProcessMark: Hashable, Sendable {
    private let number: UInt64

    /// The mark of the calling process.
    @inline(__always)
    package static var current: ProcessMark { ProcessMark(number: cg_process_mark()) }
}
