// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import FileSystem
import Foundation
import Kernels
import TestSupport
import Testing

@testable import Kymograph

@Suite("Forged files of an encrypted store (E-21): changes with right checksums")
struct ForgeryTests {
    /// What a reader of the whole store finds.
    private enum Found: Equatable {
        case same
        case error(StoreError.Kind)
        case other
    }

    private func read(_ test: EncryptedScratch, _ samples: [Sample]) -> Found {
        do {
            let store = try TimeSeriesStore.open(at: test.path, mode: .readOnly, options: test.options())
            defer { store.close() }
            let series = try #require(store.snapshot().series.first)
            return try store.snapshot().all(series.id) == samples ? .same : .other
        } catch let error as StoreError {
            return .error(error.kind)
        } catch {
            return .other
        }
    }

    /// Puts the right checksum at the end of a unit whose checksum covers the store, the segment and the position.
    private func seal(_ bytes: inout [UInt8], _ unit: FoundUnit, _ header: SegmentHeader) {
        let (start, end) = (Int(unit.offset), Int(unit.offset) + unit.length - 4)
        var rest = [UInt8](repeating: 0, count: 8)
        for shift in 0..<8 { rest.append(UInt8(truncatingIfNeeded: unit.offset >> UInt64(8 * shift))) }
        var sum = Kernel.crc32c(header.segment, 0..<16, seed: Kernel.crc32c(header.store, 0..<16))
        sum = Kernel.crc32c(rest, 0..<16, seed: sum)
        put(Kernel.crc32c(bytes, start..<end, seed: sum), &bytes, at: end)
    }

