// SPDX-License-Identifier: Apache-2.0

public import KymographHealth

/// How far an import is.
public struct ImportProgress: Sendable, Hashable {
    /// Bytes of the file read; of an archive, bytes unpacked.
    public var bytesRead: UInt64
    /// Bytes there are, as far as is known.
    public var bytesTotal: UInt64
    /// Records read.
    public var records: Int
}

/// What an import did.
public struct ImportOutcome: Sendable {
    /// What came of the records of one type.
    public struct TypeCount: Sendable, Hashable {
        /// The type's identifier.
        public var type: String
        /// Samples that are new.
        public var added: Int
        /// Samples that were stored before.
        public var unchanged: Int
    }

    /// Records of the file that were read.
    public var records = 0
    /// Samples added.
    public var added = 0
    /// Samples that were stored before, and were left as they are.
    public var unchanged = 0
    /// Objects (workouts, correlations, activity summaries ...) added.
    public var objectsAdded = 0
    /// Objects that were stored before.
    public var objectsUnchanged = 0
    /// Documents (routes, electrocardiograms ...) added.
    public var documentsAdded = 0
    /// Documents that were stored before.
    public var documentsUnchanged = 0
    /// Electrocardiograms that were made of documents.
    public var electrocardiogramsAdded = 0
    /// Electrocardiograms that were stored before.
    public var electrocardiogramsUnchanged = 0
    /// Things in the file that were repaired.
    public var repaired = 0
    /// Things in the file that were left out, each with an issue.
    public var skipped = 0
    /// Files of the archive that are of no interest, such as a copy of the data in another format.
    public var ignored = 0
    /// What was repaired, left out or ignored: the first hundred of each reason, with line and byte.
    public var issues: [ExportIssue] = []
    /// By type, most added first.
    public var types: [TypeCount] = []
    /// Whether the file was there to its end.
    public var complete = false
    /// Whether the store was changed: false where nothing in the file was new.
    public var committed = false
    /// Elapsed time.
    public var seconds = 0.0
}

/// Why a file was not imported. Nothing of it was stored.
public enum ImportError: Error, Sendable, CustomStringConvertible {
    /// The file is no export, or cannot be read.
    case export(ExportError)
    /// The store refused.
    case store(HealthStoreError)
    /// The caller asked to stop.
    case cancelled

    /// One sentence for a person.
    public var description: String {
        switch self {
        case .export(let error): error.description
        case .store(let error): error.description
        case .cancelled: "the import was cancelled; nothing was stored"
        }
    }
}
