// SPDX-License-Identifier: Apache-2.0

import Dispatch
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

    fileprivate struct State {
        /// Holds of each commit.
        var counts: [Int64: Int] = [:]
        /// The newest commit that was ever held.
        var newest: Int64 = -1
        /// Since when commits that are held have not been the newest, by the monotonic clock.
        var since: [Int64: Int64] = [:]
        /// Whether a hold ended because it was too old, after the opening was closed.
        var hasExpired = false
        /// Whether the opening is closed: then it does not learn of commits, and its newest one may be held too long.
        var isOver = false
        /// Whether somebody looks now and then for what is held too long.
        var isWatched = false
        /// What later versions do without.
        var leaving: [LeavingFile] = []
        /// The oldest hold when those that nothing keeps were last told so; nil if there are new ones.
        var ended: Int64?
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
            state.count(seq)
        }
        return CommitHold(seq, self)
    }

    /// Holds the writer's newest commit, of which nobody has to be told.
    func holdNewest(_ seq: Int64) -> CommitHold {
        state.withLock { state in
            // Only after closing; then what cannot be told is as it was before.
            if state.isPublic { try? tell(seq, &state) }
            state.count(seq)
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

    /// Whether any opening that has to tell what it holds does so, this one included.
    func isAnyTold() throws(StoreError) -> Bool { try firstLocked(in: Self.bytes) != nil }

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
            if left > 0 { return }
            state.since[seq] = nil
            tellOfOldest(&state)
        }
    }

    /// After a hold went: what nothing keeps any more says so, and others are told what is the oldest now.
    private func tellOfOldest(_ state: inout State) {
        state.endLeaving()
        guard let told = state.told else { return }
        guard let oldest = state.counts.keys.min() else {
            state.lock = nil
            state.told = nil
            return
        }
        // Where no lock can be had the older one stays: then more is kept than is needed.
        if oldest != told { try? move(to: oldest, &state) }
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

/// A file that versions from a commit on do without.
private struct LeavingFile {
    weak var file: SegmentFile?
    let died: Int64
}

extension ReaderSlots.State {
    /// Counts one more hold of a commit; what was the newest until then begins to age.
    fileprivate mutating func count(_ seq: Int64) {
        if seq > newest {
            age(newest)
            newest = seq
        }
        counts[seq, default: 0] += 1
    }

    /// Expires the files that no hold protects, because any process may delete them. A snapshot whose own hold has
    /// ended may still use such a file, which another hold protected until now.
    fileprivate mutating func endLeaving() {
        let oldest = counts.keys.min() ?? .max
        if oldest == ended { return }
        ended = oldest
        for one in leaving where oldest >= one.died {
            // After closing, a file expires with the last snapshot that uses it, or when such a snapshot is too old.
            one.file?.expire(isClosed: one.died == .max && !hasExpired)
        }
        leaving.removeAll { oldest >= $0.died || $0.file == nil }
    }

    fileprivate mutating func age(_ seq: Int64) {
        if counts[seq] != nil, since[seq] == nil { since[seq] = SystemClock.monotonicNanoseconds() }
    }
}

// How long a commit may be held. `Docs/TimeTravel.md` has the promises.
extension ReaderSlots {
    /// Versions from a commit on do without these files.
    func leave(_ files: [SegmentFile], died: Int64) {
        if files.isEmpty { return }
        state.withLock { state in
            state.leaving.removeAll { $0.file == nil }
            state.leaving += files.map { LeavingFile(file: $0, died: died) }
            state.ended = nil
        }
    }

    /// Holds of commits that have not been the newest for so long, in nanoseconds, end: what they alone kept may go,
    /// and snapshots that need it say so.
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
            tellOfOldest(&state)
        }
    }

    /// The opening is closed; whether snapshots of it stay, which needed these files when it was.
    func end(_ files: [SegmentFile]) -> Bool {
        leave(files, died: .max)
        return state.withLock { state in
            state.isOver = true
            state.age(state.newest)
            // If no snapshot is left, no hold protects the files for later snapshots.
            state.endLeaving()
            return !state.counts.isEmpty
        }
    }

    /// How long the newest commit that is held here is known not to be the last any more, in nanoseconds. The first
    /// call says that it is not.
    func ageOfNewest() -> Int64 {
        state.withLock { state in
            state.age(state.newest)
            return state.since[state.newest].map { SystemClock.monotonicNanoseconds() - $0 } ?? 0
        }
    }

    /// The commits that this opening holds, and for how long each has not been the newest, in nanoseconds.
    var ages: [Int64: Int64] {
        let now = SystemClock.monotonicNanoseconds()
        return state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.counts.keys.map { ($0, state.since[$0].map { now - $0 } ?? 0) })
        }
    }

    /// Looks now and then, as long as anything of this opening is held.
    ///
    /// - Parameter look: looks, if there is somebody left who can; else what is too old ends here.
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
