// SPDX-License-Identifier: Apache-2.0

public import KymographHealth

/// The progress of an import.
public struct ImportProgress: Sendable, Hashable {
    /// Bytes of the file read; for an archive, decompressed bytes.
    public var bytesRead: UInt64
    /// The total number of bytes; 0 if unknown.
    public var bytesTotal: UInt64
    /// Records read.
    public var records: Int
}

/// The result of an import.
public struct ImportOutcome: Sendable {
    /// The result for the records of one type.
    public struct TypeCount: Sendable, Hashable {
        /// The type's identifier.
        public var type: String
        /// New samples.
        public var added: Int
        /// Samples stored before.
        public var unchanged: Int
    }

    /// Records read from the file.
    public var records = 0
    /// Samples added.
    public var added = 0
    /// Samples stored before and not changed.
    public var unchanged = 0
    /// Objects (workouts, correlations, activity summaries ...) added.
    public var objectsAdded = 0
    /// Objects stored before.
    public var objectsUnchanged = 0
    /// Documents (routes, electrocardiograms ...) added.
    public var documentsAdded = 0
    /// Documents stored before.
    public var documentsUnchanged = 0
    /// Electrocardiograms created from documents.
    public var electrocardiogramsAdded = 0
    /// Electrocardiograms stored before.
    public var electrocardiogramsUnchanged = 0
    /// Files that the XML names, such as routes, and that are neither in the export nor in the store.
    public var missing = 0
    /// The names of the first hundred missing files, relative to the folder of the XML: routes, recordings, others.
    public var missingFiles: [String] = []
    /// Whether no file of a folder with missing files was read, so that the folder itself is missing.
    package var lacksFolder = false
    /// Whether the export was an archive. Files that are missing in an archive cannot be beside it.
    package var isArchive = false
    /// Items repaired.
    public var repaired = 0
    /// Items skipped, each with an issue.
    public var skipped = 0
    /// Files beside the XML that are not needed, such as a copy of the data in another format.
    public var ignored = 0
    /// Repaired, skipped and ignored items: the first hundred per reason, with line and byte.
    public var issues: [ExportIssue] = []
    /// The counts by type, most added samples first.
    public var types: [TypeCount] = []
    /// Whether the file was read completely.
    public var complete = false
    /// Whether the store was changed; false if nothing in the file was new.
    public var committed = false
    /// The elapsed time in seconds.
    public var seconds = 0.0
}

/// The reason why a file was not imported. Nothing was stored.
public enum ImportError: Error, Sendable, CustomStringConvertible {
    /// The file is not an export, or cannot be read.
    case export(ExportError)
    /// An error of the store.
    case store(HealthStoreError)
    /// The caller cancelled.
    case cancelled

    /// The error as one sentence.
    public var description: String {
        switch self {
        case .export(let error): error.description
        case .store(let error): error.description
        case .cancelled: "the import was cancelled; nothing was stored"
        }
    }
}
