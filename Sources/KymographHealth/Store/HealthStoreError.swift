// SPDX-License-Identifier: Apache-2.0

import Bytes

/// An error of a health store: what failed, where, and what to do next.
public struct HealthStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error.
    public enum Kind: Sendable, Hashable {
        /// An error of the engine, with its kind.
        case engine(StoreError.Kind)
        /// An argument is invalid.
        case invalidArgument
        /// The store has no samples of the type, or no such source.
        case notFound
        /// The requested unit has another dimension, or a stored unit has no conversion.
        case incompatibleUnit
        /// A row of the health layer is damaged.
        case corrupt
        /// A row was written by a newer version of the library.
        case newerFormat
        /// The caller cancelled; nothing was stored.
        case cancelled
    }

    /// The kind of the error.
    public let kind: Kind
    /// What failed, and what to do next.
    public let message: String
    /// The path of the file or directory.
    public let path: String?
    /// The byte offset in the file, if known.
    public let offset: UInt64?

    package init(_ kind: Kind, _ message: String, path: String? = nil, offset: UInt64? = nil) {
        self.kind = kind
        self.message = message
        self.path = path
        self.offset = offset
    }

    /// Whether the error shows damage of the store.
    var isDamage: Bool {
        switch kind {
        case .corrupt, .newerFormat, .engine(.forged), .engine(.rolledBack): true
        default: false
        }
    }

    /// The message, with path and offset.
    public var description: String {
        var text = message
        if let path { text += " [\(path)" + (offset.map { " at byte \($0)" } ?? "") + "]" }
        return text
    }
}

extension HealthStoreError {
    init(_ error: StoreError) {
        let kind: Kind
        switch error.kind {
        case .corrupt: kind = .corrupt
        case .newerFormat: kind = .newerFormat
        case .invalidArgument: kind = .invalidArgument
        case .cancelled: kind = .cancelled
        default: kind = .engine(error.kind)
        }
        self.init(kind, error.message, path: error.path, offset: error.offset)
    }

    /// Creates the error for a record whose bytes cannot be decoded.
    init(_ error: ByteError, in record: String) {
        self.init(
            error.what == HealthMetadata.unknownPart ? .newerFormat : .corrupt,
            "\(record) cannot be read at byte \(error.offset): \(error.what)")
    }

    /// Converts an error of a closure.
    init(any error: any Error) {
        switch error {
        case let error as HealthStoreError: self = error
        case let error as StoreError: self.init(error)
        default: self.init(.corrupt, "\(error)")
        }
    }

    init(_ error: HKUnitError) { self.init(.incompatibleUnit, error.description) }
}

/// Calls the engine, and converts its errors.
func inEngine<R>(_ body: () throws(StoreError) -> R) throws(HealthStoreError) -> R {
    do throws(StoreError) { return try body() } catch { throw HealthStoreError(error) }
}
