// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// Writes and reads whole segments: header, footer, directory, index and every column of every block.
enum TestSegment {
    /// Returns the segment of some runs.
    ///
    /// - Requires: the blocks of a run are in time order.
    static func build(
        _ runs: [(series: UInt64, blocks: [BlockBuffer])], store: [UInt8] = testStore, segment: [UInt8] = testSegment,
        commit: UInt64 = 41
    ) throws -> [UInt8] {
        var builder = SegmentBuilder(store: store, segment: segment, commit: commit)
        var bytes: [UInt8] = []
        try builder.begin()
        var indexes: [(UInt64, IndexBuilder)] = []
        for run in runs {
            var index = IndexBuilder(store: store, segment: segment, series: run.series)
            for block in run.blocks {
                let placed = try builder.add(block, series: run.series)
                try index.add(IndexEntry(offset: placed.offset, length: placed.length, summary: placed.summary))
                bytes += builder.takePending()
            }
            indexes.append((run.series, index))
        }
        var entries: [RunEntry] = []
        for (series, index) in indexes {
            var index = index
            let tree = try index.finish(at: builder.offset)
            try builder.append(index: tree.bytes)
            entries.append(
                RunEntry(
                    series: series, rootOffset: tree.rootOffset, rootLength: tree.rootLength, levels: tree.levels,
                    blocks: tree.blocks, summary: tree.summary))
        }
        let footer = try builder.finish(runs: entries)
        bytes += builder.takePending()
        precondition(footer.fileLength == UInt64(bytes.count))
        return bytes
    }

    /// The complete content of a segment.
    struct Content: Equatable {
        var header: SegmentHeader
        var footer: SegmentFooter
        var runs: [RunContent]
    }

    struct RunContent: Equatable {
        var series: UInt64
        var summary: [UInt64]
        var blocks: [Rows]
        var blockSummaries: [[UInt64]]
    }

    static func read(_ bytes: [UInt8]) throws -> Content {
        let length = UInt64(bytes.count)
        let header = try SegmentHeader.decode(Array(bytes.prefix(SegmentHeader.size)))
        let tail = Array(bytes.suffix(SegmentFooter.size))
        let footer = try SegmentFooter.decode(tail, fileLength: length, header: header)
        let at = Int(footer.directoryOffset)
        let directory = Array(bytes[at..<at + Int(footer.directoryLength)])
        let entries = try RunDirectory.decode(directory, header: header, footer: footer)
        let padded = bytes + [UInt8](repeating: 0, count: 64)
        var decoder = BlockDecoder()
        let buffer = BlockBuffer()
        var content = Content(header: header, footer: footer, runs: [])
        for entry in entries {
            var run = RunContent(series: entry.series, summary: bits(entry.summary), blocks: [], blockSummaries: [])
            let source = Pages(
                bytes: padded,
                identity: IndexIdentity(store: header.store, segment: header.segment, series: entry.series))
            let root = IndexRoot(offset: entry.rootOffset, length: entry.rootLength, levels: entry.levels)
            var found: [IndexEntry] = []
            var failure: IndexError?
            var scan = IndexScan(root, summary: entry.summary, page: source.page)
            scan.run { finding in
                switch finding {
                case .block(let entry): found.append(entry)
                case .lost(_, _, let why): failure = why
                case .contradiction(let offset, _, _): failure = IndexError(.malformed, at: offset, "another summary")
                }
            }
            if let failure { throw failure }
            for found in found {
                let identity = BlockIdentity(
                    store: header.store, segment: header.segment, series: entry.series, position: found.offset)
                try decoder.decode(
                    padded, at: Int(found.offset), length: Int(found.length), identity: identity, columns: .all,
                    into: buffer)
                run.blocks.append(Rows(buffer))
                run.blockSummaries.append(bits(found.summary))
            }
            content.runs.append(run)
        }
        return content
    }

    struct Pages {
        let bytes: [UInt8]
        let identity: IndexIdentity

        func page(offset: UInt64, length: UInt32, level: UInt8) throws(IndexError) -> IndexPage {
            guard let at = Int(exactly: offset) else { throw IndexError(.unreadable, at: offset, "too far") }
            return try IndexPage.decode(
                bytes, at: at, length: Int(length), identity: identity, position: offset, level: level)
        }
    }
}
