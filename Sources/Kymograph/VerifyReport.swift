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
    /// What is wrong; empty for a sound store.
    public var problems: [Problem] = []
    /// What is worth knowing and does no harm: files that no commit names.
    public var remarks: [String] = []

    /// Whether nothing is wrong.
    public var isSound: Bool { problems.isEmpty }

    mutating func note(_ error: StoreError, path: String, offset: UInt64? = nil) {
        problems.append(
            Problem(
                path: error.path ?? path, offset: error.offset ?? offset, series: error.series, range: error.range,
                message: error.message, kind: error.kind))
    }
}
