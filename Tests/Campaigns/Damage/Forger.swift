// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Cipher
import FileSystem
import Kymograph
import TestSupport

/// Changes files of an encrypted store such that all checksums stay right, as only a person does who knows the format.
struct Forger: Sendable {
    /// A closed store: every page of its catalog is in the database.
    private let closed: ReferenceStore
    /// A store with commits in the log.
    private let hot: ReferenceStore
    private let keys: KeyRing
    /// The id of the store.
    private let store: [UInt8]
    private let segments: [String]

    /// The stored result of a change.
    struct Forgery {
        let what: String
        let reference: ReferenceStore
        let files: [String: [UInt8]]
    }

    static let database = SimulatedStore.path.dropFirst() + "/kymograph.sqlite"
    private static let page = 4_096
    private static let frame = 24 + page

    init(seed: UInt64, key: any KeyProvider) throws {
        closed = try ReferenceStore(seed: seed, isHot: false, isSmall: true, key: key)
        hot = try ReferenceStore(seed: seed, isHot: true, isSmall: true, key: key)
        guard let keys = try closed.keyRing() else { throw CampaignError("the store has no keys") }
        self.keys = keys
        segments = closed.units.keys.sorted()
        store = try Self.header(closed.files[segments.first ?? ""] ?? []).store
    }

    private static func header(_ file: [UInt8]) throws -> SegmentHeader {
        try SegmentHeader.decode(
            Array(file.prefix(SegmentHeader.encryptedSize)), latest: SegmentFormat.encryptedVersion)
    }

    // MARK: Units of segments

    /// A unit of a segment, with its bytes.
    private func unit(
        _ random: inout SeededGenerator
    ) throws -> (bytes: [UInt8], at: Int, header: SegmentHeader) {
        let path = random.pick(segments)
        let file = closed.files[path] ?? []
        let unit = random.pick(Array((closed.units[path] ?? []).dropFirst()))
        return (Array(file[unit.range]), unit.range.lowerBound, try Self.header(file))
    }

    /// Flips a bit of a unit, or puts it at the place of another, with the right checksum, and opens it. Returns nil if
    /// it is refused, or a description.
    func fault(ofUnit random: inout SeededGenerator, isMoved: Bool) throws -> String? {
        var (bytes, at, header) = try unit(&random)
        var isVisible = false
        if isMoved {
            let other = try unit(&random)
            if other.at == at, other.header.segment == header.segment { return nil }
            (at, header) = (other.at, other.header)
        } else {
            let place = random.below(bytes.count - 4)
            bytes[place] ^= 1 << UInt8(random.below(8))
            // Kind and length are visible.
            isVisible = place < 8
        }
        let place = (0..<8).map { UInt8(truncatingIfNeeded: at >> (8 * $0)) }
        let sum = CatalogVFS.checksum(
            header.store + header.segment + [UInt8](repeating: 0, count: 8) + place + bytes.dropLast(4))
        bytes.replaceSubrange(bytes.count - 4..<bytes.count, with: Self.little(sum))
        let identity = BlockIdentity(store: header.store, segment: header.segment, series: 0, position: UInt64(at))
        var opener = UnitOpener()
        do throws(FormatError) {
            _ = try opener.open(
                &bytes, at: 0, length: bytes.count, of: identity, key: try SegmentKey.of(header, keys: keys))
            return "a unit at \(at) of a segment was opened"
        } catch {
            return error.kind == .forged || isVisible ? nil : "a unit at \(at) of a segment: \(error)"
        }
    }

    // MARK: Pages of the catalog

