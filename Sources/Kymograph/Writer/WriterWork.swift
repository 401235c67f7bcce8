// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Synchronization

/// The turn of a shared opening as the writer.
struct WriterTurn {
    /// True while this opening is the writer.
    var isOn = false
    /// The number of works under way that need the same writer until they end.
    var works = 0
    /// The number of works that may promise series.
    var loads = 0
    /// The time of the last use of the writer, in monotonic nanoseconds.
    var lastUse: Int64 = 0
    /// True if the last turn ended for another process, which then goes first.
    var gaveWay = false
}

/// Work that needs the same writer from its beginning to its end. Ends with `end`, or when the object is released.
package final class WriterWork: Sendable {
    private let access: CatalogAccess
    private let isLoad: Bool
    private let isOver = Atomic(false)

    init(_ access: CatalogAccess, isLoad: Bool) {
        self.access = access
        self.isLoad = isLoad
    }

    /// Ends the work. A second call does nothing.
    package func end() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        access.turn.withLock { turn in
            turn.works -= 1
            if isLoad { turn.loads -= 1 }
            turn.lastUse = SystemClock.monotonicNanoseconds()
        }
    }

    deinit { end() }
}

extension CatalogAccess {
    /// Becomes the writer and stays it until the work ends: the published version is the last commit, and no other
    /// process commits meanwhile.
    ///
    /// - Parameter isLoad: whether the work may promise series.
    /// - Throws: `locked`, `readOnly`, `closed`, and errors of opening for writing.
    func beginWork(isLoad: Bool = false) throws(StoreError) -> WriterWork {
        try withWriter { writer throws(StoreError) in
            if isLoad { self.forgetPromises(of: &writer) }
            self.turn.withLock { turn in
                turn.works += 1
                if isLoad { turn.loads += 1 }
            }
        }
        return WriterWork(self, isLoad: isLoad)
    }

    /// Drops the promised series unless more than `loads` loads are under way: only failed loads can have left any.
    func forgetPromises(of writer: inout Writer, unlessMoreThan loads: Int = 0) {
        if turn.withLock({ $0.loads <= loads }) { writer.forgetPromised() }
    }
}
