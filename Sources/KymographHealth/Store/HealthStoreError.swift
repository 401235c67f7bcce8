// SPDX-License-Identifier: Apache-2.0

/// What can go wrong with a health store, where, and what to do next.
public struct HealthStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error: what a program may want to tell apart.
    public enum Kind: Sendable, Hashable {
        /// The engine refused; the kind says why.
        case engine(StoreError.Kind)
        /// What was asked for makes no sense.
        case invalidArgument
        /// The store has no samples of the type, or no such source.
        case notFound
        /// The unit asked for measures something else, or a stored unit is none that converts.
        case incompatibleUnit
        /// A row of the health layer does not say what was once written.
        case corrupt
        /// A row was written by a newer version of the library.
        case newerFormat
        /// The caller asked to stop; nothing was stored.
        case cancelled
    }

    /// What kind of error it is.
    public let kind: Kind
    /// What happened, and what to do next.
    public let message: String
    /// The file or directory concerned.
    public let path: String?
    /// The place in the file, where one is known.
    public let offset: UInt64?

    package init(_ kind: Kind, _ message: String, path: String? = nil, offset: UInt64? = nil) {
        self.kind = kind
        self.message = message
        self.path = path
        self.offset = offset
    }

    /// One sentence for a person, with the place.
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

    init(_ error: HKUnitError) { self.init(.incompatibleUnit, error.description) }
}

/// Calls the engine.
func inEngine<R>(_ body: () throws(StoreError) -> R) throws(HealthStoreError) -> R {
    do throws(StoreError) { return try body() } catch { throw HealthStoreError(error) }
}