    /// Flips a bit of a page of the database, or puts it at the place of another.
    func page(_ random: inout SeededGenerator, isMoved: Bool) -> Forgery {
        var bytes = closed.files[String(Self.database)] ?? []
        let count = bytes.count / Self.page
        let number = random.below(count)
        let start = number * Self.page
        var what = "page \(number + 1)"
        if isMoved {
            let other = (number + 1 + random.below(max(1, count - 1))) % count
            bytes.replaceSubrange(
                start..<start + Self.page, with: bytes[other * Self.page..<other * Self.page + Self.page])
            what += " replaced by page \(other + 1)"
        } else {
            let place = Self.place(&random)
            bytes[start + place] ^= 1 << UInt8(random.below(8))
            what += ", byte \(place)"
        }
        let sum = CatalogVFS.checksum(
            Self.summed(bytes[start..<start + Self.page]) + Self.little(UInt32(number + 1)) + store)
        bytes.replaceSubrange(start + 4_060..<start + 4_064, with: Self.little(sum))
        return forged(closed, [String(Self.database): bytes], what)
    }

    /// Flips a bit of a page in a frame of the log, or puts it into another frame.
    func frame(_ random: inout SeededGenerator, isMoved: Bool) -> Forgery? {
        let path = Self.database + "-wal"
        var bytes = hot.files[String(path)] ?? []
        let starts = stride(from: 32, through: bytes.count - Self.frame, by: Self.frame).filter {
            bytes[$0 + 8..<$0 + 16].elementsEqual(bytes[16..<24])
        }
        guard starts.count > 1 else { return nil }
        let index = random.below(starts.count)
        let start = starts[index]
        var what = "frame \(index + 1)"
        if isMoved {
            let other = (index + 1 + random.below(starts.count - 1)) % starts.count
            bytes.replaceSubrange(
                start + 16..<start + Self.frame, with: bytes[starts[other] + 16..<starts[other] + Self.frame])
            what += " with the page of frame \(other + 1)"
        } else {
            let place = Self.place(&random)
            bytes[start + 24 + place] ^= 1 << UInt8(random.below(8))
            what += ", byte \(place)"
        }
        let offset = (0..<8).map { UInt8(truncatingIfNeeded: start >> (8 * $0)) }
        let sum = CatalogVFS.checksum(
            Self.summed(bytes[start + 24..<start + Self.frame]) + bytes[start..<start + 4].reversed()
                + bytes[start + 4..<start + 24] + offset + store)
        bytes.replaceSubrange(start + 24 + 4_060..<start + 24 + 4_064, with: Self.little(sum))
        return forged(hot, [String(path): bytes], what)
    }

    /// Changes both files of keys.
    func keyFiles(_ random: inout SeededGenerator) -> Forgery? {
        let paths = [KeysFiles.first, KeysFiles.second].map { SimulatedStore.path.dropFirst() + "/" + $0 }
        let sound = closed.files[String(paths[0])] ?? []
        guard let end = sound.dropLast().lastIndex(of: UInt8(ascii: "\n")).map({ $0 + 1 }) else { return nil }
        var bytes = Array(sound[..<end])
        let place = random.below(end)
        bytes[place] ^= 1 << UInt8(random.below(8))
        let digits = String(CatalogVFS.checksum(bytes), radix: 16)
        bytes += Array("end \(String(repeating: "0", count: 8 - digits.count))\(digits)\n".utf8)
        return forged(
            closed, Dictionary(uniqueKeysWithValues: paths.map { (String($0), bytes) }), "byte \(place) of the keys")
    }

    /// Returns a place in a page outside of its checksum.
    private static func place(_ random: inout SeededGenerator) -> Int {
        let place = random.below(page - 4)
        return place < 4_060 ? place : place + 4
    }

    /// The bytes of a stored page that its checksum covers.
    private static func summed(_ page: ArraySlice<UInt8>) -> [UInt8] {
        Array(page.prefix(4_060) + page.dropFirst(4_064))
    }

    private static func little(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private func forged(_ reference: ReferenceStore, _ changed: [String: [UInt8]], _ what: String) -> Forgery {
        Forgery(what: what, reference: reference, files: reference.files.merging(changed) { $1 })
    }
}
