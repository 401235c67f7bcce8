// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Catalog

@Suite("E-16 T-5 reads of a damaged catalog are bounded by its number of pages")
struct PageBoundTests {
    /// A table whose rows each claim to continue on overflow pages.
    private struct Crafted {
        static let leaves = 60
        static let cells = 7
        static let chain = 60
        var pages: [[UInt8]]

        /// - Parameter next: the first overflow page of a row, by the row's number from 0.
        init(next: (Int) -> UInt32) {
            pages = [[UInt8](repeating: 0, count: 4_096)]
            for leaf in 0..<Self.leaves {
                pages.append(Self.leaf((0..<Self.cells).map { leaf * Self.cells + $0 }, next))
            }
        }

        /// The number of the first page after the leaves.
        static var behind: UInt32 { UInt32(leaves) + 2 }

        private static func varint(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).reversed().map { UInt8(value >> (7 * $0) & 0x7F) | ($0 > 0 ? 0x80 : 0) }
        }

        private static func leaf(_ keys: [Int], _ next: (Int) -> UInt32) -> [UInt8] {
            var page = [UInt8](repeating: 0, count: 4_096)
            page[0] = 13
            page[4] = UInt8(keys.count)
            // The local part of a row with this many overflow pages.
            let local = 4_044 * 32 / 255 - 23
            let payload = local + chain * 4_052
            var at = 4_056
            for (i, key) in keys.enumerated().reversed() {
                let record = [6, 0] + varint((payload - 6) * 2 + 12, 4)
                let first = (0..<4).map { UInt8(truncatingIfNeeded: next(key) >> (24 - 8 * $0)) }
                let cell =
                    varint(payload, 4) + varint(key + 1, 2) + record
                    + [UInt8](repeating: 7, count: local - record.count) + first
                at -= cell.count
                page.replaceSubrange(at..<at + cell.count, with: cell)
                page[8 + 2 * i] = UInt8(at >> 8)
                page[9 + 2 * i] = UInt8(at & 0xFF)
            }
            return page
        }

        /// Appends overflow pages, each with the number of its next page.
        mutating func add(_ names: [UInt32]) {
            for name in names {
                var page = [UInt8](repeating: 0, count: 4_096)
                for i in 0..<4 { page[i] = UInt8(truncatingIfNeeded: name >> UInt32(24 - 8 * i)) }
                pages.append(page)
            }
        }

        /// Returns the numbers of rows, of gaps and of page reads.
        func read() throws -> (rows: Int, gaps: Int, reads: Int) {
            let scratch = try Scratch()
            try Data(pages.joined()).write(to: URL(fileURLWithPath: scratch.catalog))
            let file = try #require(PageFile(scratch.catalog, CatalogFile(vfs: CatalogVFS.production), log: true))
            let shape = try #require(TableShape("CREATE TABLE t(id INTEGER PRIMARY KEY,c BLOB)STRICT"))
            let mended = try CarvedRows(TableGuess(file, [shape]), path: scratch.catalog)
            var rows = 0
            let gaps = mended.rows(KeyedQuery("t", "id", "c"), after: 0, before: nil, reason: nil) { _ in
                rows += 1
            }
            return (rows, gaps.count, file.reads)
        }
    }

    private static let rows = Crafted.leaves * Crafted.cells

    @Test("Rows whose overflow pages form a cycle are reported, and the cycle is read once")
    func circle() throws {
        let start = Crafted.behind
        var crafted = Crafted { start + UInt32($0 % 3) }
        crafted.add([start + 1, start + 2, start])
        let (rows, gaps, reads) = try crafted.read()
        #expect(rows == 0 && gaps == Self.rows)
        #expect(reads <= 8 * crafted.pages.count, "\(reads) reads of \(crafted.pages.count) pages")
    }

    @Test("Of rows that share overflow pages one is read, and the pages are read as often as for one")
    func shared() throws {
        let start = Crafted.behind
        var crafted = Crafted { _ in start }
        crafted.add((1..<UInt32(Crafted.chain)).map { start + $0 } + [0])
        let (rows, gaps, reads) = try crafted.read()
        #expect(rows == 1 && gaps == Self.rows - 1)
        #expect(reads <= 8 * crafted.pages.count, "\(reads) reads of \(crafted.pages.count) pages")
    }

    @Test("Rows with a chain too short, too long or broken are reported; rows with their own chain are read")
    func lengths() throws {
        let (start, length) = (Crafted.behind, UInt32(Crafted.chain))
        // Row 0 has its own chain; row 1 starts in the middle of that chain; row 2 has one page too many; row 3
        // leads nowhere.
        var crafted = Crafted { row in
            [start, start + 1, start + length, start + 2 * length + 1][min(row, 3)]
        }
        crafted.add((1..<length).map { start + $0 } + [0])
        crafted.add((1...length).map { start + length + $0 } + [0])
        crafted.add([1 << 20])
        let (rows, gaps, reads) = try crafted.read()
        #expect(rows == 1 && gaps == Self.rows - 1)
        #expect(reads <= 8 * crafted.pages.count, "\(reads) reads of \(crafted.pages.count) pages")
    }
}
