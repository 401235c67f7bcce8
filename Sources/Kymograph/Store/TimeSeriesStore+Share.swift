// SPDX-License-Identifier: Apache-2.0

import Catalog
import Dispatch
import FileSystem
import Synchronization

/// The time in which an opening that shares its store is the writer.
struct WriterTurn {
    /// Whether it is the writer.
    var isOn = false
    /// Works under way that need the same writer to their end.
    var works = 0
    /// Those of them that may promise series.
    var loads = 0
    /// When the writer was used last, and when this turn began.
    var lastUse: Int64 = 0
    var begun: Int64 = 0
    /// Whether it gave way to one that waited, which then comes first.
    var gaveWay = false
}

/// Work that needs the same writer from its beginning to its end. Ends with `end`, or with the object.
package final class WriterWork: Sendable {
    private let store: TimeSeriesStore
    private let isLoad: Bool
    private let isOver = Atomic(false)

    fileprivate init(_ store: TimeSeriesStore, _ isLoad: Bool) {
        self.store = store
        self.isLoad = isLoad
    }

    /// A second call does nothing.
    package func end() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        store.turn.withLock { turn in
            turn.works -= 1
            if isLoad { turn.loads -= 1 }
            turn.lastUse = SystemClock.monotonicNanoseconds()
        }
    }

    deinit { end() }
}

extension TimeSeriesStore {
    /// The byte of LOCK that is locked, shared, by those who wait for the writer to give way.
    private static let waitingByte: Int64 = 1

    /// Makes this opening the writer, if it is not, until the work ends: what is published is the last commit, and no
    /// other process commits meanwhile.
    ///
    /// - Parameter isLoad: whether it may promise series.
    /// - Throws: `locked`, `readOnly`, `closed`, and what opening for writing may throw.
    package func beginWork(isLoad: Bool = false) throws(StoreError) -> WriterWork {
        try withWriter { writer throws(StoreError) in
            if isLoad { self.forgetPromises(of: &writer) }
            self.turn.withLock { turn in
                turn.works += 1
                if isLoad { turn.loads += 1 }
            }
        }
        return WriterWork(self, isLoad)
    }

    /// Forgets the promised series unless more than `loads` loads are under way: only failed loads can have left some.
    func forgetPromises(of writer: inout Writer, unlessMoreThan loads: Int = 0) {
        if turn.withLock({ $0.loads <= loads }) { writer.forgetPromised() }
    }

    /// Becomes the writer of a shared store; waits while another process is.
    func takeTurn() throws(StoreError) -> sending Writer {
        if reader.withLock({ $0 == nil }) { throw .closedStore }
        let watch = Stopwatch()
        let lock = try waitForTurn()
        let waited = watch.nanoseconds
        do throws(StoreError) {
            var (writer, version, image) = try openTurn(lock)
            guard image.storeID == storeID else {
                throw StoreError(.notAStore, "another store is in this place now; open it anew", path: path)
            }
            version.hold = try slots.hold(version.seq)
            let old = published.withLock { $0.segments.values.filter { version.segments[$0.row.id] !== $0 } }
            slots.leave(old, died: version.seq)
            published.withLock { if version.seq > $0.seq { $0 = version } }
            if writer.catalog.takeCallForRoom() { writer.checkpointOnFullDisk() }
            fitBallast(&writer)
            let now = SystemClock.monotonicNanoseconds()
            turn.withLock { turn in
                turn.isOn = true
                turn.gaveWay = false
                turn.begun = now
                turn.lastUse = now
            }
            eraseInTime()
            telemetry.turns.add(1, ordering: .relaxed)
            telemetry.turnNanoseconds.add(waited, ordering: .relaxed)
            telemetry.post(.turnBegan(sequence: version.seq, waited: .nanoseconds(waited)))
            watchTurn()
            return writer
        } catch {
            lock.release()
            throw error
        }
    }

    /// Opens for writing; where there is no room even for that, the ballast makes it.
    private func openTurn(_ lock: any DiskLock) throws(StoreError) -> sending (Writer, Version, CatalogImage) {
        let known = published.withLock { $0 }
        let (made, owed) = try Ballast.withRoom(layout, options) { () throws(StoreError) in
            try Self.makeWriter(lock, slots, layout, options, cache, known: known)
        }
        if let owed { owedBallast.withLock { $0 = owed } }
        return made
    }

