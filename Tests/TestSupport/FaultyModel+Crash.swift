// SPDX-License-Identifier: Apache-2.0

import FileSystem

extension FaultyModel {
    /// The choices of a crash of one seed, biased so that pure cases are as likely as mixed ones.
    private struct Chooser {
        var random: SeededGenerator
        let model: CrashModel
        /// The share of unsynced pieces that survive.
        let keep: Double

        init(_ seed: UInt64, _ model: CrashModel) {
            random = SeededGenerator(seed: seed)
            self.model = model
            keep = random.pick([0, 0.1, 0.5, 0.5, 0.9, 1])
        }

        mutating func keeps() -> Bool {
            switch model {
            case .keepAll: true
            case .loseAll: false
            case .any: random.chance(keep)
            }
        }
    }

    /// Returns the disk as it would be found after a crash now.
    func crash(seed: UInt64, model: CrashModel) throws(DiskError) -> MemoryDisk {
        var chooser = Chooser(seed, model)
        var names: [Int: [String: Int]] = [:]
        for number in directories.keys.sorted() { names[number] = survivingNames(number, &chooser) }
        var found: (directories: [String], files: [String: Int]) = ([], [:])
        collect(Self.root, "", names, depth: 0, &found)
        var images: [Int: [UInt8]] = [:]
        for number in Set(found.files.values).sorted() { images[number] = try survivingContent(number, &chooser) }
        return MemoryDisk(
            directories: found.directories, files: found.files.mapValues { images[$0] ?? [] })
    }

    private func collect(
        _ number: Int, _ path: String, _ names: [Int: [String: Int]], depth: Int,
        _ found: inout (directories: [String], files: [String: Int])
    ) {
        guard depth < 64 else { return }  // a half-kept move of directories could create a cycle
        for (name, child) in names[number] ?? [:] {
            let childPath = path.isEmpty ? name : path + "/" + name
            if directories[child] != nil {
                found.directories.append(childPath)
                collect(child, childPath, names, depth: depth + 1, &found)
            } else {
                found.files[childPath] = child
            }
        }
    }

    private func survivingNames(_ number: Int, _ chooser: inout Chooser) -> [String: Int] {
        guard let directory = directories[number] else { return [:] }
        var names = directory.durable
        for change in directory.pending where chooser.keeps() { Self.apply(change, to: &names) }
        return names
    }

    private func survivingContent(_ number: Int, _ chooser: inout Chooser) throws(DiskError) -> [UInt8] {
        guard let file = files[number] else { return [] }
        var bytes: [UInt8] = []
        let live = try file.handle.read(at: 0, count: Int(file.liveSize), into: &bytes, offset: 0)
        bytes.removeLast(bytes.count - live)
        let size = survivingSize(file, &chooser)
        // If a truncation did not survive, the earlier bytes are back.
        if size > bytes.count { bytes.append(contentsOf: repeatElement(0, count: size - bytes.count)) }
        for index in file.pieces.keys.sorted() {
            guard let piece = file.pieces[index] else { continue }
            let start = Int(index) * Self.pieceSize
            if start >= bytes.count { continue }
            let range = start..<min(start + Self.pieceSize, bytes.count)
            let isCutAway = UInt64(start) >= file.liveSize
            let survivor = isCutAway ? piece.old(range.count) : survivingPiece(piece, Array(bytes[range]), &chooser)
            bytes.replaceSubrange(range, with: survivor)
        }
        if size < bytes.count { bytes.removeLast(bytes.count - size) }
        return bytes
    }

    /// Returns the surviving bytes of a piece that now reads as `new`, with the same length.
    private func survivingPiece(_ piece: Piece, _ new: [UInt8], _ chooser: inout Chooser) -> [UInt8] {
        func padded(_ bytes: [UInt8]) -> [UInt8] {
            Array((bytes + [UInt8](repeating: 0, count: new.count)).prefix(new.count))
        }
        if chooser.keeps() { return new }
        let old = piece.old(new.count)
        if chooser.model == .loseAll { return old }
        // Bytes that were not written keep their durable content in any case.
        func within(_ bytes: [UInt8]) -> [UInt8] {
            let written = piece.written.clamped(to: 0..<new.count)
            return Array(old[..<written.lowerBound] + bytes[written] + old[written.upperBound...])
        }
        switch chooser.random.below(10) {
        case 0..<5: return old
        case 5: return within([UInt8](repeating: 0, count: new.count))
        case 6, 7:
            let cut = chooser.random.below(new.count + 1)
            let torn = chooser.random.chance(0.5) ? new[..<cut] + old[cut...] : old[..<cut] + new[cut...]
            return within(Array(torn))
        case 8: return piece.versions.isEmpty ? old : padded(chooser.random.pick(piece.versions))
        default: return within(chooser.random.bytes(new.count))
        }
    }

    private func survivingSize(_ file: File, _ chooser: inout Chooser) -> Int {
        if file.liveSize == file.durableSize || chooser.keeps() { return Int(file.liveSize) }
        if chooser.model == .loseAll || chooser.random.chance(0.5) { return Int(file.durableSize) }
        // A truncation happens wholly or not at all.
        if file.liveSize < file.durableSize { return Int(file.durableSize) }
        let between = Int(file.durableSize) + chooser.random.below(Int(file.liveSize - file.durableSize))
        return chooser.random.chance(0.5) ? between : max(Int(file.durableSize), between / 512 * 512)
    }
}

extension FaultyModel.Piece {
    /// Returns the durable bytes, padded or cut to `count`.
    func old(_ count: Int) -> [UInt8] {
        Array((old + [UInt8](repeating: 0, count: count)).prefix(count))
    }
}
