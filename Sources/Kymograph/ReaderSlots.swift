// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Synchronization

/// A commit that somebody may still look at, as long as this object exists.
final class CommitHold: Sendable {
    let seq: Int64
    /// What is known of copies of samples, and of merged sources: with the hold, so that a snapshot has one reference.
    var copies: CopiesCache { slots.copies }
    var merged: MergedTables { slots.merged }
    private let slots: ReaderSlots

    fileprivate init(_ seq: Int64, _ slots: ReaderSlots) {
        self.seq = seq
        self.slots = slots
    }

    deinit { slots.release(seq) }
}

/// Which commits one opening of a store looks at, and how other processes learn of it: a byte of LOCK is locked,
/// shared, whose place says the oldest of them. `Docs/Format/Store.md` has the protocol.
///
/// An opening for reading locks always. The writer asks itself, and locks only when it closes and leaves snapshots.
final class ReaderSlots: Sendable {
    /// The place of commit 0; those of the others follow.
    static let firstByte: Int64 = 1 << 32
    /// No store comes that far.
    private static let bytes = firstByte..<firstByte + Int64.max / 2

    private struct State {
        /// Holds of each commit.
        var counts: [Int64: Int] = [:]
        /// Whether other processes are told.
        var isPublic: Bool
        var lock: (any DiskLock)?
        /// The commit that `lock` tells of.
        var told: Int64?
    }

    /// Shared by all versions of the opening.
    let copies = CopiesCache()
    let merged = MergedTables()
    private let path: String
    private let disk: any Disk
    private let state: Mutex<State>

    init(_ layout: StoreLayout, _ disk: any Disk, isPublic: Bool) {
        path = layout.lock
        self.disk = disk
        state = Mutex(State(isPublic: isPublic))
    }

    /// Holds a commit; others know before this returns. To be asked before what it needs is looked for.
    func hold(_ seq: Int64) throws(StoreError) -> CommitHold {
        try state.withLock { (state) throws(StoreError) in
            if state.isPublic { try tell(seq, &state) }
            state.counts[seq, default: 0] += 1
        }
        return CommitHold(seq, self)
    }

    /// Holds the writer's newest commit, of which nobody has to be told.
    func holdNewest(_ seq: Int64) -> CommitHold {
        state.withLock { state in
            // Only after closing; then what cannot be told is as it was before.
            if state.isPublic { try? tell(seq, &state) }
            state.counts[seq, default: 0] += 1
        }
        return CommitHold(seq, self)
    }

    /// Tells other processes of what is held, from now on.
    func publish() throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            state.isPublic = true
            if let oldest = state.counts.keys.min() { try tell(oldest, &state) }
        }
    }

    /// The oldest commit that anybody holds, in this opening or another one, in any process.
    func oldest() throws(StoreError) -> Int64? {
        let mine = state.withLock { $0.counts.keys.min() }
        let other = try firstLocked(in: Self.bytes)
        return [mine, other.map { $0 - Self.firstByte }].compactMap(\.self).min()
    }

    /// The commits that are held, ascending: all of this opening, and the oldest of each other one.
    func held() throws(StoreError) -> [Int64] {
        var found = Set(state.withLock { Array($0.counts.keys) })
        var from = Self.bytes.lowerBound
        while from < Self.bytes.upperBound {
            let rest = from..<Self.bytes.upperBound
            guard let byte = try firstLocked(in: rest) else { break }
            found.insert(byte - Self.firstByte)
            from = byte + 1
        }
        return found.sorted()
    }

    /// The first byte that another opening has locked; none where nothing can be locked (see `move`).
    private func firstLocked(in bytes: Range<Int64>) throws(StoreError) -> Int64? {
        do throws(DiskError) {
            return try disk.firstLockedByte(path, in: bytes)
        } catch {
            guard error.isMissing || error.isWithoutLocks else { throw StoreError(error) }
            return nil
        }
    }

    /// The commits before one that this opening holds.
    func held(before seq: Int64) -> [Int64] { state.withLock { $0.counts.keys.filter { $0 < seq } } }

    fileprivate func release(_ seq: Int64) {
        state.withLock { state in
            let left = (state.counts[seq] ?? 0) - 1
            state.counts[seq] = left > 0 ? left : nil
            guard left <= 0, let told = state.told, told <= seq else { return }
            guard let oldest = state.counts.keys.min() else {
                state.lock = nil
                state.told = nil
                return
            }
            // Where no lock can be had the older one stays: then more is kept than is needed.
            if oldest != told { try? move(to: oldest, &state) }
        }
    }

    /// Makes sure that what others are told is no younger than this.
    private func tell(_ seq: Int64, _ state: inout State) throws(StoreError) {
        if let told = state.told, told <= seq { return }
        try move(to: seq, &state)
    }

    /// Tells of another commit. The new lock is there before the old one goes.
    private func move(to seq: Int64, _ state: inout State) throws(StoreError) {
        guard (0..<Int64.max / 2).contains(seq) else { return }
        let lock: (any DiskLock)?
        do throws(DiskError) {
            lock = try disk.lock(path, exclusive: false, byte: Self.firstByte + seq)
        } catch {
            // A medium without locks, or a store whose LOCK is lost, has no writer that could remove anything.
            guard error.isMissing || error.isWithoutLocks else { throw StoreError(error) }
            lock = nil
        }
        state.lock = lock
        state.told = lock == nil ? nil : seq
    }
}