    /// The writer's lock, as soon as nobody else has it.
    private func waitForTurn() throws(StoreError) -> any DiskLock {
        let clock = ContinuousClock()
        let end = clock.now + options.writerWait
        if turn.withLock({ $0.gaveWay }) { letOthersIn() }
        var waiting: (any DiskLock)?
        defer { waiting?.release() }
        var pause = 1
        while true {
            let lock = try onDisk { () throws(DiskError) in try disk.lock(layout.lock, exclusive: true, byte: 0) }
            if let lock { return lock }
            if waiting == nil {
                waiting = try onDisk { () throws(DiskError) in
                    try disk.lock(layout.lock, exclusive: false, byte: Self.waitingByte)
                }
            }
            guard clock.now < end else {
                throw StoreError(
                    .locked,
                    "another process has been writing this store for \(options.writerWait); nothing was stored, try "
                        + "again when it is done", path: layout.root)
            }
            Self.sleep(milliseconds: pause)
            pause = min(2 * pause, 16)
        }
    }

    /// Waits a little, so that one to which this opening gave way becomes the writer.
    private func letOthersIn() {
        for _ in 0..<20 {
            guard hasWaiting, !isLocked(0) else { return }
            Self.sleep(milliseconds: 2)
        }
    }

    /// Lets some time go by.
    static func sleep(milliseconds: Int) {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(milliseconds))
    }

    /// Whether another process waits for the writer to give way.
    var hasWaiting: Bool { isLocked(Self.waitingByte) }

    /// Whether another opening holds a byte of LOCK; no where that cannot be found out.
    private func isLocked(_ byte: Int64) -> Bool {
        ((try? disk.firstLockedByte(layout.lock, in: byte..<byte + 1)) ?? nil) != nil
    }

    /// Looks after a while whether to give way.
    private func watchTurn() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + options.writerIdle.pause) { [weak self] in
            self?.endTurnIfIdle()
        }
    }

    private func endTurnIfIdle() {
        writer.withLock { held in
            if held == nil { return }
            let now = SystemClock.monotonicNanoseconds()
            let (isFree, isIdle) = turn.withLock { turn in
                (turn.works == 0, .nanoseconds(now - turn.lastUse) >= options.writerIdle)
            }
            guard isFree, isIdle || hasWaiting else { return watchTurn() }
            endTurn(&held)
        }
    }

    private func endTurn(_ held: inout Writer?) {
        let others = hasWaiting
        held?.close()
        held = nil
        turn.withLock { turn in
            turn.isOn = false
            turn.gaveWay = others
        }
        telemetry.post(.turnEnded)
    }

    /// Lets others write now, without waiting for `StoreOptions.writerIdle`: for a program that shares its store and
    /// knows that it has nothing to save for a while.
    ///
    /// Does nothing while a bulk load or a merge is under way, in a store that is not shared, in a closure that runs
    /// while the store is being written, and while it is not the writer. The next commit makes it the writer again.
    public func giveWay() {
        guard mode == .shared, isInOwnProcess, !writerOwner.isMine else { return }
        writer.withLock { held in
            if held != nil, turn.withLock({ $0.works == 0 }) { endTurn(&held) }
        }
    }

    /// After use of the writer of a shared store: one that failed is not kept, and the next turn opens anew. But while
    /// some work needs the same writer it stays, and refuses: another one would take the work's files for left over.
    func afterUse(_ writer: consuming Writer) -> Writer? {
        let failed = writer.failure != nil
        let isKept = turn.withLock { turn in
            turn.lastUse = SystemClock.monotonicNanoseconds()
            if failed, turn.works == 0 { turn.isOn = false }
            return !failed || turn.works > 0
        }
        if isKept { return writer }
        writer.close()
        return nil
    }

    /// Ends the turn of a writer that failed while some work was under way, which is over.
    func dropFailed(_ held: inout Writer?) {
        guard held?.failure != nil, turn.withLock({ $0.works == 0 }) else { return }
        held?.close()
        held = nil
        turn.withLock { $0.isOn = false }
    }
}
