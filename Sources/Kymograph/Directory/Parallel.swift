// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Functions that divide work among threads.
enum Parallel {
    /// Calls `body` once for each of `pieces` pieces, on at most `threads` threads, and returns when all are done.
    ///
    /// Pieces start in order. After a failure no further piece starts, and the call throws the error of the first piece
    /// that failed: the same error with any number of threads.
    static func forEach(
        _ pieces: Int, threads: Int, _ body: @Sendable (Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        if threads <= 1 || pieces <= 1 {
            for piece in 0..<max(0, pieces) { try body(piece) }
            return
        }
        let next = Atomic(0)
        let failure = Mutex<(piece: Int, error: StoreError)?>(nil)
        DispatchQueue.concurrentPerform(iterations: min(threads, pieces)) { _ in
            while true {
                let piece = next.add(1, ordering: .relaxed).oldValue
                if piece >= pieces { return }
                // Pieces below a failed one still run: one of them may have the first error.
                do throws(StoreError) {
                    try body(piece)
                } catch {
                    failure.withLock { if $0.map({ piece < $0.piece }) ?? true { $0 = (piece, error) } }
                    next.store(pieces, ordering: .relaxed)
                    return
                }
            }
        }
        if let first = failure.withLock({ $0 }) { throw first.error }
    }

    /// Returns the result of `body` for each of `pieces` pieces, in order; see `forEach`. Each piece has an explanation
    /// of its own, whose counts are added to `explanation`.
    static func map<R: Sendable>(
        _ pieces: Int, threads: Int, explain explanation: QueryExplanation?,
        _ body: @Sendable (_ piece: Int, _ explanation: QueryExplanation?) throws(StoreError) -> R
    ) throws(StoreError) -> [R] {
        let explains = explanation != nil
        let done = Mutex([Int: (result: R, counts: [Int])]())
        try forEach(pieces, threads: threads) { piece throws(StoreError) in
            let own = explains ? QueryExplanation() : nil
            let result = try body(piece, own)
            done.withLock { $0[piece] = (result, own?.counts ?? []) }
        }
        return done.withLock { done in
            done.sorted { $0.key < $1.key }.map { _, piece in
                explanation?.add(piece.counts)
                return piece.result
            }
        }
    }
}

/// A limit on concurrent operations: an operation takes a permit, and returns it when it is done.
final class Permits: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ count: Int) { give(back: count) }

    /// Waits for a permit.
    func take() { semaphore.wait() }

    /// Returns permits; at the end of all work, one for each waiting thread.
    func give(back count: Int = 1) {
        for _ in 0..<count { semaphore.signal() }
    }
}
