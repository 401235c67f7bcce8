// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import FileSystem
import Kernels
import TimeIndex

@testable import Kymograph

/// A small valid store, made without clock or randomness, so that an input means the same in every process: two series,
/// two segments that overlap in time, a tail of three rows. The catalog is represented by its rows; SQLite has its own
/// fuzzers.
struct StoreBase {
    static let second: Int64 = 1_000_000_000
    static let pulse = SeriesID(rawValue: 1)
    static let steps = SeriesID(rawValue: 2)
    static let root = "store"

    private(set) var image: CatalogImage
    private(set) var files: [[UInt8]] = []
    /// The samples of the store, in order.
    private(set) var samples: [SeriesID: [Sample]] = [:]

    static let shared = StoreBase()

    private init() {
        let series = [("pulse", SeriesKind.discrete), ("steps", .cumulative)].enumerated().map { index, one in
            SeriesRow(id: Int64(index + 1), name: one.0, labels: ["n": one.0], kind: one.1.rawValue)
        }
        image = CatalogImage(
            storeID: Checksums.store, homeZone: "UTC", formatVersion: 1, seq: 9, series: SeriesRows(series),
            segments: [],
            tail: [])
        // 70 blocks need two levels of index.
        let many = Self.pulses(0..<560, from: 0)
        let walk = Self.walk(0..<90, from: 100 * Self.second)
        addSegment(1, [(Self.pulse, many, 8), (Self.steps, walk, 30)])
        let late = Self.pulses(560..<640, from: 40 * Self.second)
        addSegment(2, [(Self.pulse, late, 40)])
        var tail = TailCodec(store: Checksums.store)
        for seq in Int64(7)...9 {
            let start = (600 + 10 * seq) * Self.second
            addTail(seq, Self.pulses(0..<5, from: start), Self.walk(0..<Int(seq - 6), from: start), &tail)
        }
        for id in samples.keys {
            samples[id] = samples[id]?.enumerated().sorted {
                ($0.element.start, $0.element.end, $0.offset) < ($1.element.start, $1.element.end, $1.offset)
            }.map(\.element)
        }
    }

    private static func pulses(_ numbers: Range<Int>, from: Int64) -> [Sample] {
        numbers.map { Sample(start: from + Int64($0) * second, value: Double(60 + $0 * 7 % 41) / 2) }
    }

    private static func walk(_ numbers: Range<Int>, from: Int64) -> [Sample] {
        numbers.map { number in
            let start = from + Int64(number) * 7 * second
            return Sample(start: start, end: start + Int64(number % 5 + 1) * second, value: Double(number % 9))
        }
    }

    private static func rows(_ samples: [Sample]) -> SampleRows {
        var rows = SampleRows()
        rows.starts = samples.map(\.start)
        rows.ends = samples.map(\.end)
        rows.values = samples.map(\.value)
        return rows
    }

    static func uuid(_ number: Int64) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 16) }

    private mutating func addSegment(_ number: Int64, _ runs: [(id: SeriesID, samples: [Sample], size: Int)]) {
        let uuid = Self.uuid(number)
        do {
            var builder = SegmentBuilder(store: Checksums.store, segment: uuid, commit: 1)
            try builder.begin()
            var bytes: [UInt8] = []
            var indexes: [(SeriesID, IndexBuilder)] = []
            for run in runs {
                var index = IndexBuilder(store: Checksums.store, segment: uuid, series: UInt64(run.id.rawValue))
                for at in stride(from: 0, to: run.samples.count, by: run.size) {
                    let block = BlockBuffer()
                    let part = run.samples[at..<min(at + run.size, run.samples.count)]
                    Self.rows(Array(part)).fill(block, 0..<part.count)
                    let placed = try builder.add(block, series: UInt64(run.id.rawValue))
                    try index.add(IndexEntry(offset: placed.offset, length: placed.length, summary: placed.summary))
                    bytes += builder.takePending()
                }
                indexes.append((run.id, index))
                samples[run.id, default: []] += run.samples
            }
            var entries: [RunEntry] = []
            for (id, builtIndex) in indexes {
                var index = builtIndex
                let tree = try index.finish(at: builder.offset)
                try builder.append(index: tree.bytes)
                entries.append(
                    RunEntry(
                        series: UInt64(id.rawValue), rootOffset: tree.rootOffset, rootLength: tree.rootLength,
                        levels: tree.levels, blocks: tree.blocks, summary: tree.summary))
            }
            let footer = try builder.finish(runs: entries)
            bytes += builder.takePending()
            files.append(bytes)
            image.segments.append(
                SegmentRow(
                    id: number, uuid: uuid, bytes: Int64(bytes.count), checksum: footer.checksum, born: number,
                    runs: RunRows(entries.map { Self.row($0, uuid) })))
        } catch { finding("cannot make the initial store: \(error)") }
    }

    private static func row(_ entry: RunEntry, _ uuid: [UInt8]) -> RunRow {
        RunRow(
            series: Int64(entry.series), rootOffset: Int64(entry.rootOffset), rootLength: Int64(entry.rootLength),
            levels: Int(entry.levels), blocks: Int64(entry.blocks),
            summary: RunSummary.encode(entry.summary, segment: uuid, series: Int64(entry.series)))
    }

    private mutating func addTail(_ seq: Int64, _ pulses: [Sample], _ walk: [Sample], _ codec: inout TailCodec) {
        let parts = [(Self.pulse.rawValue, Self.rows(pulses)), (Self.steps.rawValue, Self.rows(walk))]
        do {
            let draft = try TailEncoders().draft(parts)
            image.tail.append(TailRow(seq: seq, body: try codec.close([draft], seq: seq).body))
        } catch { finding("cannot make the initial store: \(error)") }
        samples[Self.pulse, default: []] += pulses
        samples[Self.steps, default: []] += walk
    }
}
