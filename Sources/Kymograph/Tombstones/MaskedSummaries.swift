// SPDX-License-Identifier: Apache-2.0

import Kernels
import Synchronization

/// The summaries of what is left of blocks and runs that deletions cut: of all masks of the process together, so that
/// they are bounded however many series, deletions and stores there are.
final class MaskedSummaries: Sendable {
    /// At most some ten megabytes.
    static let shared = MaskedSummaries(limit: 32_768)

    private struct State {
        var summaries: [ObjectIdentifier: [BlockPlace: Summary]] = [:]
        var count = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Summaries that are kept.
    var count: Int { state.withLock { $0.count } }

    func summary(of place: BlockPlace, below mask: ObjectIdentifier) -> Summary? {
        state.withLock { $0.summaries[mask]?[place] }
    }

    /// Keeps a summary until its mask is forgotten or there are too many.
    func note(_ summary: Summary, of place: BlockPlace, below mask: ObjectIdentifier) {
        state.withLock { state in
            if state.count >= limit { state = State() }
            if state.summaries[mask, default: [:]].updateValue(summary, forKey: place) == nil { state.count += 1 }
        }
    }

    /// Drops what is kept of a mask that ends.
    func forget(_ mask: ObjectIdentifier) {
        state.withLock { state in state.count -= state.summaries.removeValue(forKey: mask)?.count ?? 0 }
    }
}
