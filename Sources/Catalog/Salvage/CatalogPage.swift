// SPDX-License-Identifier: Apache-2.0

/// What the stored bytes of a page show without a key.
package enum CatalogPage {
    /// The size of a page.
    package static let bytes = 4096

    /// Whether the bytes are those of page 1 of an encrypted catalog.
    package static func isEncryptedFirst(_ page: [UInt8]) -> Bool {
        let kind = 4056
        return page.count >= bytes && page[kind..<kind + 3].elementsEqual("KyE".utf8)
            && !page.starts(with: "SQLite format 3\0".utf8)
    }
}
