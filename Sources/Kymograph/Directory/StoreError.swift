// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Kernels

/// An error of a store: what failed, where, and what to do next.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors that a program may handle differently.
    ///
    /// The raw values are fixed: a kind keeps its number in all later versions, and no number is used twice.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// The directory exists but holds no store.
        case notAStore = 1
        /// The directory holds a backup; restore it to get a store.
        case isBackup = 2
        /// The directory for a new store or backup already holds something else.
        case alreadyExists = 3
        /// The store was written by a newer version of the library.
        case newerFormat = 4
        /// Another process, or another opening in this process, writes this store.
        case locked = 5
        /// The store was opened for reading only, or the disk is read-only.
        case readOnly = 6
        /// Bytes on disk differ from the written bytes: a checksum does not match, or a rule of the format is broken.
        case corrupt = 7
        /// The catalog is older than the last acknowledged commit: acknowledged data is missing.
        case rolledBack = 8
        /// The disk is full; the call stored nothing.
        case diskFull = 9
        /// The operating system refused a call.
        case inputOutput = 10
        /// A commit failed half-way; reopening the store shows whether it is stored. A retry with the same identities
        /// is safe.
        case outcomeUnknown = 11
        /// The writer stopped after an earlier failure and must be reopened.
        case writerFailed = 12
        /// A sample breaks a rule: a value that is not finite, an end before the start, a time out of range, or columns
        /// of different lengths.
        case invalidSample = 13
        /// The identity that the caller supplied belongs to another sample; the call stored nothing.
        case identityTaken = 14
        /// A query or a setting is invalid.
        case invalidArgument = 15
        /// The series does not exist in this store.
        case unknownSeries = 16
        /// The series of that name and labels has another kind.
        case kindMismatch = 17
        /// The store was closed.
        case closed = 18
        /// The caller cancelled the operation.
        case cancelled = 19
        /// The disk is too slow for the appended samples; the call accepted nothing.
        case overloaded = 20
        /// The changes since the anchor are no longer known; begin without an anchor.
        case anchorExpired = 21
        /// The store cannot show a past commit any more: samples of that commit were erased.
        case notRetained = 22
        /// The snapshot is older than `StoreOptions.snapshotAge`, and files that it needs are gone; take a new
        /// snapshot.
        case snapshotExpired = 23
        /// The store was opened by the parent process. A forked child must open it again.
        case forked = 24
        /// The store is encrypted, and no key was given.
        case needsKey = 25
        /// The key or the passphrase does not open the store; nothing was read or changed.
        case wrongKey = 26
        /// A key was given, but the store is not encrypted.
        case notEncrypted = 27
        /// Bytes have the right checksum, but were not encrypted for their place with the store's key: a program
        /// changed, moved or replaced them.
        case forged = 28

        /// The name of the kind, as in the source: `"diskFull"`.
        public var name: String { String(describing: self) }
    }

    /// The kind of the error.
    public let kind: Kind
    /// What failed, and what to do next.
    public let message: String
    /// The file or directory that the error concerns.
    public let path: String?
    /// The byte offset in the file, if known.
    public let offset: UInt64?
    /// The series whose samples cannot be read, if damage concerns one series.
    public private(set) var series: SeriesID?
    /// The times of the samples that cannot be read, if known.
    public private(set) var range: TimeRange?
    /// The identity of the refused sample, if its identity is the reason.
    public private(set) var identity: SampleIdentity?
    /// True if the system refused a call for a reason that proves no damage: too few descriptors, no permission, too
    /// little memory, or a file that could not be opened, locked or inspected.
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

    /// The message, with the path, the offset, the series and the range.
    public var description: String {
        var text = message
        if let path { text += " [\(path)" + (offset.map { " at byte \($0)" } ?? "") + "]" }
        if let series { text += " (\(series)" + (range.map { ", \($0.text)" } ?? "") + ")" }
        return text
    }

    func at(_ path: String, _ offset: UInt64) -> StoreError {
        StoreError(kind, message, path: path, offset: offset, isRefusal: isRefusal)
    }

    /// Returns the error with the identity that it concerns.
    func naming(_ identity: SampleIdentity) -> StoreError {
        var error = self
        error.identity = identity
        return error
    }

    /// Returns the error with the samples that cannot be read, if the kind concerns stored bytes and no series is named
    /// yet.
    func concerning(_ series: Int64, _ range: TimeRange?) -> StoreError {
        guard self.series == nil, [.corrupt, .forged, .inputOutput, .newerFormat].contains(kind) else { return self }
        var error = self
        error.series = SeriesID(rawValue: series)
        error.range = range
        return error
    }
}

extension TimeRange {
    /// Creates the range from the first start to the last end; every sample of the summary starts in it.
    init(of summary: Summary) {
        self.init(summary.firstStart, max(summary.maxEnd, summary.lastStart &+ 1))
    }

    /// Both ends as dates in UTC, for messages.
    var text: String {
        func text(_ instant: Int64) -> String { Civil.format(instant, zone: .utc) }
        return "\(text(start)) to \(text(end))"
    }
}
