// SPDX-License-Identifier: Apache-2.0

// Common fixtures of the tests of the catalog and of the health layer's tables.

import Catalog
import Foundation
import TestSupport
import Testing

/// A folder for one test, removed when the object is released.
final class Scratch {
    let folder: String
    var catalog: String { folder + "/kymograph.sqlite" }

    init() throws {
        folder = NSTemporaryDirectory() + "/catalog-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Creates a catalog and closes it.
    @discardableResult
    func create(format: Int = CatalogDatabase.newestFormat) throws -> String {
        try CatalogDatabase.create(at: catalog, storeID: Self.storeID, homeZone: "Europe/Zurich", formatVersion: format)
        return catalog
    }

    /// Creates a catalog and opens it for writing.
    func writer() throws -> CatalogDatabase {
        try create()
        return try CatalogDatabase.open(at: catalog, readOnly: false)
    }

    func reader() throws -> CatalogDatabase { try CatalogDatabase.open(at: catalog, readOnly: true) }

    func bytes(_ suffix: String = "") throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: catalog + suffix)))
    }

    /// Returns the log without the zeros after its last frame.
    func log() throws -> [UInt8] { LogFrames.trimmed(try bytes("-wal")) }

    func exists(_ suffix: String) -> Bool { FileManager.default.fileExists(atPath: catalog + suffix) }

    static let storeID: [UInt8] = (1...16).map { UInt8($0) }
}

/// An xorshift64* generator. Tests print its seed when they fail.
struct Dice: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    mutating func below(_ n: Int) -> Int { Int(next() % UInt64(max(n, 1))) }
    mutating func bytes(_ n: Int) -> [UInt8] { (0..<n).map { _ in UInt8(truncatingIfNeeded: next() >> 32) } }

    /// Returns texts that are difficult to escape, sort oddly or look like SQL.
    mutating func text() -> String {
        let pieces = [
            "a", "é", "e\u{301}", "\"", "\\", "'", "\n", "\u{7f}", "\u{1}", "}", ",", ":", "𝄞", "日", " ", "--",
        ]
        return (0..<below(6)).map { _ in pieces[below(pieces.count)] }.joined()
    }
}

/// Records an issue unless the body throws a `CatalogError` of this kind.
func expect(_ kind: CatalogError.Kind, at location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    do {
        try body()
        Issue.record("nothing was thrown; expected \(kind)", sourceLocation: location)
    } catch let error as CatalogError {
        #expect(error.kind == kind, "\(error)", sourceLocation: location)
    } catch {
        Issue.record("\(error); expected \(kind)", sourceLocation: location)
    }
}

/// Returns a commit of one tail row.
func tail(_ seq: Int64, _ body: [UInt8]) -> CatalogCommit { CatalogCommit(seq: seq, tail: body) }
