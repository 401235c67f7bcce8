// SPDX-License-Identifier: Apache-2.0

package import Catalog
internal import Foundation
internal import Kernels
internal import SQLiteConnection

extension HealthCatalog {
    /// Returns 64 bits of FNV-1a with a final mixing step. It detects equal bytes; it does not resist deliberate
    /// collisions.
    package static func digest(_ bytes: [UInt8]) -> Int64 {
        finished(Kernel.fnv(bytes, 0..<bytes.count, continuing: digestStart))
    }

    /// The digests of bytes after a byte 1, and after a byte 2, in one pass.
    package struct TwoDigests {
        private var first = (digestStart ^ 1) &* digestFactor
        private var second = (digestStart ^ 2) &* digestFactor

        package init() {}

        /// Adds the bytes of an array.
        package mutating func add(_ bytes: [UInt8]) {
            for byte in bytes { add(byte) }
        }

        /// Adds the eight bytes of each number, lowest first.
        package mutating func add(_ numbers: [Int64]) {
            for number in numbers { add(eightBytes: UInt64(bitPattern: number)) }
        }

        /// Adds the eight bytes of each bit pattern, lowest first.
        package mutating func add(_ numbers: [Double]) {
            for number in numbers { add(eightBytes: number.bitPattern) }
        }

        @inline(__always)
        private mutating func add(eightBytes number: UInt64) {
            for place in 0..<8 { add(UInt8(truncatingIfNeeded: number &>> UInt64(8 &* place))) }
        }

        @inline(__always)
        private mutating func add(_ byte: UInt8) {
            first = (first ^ UInt64(byte)) &* digestFactor
            second = (second ^ UInt64(byte)) &* digestFactor
        }

        /// The digests of all bytes added so far.
        package var digests: (first: Int64, second: Int64) { (finished(first), finished(second)) }
    }

    private static var digestStart: UInt64 { 0xCBF2_9CE4_8422_2325 }
    private static var digestFactor: UInt64 { 0x100_0000_01B3 }

    private static func finished(_ hash: UInt64) -> Int64 {
        let mixed = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
        return Int64(bitPattern: mixed ^ mixed >> 32)
    }

    /// Returns the index key of a metadata body: 32 bits of its digest, which keeps the index small. Callers compare
    /// the bodies of rows with equal keys.
    package static func metadataHash(_ body: [UInt8]) -> Int64 { digest(body) & 0xFFFF_FFFF }

    /// Inserts metadata sets.
    ///
    /// - Requires: none of the bodies is stored yet.
    package static func insert(_ metadata: [MetadataRow], _ transaction: CatalogTransaction) throws {
        let sql = "INSERT INTO metadata(id,hash,body)VALUES(?,?,?)"
        for row in metadata { try transaction.run(sql, [row.id, metadataHash(row.body), row.body]) }
    }

    /// Returns the row of each body, in the order of the bodies; nil for an unknown body. One index lookup for each
    /// body.
    package static func metadataIDs(bodies: [[UInt8]], _ transaction: CatalogTransaction) throws -> [Int64?] {
        try bodies.map { body in
            var id: Int64?
            let sql = "SELECT id,body FROM metadata WHERE hash=? ORDER BY id"
            try transaction.scan(sql, [metadataHash(body)]) { row in
                if id == nil, try row.blob(1) == body { id = try row.int(0) }
            }
            return id
        }
    }

    /// Returns the bodies of some rows; unknown ids are missing in the result.
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

    /// Calls `body` for every metadata set, ascending by id; an import builds its dictionary from them. O(rows).
    package static func eachMetadata(
        _ transaction: CatalogTransaction, _ body: (MetadataRow) throws -> Void
    ) throws {
        try transaction.scan("SELECT id,body FROM metadata ORDER BY id") { row in
            try body(MetadataRow(id: try row.int(0), body: try row.blob(1)))
        }
    }
}
