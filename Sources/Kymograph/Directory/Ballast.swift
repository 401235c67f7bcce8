// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

/// The ballast: a file of zeros in a store's directory. On a full disk the writer removes it, so that checkpoints,
/// sealing and deletions have space.
///
/// The writer owns the file. Errors of the ballast are ignored: without it a store only has less space to recover from
/// a full disk.
struct Ballast {
    /// The smallest size. The wanted size grows with the store, to a quarter of its bytes.
    static let least: UInt64 = 256 << 10
    /// The unit of the file's size if the disk has too little space for the wanted size.
    private static let page: UInt64 = 4 << 10
    /// Bytes of one write.
    private static let piece: UInt64 = 64 << 10
    /// Commits between two checks for free space while the file is too small.
    private static let patience: Int64 = 64

    let path: String
    private let root: String
    private let disk: any Disk
    private let most: UInt64
    /// Bytes of the file.
    private(set) var bytes: UInt64 = 0
    /// Bytes that the file should have.
    private(set) var wanted: UInt64 = 0
    /// True while an operation uses the space of the removed file.
    private var isInUse = false
    private var nextLook: Int64 = 0

    init(_ layout: StoreLayout, _ options: StoreOptions) {
        path = layout.ballast
        root = layout.root
        disk = options.disk
        most = UInt64(clamping: options.ballastBytes)
        bytes = Self.size(path, disk)
    }

    private static func size(_ path: String, _ disk: any Disk) -> UInt64 {
        guard (try? disk.exists(path)) == true else { return 0 }
        return (try? disk.size(of: path)) ?? 0
    }

    /// Returns the smallest power of two that is at least a quarter of the store's bytes, between `least` and `most`.
    static func size(beside store: UInt64, most: UInt64) -> UInt64 {
        var size = least
        while size < store / 4, size < most { size *= 2 }
        return min(size, most)
    }

    /// Bytes that the file still lacks, and that other writes leave free; 0 while an operation uses its space.
    var missing: UInt64 { isInUse || bytes >= wanted ? 0 : wanted - bytes }

    /// Sets the wanted size from the store's size, and grows the file if the disk has space.
    mutating func fit(to store: UInt64) {
        wanted = Self.size(beside: store, most: most)
        if !isInUse { bytes = Self.size(path, disk) }
        if bytes > most { remove() }
        restore()
    }

    /// Writes the missing bytes if the disk has space; checks at most once in `patience` commits.
    ///
    /// - Ordering: after the commit.
    mutating func note(_ commit: Int64) {
        guard missing > 0, commit >= nextLook else { return }
        nextLook = commit + Self.patience
        restore()
    }

    /// Writes the missing bytes if `wanted` more bytes stay free.
    private mutating func restore() {
        guard missing > 0, let free = try? disk.freeSpace(at: root), free >= missing + wanted else { return }
        grow(to: wanted)
    }

    /// Removes the file to free its space. Returns false if there is no file, or its space is in use already.
    mutating func giveBack() -> Bool {
        guard bytes > 0, !isInUse else { return false }
        // Before the store's size is known, the size of the file is the wanted size.
        wanted = max(wanted, bytes)
        remove()
        isInUse = bytes == 0
        return isInUse
    }

    /// Grows the file into the space that was not used, before another program takes that space.
    mutating func putBack() {
        isInUse = false
        takeBack(wanted, sparing: Self.page)
    }

    /// Grows the file to a number of bytes, or as far as the disk has space.
    private mutating func takeBack(_ wanted: UInt64, sparing spare: UInt64 = 0) {
        guard let free = try? disk.freeSpace(at: root), free >= Self.page + spare else { return }
        grow(to: min(wanted, bytes + (free - spare) / Self.page * Self.page))
    }

    /// Runs work before there is a writer. If the disk is full, removes the ballast, runs the work once more, and at
    /// once grows the ballast into the remaining space, so that no other program takes it.
    ///
    /// - Parameter owed: set if the ballast was used; closing the store must then call `Owed.takeBack`.
    static func withRoom<R: ~Copyable>(
        _ layout: StoreLayout, _ options: StoreOptions, _ owed: inout Owed?, _ body: () throws(StoreError) -> sending R
    ) throws(StoreError) -> sending R {
        do throws(StoreError) {
            return try body()
        } catch {
            var ballast = Ballast(layout, options)
            let used = Owed(bytes: ballast.bytes)
            guard error.kind == .diskFull, used.bytes > 0 else { throw error }
            ballast.remove()
            defer { ballast.takeBack(used.bytes) }
            let result = try body()
            owed = used
            return result
        }
    }

    /// The size of a ballast that an opening used before there was a writer.
    struct Owed: Sendable {
        let bytes: UInt64

        func takeBack(_ layout: StoreLayout, _ options: StoreOptions) {
            var ballast = Ballast(layout, options)
            if ballast.bytes < bytes { ballast.takeBack(bytes) }
        }
    }

    private mutating func remove() {
        guard (try? disk.remove(path)) != nil || (try? disk.exists(path)) == false else { return }
        bytes = 0
    }

    /// Writes zeros, because a hole in a file reserves no space. There is no sync: the system has reserved the space.
    private mutating func grow(to size: UInt64) {
        let zeros = [UInt8](repeating: 0, count: Int(Self.piece))
        do throws(DiskError) {
            let file = try disk.exists(path) ? disk.open(path, writable: true) : disk.create(path)
            defer { try? file.close() }
            while bytes < size {
                let count = Int(min(Self.piece, size - bytes))
                try file.write(zeros, 0..<count, at: bytes)
                bytes += UInt64(count)
            }
        } catch {
            // Another program took the space, or the path cannot be written: keep the size there is.
            bytes = Self.size(path, disk)
        }
    }
}
