// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// What the catalog asks the file system beside SQLite. Nothing here opens the database's file but by SQLite's own
/// layer; a second SQLite of this process would lose its locks.
struct CatalogFile: Sendable {
    /// The VFS that has the files.
    let vfs: String

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

    /// Refuses what can be no catalog.
    ///
    /// - Throws: `missing`, `notADatabase`; `other` where nobody can say.
    func requireFile(_ path: String) throws(CatalogError) {
        switch presence(path) {
        case .file(bytes: 0): throw CatalogError(.notADatabase, "the file is empty, no catalog", path: path)
        case .file: break
        case .nothing: throw CatalogError(.missing, "there is no catalog", path: path)
        case .notAFile: throw CatalogError(.notADatabase, "not a plain file, so no catalog", path: path)
        case .unknown(let error): throw CatalogError(refusal: error, .other, "cannot open the catalog", path: path)
        }
    }

    /// Bytes of a file; 0 if there is none, or if it cannot be asked.
    func size(_ path: String) -> Int64 {
        if case .file(let bytes) = presence(path) { return bytes }
        return 0
    }

    /// Makes an empty file that only its owner can read, where nothing is yet.
    func createPrivate(_ path: String) throws(CatalogError) {
        switch presence(path) {
        case .file, .notAFile: throw CatalogError(.exists, "cannot create the catalog: something is there", path: path)
        case .nothing, .unknown: break
        }
        let error = unsafe csq_file_create_private(vfs, path)
        guard error != 0 else { return }
        let kind: CatalogError.Kind = Self.isFull(error) ? .full : error == CSQ_READ_ONLY ? .readOnly : .other
        throw CatalogError(refusal: error, kind, "cannot create the catalog", path: path)
    }

    func removeAll(_ path: String) {
        for suffix in ["", "-wal", "-shm", Self.copySuffix, Self.secondCopySuffix] {
            unsafe _ = csq_file_remove(vfs, path + suffix)
        }
    }

    /// Makes a database's log durable of which a sync may have failed: by writing it again.
    func rewriteLog(of path: String) throws(CatalogError) {
        let error = unsafe csq_log_rewrite(vfs, path + "-wal", path + Self.copySuffix)
        try settled(error, path)
    }

    /// Does a rewriting of a database's log again that was interrupted. Before a writer opens the database.
    func recoverLog(of path: String) throws(CatalogError) {
        let error = unsafe csq_log_recover(
            vfs, path + "-wal", path + Self.copySuffix, path + Self.secondCopySuffix)
        try settled(error, path)
    }

    /// Whether such a rewriting is under way, or was interrupted.
    func isRewritingLog(of path: String) -> Bool {
        [Self.copySuffix, Self.secondCopySuffix].contains { presence(path + $0) != .nothing }
    }

    /// Whether a copy of the log has what the log lacks, or may have.
    func lacksOfLog(_ path: String) -> Bool {
        [Self.copySuffix, Self.secondCopySuffix].contains { suffix in
            if presence(path + suffix) == .nothing { return false }
            return unsafe csq_log_lacks(vfs, path + "-wal", path + suffix) == 1
        }
    }

    /// The commit that a log begins with, if it follows none that the pages of its database are of; else 0.
    func logAhead(of path: String) -> Int64 { unsafe csq_log_ahead(vfs, path, path + "-wal") }

    /// Whether the file is there and this process may not read it; or nothing may be made beside it.
    func isDenied(_ path: String, writing: Bool = false) -> Bool {
        unsafe csq_file_is_denied(vfs, path, writing ? 1 : 0) == 1
    }

    private func settled(_ error: Int32, _ path: String) throws(CatalogError) {
        guard error != 0 else { return }
        throw CatalogError(
            refusal: error, Self.isFull(error) ? .full : error == CSQ_READ_ONLY ? .readOnly : .io,
            "cannot make the log durable", path: path + "-wal")
    }

    /// What the log's copy has behind the database's name while the log is written again.
    static let copySuffix = "-wal-copy"
    /// What a copy of that copy has, which is made where one is found.
    static let secondCopySuffix = "-wal-copy2"

    func isOnReadOnlyMount(_ path: String) -> Bool { unsafe csq_file_on_read_only_mount(vfs, path) == 1 }

    /// Whether an error number says that there is no room: on the disk, of the quota, or in a file that may not grow.
    static func isFull(_ error: Int32) -> Bool { csq_error_is_full(error) == 1 }

    static func text(_ error: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        unsafe csq_sqlite_error_text(error, &buffer, 128)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
