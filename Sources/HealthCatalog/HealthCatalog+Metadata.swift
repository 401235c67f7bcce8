// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import GRDB

extension HealthCatalog {
    /// 64 bits of FNV-1a, with its bits stirred once more: to find equal bytes, not to keep anybody from making them.
    package static func digest(_ bytes: [UInt8]) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            hash ^= UInt64(byte)
            hash = hash &* 0x100_0000_01B3
        }
        hash ^= hash >> 32
        hash = hash &* 0xD6E8_FEB8_6659_FD93
        hash ^= hash >> 32
        return Int64(bitPattern: hash)
    }

    /// The number under which a metadata body is filed: 32 bits of its digest, which keeps the index small; bodies are
    /// compared wherever the number is used.
    package static func metadataHash(_ body: [UInt8]) -> Int64 { digest(body) & 0xFFFF_FFFF }

    /// New rows; the caller has made sure that none of the bodies is there.
    package static func insert(_ metadata: [MetadataRow], _ transaction: CatalogTransaction) throws {
        let sql = "INSERT INTO metadata(id,hash,body)VALUES(?,?,?)"
        for row in metadata { try transaction.run(sql, [row.id, metadataHash(row.body), Data(row.body)]) }
    }

    /// The row of each body, in the order of the bodies; nil for one that is not there. One look into the index each.
    package static func metadataIDs(bodies: [[UInt8]], _ transaction: CatalogTransaction) throws -> [Int64?] {
        var found: [Int64?] = []
        found.reserveCapacity(bodies.count)
        for body in bodies {
            var id: Int64?
            let sql = "SELECT id,body FROM metadata WHERE hash=? ORDER BY id"
            try transaction.scan(sql, [metadataHash(body)]) { row in
                if id == nil, try row.blob(1) == body { id = try row.int(0) }
            }
            found.append(id)
        }
        return found
    }

    /// The bodies of some rows. An id that is not there is missing in the answer.
    package static func metadataBodies(
        ids: [Int64], _ transaction: CatalogTransaction
    ) throws -> [Int64: [UInt8]] {
        var found: [Int64: [UInt8]] = [:]
        found.reserveCapacity(ids.count)
        for id in ids where found[id] == nil {
            try transaction.scan("SELECT body FROM metadata WHERE id=?", [id]) { found[id] = try $0.blob(0) }
        }
        return found
    }

    /// Every row, ascending by id: what an import interns from. Time in proportion to the table.
    package static func eachMetadata(
        _ transaction: CatalogTransaction, _ body: (MetadataRow) throws -> Void
    ) throws {
        try transaction.scan("SELECT id,body FROM metadata ORDER BY id") { row in
            try body(MetadataRow(id: try row.int(0), body: try row.blob(1)))
        }
    }

    package static func remove(metadata ids: [Int64], _ transaction: CatalogTransaction) throws {
        for id in ids { try transaction.run("DELETE FROM metadata WHERE id=?", [id]) }
    }
}
