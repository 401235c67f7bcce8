// SPDX-License-Identifier: Apache-2.0

import Kernels
import TestSupport
import Testing
import TimeIndex

@Suite("Index: a walk visits the same blocks as a plain list")
struct IndexWalkTests {
    static let sizes = [0, 1, 2, 63, 64, 65, 127, 128, 4096, 4097, 20_000]

    @Test("All blocks are visited in order", arguments: sizes)
    func all(size: Int) throws {
        var random = TestRandom(seed: UInt64(size))
        let tree = try TestTree(count: size, random: &random)
        #expect(tree.tree.blocks == UInt32(size))
        #expect(tree.tree.levels == (size == 0 ? 0 : size <= 64 ? 1 : size <= 4096 ? 2 : 3))
        let pages = Cached(tree.source)
        var seen: [IndexEntry] = []
        try IndexTree.walk(pages, root: tree.root, decide: { _, _ in .descend }) { seen.append($0) }
        #expect(seen == tree.list)
    }

    @Test("Range walks miss no matching block, and whole entries fold to the same count", arguments: 0..<5)
    func ranges(part: Int) throws {
        var random = TestRandom(seed: UInt64(1000 + part))
        let size = part == 0 ? 9000 : random.below(3000) + 1
        let tree = try TestTree(count: size, random: &random)
        let pages = Cached(tree.source)
        for _ in 0..<40 {
            let one = random.pick(tree.list).summary.firstStart
            let other = random.pick(tree.list).summary.lastStart
            let from = min(one, other)
            let to = max(one, other)
            let wanted = tree.list.filter { $0.summary.lastStart >= from && $0.summary.firstStart < to }
            var count: Int64 = 0
            var met: [IndexEntry] = []
            func decide(_ entry: IndexEntry, _ isLeaf: Bool) -> Visit {
                let s = entry.summary
                if s.firstStart >= to { return .stop }
                if s.lastStart < from { return .skip }
                if s.firstStart >= from, s.lastStart < to {
                    count += s.count
                    return .whole
                }
                return .descend
            }
            try IndexTree.walk(pages, root: tree.root, decide: decide) { met.append($0) }
            let cut = wanted.filter { $0.summary.firstStart < from || $0.summary.lastStart >= to }
            #expect(met == cut, "part \(part)")
            let whole = wanted.reduce(0) { $0 + $1.summary.count } - cut.reduce(0) { $0 + $1.summary.count }
            #expect(count == whole, "part \(part)")
        }
    }

    /// Uses arbitrary answers: the walk must ask the same questions as a recursion over the same tree.
    @Test("For random answers, the walk asks the same questions as a recursion, in the same order", arguments: 0..<4)
    func answers(part: Int) throws {
        var random = TestRandom(seed: UInt64(2000 + part))
        let tree = try TestTree(count: random.below(6000), random: &random)
        let pages = Cached(tree.source)
        for round in 0..<30 {
            let seed = UInt64(part * 100 + round)
            var model = Questions(seed: seed)
            try model.recurse(pages, tree.root)
            var walk = Questions(seed: seed)
            try IndexTree.walk(pages, root: tree.root, decide: { walk.decide($0, $1) }) {
                walk.blocks.append($0.offset)
            }
            #expect(walk.asked == model.asked, "seed \(seed)")
            #expect(walk.blocks == model.blocks, "seed \(seed)")
        }
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

    @Test("An error of the block closure ends the walk and is rethrown")
    func blockError() throws {
        struct Enough: Error {}
        var random = TestRandom(seed: 1)
        let tree = try TestTree(count: 300, random: &random)
        var left = 100
        #expect(throws: Enough.self) {
            try IndexTree.walk(tree.source, root: tree.root, decide: { _, _ in .descend }) { _ in
                left -= 1
                if left == 0 { throw Enough() }
            }
        }
        #expect(left == 0)
    }
}

/// Random answers, and a record of the questions.
private struct Questions {
    var random: TestRandom
    var asked: [UInt64] = []
    var blocks: [UInt64] = []

    init(seed: UInt64) { random = TestRandom(seed: seed) }

    mutating func decide(_ entry: IndexEntry, _ isLeaf: Bool) -> Visit {
        asked.append(entry.offset << 1 | (isLeaf ? 1 : 0))
        return switch random.below(isLeaf ? 400 : 12) {
        case 0: .stop
        case 1...3: .skip
        case 4: .whole
        default: .descend
        }
    }

    mutating func recurse(_ source: Cached, _ root: IndexRoot) throws {
        if root.levels > 0 { _ = try page(source, root.offset, root.length, root.levels - 1) }
    }

    /// Returns false when the walk is over.
    private mutating func page(
        _ source: Cached, _ offset: UInt64, _ length: UInt32, _ level: UInt8
    ) throws -> Bool {
        let entries = try source.page(offset: offset, length: length, level: level).entries
        for entry in entries {
            switch decide(entry, level == 0) {
            case .stop: return false
            case .skip, .whole: continue
            case .descend where level == 0: blocks.append(entry.offset)
            case .descend:
                if try !page(source, entry.offset, entry.length, level - 1) { return false }
            }
        }
        return true
    }
}

/// Caches decoded pages, as the engine does.
private final class Cached: IndexPageSource {
    private let source: TestTree.Source
    private var pages: [UInt64: IndexPage] = [:]

    init(_ source: TestTree.Source) { self.source = source }

    func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage {
        if let page = pages[offset] { return page }
        let page = try source.page(offset: offset, length: length, level: level)
        pages[offset] = page
        return page
    }
}
