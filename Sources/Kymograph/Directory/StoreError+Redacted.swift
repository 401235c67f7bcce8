// SPDX-License-Identifier: Apache-2.0

extension StoreError {
    /// The error without what it may tell about the stored data: it has kind, path, offset and the number of the
    /// series, no times, no identity, and a message that depends only on the kind. For logs that leave the machine.
    public var redacted: StoreError {
        var error = StoreError(kind, kind.explanation, path: path, offset: offset, isRefusal: isRefusal)
        if let series { error = error.concerning(series.rawValue, nil) }
        return error
    }
}

extension StoreError.Kind {
    /// A message that depends only on the kind.
    fileprivate var explanation: String {
        switch self {
        case .notAStore: "the directory holds no store"
        case .isBackup: "the directory holds a backup; restore it to get a store"
        case .alreadyExists: "the directory already holds something else"
        case .newerFormat: "a newer version of the library wrote the store"
        case .locked: "another opening writes the store"
        case .readOnly: "the store was opened for reading only, or the disk is read-only"
        case .corrupt: "stored bytes are damaged"
        case .rolledBack: "acknowledged commits are missing"
        case .diskFull: "the disk is full; the call stored nothing"
        case .inputOutput: "the operating system refused a call"
        case .outcomeUnknown: "a commit failed half-way; open the store again"
        case .writerFailed: "the writer stopped after an earlier failure; open the store again"
        case .invalidSample: "a sample breaks a rule"
        case .identityTaken: "the identity belongs to another sample"
        case .invalidArgument: "a query or a setting is invalid"
        case .unknownSeries: "the series does not exist"
        case .kindMismatch: "the series has another kind"
        case .closed: "the store was closed"
        case .cancelled: "the caller cancelled the operation"
        case .overloaded: "the disk is too slow for the appended samples"
        case .anchorExpired: "the changes since the anchor are no longer known"
        case .notRetained: "the store cannot show the commit any more"
        case .snapshotExpired: "the snapshot has expired; take a new one"
        case .forked: "the parent process opened the store; open it again"
        case .needsKey: "the store is encrypted, and the key is missing or is not among those in KEYS"
        case .wrongKey: "the key does not open the store"
        case .notEncrypted: "a key was given, but the store is not encrypted"
        case .forged: "a program changed, moved or replaced stored bytes"
        }
    }
}
