// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The durability state of a `FaultyDisk`. Files and directories have numbers, so that a name can be durable while the
/// content of its file is not, and vice versa.
struct FaultyModel {
    /// The unit in which file content becomes durable or is lost, in bytes.
    static let pieceSize = 512
    static let root = 0

    /// A part of a file with writes since the last sync.
    struct Piece {
        /// The durable bytes of the piece; shorter, or empty, at the end of the durable file.
        var old: [UInt8]
        /// The written bytes of the piece: only these can be torn, zero or garbage.
        var written: Range<Int>
        /// The earlier unsynced contents of the piece.
        var versions: [[UInt8]] = []
        /// True after a failed sync: the piece counts as clean, and no later sync writes it.
        var isStuck = false
    }

    struct File {
        /// Keeps the live content readable after the last name is removed.
        let handle: any DiskFile
        var liveSize: UInt64
        var durableSize: UInt64
        var pieces: [UInt64: Piece] = [:]
        var names = 1
    }

    enum NameChange {
        case link(String, Int)
        case unlink(String)
        case move(from: String, to: String, Int)
    }

    struct Directory {
        var live: [String: Int] = [:]
        var durable: [String: Int] = [:]
        /// The changes that `syncDirectory` would make durable, in order.
        var pending: [NameChange] = []
    }

    var files: [Int: File] = [:]
    var directories: [Int: Directory] = [root: Directory()]
    private var lastNumber = root

    // MARK: Names

    mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Returns the number of a live path.
    func number(of path: String) -> Int? {
        var at = Self.root
        for name in MemoryDisk.normal(path).split(separator: "/") {
            guard let next = directories[at]?.live[String(name)] else { return nil }
            at = next
        }
        return at
    }

    private func place(_ path: String) -> (directory: Int, name: String) {
        let normal = MemoryDisk.normal(path)
        let name = normal.split(separator: "/").last.map(String.init) ?? ""
        return (number(of: MemoryDisk.parent(of: normal)) ?? Self.root, name)
    }

    mutating func link(_ path: String, _ number: Int) {
        let (directory, name) = place(path)
        directories[directory]?.live[name] = number
        directories[directory]?.pending.append(.link(name, number))
    }

    mutating func unlink(_ path: String) {
        let (directory, name) = place(path)
        if let number = directories[directory]?.live.removeValue(forKey: name) { files[number]?.names -= 1 }
        directories[directory]?.pending.append(.unlink(name))
    }

    /// Renames a file or directory. Inside one directory this is one change; across directories each side can be lost
    /// alone.
    mutating func move(_ path: String, to newPath: String) {
        let (oldDirectory, oldName) = place(path)
        let (newDirectory, newName) = place(newPath)
        if oldDirectory == newDirectory && oldName == newName { return }
        guard let number = directories[oldDirectory]?.live.removeValue(forKey: oldName) else { return }
        if let replaced = directories[newDirectory]?.live[newName] { files[replaced]?.names -= 1 }
        directories[newDirectory]?.live[newName] = number
        if oldDirectory == newDirectory {
            directories[oldDirectory]?.pending.append(.move(from: oldName, to: newName, number))
        } else {
            directories[newDirectory]?.pending.append(.link(newName, number))
            directories[oldDirectory]?.pending.append(.unlink(oldName))
        }
    }

    mutating func syncNames(of path: String) {
        guard let number = number(of: path), let directory = directories[number] else { return }
        var durable = directory.durable
        for change in directory.pending { Self.apply(change, to: &durable) }
        directories[number]?.durable = durable
        directories[number]?.pending = []
    }

    static func apply(_ change: NameChange, to names: inout [String: Int]) {
        switch change {
        case .link(let name, let number): names[name] = number
        case .unlink(let name): names[name] = nil
        case .move(let old, let new, let number):
            if names[old] == number { names[old] = nil }
            names[new] = number
        }
    }

    // MARK: Content

    /// Records the contents of a range that is about to be written.
    mutating func willWrite(_ number: Int, _ range: Range<UInt64>) throws(DiskError) {
        guard var file = files[number], !range.isEmpty else { return }
        let size = UInt64(Self.pieceSize)
        var buffer: [UInt8] = []
        for index in range.lowerBound / size...(range.upperBound - 1) / size {
            let start = index * size
            var current: [UInt8] = []
            if start < file.liveSize {
                let count = try file.handle.read(at: start, count: Self.pieceSize, into: &buffer, offset: 0)
                current = Array(buffer[..<count])
            }
            let low = Int(max(range.lowerBound, start) - start)
            let high = Int(min(range.upperBound, start + size) - start)
            if var piece = file.pieces.removeValue(forKey: index) {
                piece.isStuck = false
                piece.written = min(low, piece.written.lowerBound)..<max(high, piece.written.upperBound)
                if piece.versions.count < 4, !current.isEmpty { piece.versions.append(current) }
                file.pieces[index] = piece
            } else {
                let durable = start < file.durableSize ? min(UInt64(current.count), file.durableSize - start) : 0
                file.pieces[index] = Piece(old: Array(current.prefix(Int(durable))), written: low..<high)
            }
        }
        file.liveSize = max(file.liveSize, range.upperBound)
        files[number] = file
    }

    /// Records that the file is about to be truncated, or extended by zeros.
    mutating func willResize(_ number: Int, to size: UInt64) throws(DiskError) {
        guard let file = files[number] else { return }
        let (low, high) = (min(size, file.liveSize), max(size, file.liveSize))
        try willWrite(number, low..<high)
        files[number]?.liveSize = size
    }

    /// Makes content and size durable, except for pieces that a failed sync has marked as stuck.
    mutating func syncContent(_ number: Int) {
        guard var file = files[number] else { return }
        file.pieces = file.pieces.filter { $0.value.isStuck }
        file.durableSize = file.liveSize
        files[number] = file
    }

    /// Applies a failed sync: all pieces count as clean; `written` selects the pieces that have reached the disk
    /// anyway.
    mutating func failSync(_ number: Int, written: (UInt64) -> Bool) {
        guard var file = files[number] else { return }
        for index in file.pieces.keys.sorted() where file.pieces[index]?.isStuck == false {
            if written(index) { file.pieces[index] = nil } else { file.pieces[index]?.isStuck = true }
        }
        files[number] = file
    }
}
