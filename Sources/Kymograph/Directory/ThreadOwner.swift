// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Synchronization

/// The thread that holds a lock while a caller's closure may run. A call from the closure that needs the lock is
/// refused, because it would wait forever.
package final class ThreadOwner: Sendable {
    private let owner = Atomic<UInt>(0)

    package init() {}

    /// True on the owning thread. Only a thread itself becomes the owner, so that relaxed ordering suffices.
    package var isMine: Bool { owner.load(ordering: .relaxed) == Environment.threadIdentifier }

    /// Runs `body` with the calling thread as the owner.
    ///
    /// - Requires: the lock.
    package func own<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        enter()
        defer { leave() }
        return try body()
    }

    /// Makes the calling thread the owner.
    func enter() { owner.store(Environment.threadIdentifier, ordering: .relaxed) }

    /// Ends the ownership.
    func leave() { owner.store(0, ordering: .relaxed) }

    /// Refuses a call from the owning thread.
    ///
    /// - Throws: `invalidArgument`.
    package func refuse(_ what: String) throws(StoreError) {
        if isMine { throw StoreError(.invalidArgument, what) }
    }
}

extension StoreError {
    /// The message for a call from a closure whose enclosing call holds the writer.
    static let calledWhileWriting =
        "a closure that decides the changes of a commit cannot call its store: the call would wait for this commit; "
        + "call the store after the call with the closure has returned"
}
