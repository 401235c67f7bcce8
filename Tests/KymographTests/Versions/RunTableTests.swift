// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Kernels
import TestSupport
import Testing
import TimeIndex

@testable import Kymograph

@Suite("E-2 the runs of a version")
struct RunTableTests {
    /// The identity of a run.
    private enum Name: Hashable {
        case segment(Int64)
        case tail(Int64)
    }

    private static func names(_ runs: [Run]) -> [Name] {
        runs.map { run in
            switch run {
            case .segment(let index): .segment(index.file.row.id)
            case .tail(let block): .tail(block.seq)
            }
        }
    }

    private static func summary(_ born: Int64) -> Summary {
        var summary = Summary()
        summary.count = 1
        (summary.min, summary.max) = (1, 1)
        (summary.firstStart, summary.lastStart, summary.maxEnd) = (born, born, born)
        (summary.minBorn, summary.maxBorn) = (born, born)
        return summary
    }

    private static func file(_ id: Int64, _ series: [Int64]) throws -> SegmentFile {
        let uuid = [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: 16)
        let runs = series.map { one in
            RunRow(
                series: one, rootOffset: 1, rootLength: 1, levels: 1, blocks: 1,
                summary: RunSummary.encode(summary(id), segment: uuid, series: one))
        }
        let row = SegmentRow(id: id, uuid: uuid, bytes: 1, checksum: 0, born: id, runs: RunRows(runs))
        return try SegmentFile(
            row: row, store: [], path: "", access: FileAccess(MemoryDisk()), cache: IndexCache(bytes: 1 << 20))
    }

    private static func block(_ seq: Int64, _ series: Int64) -> TailBlock {
        TailBlock(seq: seq, ordinal: 0, series: series, store: [], bytes: [], length: 0, summary: summary(seq))
    }

    @Test(
        "Every change equals that of a dictionary and leaves older versions unchanged",
        arguments: 0..<40)
    func model(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let span = [5, 3_000, 5_000_000][seed % 3]
        func series() -> Int64 { Int64(1 + random.below(span)) }
        var table = RunTable()
        var model = [Int64: [Name]]()
        var files = [SegmentFile]()
        var older = [(table: RunTable, model: [Int64: [Name]])]()
        for step in 1...60 as ClosedRange<Int64> {
            switch random.below(6) {
            case 0, 1:
                let file = try Self.file(step, Set((0..<random.below(30)).map { _ in series() }).sorted())
                table.add(file)
                files.append(file)
                for one in file.row.runs.series {
                    let tail = model[one, default: []].firstIndex { if case .tail = $0 { true } else { false } }
                    model[one, default: []].insert(.segment(step), at: tail ?? model[one, default: []].count)
                }
            case 2:
                let one = series()
                table.add(Self.block(step, one))
                model[one, default: []].append(.tail(step))
            case 3 where !files.isEmpty:
                let gone = files.remove(at: random.below(files.count))
                table.remove([gone])
                for one in model.keys { model[one]?.removeAll { $0 == .segment(gone.row.id) } }
            case 4:
                guard let one = model.keys.sorted().first else { continue }
                let rows = Set(0...step / 2)
                let before = model[one, default: []].count
                model[one]?.removeAll { if case .tail(let seq) = $0 { rows.contains(seq) } else { false } }
                #expect(table.removeTail(of: one, rows) == before - model[one, default: []].count)
            default:
                // A lookup of a series assembles its page.
                let one = model.keys.sorted().last ?? 1
                #expect(Self.names(table[one]) == model[one, default: []])
            }
            older.append((table, model))
        }
        for (table, model) in older {
            let left = model.filter { !$0.value.isEmpty }
            #expect(table.series == left.keys.sorted())
            #expect(Dictionary(table.map { ($0.series, Self.names($0.runs)) }) { $1 } == left)
        }
        for (one, runs) in model { #expect(Self.names(table[one]) == runs) }
        #expect(table[0].isEmpty && table[-1].isEmpty && table[.max].isEmpty)
    }

    @Test("A filter tests a segment first, and its runs only if the segment's result is undecided", arguments: 0..<20)
    func filter(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var table = RunTable()
        for id in 1...9 as ClosedRange<Int64> {
            table.add(try Self.file(id, Set((0..<20).map { _ in Int64(random.below(4_000)) + 1 }).sorted()))
        }
        if seed % 2 == 0 { table.add(Self.block(10, 17)) }
        if seed % 4 > 1 { _ = table[17] }
        let left = table.filter { file in
            file.row.id % 3 == 0 ? true : file.row.id % 3 == 1 ? false : nil
        } runs: { run in
            run.summary.firstStart > 4
        }
        let wanted = table.map { one in
            (
                one.series,
                Self.names(one.runs).filter { name in
                    switch name {
                    case .segment(let id): id % 3 == 0 || id % 3 == 2 && id > 4
                    case .tail(let seq): seq > 4
                    }
                }
            )
        }.filter { !$0.1.isEmpty }
        #expect(left.map(\.series) == wanted.map(\.0))
        #expect(left.map { Self.names($0.runs) } == wanted.map(\.1))
    }
}
