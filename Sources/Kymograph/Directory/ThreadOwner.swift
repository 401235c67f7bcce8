// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Synchronization

/// The thread that holds a lock while a caller's closure may run, so that a call of this closure that would wait for
/// the lock is refused: the lock would never come free.
package final class ThreadOwner: Sendable {
    private let owner = Atomic<UInt>(0)

    package init() {}

    /// Whether the calling thread is the owner. Only a thread itself makes itself the owner, so no order is needed.
    package var isMine: Bool { owner.load(ordering: .relaxed) == Environment.threadIdentifier }

    /// Runs what holds the lock.
    ///
    /// - Requires: the lock.
    package func own<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        enter()
        defer { leave() }
        return try body()
    }

    /// The calling thread has the lock from now on.
    func enter() { owner.store(Environment.threadIdentifier, ordering: .relaxed) }

    /// It gives the lock back.
    func leave() { owner.store(0, ordering: .relaxed) }

    /// Refuses a call of the owner.
    ///
    /// - Throws: `invalidArgument`.
    package func refuse(_ what: String) throws(StoreError) {
        if isMine { throw StoreError(.invalidArgument, what) }
    }
}

extension StoreError {
    /// The refusal of a call that a closure makes while its own call holds the writer.
    static let calledWhileWriting =
        "a closure that decides what a commit changes cannot call its store: the call would wait for this commit; call "
        + "the store when the call with the closure has returned"
}
