// SPDX-License-Identifier: Apache-2.0

/// The result of a check of a whole store.
public struct VerifyReport: Sendable {
    /// A finding of damage.
    public struct Problem: Sendable, Hashable {
        /// The affected file.
        public var path: String
        /// The offset in the file, in bytes; nil if unknown.
        public var offset: UInt64?
        /// The series of the affected samples; nil if unknown.
        public var series: SeriesID?
        /// The name of the series; nil if unknown.
        public var seriesName: String?
        /// The range of time that is unreadable; nil if unknown.
        public var range: TimeRange?
        /// A description of the damage.
        public var message: String
        /// The kind of error: `corrupt`, or another reason why data is unreadable.
        var kind = StoreError.Kind.corrupt
    }

    /// Whether the check was of a backup, and not of a store.
    public var isBackup = false
    /// Checked segments.
    public var segments = 0
    /// Blocks decoded and compared with their summaries.
    public var blocks = 0
    /// Decoded samples.
    public var samples = 0
    /// Attached files whose units were verified.
    public var attachedFiles = 0
    /// Bytes read.
    public var bytes: Int64 = 0
    /// Damaged data.
    public var problems: [Problem] = []
    /// Data that is unreadable for a reason other than damage, such as too few descriptors. Its state is unknown.
    public var unread: [Problem] = []
    /// Harmless findings, such as files that no commit names or a missing witness.
    public var remarks: [String] = []

    /// Whether all data was read and is intact.
    public var isSound: Bool { problems.isEmpty && unread.isEmpty }

    /// Adds the names of the series to the problems.
    mutating func nameSeries(_ name: (SeriesID) -> String?) {
        for i in problems.indices { problems[i].seriesName = problems[i].series.flatMap(name) }
        for i in unread.indices { unread[i].seriesName = unread[i].series.flatMap(name) }
    }

    /// Records data of a layer above that is unreadable for a reason other than damage.
    package mutating func noteUnread(_ path: String, _ message: String) {
        unread.append(Problem(path: path, message: message, kind: .inputOutput))
    }

    /// Records an error in `problems` if it is damage, otherwise in `unread`.
    mutating func note(_ error: StoreError, path: String, offset: UInt64? = nil) {
        let problem = Problem(
            path: error.path ?? path, offset: error.offset ?? offset, series: error.series, range: error.range,
            message: error.message, kind: error.kind)
        if error.isDamage { problems.append(problem) } else { unread.append(problem) }
    }
}
