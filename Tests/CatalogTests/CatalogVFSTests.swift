// SPDX-License-Identifier: Apache-2.0

import Catalog
import Testing

@Suite("E-1 the VFS layer under SQLite")
struct CatalogVFSTests {
    @Test("The layer works over any base VFS")
    func otherBase() throws {
        let scratch = try Scratch()
        try CatalogVFS.register("over-excl", over: "unix-excl")
        try CatalogVFS.register("over-excl", over: "unix-excl")
        let path = scratch.folder + "/a b%?#é.sqlite"
        func create() throws {
            try CatalogDatabase.create(
                at: path, storeID: Scratch.storeID, homeZone: "UTC", formatVersion: 2, vfs: "over-excl")
        }
        expect(.missing) { _ = try CatalogDatabase.open(at: path, readOnly: true, vfs: "over-excl") }
        try create()
        expect(.exists) { try create() }
        let writer = try CatalogDatabase.open(at: path, readOnly: false, vfs: "over-excl")
        try writer.commit(tail(1, [1, 2, 3]))
        #expect(writer.fileBytes > 4096)
        try writer.close()
        let reader = try CatalogDatabase.open(at: path, readOnly: true)
        #expect(try reader.load().tail.map(\.body) == [[1, 2, 3]])
        try reader.close()
    }

    @Test("The checksum is CRC-32C, with and without the processor's instruction")
    func checksum() {
        var dice = Dice(seed: 3)
        #expect(CatalogVFS.checksum(Array("123456789".utf8)) == 0xE306_9283)
        for count in [0, 1, 7, 8, 9, 31, 4_060] {
            let bytes = dice.bytes(count)
            var wanted = ~UInt32(0)
            for byte in bytes {
                wanted ^= UInt32(byte)
                for _ in 0..<8 { wanted = wanted >> 1 ^ (wanted & 1 == 1 ? 0x82F6_3B78 : 0) }
            }
            #expect(CatalogVFS.checksum(bytes) == ~wanted)
            #expect(CatalogVFS.checksum(bytes, inSoftware: true) == ~wanted)
        }
    }

    @Test("An unknown VFS is an error, for the layer and for a catalog")
    func unknownBase() throws {
        let scratch = try Scratch()
        try scratch.create()
        expect(.other) { try CatalogVFS.register("over-nothing", over: "no such vfs") }
        expect(.other) { _ = try CatalogDatabase.open(at: scratch.catalog, readOnly: true, vfs: "over-nothing") }
        try CatalogVFS.register("for a while", over: nil)
        try CatalogDatabase.open(at: scratch.catalog, readOnly: true, vfs: "for a while").close()
        CatalogVFS.unregister("for a while")
        expect(.other) { _ = try CatalogDatabase.open(at: scratch.catalog, readOnly: true, vfs: "for a while") }
    }
}
