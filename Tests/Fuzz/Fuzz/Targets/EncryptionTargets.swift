// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Cipher
import Kernels

/// The files of an encrypted store, with checksums that are made right, because only the tags resist an author of
/// hostile files.
enum EncryptionTargets {
    static let all = [
        Target(
            name: "keys", maximumLength: 2048, variants: 31,
            asserts: "keys read as written, or are refused; a secret opens only what its owner wrote",
            seeds: { _ in samples.map { [[0] + $0.keys] } ?? [] }, run: each(keys)),
        Target(
            name: "encrypted-segment", maximumLength: 4096, variants: 15,
            asserts: "each unit that can be decrypted is the one that the writer encrypted at its place",
            seeds: { _ in samples.map { [[0] + $0.segment] } ?? [] }, run: each(segment)),
    ]

    private struct Samples: Sendable {
        let ring: KeyRing
        /// The file KEYS without its last line.
        let keys: [UInt8]
        let segment: [UInt8]
    }

    private static let endLine = "end 00000000\n".utf8.count

    /// The same files in each process.
    private static let samples: Samples? = try? {
        let random = unsafe RandomSource(stamp: { [7] }) { memory in
            for index in memory.indices { unsafe memory[index] = UInt8(truncatingIfNeeded: index &* 37) }
        }
        let slot = KeyRing.NewSlot(try secret(), kind: .file, label: "one")
        let ring = try KeyRing.create(
            store: UUIDBytes(Checksums.store), slot: slot, day: "2026-11-24", random: random)
        var builder = try SegmentBuilder(
            store: Checksums.store, segment: Checksums.segment, commit: 1, keys: ring, random: random)
        try builder.begin()
        let block = BlockBuffer()
        block.count = 3
        for series in 1...3 as ClosedRange<UInt64> {
            for row in 0..<3 { (block.starts[row], block.values[row]) = (Int64(row), Double(series)) }
            try builder.add(block, series: series)
        }
        return Samples(ring: ring, keys: Array(ring.image.encoded().dropLast(endLine)), segment: builder.takePending())
    }()

    private static func secret() throws -> StoreSecret {
        var bytes = [UInt8](repeating: 1, count: 32)
        return try StoreSecret(key: SecretBytes(wiping: &bytes))
    }

    // MARK: Keys

    private static func keys(_ bytes: [UInt8]) {
        var file = Array(bytes.dropFirst())
        if let first = bytes.first, first < 224 {
            let digits = String(Kernel.crc32c(file, 0..<file.count), radix: 16)
            file += Array("end \(String(repeating: "0", count: 8 - digits.count))\(digits)\n".utf8)
        }
        guard let image = try? KeysImage.decode(file) else { return }
        require(image.encoded() == file, "keys are written in another form than they were read")
        guard let samples, let secret = try? secret() else { return }
        if (try? KeyRing.open(image, with: secret)) != nil {
            require(image == samples.ring.image, "changed keys were opened")
        }
    }

    // MARK: Segments

    private static func segment(_ bytes: [UInt8]) {
        guard let samples else { return }
        let file = repaired(Array(bytes.dropFirst()))
        guard let header = try? SegmentHeader.decode(file, latest: SegmentFormat.encryptedVersion),
            let key = try? SegmentKey.of(header, keys: samples.ring)
        else { return }
        var scanner = UnitScanner(file, header: header)
        var opener = UnitOpener()
        while let unit = scanner.next() {
            require(unit.isIntact && unit.offset + UInt64(unit.length) <= UInt64(file.count), "a unit past the end")
            let identity = BlockIdentity(
                store: header.store, segment: header.segment, series: 0, position: unit.offset)
            var copy = file
            let place = Int(unit.offset)..<Int(unit.offset) + unit.length
            guard
                let length = try? opener.open(&copy, at: place.lowerBound, length: unit.length, of: identity, key: key)
            else {
                require(copy[place.dropFirst(8).dropLast(20)].allSatisfy { $0 == 0 }, "bytes of a forged unit")
                continue
            }
            require(length == unit.length - 16, "a plain unit of \(length) bytes")
            require(
                place.upperBound <= samples.segment.count && file[place] == samples.segment[place]
                    && file[..<header.length] == samples.segment[..<header.length],
                "a unit was decrypted that was not encrypted there")
        }
        _ = try? SegmentFooter.decode(
            Array(file.suffix(header.footerLength)), fileLength: UInt64(file.count), header: header, key: key)
    }

    /// Makes the checksums of the header, and of the units that follow it without a gap, right.
    private static func repaired(_ bytes: [UInt8]) -> [UInt8] {
        var file = bytes
        guard file.count >= SegmentHeader.encryptedSize else { return file }
        Checksums.put(UInt64(Kernel.crc32c(file, 0..<60)), 4, into: &file, at: 60)
        Checksums.put(UInt64(Kernel.crc32c(file, 0..<124)), 4, into: &file, at: 124)
        var at = SegmentHeader.encryptedSize
        let (store, segment) = (Array(file[16..<32]), Array(file[32..<48]))
        while at + 8 <= file.count {
            let length = Int(Checksums.number(file, at + 4, 4))
            guard length >= 28, length <= file.count - at else { break }
            let identity = BlockIdentity(store: store, segment: segment, series: 0, position: UInt64(at))
            Checksums.set(&file, at..<at + length, identity)
            at += length
        }
        return file
    }
}
