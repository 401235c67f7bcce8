// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileSystem
import Synchronization

/// A hold on a commit. While it exists, readers may use the commit's version.
final class CommitHold: Sendable {
    let seq: Int64
    /// Caches of the opening. The hold refers to them, so that a snapshot needs one reference only.
    var copies: CopiesCache { slots.copies }
    var merged: MergedTables { slots.merged }
    private let slots: ReaderSlots

    fileprivate init(_ seq: Int64, _ slots: ReaderSlots) {
        self.seq = seq
        self.slots = slots
    }

    deinit { slots.release(seq) }
}

/// The commits that one opening of a store holds. Other processes see the oldest one: an opening holds a shared lock on
/// a byte of LOCK, whose offset encodes the commit. `Docs/Format/Store.md` has the protocol.
///
/// An opening for reading always locks a byte. A writer locks one only when it is closed while snapshots remain.
final class ReaderSlots: Sendable {
    /// The byte of commit 0. The bytes of later commits follow.
    static let firstByte: Int64 = 1 << 32
    /// The possible bytes; no store has that many commits.
    private static let bytes = firstByte..<firstByte + Int64.max / 2

    fileprivate struct State {
        /// The number of holds of each commit.
        var counts: [Int64: Int] = [:]
        /// The newest commit ever held.
        var newest: Int64 = -1
        /// For held commits: the time since which the commit is not the newest, on the monotonic clock in nanoseconds.
        var since: [Int64: Int64] = [:]
        /// Whether a hold expired after the opening was closed.
        var hasExpired = false
        /// Whether the opening is closed. It then sees no new commits, so its newest hold can expire, too.
        var isOver = false
        /// Whether the periodic check for expired holds is scheduled.
        var isWatched = false
        /// Files that later versions do not use.
        var retired: [RetiredFile] = []
        /// The oldest hold at the last release of unprotected files; nil if files were added since.
        var ended: Int64?
        /// Whether other processes see the oldest hold.
        var isPublic: Bool
        var lock: (any DiskLock)?
        /// The commit that `lock` encodes.
        var lockedCommit: Int64?
    }

    /// Caches shared by all versions of the opening.
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

    /// Holds a commit. Other processes see the hold before this call returns.
    /// - Ordering: before the caller opens the commit's files.
    func hold(_ seq: Int64) throws(StoreError) -> CommitHold {
        try state.withLock { (state) throws(StoreError) in
            if state.isPublic { try lock(atMost: seq, &state) }
            state.count(seq)
        }
        return CommitHold(seq, self)
    }

    /// Holds the writer's newest commit, which other processes need not see.
    func holdNewest(_ seq: Int64) -> CommitHold {
        state.withLock { state in
            // After closing only. If the lock fails, the state is unchanged.
            if state.isPublic { try? lock(atMost: seq, &state) }
            state.count(seq)
        }
        return CommitHold(seq, self)
    }

    /// Makes the oldest hold visible to other processes from now on.
    func publish() throws(StoreError) {
        try state.withLock { (state) throws(StoreError) in
            state.isPublic = true
            if let oldest = state.counts.keys.min() { try lock(atMost: oldest, &state) }
        }
    }

    /// Returns the oldest commit held by any opening in any process; nil if there is no hold.
    func oldest() throws(StoreError) -> Int64? {
        let mine = state.withLock { $0.counts.keys.min() }
        let other = try firstLocked(in: Self.bytes)
        return [mine, other.map { $0 - Self.firstByte }].compactMap(\.self).min()
    }

    /// Returns the held commits, ascending: all of this opening, and the oldest of each other opening.
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

    /// Returns true if any opening, including this one, has locked the byte of its oldest hold.
    func isAnyLocked() throws(StoreError) -> Bool { try firstLocked(in: Self.bytes) != nil }

    /// Returns the first byte that another opening has locked; nil if none is locked or locks are unsupported (see
    /// `move`).
    private func firstLocked(in bytes: Range<Int64>) throws(StoreError) -> Int64? {
        do throws(DiskError) {
            return try disk.firstLockedByte(path, in: bytes)
        } catch {
            guard error.isMissing || error.isWithoutLocks else { throw StoreError(error) }
            return nil
        }
    }

    /// Returns the commits before `seq` that this opening holds.
    func held(before seq: Int64) -> [Int64] { state.withLock { $0.counts.keys.filter { $0 < seq } } }

    fileprivate func release(_ seq: Int64) {
        state.withLock { state in
            let left = (state.counts[seq] ?? 0) - 1
            state.counts[seq] = left > 0 ? left : nil
            if left > 0 { return }
            state.since[seq] = nil
            updateLock(&state)
        }
    }

    /// Releases unprotected files and updates the visible oldest hold, after a hold ended.
    private func updateLock(_ state: inout State) {
        state.expireRetired()
        guard let locked = state.lockedCommit else { return }
        guard let oldest = state.counts.keys.min() else {
            state.lock = nil
            state.lockedCommit = nil
            return
        }
        // If the new lock fails, the old one stays: more files than necessary are then protected.
        if oldest != locked { try? move(to: oldest, &state) }
    }

