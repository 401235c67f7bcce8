// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

// Room on a full disk.
extension Writer {
    /// Runs work that has to be possible on a full disk: if it finds no room, the ballast is given back and the work
    /// runs once more. Afterwards the ballast takes back the room that is left.
    ///
    /// For work that frees space in the end, or leaves the store in a better state: checkpoints, sealing, deletions.
    /// Never for work that only adds.
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

    /// Copies the write-ahead log into the catalog, in the ballast's room if there is no other: an empty log takes
    /// further commits without growing.
    mutating func checkpointOnFullDisk() {
        try? withReserve { writer throws(StoreError) in
            try writer.checkpoint(truncate: false)
        }
    }

    /// Fits the ballast to the store's size. O(segments): for use after a commit that added some.
    mutating func fitBallast(_ context: StoreContext) {
        let segments = context.published.withLock { $0.segments.values.reduce(Int64(0)) { $0 + $1.row.bytes } }
        ballast.fit(to: UInt64(clamping: segments + catalog.fileBytes))
    }
}

extension StoreContext {
    /// Refuses work for which there is too little room, before any of it is written.
    ///
    /// - Parameters:
    ///   - needed: bytes; a low estimate, because work that would fit must not be refused.
    ///   - reserve: bytes that have to stay free besides.
    ///   - work: names the work in the error.
    /// - Throws: `diskFull`.
    func requireRoom(_ needed: UInt64, reserve: UInt64, for work: String) throws(StoreError) {
        // A disk that does not report its free space reports when it is full.
        guard let free = try? disk.freeSpace(at: layout.root) else { return }
        let (sum, overflow) = needed.addingReportingOverflow(reserve)
        guard overflow || free < sum else { return }
        let kept = reserve > 0 ? " and \(reserve) that stay in reserve" : ""
        throw StoreError(
            .diskFull,
            "the disk has too little room for \(work): it needs \(needed) bytes\(kept), \(free) are free; "
                + "free some space and try again, nothing of this call was stored", path: layout.root)
    }
}

extension CatalogAccess {
    /// Returns the least bytes that a number of samples takes, as far as that is known before encoding; the maximum
    /// where the product does not fit.
    static func expectedBytes(samples: Int) -> UInt64 {
        let (product, overflow) = UInt64(max(0, samples)).multipliedReportingOverflow(by: 3)
        return overflow || product > .max - 65_536 ? .max : product + 65_536
    }

    /// Refuses a load of a number of samples if there is clearly no room for it.
    ///
    /// - Throws: `diskFull`.
    func requireRoomToLoad(samples: Int) throws(StoreError) {
        let reserve = try withWriter { writer throws(StoreError) in writer.ballast.missing }
        try context.requireRoom(Self.expectedBytes(samples: samples), reserve: reserve, for: "the load")
    }
}
