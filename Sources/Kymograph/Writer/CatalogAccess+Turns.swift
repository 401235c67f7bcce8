// SPDX-License-Identifier: Apache-2.0

import Catalog
import Dispatch
import FileSystem
import Synchronization

// In a shared store, processes take turns as the writer.
extension CatalogAccess {
    /// The byte of LOCK that processes lock, shared, while they wait for the writer to give way.
    private static let waitingByte: Int64 = 1

    /// Becomes the writer of a shared store; waits while another process is the writer.
    ///
    /// - Requires: the lock of `writer`.
    func takeTurn() throws(StoreError) -> sending Writer {
        if reader.withLock({ $0 == nil }) { throw .closedStore }
        let watch = Stopwatch()
        let lock = try waitForTurn()
        let waited = watch.nanoseconds
        var opened: OpenedWriter
        do throws(StoreError) {
            opened = try openTurn(lock)
        } catch {
            lock.release()
            throw error
        }
        // From here on `opened` owns the lock: the writer releases it after it closed the catalog.
        guard opened.storeID == context.storeID else {
            throw StoreError(
                .notAStore, "the store at this path was replaced; open the new store", path: context.path)
        }
        try publish(opened.version)
        if opened.writer.catalog.takeCallForRoom() { opened.writer.checkpointOnFullDisk() }
        opened.writer.fitBallast(context)
        let now = SystemClock.monotonicNanoseconds()
        turn.withLock { turn in
            turn.isOn = true
            turn.gaveWay = false
            turn.lastUse = now
        }
        context.requestUpkeep()
        context.telemetry.turns.add(1, ordering: .relaxed)
        context.telemetry.turnNanoseconds.add(waited, ordering: .relaxed)
        context.telemetry.post(.turnBegan(sequence: opened.version.seq, waited: .nanoseconds(waited)))
        checkTurnLater()
        return opened.takeWriter()
    }

    /// See `TimeSeriesStore.settle()`.
    func settle() throws(StoreError) {
        do throws(StoreError) {
            try withWriter { writer throws(StoreError) in
                if let failure = writer.failure { throw failure }
            }
        } catch {
            // The writer of another process has made the log durable when it was opened.
            guard error.kind == .locked else { throw error }
        }
    }

    /// Opens the store for writing. If the disk is full, the opening uses the ballast's space.
    private func openTurn(_ lock: any DiskLock) throws(StoreError) -> sending OpenedWriter {
        let known = context.version
        let opening = WriterOpening(context.layout, context.options, context.slots, context.cache)
        var owed: Ballast.Owed?
        let opened = try Ballast.withRoom(context.layout, context.options, &owed) { () throws(StoreError) in
            try opening.open(lock, known: known)
        }
        if let owed { owedBallast.withLock { $0 = owed } }
        return opened
    }

    /// Waits until no other process holds the writer's lock, and returns the lock.
    private func waitForTurn() throws(StoreError) -> any DiskLock {
        let clock = ContinuousClock()
        let end = clock.now + context.options.writerWait
        if turn.withLock({ $0.gaveWay }) { letOthersIn() }
        var waiting: (any DiskLock)?
        defer { waiting?.release() }
        let (disk, path) = (context.disk, context.layout.lock)
        var pause = 1
        while true {
            let lock = try onDisk { () throws(DiskError) in try disk.lock(path, exclusive: true, byte: 0) }
            if let lock { return lock }
            if waiting == nil {
                waiting = try onDisk { () throws(DiskError) in
                    try disk.lock(path, exclusive: false, byte: Self.waitingByte)
                }
            }
            guard clock.now < end else {
                throw StoreError(
                    .locked,
                    "another process has been writing this store for \(context.options.writerWait); nothing was "
                        + "stored, try again when it is done", path: context.path)
            }
            SystemClock.sleep(milliseconds: pause)
            pause = min(2 * pause, 16)
        }
    }

    /// Waits briefly, so that the process for which the last turn ended becomes the writer.
    private func letOthersIn() {
        for _ in 0..<20 {
            guard hasWaiting, !isLocked(0) else { return }
            SystemClock.sleep(milliseconds: 2)
        }
    }

    /// Whether another process waits for the writer to give way.
    var hasWaiting: Bool { isLocked(Self.waitingByte) }

    /// Returns whether another opening holds a byte of LOCK; false if this is unknown.
    private func isLocked(_ byte: Int64) -> Bool {
        ((try? context.disk.firstLockedByte(context.layout.lock, in: byte..<byte + 1)) ?? nil) != nil
    }

    /// Checks after `StoreOptions.writerIdle` whether to give way.
    private func checkTurnLater() {
        let pause = context.options.writerIdle.pause
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [weak self] in
            self?.endTurnIfIdle()
        }
    }

    private func endTurnIfIdle() {
        writer.withLock { held in
            if held == nil { return }
            let now = SystemClock.monotonicNanoseconds()
            let idle = context.options.writerIdle
            let (isFree, isIdle) = turn.withLock { turn in
                (turn.works == 0, .nanoseconds(now - turn.lastUse) >= idle)
            }
            guard isFree, isIdle || hasWaiting else { return checkTurnLater() }
            endTurn(&held)
        }
    }

    private func endTurn(_ held: inout Writer?) {
        let others = hasWaiting
        held = nil
        turn.withLock { turn in
            turn.isOn = false
            turn.gaveWay = others
        }
        context.telemetry.post(.turnEnded)
    }

    /// See `TimeSeriesStore.giveWay()`.
    func giveWay() {
        guard context.mode == .shared, context.isInOwnProcess, !isWriterHeldByThisThread else { return }
        writer.withLock { held in
            if held != nil, turn.withLock({ $0.works == 0 }) { endTurn(&held) }
        }
    }

    /// Records a use of a shared store's writer. Closes a writer that failed, so that the next turn opens a new one.
    ///
    /// While some work needs the same writer, a failed writer stays and refuses to write: another writer would remove
    /// the files of the work as leftovers.
    func noteUse(_ held: inout Writer?) {
        let failed = held?.failure != nil
        let isKept = turn.withLock { turn in
            turn.lastUse = SystemClock.monotonicNanoseconds()
            if failed, turn.works == 0 { turn.isOn = false }
            return !failed || turn.works > 0
        }
        if !isKept { held = nil }
    }

    /// Ends the turn of a writer that failed during finished work.
    func dropFailed(_ held: inout Writer?) {
        guard held?.failure != nil, turn.withLock({ $0.works == 0 }) else { return }
        held = nil
        turn.withLock { $0.isOn = false }
    }
}
