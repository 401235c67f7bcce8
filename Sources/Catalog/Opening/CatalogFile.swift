// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// File operations of the catalog outside SQLite.
///
/// - Invariant: only SQLite's own VFS opens the database file. A second SQLite library in this process would release
///   the locks of the first one.
struct CatalogFile: Sendable {
    /// The name of the VFS that holds the files.
    let vfs: String
    /// The keys of an encrypted catalog; nil for a plain one.
    var keys: PageKeys?

    /// The number of reserved bytes at the end of each page.
    var reservedBytes: Int32 { CatalogSchema.reservedBytes(isEncrypted: keys != nil) }

    /// Returns the URI of a file for SQLite, including the VFS and the number of the keys.
    func address(_ path: String, immutable: Bool) -> String {
        CatalogVFS.address(path, vfs: vfs, immutable: immutable) + (keys.map { "&keys=\($0.number)" } ?? "")
    }

    enum Presence: Equatable { case nothing, file(bytes: Int64), notAFile, unknown(error: Int32) }

    func presence(_ path: String) -> Presence {
        var size: Int64 = 0
        let error = unsafe csq_file_size(vfs, path, &size)
        switch error {
        case 0: return .file(bytes: size)
        case CSQ_NOT_REGULAR: return .notAFile
        case CSQ_NOT_FOUND: return .nothing
        default: return .unknown(error: error)
        }
    }

    /// Throws unless a non-empty regular file exists at `path`.
    ///
    /// - Throws: `missing`, `notADatabase`; `other` if the system refuses the query.
    func requireFile(_ path: String) throws(CatalogError) {
        switch presence(path) {
        case .file(bytes: 0): throw CatalogError(.notADatabase, "the file is empty, so it is not a catalog", path: path)
        case .file: break
        case .nothing: throw CatalogError(.missing, "there is no catalog", path: path)
        case .notAFile: throw CatalogError(.notADatabase, "not a regular file, so not a catalog", path: path)
        case .unknown(let error): throw CatalogError(refusal: error, .other, "cannot open the catalog", path: path)
        }
    }

    /// Returns the size of a file in bytes; 0 if the file does not exist or the system refuses the query.
    func size(_ path: String) -> Int64 {
        if case .file(let bytes) = presence(path) { return bytes }
        return 0
    }

    /// Creates an empty file that only its owner can read and write.
    ///
    /// - Throws: `exists` if the path is taken.
    func createPrivate(_ path: String) throws(CatalogError) {
        switch presence(path) {
        case .file, .notAFile: throw CatalogError(.exists, "cannot create the catalog: the path is taken", path: path)
        case .nothing, .unknown: break
        }
        let error = unsafe csq_file_create_private(vfs, path)
        guard error != 0 else { return }
        let kind: CatalogError.Kind = Self.isFull(error) ? .full : error == CSQ_READ_ONLY ? .readOnly : .other
        throw CatalogError(refusal: error, kind, "cannot create the catalog", path: path)
    }

    func removeAll(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-index", Self.copySuffix, Self.secondCopySuffix] {
            unsafe _ = csq_file_remove(vfs, path + suffix)
        }
    }

    /// Rewrites the log of a database, which makes it durable after a sync that may have failed.
    func rewriteLog(of path: String) throws(CatalogError) {
        let error = unsafe csq_log_rewrite(vfs, path + "-wal", path + Self.copySuffix)
        try settled(error, path)
    }

    /// Completes an interrupted rewrite of a database's log.
    ///
    /// - Ordering: before a writer opens the database.
    func recoverLog(of path: String) throws(CatalogError) {
        let error = unsafe csq_log_recover(
            vfs, path + "-wal", path + Self.copySuffix, path + Self.secondCopySuffix)
        try settled(error, path)
    }

    /// Whether a rewrite of the log is in progress or was interrupted.
    func isRewritingLog(of path: String) -> Bool {
        [Self.copySuffix, Self.secondCopySuffix].contains { presence(path + $0) != .nothing }
    }

    /// Whether a copy of the log holds, or may hold, commits that the log lacks.
    func lacksOfLog(_ path: String) -> Bool {
        [Self.copySuffix, Self.secondCopySuffix].contains { suffix in
            if presence(path + suffix) == .nothing { return false }
            return unsafe csq_log_lacks(vfs, path + "-wal", path + suffix) == 1
        }
    }

    /// Returns the first commit in the log if it does not directly follow the last commit of the database's pages;
    /// else 0.
    func logAhead(of path: String) -> Int64 { unsafe csq_log_ahead(vfs, path, path + "-wal", keys?.number ?? 0) }

    /// Whether the log has frames of which the keys lack the generation. They may be commits.
    func lacksKeyOfLog(_ path: String) -> Bool { unsafe csq_log_lacks_key(vfs, path + "-wal", keys?.number ?? 0) != 0 }

    /// Whether the file exists and this process may not read it or, if `writing`, may not create files beside it.
    func isDenied(_ path: String, writing: Bool = false) -> Bool {
        unsafe csq_file_is_denied(vfs, path, writing ? 1 : 0) == 1
    }

    private func settled(_ error: Int32, _ path: String) throws(CatalogError) {
        guard error != 0 else { return }
        throw CatalogError(
            refusal: error, Self.isFull(error) ? .full : error == CSQ_READ_ONLY ? .readOnly : .io,
            "cannot make the log durable", path: path + "-wal")
    }

    /// The suffix of the log's copy, which exists while the log is rewritten.
    static let copySuffix = "-wal-copy"
    /// The suffix of the second copy, which is made if a first copy already exists.
    static let secondCopySuffix = "-wal-copy2"

    func isOnReadOnlyMount(_ path: String) -> Bool { unsafe csq_file_on_read_only_mount(vfs, path) == 1 }

    /// Whether an error number means that the disk or the quota is full, or that the file may not grow.
    static func isFull(_ error: Int32) -> Bool { csq_error_is_full(error) == 1 }

    static func text(_ error: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        unsafe csq_sqlite_error_text(error, &buffer, 128)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
