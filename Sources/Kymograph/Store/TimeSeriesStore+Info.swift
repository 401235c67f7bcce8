// SPDX-License-Identifier: Apache-2.0

package import Catalog

extension TimeSeriesStore {
    /// Returns the contents of the store, and its sizes. O(runs + files).
    ///
    /// - Throws: `inputOutput`.
    public func info() throws(StoreError) -> StoreInfo {
        try requireOwnProcess()
        let bytes = try access.withCatalog { catalog throws(CatalogError) in catalog.fileBytes }
        return try context.info(catalog: bytes)
    }

    /// Returns the oldest commit that a snapshot of any process shows, or the last commit. No snapshot needs an earlier
    /// one.
    package func oldestHeldCommit() throws(StoreError) -> Int64 { try context.oldestHeldCommit() }

    /// Reads tables of the layers above, in one transaction.
    package func readCatalog<R: Sendable>(_ body: (CatalogTransaction) throws -> R) throws(StoreError) -> R {
        try access.read(body)
    }
}
