// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat

@testable import Kymograph

/// Lists of deleted samples in rows of the catalog.
enum DeletionTargets {
    static let all = [
        Target(
            name: "tombstone", maximumLength: 2048, variants: 15,
            asserts:
                "a list of deleted samples is read or refused; a list read is sorted, round-trips and hides itself",
            seeds: { _ in seeds }, run: each(tombstone))
    ]

    private static let series = Int64(Checksums.series)
    private static let id: Int64 = 9
    private static let range = TimeRange(-(1 << 62), 1 << 62)
    private static let place = BlockIdentity(
        store: Checksums.store, segment: Array("kymo tombstone!!".utf8), series: UInt64(series), position: UInt64(id))

    /// Reads a list. The first byte selects whether blocks get matching checksums.
    private static func tombstone(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        var body = Array(bytes.dropFirst())
        if first % 4 != 3 { seal(&body) }
        var codec = TombstoneCodec(store: Checksums.store)
        guard let read = try? codec.tombstone(row(body)), let listed = read.listed else { return }
        require(!listed.isEmpty, "an empty list was read")
        for (one, next) in zip(listed.starts, listed.starts.dropFirst()) {
            require(one <= next, "\(next) follows \(one)")
        }
        require(range.contains(listed.starts[0]), "\(listed.starts[0]) is out of range")
        require(range.contains(listed.starts[listed.count - 1]), "\(listed.starts[listed.count - 1]) is out of range")
        guard let written = try? codec.row(read), let again = try? codec.tombstone(written).listed else {
            finding("a list of \(listed.count) samples cannot be written and read again")
        }
        require(
            again.starts == listed.starts && again.highs == listed.highs && again.lows == listed.lows,
            "a list of \(listed.count) samples differs after a round trip")
        hides(read, listed)
    }

    /// Checks that a deletion hides its own list.
    private static func hides(_ one: Tombstone, _ listed: ListedSamples) {
        let block = BlockBuffer()
        block.count = min(listed.count, BlockBuffer.capacity)
        for row in 0..<block.count { block.starts[row] = listed.starts[row] }
        block.identityHigh = .values(Array(listed.highs.prefix(block.count)))
        block.identityLow = .values(Array(listed.lows.prefix(block.count)))
        let mask = Mask([one])
        require(mask.overlap(listed.starts[0], listed.starts[0]) == .some, "the first sample is not hidden")
        mask.apply(to: block)
        require(block.count == 0, "\(block.count) of \(listed.count) samples are not hidden")
    }

    private static func row(_ body: [UInt8]) -> TombstoneRow {
        TombstoneRow(id: id, series: series, born: 3, start: range.start, end: range.end, count: 1, body: body)
    }

    /// Corrects kind, length, series and checksum of every block that lies within a body.
    private static func seal(_ body: inout [UInt8]) {
        var at = 1
        while at < body.count {
            var length = 0
            var shift = 0
            while at < body.count, shift < 28 {
                length |= Int(body[at] & 0x7F) << shift
                shift += 7
                at += 1
                if body[at - 1] < 0x80 { break }
            }
            guard length >= 25, length <= body.count - at else { return }
            body.replaceSubrange(at..<at + length, with: Checksums.block(Array(body[at..<at + length]), place))
            at += length
        }
    }

    private static var seeds: [[UInt8]] {
        var codec = TombstoneCodec(store: Checksums.store)
        // The number of samples, their distance, and whether identities ascend or are random.
        let recipes: [(count: Int64, step: Int64, counts: Bool)] = [
            (1, 1, true), (40, 60_000_000_000, true), (30, 0, false), (90, 7, false), (1_700, 1_000_000_000, true),
        ]
        return recipes.compactMap { recipe in
            var listed = ListedSamples()
            for i in 0..<recipe.count {
                listed.append(i * recipe.step, recipe.counts ? 7 : i / 9, recipe.counts ? i : i * i * 7_919)
            }
            let one = Tombstone(
                id: id, series: series, born: 3, range: range, count: recipe.count, listed: listed)
            return (try? codec.row(one))?.body.map { [0] + $0 }
        }
    }
}
