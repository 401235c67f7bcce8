// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Cipher
import Kernels
import TestSupport
import TimeIndex

/// Writes and reads whole segments of an encrypted store.
enum EncryptedSegment {
    /// The keys of a store, always the same.
    static func keys(_ seed: UInt64 = 1) throws -> KeyRing {
        var bytes = [UInt8](repeating: 1, count: 32)
        let secret = try StoreSecret(key: SecretBytes(wiping: &bytes))
        return try KeyRing.create(
            store: UUIDBytes(testStore), slot: KeyRing.NewSlot(secret, kind: .file, label: "one"), day: "2026-11-24",
            random: .seeded(seed))
    }

    /// Returns the segment of some runs, with blocks added one by one, or in batches that were encoded before.
    ///
    /// - Parameter keys: nil for a plain segment.
    static func build(
        _ runs: [(series: UInt64, blocks: [BlockBuffer])], keys: KeyRing?, random: RandomSource = .system,
        segment: [UInt8] = testSegment, inBatches: Bool = false
    ) throws -> [UInt8] {
        var builder = SegmentBuilder(store: testStore, segment: segment, commit: 41)
        if let keys {
            builder = try SegmentBuilder(store: testStore, segment: segment, commit: 41, keys: keys, random: random)
        }
        try builder.begin()
        var bytes = builder.takePending()
        var encoder = BlockBatchEncoder(store: testStore, segment: segment, isEncrypted: keys != nil)
        var drafts: [IndexBuilder.Draft] = []
        var index = IndexBuilder(store: testStore, segment: segment, series: 0)
        for run in runs {
            _ = try index.take(next: run.series)
            if inBatches {
                encoder.forget()
                encoder.begin(series: run.series, position: 0)
                for block in run.blocks { try encoder.add(block) }
                var batch = encoder.finish()
                try builder.add(&batch)
                var at = batch.position
                for block in batch.blocks {
                    try index.add(IndexEntry(offset: at, length: block.length, summary: block.summary))
                    at += UInt64(block.length)
                }
                bytes += batch.bytes
            } else {
                for block in run.blocks {
                    let placed = try builder.add(block, series: run.series)
                    try index.add(IndexEntry(offset: placed.offset, length: placed.length, summary: placed.summary))
                    bytes += builder.takePending()
                }
            }
            drafts.append(try index.take(next: 0))
        }
        var entries: [RunEntry] = []
        for draft in drafts {
            let tree = try index.place(draft, at: builder.offset, additional: builder.additionalPageBytes)
            try builder.append(index: tree.bytes)
            entries.append(
                RunEntry(
                    series: draft.series, rootOffset: tree.rootOffset, rootLength: tree.rootLength, levels: tree.levels,
                    blocks: tree.blocks, summary: tree.summary))
        }
        let footer = try builder.finish(runs: entries)
        bytes += builder.takePending()
        precondition(footer.fileLength == UInt64(bytes.count))
        return bytes
    }

    /// Reads every unit and every column of a segment.
    static func read(_ bytes: [UInt8], keys: KeyRing?) throws -> [TestSegment.RunContent] {
        let header = try SegmentHeader.decode(Array(bytes.prefix(128)), latest: SegmentFormat.encryptedVersion)
        let key = try SegmentKey.of(header, keys: keys)
        let footer = try SegmentFooter.decode(
            Array(bytes.suffix(header.footerLength)), fileLength: UInt64(bytes.count), header: header, key: key)
        let at = Int(footer.directoryOffset)
        let entries = try RunDirectory.decode(
            Array(bytes[at..<at + Int(footer.directoryLength)]), header: header, footer: footer, key: key)
        var units = Units(bytes: bytes, header: header, key: key)
        return try entries.map { entry in
            var run = TestSegment.RunContent(
                series: entry.series, summary: bits(entry.summary), blocks: [], blockSummaries: [])
            for found in try units.blocks(of: entry) {
                run.blocks.append(try units.rows(found, series: entry.series))
                run.blockSummaries.append(bits(found.summary))
            }
            return run
        }
    }

    /// Opens units of a file as a reader does: each in a copy.
    struct Units {
        let bytes: [UInt8]
        let header: SegmentHeader
        let key: SegmentKey?
        private var opener = UnitOpener()
        private var decoder = BlockDecoder(ofOpenedUnits: ())
        private let buffer = BlockBuffer()

        init(bytes: [UInt8], header: SegmentHeader, key: SegmentKey?) {
            self.bytes = bytes
            self.header = header
            self.key = key
        }

        func identity(_ series: UInt64, _ position: UInt64) -> BlockIdentity {
            BlockIdentity(store: header.store, segment: header.segment, series: series, position: position)
        }

        mutating func open(_ offset: UInt64, _ length: Int, series: UInt64) throws(FormatError) -> [UInt8] {
            guard offset < UInt64(bytes.count), length <= bytes.count - Int(offset) else {
                throw FormatError(.truncated, at: offset, "outside of the file")
            }
            var copy = Array(bytes[Int(offset)..<Int(offset) + length]) + [UInt8](repeating: 0, count: 64)
            let plain = try opener.open(&copy, at: 0, length: length, of: identity(series, offset), key: key)
            return Array(copy[..<plain])
        }

        mutating func rows(_ entry: IndexEntry, series: UInt64) throws -> Rows {
            let unit = try open(entry.offset, Int(entry.length), series: series)
            try decoder.decode(
                unit, at: 0, length: unit.count, identity: identity(series, entry.offset), columns: .all, into: buffer)
            return Rows(buffer)
        }

        mutating func blocks(of run: RunEntry) throws -> [IndexEntry] {
            let owner = IndexIdentity(store: header.store, segment: header.segment, series: run.series)
            var level = run.levels
            var found = [IndexEntry(offset: run.rootOffset, length: run.rootLength, summary: run.summary)]
            while level > 0 {
                level -= 1
                found = try found.flatMap { entry in
                    let unit = try open(entry.offset, Int(entry.length), series: run.series)
                    return try IndexPage.decode(
                        opened: unit, length: unit.count, identity: owner, position: entry.offset, level: level
                    ).entries
                }
            }
            return found
        }
    }

    /// Returns the file with the checksums of header and units made right again.
    static func repaired(_ bytes: [UInt8], units: [FoundUnit]) -> [UInt8] {
        var bytes = bytes
        func put(_ sum: UInt32, at: Int) {
            for i in 0..<4 { bytes[at + i] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * i)) }
        }
        put(Kernel.crc32c(bytes, 0..<60), at: 60)
        put(Kernel.crc32c(bytes, 0..<124), at: 124)
        for unit in units {
            var seed = Array(bytes[16..<48]) + [UInt8](repeating: 0, count: 8)
            for i in 0..<8 { seed.append(UInt8(truncatingIfNeeded: unit.offset >> UInt64(8 * i))) }
            let (start, end) = (Int(unit.offset), Int(unit.offset) + unit.length - 4)
            put(Kernel.crc32c(bytes, start..<end, seed: Kernel.crc32c(seed, 0..<seed.count)), at: end)
        }
        return bytes
    }

    /// Returns the units of a file, found without a key.
    static func units(_ bytes: [UInt8]) throws -> [FoundUnit] {
        let header = try SegmentHeader.decode(Array(bytes.prefix(128)), latest: SegmentFormat.encryptedVersion)
        var scanner = UnitScanner(bytes, header: header)
        var found: [FoundUnit] = []
        while let unit = scanner.next() { found.append(unit) }
        return found
    }
}