    private func put(_ sum: UInt32, _ bytes: inout [UInt8], at: Int) {
        for place in 0..<4 { bytes[at + place] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * place)) }
    }

    @Test("units of segments: each forged bit is an error, and no sample gets out")
    func segments() throws {
        let test = try EncryptedScratch()
        let samples = try test.fill(9_000)
        let name = try #require(try RealDisk().list(test.path + "/segments").first)
        let path = test.path + "/segments/" + name
        let sound = try RealDisk().contents(of: path, limit: 1 << 24)
        let header = try SegmentHeader.decode(
            Array(sound.prefix(128)), latest: SegmentFormat.encryptedVersion)
        var scanner = UnitScanner(sound, header: header)
        var units: [FoundUnit] = []
        while let unit = scanner.next() { units.append(unit) }
        #expect(Set(units.map(\.kind)).count == 4)
        var random = TestRandom(seed: 5)
        for round in 0..<400 {
            let unit = units[round % units.count]
            var bytes = sound
            let at = Int(unit.offset) + random.below(unit.length - 4)
            bytes[at] ^= 1 << UInt8(random.below(8))
            seal(&bytes, unit, header)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            if unit.kind == .directory {
                // Only a check of the whole store reads the directory: a query knows the runs from the catalog.
                #expect(try !TimeSeriesStore.verify(at: test.path, options: test.options()).isSound)
                continue
            }
            guard case .error(let kind) = read(test, samples) else {
                Issue.record("\(unit.kind) at \(at) was read")
                continue
            }
            let isVisible = at < Int(unit.offset) + 8
            #expect(kind == .forged || isVisible && kind == .corrupt, "\(unit.kind) at \(at): \(kind)")
        }
        // Two blocks in each other's place.
        let blocks = units.filter { $0.kind == .block }
        let (a, b) = (
            blocks[0], try #require(blocks.dropFirst().first { $0.length == blocks[0].length } ?? blocks.last)
        )
        var bytes = sound
        let length = min(a.length, b.length)
        for place in 0..<length where a.length == b.length {
            bytes.swapAt(Int(a.offset) + place, Int(b.offset) + place)
        }
        if a.length == b.length {
            seal(&bytes, a, header)
            seal(&bytes, b, header)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            #expect(read(test, samples) == .error(.forged))
        }
        try Data(sound).write(to: URL(fileURLWithPath: path))
        #expect(read(test, samples) == .same)
    }

    @Test("headers of segments: another salt, generation, store or commit gives another key")
    func headers() throws {
        let test = try EncryptedScratch()
        let samples = try test.fill(9_000)
        let name = try #require(try RealDisk().list(test.path + "/segments").first)
        let path = test.path + "/segments/" + name
        let sound = try RealDisk().contents(of: path, limit: 1 << 24)
        var random = TestRandom(seed: 6)
        for _ in 0..<300 {
            var bytes = sound
            let at = random.below(124)
            bytes[at] ^= 1 << UInt8(random.below(8))
            put(Kernel.crc32c(bytes, 0..<60), &bytes, at: 60)
            put(Kernel.crc32c(bytes, 0..<124), &bytes, at: 124)
            if bytes == sound { continue }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let found = read(test, samples)
            // An unknown generation may be that of newer keys.
            let kinds: [StoreError.Kind] = [.forged, .corrupt, .newerFormat, .needsKey, .inputOutput]
            #expect(kinds.contains { found == .error($0) }, "byte \(at): \(found)")
        }
    }

    @Test("pages of the catalog: each forged bit is an error")
    func pages() throws {
        let test = try EncryptedScratch()
        let samples = try test.fill(2_000)
        let path = test.path + "/kymograph.sqlite"
        let store = try #require(try StoreKeys.open(StoreLayout(root: test.path), test.options())).ring.image.store
            .bytes
        let sound = try RealDisk().contents(of: path, limit: 1 << 24)
        let used = sound.count / 4_096
        var random = TestRandom(seed: 7)
        var forged = 0
        for _ in 0..<600 {
            var bytes = sound
            let page = random.below(used)
            let start = page * 4_096
            let at = start + random.below(4_096)
            bytes[at] ^= 1 << UInt8(random.below(8))
            var sum = Kernel.crc32c(bytes, start..<start + 4_060)
            sum = Kernel.crc32c(bytes, start + 4_064..<start + 4_096, seed: sum)
            let number = (0..<4).map { UInt8(truncatingIfNeeded: (page + 1) >> (8 * $0)) }
            sum = Kernel.crc32c(store, 0..<16, seed: Kernel.crc32c(number, 0..<4, seed: sum))
            put(sum, &bytes, at: start + 4_060)
            if bytes == sound { continue }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let found = read(test, samples)
            #expect(found != .other, "page \(page + 1) at \(at - start)")
            if case .error(let kind) = found {
                forged += 1
                #expect([.forged, .needsKey, .corrupt].contains(kind), "page \(page + 1) at \(at - start): \(kind)")
            } else {
                // A page that this query does not read; the verification reads all.
                let report = try TimeSeriesStore.verify(at: test.path, options: test.options())
                #expect(!report.isSound, "page \(page + 1) at \(at - start)")
            }
        }
        #expect(forged > 100)
    }

    @Test("KEYS with a right checksum and another content is forged, and its other copy is not enough to hide it")
    func keys() throws {
        let test = try EncryptedScratch()
        let samples = try test.fill(10)
        let paths = ["KEYS", "KEYS.2"].map { test.path + "/" + $0 }
        let sound = try RealDisk().contents(of: paths[0], limit: 1 << 16)
        let end = try #require(Array(sound.dropLast()).lastIndex(of: UInt8(ascii: "\n"))) + 1
        var random = TestRandom(seed: 8)
        for _ in 0..<300 {
            var bytes = Array(sound[..<end])
            bytes[random.below(end)] ^= 1 << UInt8(random.below(8))
            let digits = String(Kernel.crc32c(bytes, 0..<end), radix: 16)
            bytes += Array("end \(String(repeating: "0", count: 8 - digits.count))\(digits)\n".utf8)
            for path in paths { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
            guard case .error(let kind) = read(test, samples) else {
                Issue.record("changed keys were read")
                continue
            }
            let kinds: [StoreError.Kind] = [.forged, .wrongKey, .corrupt, .newerFormat, .needsKey]
            #expect(kinds.contains(kind), "\(kind)")
        }
        for path in paths { try Data(sound).write(to: URL(fileURLWithPath: path)) }
        #expect(read(test, samples) == .same)
    }
}
