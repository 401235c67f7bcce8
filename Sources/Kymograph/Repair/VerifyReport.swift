// SPDX-License-Identifier: Apache-2.0

/// What a check of a whole store found.
public struct VerifyReport: Sendable {
    /// One thing that is wrong.
    public struct Problem: Sendable, Hashable {
        /// The file.
        public var path: String
        /// The place in it, where one is known.
        public var offset: UInt64?
        /// The series whose samples are concerned, where one is known.
        public var series: SeriesID?
        /// That series' name, where it is known.
        public var seriesName: String?
        /// The range of time that cannot be read, where one is known.
        public var range: TimeRange?
        /// What is wrong.
        public var message: String
        /// Whether it is damage, or what else keeps from reading.
        var kind = StoreError.Kind.corrupt
    }

    /// Whether it was a backup that was checked, rather than a store.
    public var isBackup = false
    /// Segments checked.
    public var segments = 0
    /// Blocks decoded and held against their summaries.
    public var blocks = 0
    /// Samples decoded.
    public var samples = 0
    /// Bytes read.
    public var bytes: Int64 = 0
    /// What is damaged.
    public var problems: [Problem] = []
    /// What could not be read for a reason that is no damage, such as too few descriptors: whether it is sound is not
    /// known.
    public var unread: [Problem] = []
    /// What is worth knowing and does no harm: files that no commit names, a witness that is missing.
    public var remarks: [String] = []

    /// Whether everything was read and nothing is wrong.
    public var isSound: Bool { problems.isEmpty && unread.isEmpty }

    /// Gives the problems the names of their series.
    mutating func nameSeries(_ name: (SeriesID) -> String?) {
        for i in problems.indices { problems[i].seriesName = problems[i].series.flatMap(name) }
        for i in unread.indices { unread[i].seriesName = unread[i].series.flatMap(name) }
    }

    /// Notes what a layer above could not read for a reason that is no damage.
    package mutating func noteUnread(_ path: String, _ message: String) {
        unread.append(Problem(path: path, message: message, kind: .inputOutput))
    }

    /// Notes why something could not be read: damage, or what else keeps from reading.
    mutating func note(_ error: StoreError, path: String, offset: UInt64? = nil) {
        let problem = Problem(
            path: error.path ?? path, offset: error.offset ?? offset, series: error.series, range: error.range,
            message: error.message, kind: error.kind)
        if error.isDamage { problems.append(problem) } else { unread.append(problem) }
    }
}
