// SPDX-License-Identifier: Apache-2.0

package import Catalog

extension HealthCatalog {
    /// The identities of all live health objects, without what is in them, in no order.
    ///
    /// - Complexity: O(health objects): for a caller who would otherwise look up as many, one by one.
    package static func liveHealthObjects(_ transaction: CatalogTransaction) throws -> [[UInt8]] {
        guard try hasObjects(transaction) else { return [] }
        var found: [[UInt8]] = []
        try transaction.scan("SELECT uuid FROM health_object WHERE died IS NULL") {
            found.append(try $0.blob(0, count: 16, "the identity of a health object"))
        }
        return found
    }
}
