// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Catalog

@Suite("E-16 T-5 the work of reading a damaged catalog's pages is bounded by its pages")
struct PageBoundTests {
    /// A table of rows that each say that most of them stands on other pages.
    private struct Crafted {
        static let leaves = 60
        static let cells = 7
        static let chain = 60
        var pages: [[UInt8]]

        /// - Parameter next: the first page of the rest of a row, by its number from 0 on.
        init(next: (Int) -> UInt32) {
            pages = [[UInt8](repeating: 0, count: 4_096)]
            for leaf in 0..<Self.leaves {
                pages.append(Self.leaf((0..<Self.cells).map { leaf * Self.cells + $0 }, next))
            }
        }

        /// The place of the first page behind the leaves.
        static var behind: UInt32 { UInt32(leaves) + 2 }

        private static func varint(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).reversed().map { UInt8(value >> (7 * $0) & 0x7F) | ($0 > 0 ? 0x80 : 0) }
        }

        private static func leaf(_ keys: [Int], _ next: (Int) -> UInt32) -> [UInt8] {
            var page = [UInt8](repeating: 0, count: 4_096)
            page[0] = 13
            page[4] = UInt8(keys.count)
            // As much as stands in a page of a row with so much on others.
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

        /// Pages that each name one more, by their places.
        mutating func add(_ names: [UInt32]) {
            for name in names {
                var page = [UInt8](repeating: 0, count: 4_096)
                for i in 0..<4 { page[i] = UInt8(truncatingIfNeeded: name >> UInt32(24 - 8 * i)) }
                pages.append(page)
            }
        }

        /// How many rows are read, and how many times a page is.
        func read() throws -> (rows: Int, gaps: Int, reads: Int) {
            let scratch = try Scratch()
            try Data(pages.joined()).write(to: URL(fileURLWithPath: scratch.catalog))
            let file = try #require(PageFile(scratch.catalog, vfs: CatalogVFS.production, log: true))
            let shape = try #require(TableShape("CREATE TABLE t(id INTEGER PRIMARY KEY,c BLOB)STRICT"))
            let mended = try CarvedRows(TableGuess(file, [shape]), path: scratch.catalog)
            var rows = 0
            let gaps = mended.rows(of: "t", key: "id", columns: "c", after: 0, before: nil, reason: nil) { _ in
                rows += 1
            }
            return (rows, gaps.count, file.reads)
        }
    }

    private static let rows = Crafted.leaves * Crafted.cells

    @Test("rows whose pages lead in a circle are told, and the circle is walked once")
    func circle() throws {
        let start = Crafted.behind
        var crafted = Crafted { start + UInt32($0 % 3) }
        crafted.add([start + 1, start + 2, start])
        let (rows, gaps, reads) = try crafted.read()
        #expect(rows == 0 && gaps == Self.rows)
        #expect(reads <= 8 * crafted.pages.count, "\(reads) reads of \(crafted.pages.count) pages")
    }

    @Test("of rows that claim the same pages one counts, and the pages are read as often as for one")
    func shared() throws {
        let start = Crafted.behind
        var crafted = Crafted { _ in start }
        crafted.add((1..<UInt32(Crafted.chain)).map { start + $0 } + [0])
        let (rows, gaps, reads) = try crafted.read()
        #expect(rows == 1 && gaps == Self.rows - 1)
        #expect(reads <= 8 * crafted.pages.count, "\(reads) reads of \(crafted.pages.count) pages")
    }

    @Test("rows with a chain too short, too long or broken are told; with one of their own they are read")
    func lengths() throws {
        let (start, length) = (Crafted.behind, UInt32(Crafted.chain))
        // Row 0 has its own; row 1 begins in the middle of it; of row 2 one page too many; row 3 leads nowhere.
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
