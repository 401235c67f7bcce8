// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import Kernels

@testable import Kymograph

/// A store after some edits: random damage, or changes by an attacker who can compute checksums.
struct EditedStore {
    var image: CatalogImage
    var files: [[UInt8]]
    /// True if checksums were corrected, or rows of the catalog changed, on which the engine relies. Then any valid
    /// answer may be returned; after random damage only the right answer or an error.
    private(set) var isHostile: Bool

    init(_ bytes: [UInt8]) {
        let base = StoreBase.shared
        image = base.image
        files = base.files
        var input = Input(bytes)
        let flags = input.byte()
        isHostile = flags & 1 == 1
        var edits = 0
        while !input.isEmpty, edits < 32 {
            edit(&input)
            edits += 1
        }
        if isHostile { seal(flags) }
    }

    private mutating func edit(_ input: inout Input) {
        let kind = input.byte()
        switch kind % 8 {
        case 0, 1, 2: editFile(kind, &input)
        case 3: editTail(&input)
        case 4: editSummary(&input)
        case 5 where isHostile: editRun(&input)
        case 6 where isHostile: editRow(&input)
        default: cut(&input)
        }
    }

    /// Overwrites bytes at a position counted from the start or from the end, where the index and the footer are.
    private func put(_ input: inout Input, over bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let shape = input.byte()
        let place = Int(input.number(2)) % bytes.count
        let at = shape & 1 == 0 ? place : bytes.count - 1 - place
        let end = min(bytes.count, at + [1, 2, 4, 8][Int(shape >> 1 & 3)])
        for index in at..<end { bytes[index] = shape & 8 == 0 ? input.byte() : bytes[index] ^ input.byte() }
    }

    private mutating func editFile(_ kind: UInt8, _ input: inout Input) {
        let file = Int(kind >> 3 & 1)
        if kind % 8 < 2 { return put(&input, over: &files[file]) }
        // Copies part of a file over another place, possibly in the other file.
        let source = files[Int(kind >> 4 & 1)]
        guard !source.isEmpty, !files[file].isEmpty else { return }
        let length = 1 + Int(input.byte())
        let from = Int(input.number(2)) % source.count
        let at = Int(input.number(2)) % files[file].count
        for (index, byte) in source[from..<min(source.count, from + length)].enumerated()
        where at + index < files[file].count { files[file][at + index] = byte }
    }

    private mutating func editTail(_ input: inout Input) {
        guard !image.tail.isEmpty else { return }
        put(&input, over: &image.tail[Int(input.byte()) % image.tail.count].body)
    }

    private mutating func editSummary(_ input: inout Input) {
        let segment = Int(input.byte()) % image.segments.count
        let run = Int(input.byte()) % image.segments[segment].runs.count
        put(&input, over: &image.segments[segment].runs[run].summary)
    }

    /// Edits a run within the limits of the catalog's reader.
    private mutating func editRun(_ input: inout Input) {
        let segment = Int(input.byte()) % image.segments.count
        let index = Int(input.byte()) % image.segments[segment].runs.count
        let field = input.byte()
        let number = Int64(bitPattern: input.number(field & 128 == 0 ? 2 : 8)) & Int64.max
        switch field % 5 {
        case 0: image.segments[segment].runs[index].series = max(1, number)
        case 1: image.segments[segment].runs[index].rootOffset = number
        case 2: image.segments[segment].runs[index].rootLength = number
        case 3: image.segments[segment].runs[index].levels = Int(number & 255)
        default: image.segments[segment].runs[index].blocks = number
        }
    }

    private mutating func editRow(_ input: inout Input) {
        let field = input.byte()
        let number = Int64(bitPattern: input.number(field & 128 == 0 ? 2 : 8)) & Int64.max
        switch field % 6 {
        case 0: image.segments[0].bytes = number
        case 1: image.segments[0].died = number % 10
        case 2: image.series[0].kind = UInt8(truncatingIfNeeded: number)
        case 3: image.tail[0].seq = max(1, number)
        case 4: image.tail.append(TailRow(seq: 10, body: image.tail[Int(number % 3)].body))
        default: image.homeZone = ["Europe/Zurich", "+05:45", "Nowhere", ""][Int(number % 4)]
        }
    }

    /// Truncates or extends a file.
    private mutating func cut(_ input: inout Input) {
        let file = Int(input.byte() & 1)
        let length = Int(input.number(2)) % (files[file].count + 256)
        if length <= files[file].count {
            files[file].removeLast(files[file].count - length)
        } else {
            files[file] += [UInt8](repeating: 0, count: length - files[file].count)
        }
    }

    // MARK: Checksums

    /// Seals what bits 1 to 3 select: files, summaries of runs, tail.
    private mutating func seal(_ flags: UInt8) {
        if flags & 2 == 2 {
            for index in files.indices {
                SegmentSealing.seal(&files[index], 7)
                guard files[index].count > 4 else { continue }
                image.segments[index].checksum = UInt32(Checksums.number(files[index], files[index].count - 4, 4))
                if flags & 16 == 0 { image.segments[index].bytes = Int64(files[index].count) }
            }
        }
        if flags & 4 == 4 { sealSummaries() }
        if flags & 8 == 8 {
            for index in image.tail.indices { sealTail(&image.tail[index]) }
        }
    }

    private mutating func sealSummaries() {
        for segment in image.segments.indices {
            let uuid = image.segments[segment].uuid
            for run in image.segments[segment].runs.indices {
                var bytes = image.segments[segment].runs[run].summary
                var owner = ByteWriter()
                owner.put(bytes: uuid)
                owner.put(image.segments[segment].runs[run].series)
                let end = bytes.count - 4
                let sum = Kernel.crc32c(bytes, 0..<end, seed: Kernel.crc32c(owner.bytes, 0..<owner.count))
                Checksums.put(UInt64(sum), 4, into: &bytes, at: end)
                image.segments[segment].runs[run].summary = bytes
            }
        }
    }

    private func sealTail(_ row: inout TailRow) {
        var reader = NaiveReader(row.body, at: 1)
        while reader.left > 0, let series = try? reader.varint(), let length = try? reader.varint(),
            length >= 25, length <= UInt64(reader.left)
        {
            let end = reader.at + Int(length)
            let identity = Checksums.identity(
                series: series, position: UInt64(row.seq), segment: [UInt8](repeating: 0, count: 16))
            Checksums.set(&row.body, reader.at..<end, identity)
            reader.at = end
        }
    }
}
