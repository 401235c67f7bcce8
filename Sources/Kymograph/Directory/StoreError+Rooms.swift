// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import CivilTime
import FileSystem
import TimeIndex

// How the errors of the rooms below become the store's.

/// Runs calls of the disk.
func onDisk<R>(_ body: () throws(DiskError) -> R) throws(StoreError) -> R {
    do throws(DiskError) { return try body() } catch { throw StoreError(error) }
}

/// Runs calls of the catalog.
func inCatalog<R>(_ body: () throws(CatalogError) -> R) throws(StoreError) -> R {
    do throws(CatalogError) { return try body() } catch { throw StoreError(error) }
}

/// Writes or reads the format's units of a file.
func inFormat<R>(_ path: String, _ body: () throws(FormatError) -> R) throws(StoreError) -> R {
    do throws(FormatError) { return try body() } catch { throw StoreError(error, path: path) }
}

extension StoreError {
    /// The error of a call that can only fail with the errors of the store and of its catalog.
    init(any error: any Error, path: String) {
        if let own = error as? StoreError {
            self = own
        } else if let catalog = error as? CatalogError {
            self.init(catalog)
        } else {
            self.init(.inputOutput, "\(error)", path: path)
        }
    }

    init(_ e: DiskError) {
        let isReading = ["read", "copy", "map"].contains(e.operation)
        let kind: Kind =
            if e.isFull {
                .diskFull
            } else if e.errno == DiskError.readOnly {
                .readOnly
            } else {
                isReading && e.isDamage ? .corrupt : .inputOutput
            }
        var advice = e.advice.map { "; \($0)" } ?? ""
        if e.isFull { advice += " and try again, nothing of this call was stored" }
        if e.errno == DiskError.denied { advice = "; run as the user whose files these are, or open for reading only" }
        self.init(kind, "\(e.operation) failed: \(e.message)\(advice)", path: e.path)
        // Bytes that a disk cannot give are damage; a file that it cannot open, lock or ask proves nothing.
        isRefusal = kind == .inputOutput
    }

    init(_ e: CatalogError) {
        if let own = e.underlying as? StoreError {
            self = own
            return
        }
        let kind: Kind
        switch e.kind {
        case .missing, .notADatabase: kind = .notAStore
        case .exists: kind = .alreadyExists
        case .newerFormat: kind = .newerFormat
        case .busy: kind = .locked
        case .full: kind = .diskFull
        case .readOnly: kind = .readOnly
        case .corrupt: kind = .corrupt
        case .outcomeUnknown: kind = .outcomeUnknown
        case .failed: kind = .writerFailed
        case .closed: kind = .closed
        case .forked: kind = .forked
        case .tooLarge, .unstorableText: kind = .invalidArgument
        case .io, .removed, .sequence, .closure, .other: kind = .inputOutput
        }
        // SQLite does not always tell the system's reason.
        let reason = e.systemError.map { DiskError("open", e.path, $0) } ?? (e.isRefusal ? Machine.shortage : nil)
        var advice = reason?.advice.map { "; \($0)" } ?? ""
        if kind == .diskFull {
            let limit = Machine.limitsFileSizes ? ", or raise the limit of a file's size (ulimit -f)" : ""
            advice = advice.isEmpty ? "; free some space" + limit : advice
            advice += " and try again, nothing of this call was stored"
        }
        let detail = e.detail.map { " (\($0))" } ?? ""
        self.init(kind, e.message + advice + detail, path: e.path, offset: e.offset)
        isRefusal = kind == .inputOutput && e.isRefusal
    }

    /// Whether the error proves that bytes on the disk are not what was once written.
    package var isDamage: Bool { [.corrupt, .rolledBack, .newerFormat].contains(kind) }

    /// Whether a store that cannot be opened for this reason may be damaged. Where it is not, there is another way to
    /// open it, which the error tells.
    package var mayBeDamage: Bool {
        switch kind {
        case .notAStore, .newerFormat, .diskFull, .readOnly, .locked, .invalidArgument, .closed, .cancelled: false
        case .inputOutput: !isRefusal
        default: true
        }
    }

    init(_ e: FormatError, path: String) {
        let kind: Kind
        switch e.kind {
        case .newerVersion: kind = .newerFormat
        case .misuse: kind = .invalidArgument
        case .notASegment, .checksum, .truncated, .malformed: kind = .corrupt
        }
        self.init(kind, e.description, path: path, offset: e.offset)
    }

    init(_ e: CivilError) { self.init(.invalidArgument, "\(e)") }

    static func unknown(_ id: SeriesID) -> StoreError {
        StoreError(.unknownSeries, "\(id) is not in this store; ask the store for its series")
    }

    static let forkedStore = StoreError(
        .forked, "the store was opened by the process that this one was forked from; open it again in this process")

    static let closedStore = StoreError(.closed, "the store was closed; open it again")
}

/// Writes or reads a segment's index.
func inIndex<R>(_ path: String, _ body: () throws(IndexError) -> R) throws(StoreError) -> R {
    do throws(IndexError) {
        return try body()
    } catch {
        let kind: StoreError.Kind
        switch error.kind {
        case .misuse: kind = .invalidArgument
        case .unreadable: kind = .inputOutput
        case .checksum, .truncated, .malformed, .damaged: kind = .corrupt
        }
        throw StoreError(kind, error.description, path: path, offset: error.offset)
    }
}