    /// Ensures that the commit visible to other processes is at most `seq`.
    private func lock(atMost seq: Int64, _ state: inout State) throws(StoreError) {
        if let locked = state.lockedCommit, locked <= seq { return }
        try move(to: seq, &state)
    }

    /// Makes another commit visible. The new lock is taken before the old one is released.
    private func move(to seq: Int64, _ state: inout State) throws(StoreError) {
        guard (0..<Int64.max / 2).contains(seq) else { return }
        let lock: (any DiskLock)?
        do throws(DiskError) {
            lock = try disk.lock(path, exclusive: false, byte: Self.firstByte + seq)
        } catch {
            // Without file locks, or without a LOCK file, no writer can remove files.
            guard error.isMissing || error.isWithoutLocks else { throw StoreError(error) }
            lock = nil
        }
        state.lock = lock
        state.lockedCommit = lock == nil ? nil : seq
    }
}

/// A file that versions from commit `died` on do not use.
private struct RetiredFile {
    weak var file: SegmentFile?
    let died: Int64
}

extension ReaderSlots.State {
    /// Adds a hold of a commit. If the commit is newer than all before, the previous newest commit starts to age.
    fileprivate mutating func count(_ seq: Int64) {
        if seq > newest {
            age(newest)
            newest = seq
        }
        counts[seq, default: 0] += 1
    }

    /// Expires the files that no hold protects, because any process may delete them. A snapshot whose own hold has
    /// ended may still use such a file, which another hold protected until now.
    fileprivate mutating func expireRetired() {
        let oldest = counts.keys.min() ?? .max
        if oldest == ended { return }
        ended = oldest
        for one in retired where oldest >= one.died {
            // After closing, a file expires with the last snapshot that uses it, or when such a snapshot is too old.
            one.file?.expire(isClosed: one.died == .max && !hasExpired)
        }
        retired.removeAll { oldest >= $0.died || $0.file == nil }
    }

    fileprivate mutating func age(_ seq: Int64) {
        if counts[seq] != nil, since[seq] == nil { since[seq] = SystemClock.monotonicNanoseconds() }
    }
}

// The time limit of holds. `Docs/Operations/Retention.md` has the guarantees.
extension ReaderSlots {
    /// Registers files that versions from commit `died` on do not use.
    func retire(_ files: [SegmentFile], died: Int64) {
        if files.isEmpty { return }
        state.withLock { state in
            state.retired.removeAll { $0.file == nil }
            state.retired += files.map { RetiredFile(file: $0, died: died) }
            state.ended = nil
        }
    }

    /// Ends all holds of commits that have not been the newest for `age` nanoseconds. Files that only these holds
    /// protected may then be deleted, and snapshots that need them throw.
    func expire(after age: Int64) {
        let now = SystemClock.monotonicNanoseconds()
        state.withLock { state in
            let isOver = state.isOver
            let old = state.since.filter { (isOver || $0.key < state.newest) && now - $0.value >= age }.map(\.key)
            if old.isEmpty { return }
            if isOver { state.hasExpired = true }
            for seq in old {
                state.counts[seq] = nil
                state.since[seq] = nil
            }
            updateLock(&state)
        }
    }

    /// Marks the opening as closed. Returns true if snapshots remain.
    /// - Parameter files: the files in use at the close.
    func end(_ files: [SegmentFile]) -> Bool {
        retire(files, died: .max)
        return state.withLock { state in
            state.isOver = true
            state.age(state.newest)
            // If no snapshot is left, no hold protects the files for later snapshots.
            state.expireRetired()
            return !state.counts.isEmpty
        }
    }

    /// Returns the time in nanoseconds since the newest held commit stopped being the newest. The first call starts the
    /// measurement.
    func ageOfNewest() -> Int64 {
        state.withLock { state in
            state.age(state.newest)
            return state.since[state.newest].map { SystemClock.monotonicNanoseconds() - $0 } ?? 0
        }
    }

    /// The commits that this opening holds, with the time in nanoseconds since each stopped being the newest.
    var ages: [Int64: Int64] {
        let now = SystemClock.monotonicNanoseconds()
        return state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.counts.keys.map { ($0, state.since[$0].map { now - $0 } ?? 0) })
        }
    }

    /// Checks periodically for expired holds, as long as a hold exists.
    ///
    /// - Parameter look: checks the opening, and returns false if it no longer exists; the holds then expire here.
    func watch(_ age: Int64, _ look: @escaping @Sendable () -> Bool) {
        let isNew = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        if isNew { lookLater(age, look) }
    }

    private func lookLater(_ age: Int64, _ look: @escaping @Sendable () -> Bool) {
        let pause = min(3_600, max(0.02, Double(age) / 16e9))
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [weak self] in
            guard let self else { return }
            if !look() { self.expire(after: age) }
            self.lookLater(age, look)
        }
    }
}
