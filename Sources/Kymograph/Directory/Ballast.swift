// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

/// The file of zeros in a store's directory that is removed when the disk is full, so that checkpoints, sealing and
/// deletions find room.
///
/// The writer owns it. Its bytes mean nothing, and its errors are ignored: without a ballast a full disk is only harder
/// to leave.
struct Ballast {
    /// The smallest; it grows with the store, to a quarter of it.
    static let least: UInt64 = 256 << 10
    /// The unit of its size where the disk has no room for all of it.
    private static let page: UInt64 = 4 << 10
    /// Bytes of one write.
    private static let piece: UInt64 = 64 << 10
    /// Commits between two checks of the disk while bytes are missing.
    private static let patience: Int64 = 64

    let path: String
    private let root: String
    private let disk: any Disk
    private let most: UInt64
    /// Bytes of the file.
    private(set) var bytes: UInt64 = 0
    /// Bytes that it should have.
    private(set) var wanted: UInt64 = 0
    /// Whether it is removed for work that is under way.
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

    /// The size beside a store: the power of two at a quarter of it, within bounds.
    static func size(beside store: UInt64, most: UInt64) -> UInt64 {
        var size = least
        while size < store / 4, size < most { size *= 2 }
        return min(size, most)
    }

    /// Bytes that have to stay free for it.
    var missing: UInt64 { isInUse || bytes >= wanted ? 0 : wanted - bytes }

    /// Fits it to the store's size, if there is room.
    mutating func fit(to store: UInt64) {
        wanted = Self.size(beside: store, most: most)
        if !isInUse { bytes = Self.size(path, disk) }
        if bytes > most { remove() }
        restore()
    }

    /// After a commit: checks now and then whether there is room for the missing bytes.
    mutating func note(_ commit: Int64) {
        guard missing > 0, commit >= nextLook else { return }
        nextLook = commit + Self.patience
        restore()
    }

    /// Writes the missing bytes, if as much again stays free.
    private mutating func restore() {
        guard missing > 0, let free = try? disk.freeSpace(at: root), free >= missing + wanted else { return }
        grow(to: wanted)
    }

    /// Removes the file; false if there is none.
    mutating func giveBack() -> Bool {
        guard bytes > 0, !isInUse else { return false }
        remove()
        isInUse = bytes == 0
        return isInUse
    }

    /// Takes back the room that was not needed, before another program does.
    mutating func putBack() {
        isInUse = false
        takeBack(wanted, sparing: Self.page)
    }

    /// Grows to a number of bytes, or as far as there is room.
    private mutating func takeBack(_ wanted: UInt64, sparing spare: UInt64 = 0) {
        guard let free = try? disk.freeSpace(at: root), free >= Self.page + spare else { return }
        grow(to: min(wanted, bytes + (free - spare) / Self.page * Self.page))
    }

    /// Runs work that comes before there is a writer; if it finds no room, the ballast is removed and the work runs
    /// once more. The ballast takes back the room that is left at once, so that no other program gets it.
    ///
    /// - Parameter owed: set if the ballast was used: closing what was opened has to call `Owed.takeBack`.
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

    /// The size of a ballast that was used up before there was a writer.
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

    /// Writes real zeros: a hole in a file is no reserve. They are not synced: the system has reserved the room.
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
            // Another program took the room, or a file is in the way: keep the size there is.
            bytes = Self.size(path, disk)
        }
    }
}
