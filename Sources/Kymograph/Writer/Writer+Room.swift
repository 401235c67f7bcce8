// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem
import Synchronization

// Space on a full disk.
extension Writer {
    /// Runs work that must be possible on a full disk. If the disk is full, removes the ballast and runs the work once
    /// more; afterwards the ballast grows into the remaining space.
    ///
    /// Only for work that frees space in the end, or leaves the store in a better state: checkpoints, sealing,
    /// deletions. Never for work that only adds data.
    /// - Parameter body: must have changed nothing when it throws `diskFull`.
    mutating func withReserve<R>(_ body: (inout Writer) throws(StoreError) -> R) throws(StoreError) -> R {
        do throws(StoreError) {
            return try body(&self)
        } catch {
            guard error.kind == .diskFull, ballast.giveBack() else { throw error }
        }
        defer { ballast.putBack() }
        return try body(&self)
    }

    /// Copies the write-ahead log into the catalog, in the ballast's space if there is no other: an empty log accepts
    /// further commits without growing.
    mutating func checkpointOnFullDisk() {
        try? withReserve { writer throws(StoreError) in
            try writer.checkpoint(truncate: false)
        }
    }

    /// Fits the ballast to the store's size. O(segments). For use after a commit that added segments.
    mutating func fitBallast(_ context: StoreContext) {
        let segments = context.published.withLock { $0.segments.values.reduce(Int64(0)) { $0 + $1.row.bytes } }
        ballast.fit(to: UInt64(clamping: segments + catalog.fileBytes))
    }
}

extension StoreContext {
    /// Refuses work for which the disk has too little space, before the work writes anything.
    ///
    /// - Parameters:
    ///   - needed: bytes; a low estimate, because work that would fit must not be refused.
    ///   - reserve: further bytes that must stay free.
    ///   - work: the name of the work in the error.
    /// - Throws: `diskFull`.
    func requireRoom(_ needed: UInt64, reserve: UInt64, for work: String) throws(StoreError) {
        // A disk that does not report its free space reports a full disk on the write itself.
        guard let free = try? disk.freeSpace(at: layout.root) else { return }
        let (sum, overflow) = needed.addingReportingOverflow(reserve)
        guard overflow || free < sum else { return }
        let kept = reserve > 0 ? " and \(reserve) that stay in reserve" : ""
        throw StoreError(
            .diskFull,
            "the disk has too little space for \(work): it needs \(needed) bytes\(kept), \(free) are free; "
                + "free some space and try again, nothing of this call was stored", path: layout.root)
    }
}

extension CatalogAccess {
    /// Returns a low estimate of the bytes of samples before encoding; the maximum if the product overflows.
    static func expectedBytes(samples: Int) -> UInt64 {
        let (product, overflow) = UInt64(max(0, samples)).multipliedReportingOverflow(by: 3)
        return overflow || product > .max - 65_536 ? .max : product + 65_536
    }

    /// Refuses a load if the disk clearly has too little space for its samples.
    ///
    /// - Throws: `diskFull`.
    func requireRoomToLoad(samples: Int) throws(StoreError) {
        let reserve = try withWriter { writer throws(StoreError) in writer.ballast.missing }
        try context.requireRoom(Self.expectedBytes(samples: samples), reserve: reserve, for: "the load")
    }
}
