// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import TestSupport
import Testing

/// A folder with an encrypted catalog. Every encryption of the process is checked for a repeated nonce.
final class EncryptedScratch {
    let folder: TemporaryDirectory
    let keys: PageKeys
    var catalog: String { folder.file("kymograph.sqlite") }

    /// Bytes that no file may contain.
    static let canary = Array("CANARY-of-health".utf8)

    init(generation: UInt8 = 1) throws {
        NonceWatch.start()
        folder = try TemporaryDirectory()
        keys = try Self.keys(generations: [generation])
    }

    /// Returns keys whose bytes all equal `fill` plus the generation.
    static func keys(generations: [UInt8], fill: UInt8 = 7, store: [UInt8] = Scratch.storeID) throws -> PageKeys {
        let keys = try PageKeys(storeID: store)
        for generation in generations {
            let key = [UInt8](repeating: fill &+ generation, count: PageKeys.keyBytes)
            try unsafe key.withUnsafeBufferPointer { try unsafe keys.add(generation: generation, key: $0) }
        }
        return keys
    }

    /// Creates a catalog and closes it.
    func create() throws {
        try CatalogDatabase.create(
            at: catalog, storeID: Scratch.storeID, homeZone: "UTC", formatVersion: CatalogDatabase.newestFormat,
            keys: keys)
    }

    func writer() throws -> CatalogDatabase {
        try CatalogDatabase.open(at: catalog, readOnly: false, keys: keys)
    }

    func reader(_ other: PageKeys? = nil) throws -> CatalogDatabase {
        try CatalogDatabase.open(at: catalog, readOnly: true, keys: other ?? keys)
    }

    /// Returns the tail row of a commit: the canary, then bytes that depend on the commit.
    static func body(_ commit: Int64, count: Int = 40) -> [UInt8] {
        canary + (0..<count).map { UInt8(truncatingIfNeeded: Int(commit) &* 31 &+ $0) }
    }

    /// Creates a catalog whose database has the commits up to `copied`, and whose log the commits after it.
    ///
    /// - Returns: the open writer. Closing it would empty the log.
    func filled(commits: Int64, copied: Int64) throws -> CatalogDatabase {
        try create()
        let writer = try writer()
        for commit in 1...commits {
            try writer.commit(tail(commit, Self.body(commit)))
            if commit == copied { try writer.checkpoint(truncate: true) }
        }
        return writer
    }

    func bytes(_ suffix: String = "") throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: catalog + suffix)))
    }

    /// Returns the name of each file of the folder that contains the canary.
    func leaks() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
            try Data(contentsOf: URL(fileURLWithPath: folder.file(name))).range(of: Data(Self.canary)) != nil
        }
    }
}

/// The layout of an encrypted page, as `Docs/Format/EncryptedCatalog.md` describes it.
enum EncryptedPage {
    static let page = 4_096
    static let frameHeader = 24
    static let frame = frameHeader + page
    static let logHeader = 32
    static let checksum = 4_060

    /// Computes the checksum of a page of the database again, as a forger would do.
    static func restamp(_ database: inout [UInt8], page number: Int, store: [UInt8] = Scratch.storeID) {
        let start = (number - 1) * page
        var covered = Array(database[start..<start + checksum])
        covered += database[start + checksum + 4..<start + page] + little(UInt64(number), 4) + store
        put(CatalogVFS.checksum(covered), &database, start + checksum)
    }

    /// Computes the checksum of a page of the log again.
    static func restamp(_ log: inout [UInt8], frame index: Int, store: [UInt8] = Scratch.storeID) {
        let start = logHeader + index * frame
        let page = start + frameHeader
        let number = log[start..<start + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var covered = Array(log[page..<page + checksum])
        covered += log[page + checksum + 4..<page + Self.page] + little(number, 4) + log[start + 4..<start + 24]
        covered += little(UInt64(start), 8) + store
        put(CatalogVFS.checksum(covered), &log, page + checksum)
    }

    private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private static func put(_ sum: UInt32, _ bytes: inout [UInt8], _ at: Int) {
        for (i, byte) in little(UInt64(sum), 4).enumerated() { bytes[at + i] = byte }
    }
}
