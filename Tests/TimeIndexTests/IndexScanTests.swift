// SPDX-License-Identifier: Apache-2.0

import Kernels
import TestSupport
import Testing
import TimeIndex

@Suite("Index: a scan finds the same blocks as a plain list, and continues past damage")
struct IndexScanTests {
    static let sizes = [0, 1, 2, 63, 64, 65, 127, 128, 4096, 4097, 20_000]

    /// The findings of a scan, by kind.
    private struct Findings {
        var blocks: [IndexEntry] = []
        var lost: [(offset: UInt64, below: Summary)] = []
        var contradictions: [UInt64] = []

        init(_ tree: TestTree, _ page: @escaping (UInt64, UInt32, UInt8) throws(IndexError) -> IndexPage) {
            var scan = IndexScan(tree.root, summary: tree.tree.summary, page: page)
            scan.run { finding in
                switch finding {
                case .block(let entry): blocks.append(entry)
                case .lost(let offset, let below, _): lost.append((offset, below))
                case .contradiction(let offset, _, _): contradictions.append(offset)
                }
            }
        }
    }

    @Test("All blocks are found in order, and nothing else", arguments: sizes)
    func all(size: Int) throws {
        var random = TestRandom(seed: UInt64(size))
        let tree = try TestTree(count: size, random: &random)
        #expect(tree.tree.blocks == UInt32(size))
        #expect(tree.tree.levels == (size == 0 ? 0 : size <= 64 ? 1 : size <= 4096 ? 2 : 3))
        let found = Findings(tree, tree.source.page)
        #expect(found.blocks == tree.list)
        #expect(found.lost.isEmpty && found.contradictions.isEmpty)
    }

    @Test("Of a tree with damaged pages, all blocks below other pages are found", arguments: 0..<8)
    func damage(part: Int) throws {
        var random = TestRandom(seed: UInt64(1_000 + part))
        let tree = try TestTree(count: random.below(9_000) + 1, random: &random)
        let source = tree.source
        var bad: Set<UInt64> = []
        let found = Findings(tree) { (offset, length, level) throws(IndexError) in
            if random.oneIn(20) {
                bad.insert(offset)
                throw IndexError(.checksum, at: offset, "damaged")
            }
            return try source.page(offset: offset, length: length, level: level)
        }
        #expect(Set(found.lost.map(\.offset)) == bad && found.contradictions.isEmpty)
        let samples = found.blocks.reduce(0) { $0 + $1.summary.count } + found.lost.reduce(0) { $0 + $1.below.count }
        #expect(samples == tree.tree.summary.count)
        let wanted = tree.list.filter { entry in
            !found.lost.contains {
                $0.below.firstStart <= entry.summary.firstStart && entry.summary.lastStart <= $0.below.lastStart
            }
        }
        let offsets = Set(found.blocks.map(\.offset))
        #expect(wanted.allSatisfy { offsets.contains($0.offset) })
    }

    @Test("A page whose entries do not add up to its parent's summary is reported, and its blocks are found")
    func contradiction() throws {
        var random = TestRandom(seed: 1)
        let tree = try TestTree(count: 300, random: &random)
        let source = tree.source
        var leaf: UInt64?
        let found = Findings(tree) { (offset, length, level) throws(IndexError) in
            var page = try source.page(offset: offset, length: length, level: level)
            if level == 0, leaf == nil {
                leaf = offset
                page.entries[0].summary.count += 1
            }
            return page
        }
        #expect(found.contradictions == [leaf])
        #expect(found.blocks.map(\.offset) == tree.list.map(\.offset) && found.lost.isEmpty)
    }

    @Test("An inner entry is the fold of its children, the root's of all blocks", arguments: [1, 64, 65, 4161])
    func folds(size: Int) throws {
        var random = TestRandom(seed: UInt64(size))
        let tree = try TestTree(count: size, random: &random)
        func check(_ offset: UInt64, _ length: UInt32, _ level: UInt8) throws -> Summary {
            let page = try tree.source.page(offset: offset, length: length, level: level)
            if level > 0 {
                for entry in page.entries {
                    #expect(bits(try check(entry.offset, entry.length, level - 1)) == bits(entry.summary))
                }
            }
            return page.summary
        }
        let root = try check(tree.root.offset, tree.root.length, tree.root.levels - 1)
        #expect(bits(root) == bits(tree.tree.summary))
        #expect(root.count == tree.list.reduce(0) { $0 + $1.summary.count })
    }
}
