// SPDX-License-Identifier: Apache-2.0

import Kernels

/// Samples of one series in order: a run of a segment, or a batch in the tail.
enum Run: Sendable {
    case segment(RunIndex)
    case tail(TailBlock)

    var summary: Summary {
        switch self {
        case .segment(let run): run.summary
        case .tail(let block): block.summary
        }
    }

    // Read single fields, since a query checks every run and a copy of the whole summary would be slow.
    var firstStart: Int64 {
        switch self {
        case .segment(let run): run.summary.firstStart
        case .tail(let block): block.summary.firstStart
        }
    }
    var lastStart: Int64 {
        switch self {
        case .segment(let run): run.summary.lastStart
        case .tail(let block): block.summary.lastStart
        }
    }
    var maxEnd: Int64 {
        switch self {
        case .segment(let run): run.summary.maxEnd
        case .tail(let block): block.summary.maxEnd
        }
    }
}
