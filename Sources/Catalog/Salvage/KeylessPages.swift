// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

// What the stored pages of an encrypted catalog show without a key.
extension CatalogDatabase {
    /// Whether the first page of a file is that of an encrypted catalog. False for a file that cannot be read.
    package static func isEncrypted(at path: String, vfs: String? = nil) -> Bool {
        guard let name = try? CatalogVFS.named(vfs) else { return false }
        return unsafe csq_page_1_is_encrypted(name, path) == 1
    }

    /// Whether the first page of a file is encrypted with these keys. False for a file that cannot be read.
    package static func isEncrypted(at path: String, with keys: PageKeys, vfs: String? = nil) -> Bool {
        guard let name = try? CatalogVFS.named(vfs) else { return false }
        let file = PageFile(path, CatalogFile(vfs: name, keys: keys), log: false)
        return file?.page(1) != nil
    }

    /// Checks the checksums of all pages of an encrypted catalog and of its log, without its keys. Another process may
    /// write the catalog meanwhile.
    ///
    /// - Parameter storeID: the store's id, 16 bytes.
    /// - Returns: an error for each damaged page, at most a thousand.
    /// - Throws: `io` if a page cannot be read.
    package static func damagedPages(
        at path: String, vfs: String? = nil, storeID: [UInt8]
    ) throws(CatalogError) -> [CatalogError] {
        guard storeID.count == 16 else { throw CatalogError(.other, "the id must have 16 bytes", path: path) }
        let name = try CatalogVFS.named(vfs)
        let capacity = 1_000
        var problems = [csq_page_problem](repeating: csq_page_problem(), count: capacity)
        let count = unsafe csq_check_without_keys(name, path, path + "-wal", storeID, &problems, Int32(capacity))
        guard count >= 0 else {
            throw CatalogError(.io, "the catalog cannot be read (SQLite: code \(-1 - count))", path: path)
        }
        return problems.prefix(min(Int(count), capacity)).map { CatalogError($0, path: path) }
    }
}
