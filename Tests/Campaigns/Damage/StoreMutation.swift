// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import FileSystem
import TestSupport

/// One change to one file of a store.
struct StoreMutation: Sendable {
    /// The kind of the file, for counting.
    let kind: FileKind
    let path: String
    /// A description of the change.
    let what: String
    /// The image with the change.
    let files: [String: [UInt8]]
    let directories: [String]

    enum FileKind: String, Sendable, CaseIterable {
        case segment, database, log, lock, witness, ballast, keys

        init(_ path: String) {
            if path.hasSuffix(".kseg") {
                self = .segment
            } else if path.hasSuffix("-wal") {
                self = .log
            } else if path.hasSuffix("LOCK") {
                self = .lock
            } else if path.hasSuffix("ballast") {
                self = .ballast
            } else if path.hasSuffix("KEYS") || path.hasSuffix("KEYS.2") {
                self = .keys
            } else {
                self = path.hasSuffix("WITNESS") ? .witness : .database
            }
        }
    }

    /// Flips one bit.
    init(_ reference: ReferenceStore, bit: Int, of byte: Int, in path: String) {
        kind = FileKind(path)
        self.path = path
        what = "bit \(bit) of byte \(byte) flipped"
        var files = reference.files
        files[path]?[byte] ^= 1 << UInt8(bit)
        self.files = files
        directories = reference.directories
    }

    private enum Change: CaseIterable {
        case bit, byte, wipe, swap, graft, truncate, extend, older, delete, directory
    }

    /// Makes a random change; nil if it changes nothing.
    init?(_ reference: ReferenceStore, _ random: inout SeededGenerator) {
        // Most bytes belong to segments, most of the structure to the catalog.
        let paths = reference.files.keys.sorted().filter { !$0.hasSuffix("-shm") && !reference.retired.contains($0) }
        let segments = paths.filter { $0.hasSuffix(".kseg") }
        path = random.chance(0.6) && !segments.isEmpty ? random.pick(segments) : random.pick(paths)
        kind = FileKind(path)
        let original = reference.files[path] ?? []
        var files = reference.files
        var directories = reference.directories
        let change = random.chance(0.5) ? Change.allCases[random.below(3)] : random.pick(Change.allCases)
        switch change {
        case .delete:
            files[path] = nil
            what = "deleted"
        case .directory:
            files[path] = nil
            directories.append(path)
            what = "replaced by a directory"
        case .older:
            let other = kind == .segment ? files[random.pick(segments)] : reference.older[path]
            guard let other, other != original else { return nil }
            files[path] = other
            what = kind == .segment ? "replaced by another segment" : "replaced by an older copy"
        default:
            var bytes = original
            guard let done = Self.change(change, &bytes, path, reference, &random), bytes != original else {
                return nil
            }
            files[path] = bytes
            what = done
        }
        self.files = files
        self.directories = directories
    }

    private static func change(
        _ change: Change, _ bytes: inout [UInt8], _ path: String, _ reference: ReferenceStore,
        _ random: inout SeededGenerator
    ) -> String? {
        switch change {
        case .extend:
            let count = 1 + random.below(4_096)
            bytes += random.chance(0.5) ? random.bytes(count) : [UInt8](repeating: 0, count: count)
            return "extended by \(count) bytes"
        case .truncate:
            let at = random.pick(reference.boundaries(path)) + random.below(3) - 1
            guard at >= 0, at < bytes.count else { return nil }
            bytes.removeLast(bytes.count - at)
            return "truncated to \(at) bytes"
        case .swap, .graft: return move(change == .swap, &bytes, path, reference, &random)
        default: break
        }
        guard !bytes.isEmpty else { return nil }
        let at = random.below(bytes.count)
        switch change {
        case .bit:
            let bit = random.below(8)
            bytes[at] ^= 1 << UInt8(bit)
            return "bit \(bit) of byte \(at) flipped"
        case .byte:
            bytes[at] = random.pick([0, 1, 0x80, 0xFF])
            return "byte \(at) set to \(bytes[at])"
        default:
            let length = random.pick([512, 4_096, 65_536])
            let from = random.chance(0.5) ? at / length * length : at
            let range = from..<min(bytes.count, from + length)
            let fill = random.chance(0.5) ? random.bytes(range.count) : [UInt8](repeating: 0, count: range.count)
            bytes.replaceSubrange(range, with: fill)
            return "\(range) wiped"
        }
    }

    /// Swaps two pieces of a file, or copies a piece of another file.
    private static func move(
        _ swaps: Bool, _ bytes: inout [UInt8], _ path: String, _ reference: ReferenceStore,
        _ random: inout SeededGenerator
    ) -> String? {
        func pieces(_ path: String) -> [Range<Int>] {
            let edges = reference.boundaries(path)
            return zip(edges, edges.dropFirst()).map { $0..<$1 }
        }
        let mine = pieces(path)
        guard !mine.isEmpty else { return nil }
        let one = random.pick(mine)
        if swaps {
            let other = random.pick(mine)
            guard one.upperBound <= other.lowerBound else { return nil }
            let middle = Array(bytes[one.upperBound..<other.lowerBound])
            let swapped = Array(bytes[other]) + middle + Array(bytes[one])
            bytes.replaceSubrange(one.lowerBound..<other.upperBound, with: swapped)
            return "\(one) and \(other) swapped"
        }
        let isSegment = path.hasSuffix(".kseg")
        let from = isSegment ? random.pick(reference.units.keys.sorted()) : path
        let source = isSegment ? reference.files[from] : reference.older[from]
        guard let source,
            let piece = pieces(from).filter({ $0.upperBound <= source.count }).randomElement(using: &random)
        else { return nil }
        // A sound older page in its own place is a write that the disk lost, which no promise covers
        // (`Docs/Operations/Durability.md`).
        if path.hasSuffix(".sqlite"), piece == one { return nil }
        let length = min(one.count, piece.count)
        bytes.replaceSubrange(
            one.lowerBound..<one.lowerBound + length, with: source[piece.lowerBound..<piece.lowerBound + length])
        return "\(one.lowerBound) overwritten with \(piece.lowerBound) and \(length) bytes of \(from)"
    }
}
