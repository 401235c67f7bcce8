// SPDX-License-Identifier: Apache-2.0

internal import CSQLiteShim

/// The keys of an encrypted catalog, by generation.
///
/// SQLite receives only the number of an entry in a table of the VFS layer, so no key is part of an address or of a
/// statement. Connections keep the keys with which they were opened.
package final class PageKeys: Sendable {
    /// The size of a key in bytes.
    package static let keyBytes = 32

    /// The number of the entry.
    let number: Int64

    /// Creates an entry without keys.
    ///
    /// - Parameter storeID: the store's id, 16 bytes.
    package init(storeID: [UInt8]) throws(CatalogError) {
        guard storeID.count == 16 else { throw CatalogError(.other, "the id must have 16 bytes", path: "") }
        number = unsafe csq_keys_new(storeID)
        guard number > 0 else { throw CatalogError(.other, "no memory for the keys of a catalog", path: "") }
    }

    /// Adds the key of a generation. New pages are encrypted by the greatest generation. A generation that has a key
    /// keeps it.
    ///
    /// - Parameters:
    ///   - generation: 1 to 255.
    ///   - key: 32 bytes, which are copied.
    package func add(generation: UInt8, key: UnsafeBufferPointer<UInt8>) throws(CatalogError) {
        guard generation > 0, key.count == Self.keyBytes, let start = key.baseAddress else {
            throw CatalogError(.other, "a key of a catalog has 32 bytes and a generation of 1 to 255", path: "")
        }
        guard unsafe csq_keys_add(number, generation, start) == 0 else {
            throw CatalogError(.other, "no memory for a key of a catalog", path: "")
        }
    }

    deinit { csq_keys_free(number) }
}
