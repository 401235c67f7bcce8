// SPDX-License-Identifier: Apache-2.0

import Catalog
import Testing

@Suite("E-1 the layer under SQLite")
struct CatalogVFSTests {
    @Test("a catalog lives on any VFS that the layer is put over")
    func otherBase() throws {
        let scratch = try Scratch()
        try CatalogVFS.register("over-excl", over: "unix-excl")
        try CatalogVFS.register("over-excl", over: "unix-excl")
        let path = scratch.folder + "/a b%?#é.sqlite"
        func create() throws {
            try CatalogDatabase.create(
                at: path, storeID: Scratch.storeID, homeZone: "UTC", formatVersion: 1, vfs: "over-excl")
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

    @Test("an unknown VFS is an error, for the layer and for a catalog")
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
