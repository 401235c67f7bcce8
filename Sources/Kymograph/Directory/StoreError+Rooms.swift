// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
package import Cipher
import CivilTime
import FileSystem
import TimeIndex

// Conversion of errors of lower targets into `StoreError`.

/// Runs a disk operation and converts its error.
func onDisk<R>(_ body: () throws(DiskError) -> R) throws(StoreError) -> R {
    do throws(DiskError) { return try body() } catch { throw StoreError(error) }
}

/// Runs a catalog operation and converts its error.
func inCatalog<R>(_ body: () throws(CatalogError) -> R) throws(StoreError) -> R {
    do throws(CatalogError) { return try body() } catch { throw StoreError(error) }
}

/// Encodes or decodes parts of a file and converts the error.
func inFormat<R>(_ path: String, _ body: () throws(FormatError) -> R) throws(StoreError) -> R {
    do throws(FormatError) { return try body() } catch { throw StoreError(error, path: path) }
}

/// Encrypts, decrypts or handles keys, and converts the error.
func inCipher<R>(_ body: () throws(CipherError) -> R) throws(StoreError) -> R {
    do throws(CipherError) { return try body() } catch { throw StoreError(error) }
}

extension StoreError {
    /// The part of an advice that only programs can follow, because a command has no such option.
    package static let orReadOnly = ", or open for reading only"

    /// Converts the error of a call that throws only errors of the store and of its catalog.
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
        let kind: Kind =
            if e.isFull {
                .diskFull
            } else if e.errno == DiskError.readOnly {
                .readOnly
            } else {
                e.isUnreadableContent ? .corrupt : .inputOutput
            }
        var advice = e.advice.map { "; \($0)" } ?? ""
        if e.isFull { advice += " and try again, nothing of this call was stored" }
        if e.errno == DiskError.denied { advice = "; run as the user whose files these are" + Self.orReadOnly }
        self.init(kind, "\(e.operation) failed: \(e.message)\(advice)", path: e.path)
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
        case .forged: kind = .forged
        case .needsKey: kind = .needsKey
        case .outcomeUnknown: kind = .outcomeUnknown
        case .failed: kind = .writerFailed
        case .closed: kind = .closed
        case .forked: kind = .forked
        case .tooLarge, .unstorableText: kind = .invalidArgument
        case .io, .removed, .sequence, .closure, .other: kind = .inputOutput
        }
        // SQLite does not always report the system's reason.
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

    /// True if the error proves that bytes on disk differ from the written bytes.
    package var isDamage: Bool { [.corrupt, .forged, .rolledBack, .newerFormat].contains(kind) }

    /// True if the failed opening may be due to damage. Otherwise the message says how the store can be opened.
    package var mayBeDamage: Bool {
        switch kind {
        case .notAStore, .newerFormat, .diskFull, .readOnly, .locked, .invalidArgument, .closed, .cancelled: false
        case .needsKey, .wrongKey, .notEncrypted: false
        case .inputOutput: !isRefusal
        default: true
        }
    }

    init(_ e: FormatError, path: String) {
        let kind: Kind
        switch e.kind {
        case .newerVersion: kind = .newerFormat
        case .needsKey: kind = .needsKey
        case .forged: kind = .forged
        case .misuse: kind = .invalidArgument
        case .notASegment, .checksum, .truncated, .malformed: kind = .corrupt
        case .cipher: kind = .inputOutput
        }
        self.init(kind, e.description, path: path, offset: e.offset)
    }

    package init(_ e: CipherError) {
        let kind: Kind
        switch e.kind {
        case .needsKey: kind = .needsKey
        case .wrongKey: kind = .wrongKey
        case .forged: kind = .forged
        case .forked: kind = .forked
        case .corrupt: kind = .corrupt
        case .newerFormat: kind = .newerFormat
        case .invalidArgument: kind = .invalidArgument
        case .unavailable, .failed: kind = .inputOutput
        case .inputOutput:
            // A file of keys that is too long does not fill the disk.
            if let disk = e.disk, disk.errno != DiskError.fileTooLarge {
                self.init(disk)
                return
            }
            kind = .inputOutput
        }
        self.init(kind, e.message, path: e.path)
        isRefusal = kind == .inputOutput
    }

    init(_ e: CivilError) { self.init(.invalidArgument, "\(e)") }

    static func unknown(_ id: SeriesID) -> StoreError {
        StoreError(.unknownSeries, "\(id) is not in this store; ask the store for its series")
    }

    static let forkedStore = StoreError(
        .forked, "the store was opened before this process was forked; open it again in this process")

    static let closedStore = StoreError(.closed, "the store was closed; open it again")
}

/// Writes or reads a segment's index and converts the error.
func inIndex<R>(_ path: String, _ body: () throws(IndexError) -> R) throws(StoreError) -> R {
    do throws(IndexError) {
        return try body()
    } catch {
        throw StoreError(error.storeKind, error.description, path: path, offset: error.offset)
    }
}

extension IndexError {
    /// The kind of the store's error for an error of an index.
    var storeKind: StoreError.Kind {
        switch kind {
        case .misuse: .invalidArgument
        case .unreadable: .inputOutput
        case .forged: .forged
        case .checksum, .truncated, .malformed, .damaged: .corrupt
        }
    }
}
