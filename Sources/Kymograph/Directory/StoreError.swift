// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Kernels

/// What can go wrong with a store, where, and what to do next.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error: what a program may want to tell apart.
    ///
    /// The numbers are fixed: a kind keeps its number in all later versions, and no number is given twice.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// The directory is there but holds no store.
        case notAStore = 1
        /// The directory holds a backup, from which a store has to be made first.
        case isBackup = 2
        /// There is already something in the directory where a store should be created.
        case alreadyExists = 3
        /// The store was written by a newer version of the library.
        case newerFormat = 4
        /// Another process (or another opening in this one) writes this store.
        case locked = 5
        /// The store was opened for reading only, or the disk is.
        case readOnly = 6
        /// Bytes on disk do not say what was once written: a checksum or a rule of the format is broken.
        case corrupt = 7
        /// The catalog is older than the last acknowledged commit: some acknowledged data is missing.
        case rolledBack = 8
        /// The disk is full; nothing of this call was stored.
        case diskFull = 9
        /// The operating system refused a call.
        case inputOutput = 10
        /// A commit failed half-way: whether it is stored will be known after reopening. Retrying with the same
        /// identities is safe.
        case outcomeUnknown = 11
        /// The writer stopped after an earlier failure and must be reopened.
        case writerFailed = 12
        /// A sample breaks a rule: not finite, ends before it starts, out of the range of times, columns of different
        /// lengths.
        case invalidSample = 13
        /// Another sample has the identity that the caller gave this one; nothing of this call was stored.
        case identityTaken = 14
        /// A query or a setting makes no sense.
        case invalidArgument = 15
        /// The series does not exist in this store.
        case unknownSeries = 16
        /// A series of that name and labels exists with another kind.
        case kindMismatch = 17
        /// The store was closed.
        case closed = 18
        /// The caller asked to stop.
        case cancelled = 19
        /// The disk does not follow what is appended; nothing of this call was taken.
        case overloaded = 20
        /// What changed since the anchor cannot be told; begin without one.
        case anchorExpired = 21
        /// The store can no longer be shown as it was then: samples that were there are gone for good.
        case notRetained = 22
        /// The snapshot was held longer than `StoreOptions.snapshotAge`, and what it needs is gone; take a new one.
        case snapshotExpired = 23
        /// The store was opened by the process that this one was forked from. A forked child opens it again.
        case forked = 24

        /// The kind's name, as in the source: `"diskFull"`.
        public var name: String { String(describing: self) }
    }

    /// What kind of error it is.
    public let kind: Kind
    /// What happened, and what to do next.
    public let message: String
    /// The file or directory concerned.
    public let path: String?
    /// The place in the file, where one is known.
    public let offset: UInt64?
    /// The series whose samples cannot be read, where damage is known to concern one.
    public private(set) var series: SeriesID?
    /// The times of the samples that cannot be read, where they are known.
    public private(set) var range: TimeRange?
    /// The identity of the sample that was refused, where it was for that.
    public private(set) var identity: SampleIdentity?
    /// Whether the system refused a call in a way that says nothing of the bytes on the disk: it had too few
    /// descriptors, no right or no memory, or failed to open, lock or ask a file.
    package internal(set) var isRefusal: Bool

    package init(
        _ kind: Kind, _ message: String, path: String? = nil, offset: UInt64? = nil, isRefusal: Bool = false
    ) {
        self.isRefusal = isRefusal
        self.kind = kind
        self.message = message
        self.path = path
        self.offset = offset
    }

    /// The message and the place.
    public var description: String {
        var text = message
        if let path { text += " [\(path)" + (offset.map { " at byte \($0)" } ?? "") + "]" }
        if let series { text += " (\(series)" + (range.map { ", \($0.text)" } ?? "") + ")" }
        return text
    }

    /// The error with its place.
    func at(_ path: String, _ offset: UInt64) -> StoreError {
        StoreError(kind, message, path: path, offset: offset, isRefusal: isRefusal)
    }

    /// The error with the identity that it is about.
    func naming(_ identity: SampleIdentity) -> StoreError {
        var error = self
        error.identity = identity
        return error
    }

    /// The error with the samples that it keeps from being read, if it is about bytes on disk and does not name any.
    func concerning(_ series: Int64, _ range: TimeRange?) -> StoreError {
        guard self.series == nil, [.corrupt, .inputOutput, .newerFormat].contains(kind) else { return self }
        var error = self
        error.series = SeriesID(rawValue: series)
        error.range = range
        return error
    }
}

extension TimeRange {
    /// From the first start to the last end: every sample of the summary starts in it.
    init(of summary: Summary) {
        self.init(summary.firstStart, max(summary.maxEnd, summary.lastStart &+ 1))
    }

    /// For messages: both ends as dates in UTC.
    var text: String {
        func text(_ instant: Int64) -> String { Civil.format(instant, zone: .utc) }
        return "\(text(start)) to \(text(end))"
    }
}
