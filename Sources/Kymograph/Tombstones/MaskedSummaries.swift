// SPDX-License-Identifier: Apache-2.0

import Kernels
import Synchronization

/// A cache of the summaries of blocks and runs with deletions. All masks of the process share it, so its size is
/// limited for any number of series, deletions and stores.
final class MaskedSummaries: Sendable {
    /// The cache of the process, of about ten megabytes at most.
    static let shared = MaskedSummaries(limit: 32_768)

    private struct State {
        var summaries: [ObjectIdentifier: [BlockPlace: Summary]] = [:]
        var count = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The number of cached summaries.
    var count: Int { state.withLock { $0.count } }

    func summary(of place: BlockPlace, below mask: ObjectIdentifier) -> Summary? {
        state.withLock { $0.summaries[mask]?[place] }
    }

    /// Caches a summary until its mask is released or the cache is full.
    func note(_ summary: Summary, of place: BlockPlace, below mask: ObjectIdentifier) {
        state.withLock { state in
            if state.count >= limit { state = State() }
            if state.summaries[mask, default: [:]].updateValue(summary, forKey: place) == nil { state.count += 1 }
        }
    }

    /// Drops the summaries of a mask that is released.
    func forget(_ mask: ObjectIdentifier) {
        state.withLock { state in state.count -= state.summaries.removeValue(forKey: mask)?.count ?? 0 }
    }
}
