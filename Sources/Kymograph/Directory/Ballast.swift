// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

/// The file of zeros in a store's directory that is given back when the disk is full, so that tidying up finds room.
///
/// Its bytes mean nothing, and nothing that goes wrong with it is anybody's error: without it a full disk is only less
/// comfortable. It belongs to the writer.
struct Ballast {
    /// The smallest; it grows with the store, to a quarter of it.
    static let least: UInt64 = 256 << 10
    /// What it shrinks by when the disk has not room for all of it.
    private static let page: UInt64 = 4 << 10
    /// Bytes of one write.
    private static let piece: UInt64 = 64 << 10
    /// Commits between two looks at the disk while something is missing.
    private static let patience: Int64 = 64

    let path: String
    private let root: String
    private let disk: any Disk
    private let most: UInt64
    /// Bytes of the file.
    private(set) var bytes: UInt64 = 0
    /// Bytes that it should have.
    private(set) var wanted: UInt64 = 0
    /// Whether it is away for something that is under way.
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

    /// After a commit: looks now and then whether there is room for what is missing.
    mutating func note(_ commit: Int64) {
        guard missing > 0, commit >= nextLook else { return }
        nextLook = commit + Self.patience
        restore()
    }

    /// Makes what is missing, if as much again stays free.
    private mutating func restore() {
        guard missing > 0, let free = try? disk.freeSpace(at: root), free >= missing + wanted else { return }
        grow(to: wanted)
    }

    /// Gives the room back; false if there is none to give.
    mutating func giveBack() -> Bool {
        guard bytes > 0, !isInUse else { return false }
        remove()
        isInUse = bytes == 0
        return isInUse
    }

    /// Takes back what was not needed, before anybody else does.
    mutating func putBack() {
        isInUse = false
        takeBack(wanted, sparing: Self.page)
    }

    /// Grows to so many bytes, or as far as there is room.
    private mutating func takeBack(_ wanted: UInt64, sparing spare: UInt64 = 0) {
        guard let free = try? disk.freeSpace(at: root), free >= Self.page + spare else { return }
        grow(to: min(wanted, bytes + (free - spare) / Self.page * Self.page))
    }

    /// Does something before the writer is there for which there is no room but the ballast's, and takes back what is
    /// left: at once, so that no other program gets it. Whoever closes what was opened calls `takeBack` once more.
    static func withRoom<R>(
        _ layout: StoreLayout, _ options: StoreOptions, _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> (result: R, owed: Owed?) {
        do throws(StoreError) {
            return (try body(), nil)
        } catch {
            var ballast = Ballast(layout, options)
            let owed = Owed(bytes: ballast.bytes)
            guard error.kind == .diskFull, owed.bytes > 0 else { throw error }
            ballast.remove()
            defer { ballast.takeBack(owed.bytes) }
            return (try body(), owed)
        }
    }

    /// What the ballast was before it had to help.
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

    /// Real zeros: a hole in a file is no reserve. They are not synced: the system has promised the room already.
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
            // Somebody else was faster, or a former one is in the way: what there is stays.
            bytes = Self.size(path, disk)
        }
    }
}

extension Writer {
    /// Runs what has to be possible on a full disk: where it finds no room it gets the ballast's, and another try.
    ///
    /// For what frees space in the end, or leaves the store in a better state: checkpoints, sealing, deletions.
    /// Never for what only adds. Afterwards the ballast takes back what is left.
    /// - Parameter body: has changed nothing when it throws `diskFull`.
    mutating func withReserve<R>(_ body: (inout Writer) throws(StoreError) -> R) throws(StoreError) -> R {
        do throws(StoreError) {
            return try body(&self)
        } catch {
            guard error.kind == .diskFull, ballast.giveBack() else { throw error }
        }
        defer { ballast.putBack() }
        return try body(&self)
    }

    /// Empties the write-ahead log into the catalog, with the ballast's room if there is no other: a log that is empty
    /// again takes further commits without growing.
    mutating func checkpointOnFullDisk() {
        try? withReserve { writer throws(StoreError) in
            try writer.checkpoint(truncate: false)
        }
    }
}

extension TimeSeriesStore {
    /// Opens a store; where there is no room even for that, the ballast makes it.
    static func openWithReserve(
        _ layout: StoreLayout, _ options: StoreOptions, _ open: () throws(StoreError) -> TimeSeriesStore
    ) throws(StoreError) -> TimeSeriesStore {
        let (store, owed) = try Ballast.withRoom(layout, options, open)
        store.owedBallast.withLock { $0 = owed }
        if store.mode == .readWrite {
            try store.withWriter { writer throws(StoreError) in
                // What a former writer could not bring into the catalog.
                if writer.catalog.takeCallForRoom() { writer.checkpointOnFullDisk() }
                store.fitBallast(&writer)
            }
        }
        store.eraseInTime(atOnce: true)
        if store.mode != .readWrite { store.watchSnapshots() }
        return store
    }

    /// Fits the ballast to what the store holds now. O(segments), for use where some were added.
    func fitBallast(_ writer: inout Writer) {
        let segments = published.withLock { $0.segments.values.reduce(Int64(0)) { $0 + $1.row.bytes } }
        writer.ballast.fit(to: UInt64(clamping: segments + writer.catalog.fileBytes))
    }

    /// Refuses work for which there is too little room, before anything of it is written.
    ///
    /// - Parameters:
    ///   - needed: bytes, rather too few than too many: what would fit must not be refused.
    ///   - reserve: bytes that have to stay free besides.
    func requireRoom(_ needed: UInt64, reserve: UInt64, for what: String) throws(StoreError) {
        // A disk that does not say how much is free will say when it is full.
        guard let free = try? disk.freeSpace(at: layout.root) else { return }
        let (sum, overflow) = needed.addingReportingOverflow(reserve)
        guard overflow || free < sum else { return }
        let kept = reserve > 0 ? " and \(reserve) that stay in reserve" : ""
        throw StoreError(
            .diskFull,
            "the disk has too little room for \(what): it needs \(needed) bytes\(kept), \(free) are free; "
                + "free some space and try again, nothing of this call was stored", path: layout.root)
    }

    /// Bytes that so many samples take at least, as far as one can tell before encoding them; a caller may expect more
    /// samples than fit into any number of bytes.
    static func expectedBytes(samples: Int) -> UInt64 {
        let (product, overflow) = UInt64(max(0, samples)).multipliedReportingOverflow(by: 3)
        return overflow || product > .max - 65_536 ? .max : product + 65_536
    }

    /// Refuses a load of so many bytes if there is clearly no room for it.
    func requireRoomToLoad(_ bytes: UInt64) throws(StoreError) {
        let reserve = try withWriter { writer throws(StoreError) in writer.ballast.missing }
        try requireRoom(bytes, reserve: reserve, for: "the load")
    }
}
