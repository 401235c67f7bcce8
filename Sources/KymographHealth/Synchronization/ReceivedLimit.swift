// SPDX-License-Identifier: Apache-2.0

import HealthCatalog

/// Selects the objects of a peer's page that are passed over although this store lacks them: objects that ended before
/// the kept history, and objects that a dropped peer had at its last synchronisation and that were deleted here.
struct ReceivedLimit {
    /// The beginning of the kept history.
    private var begin: Int64?
    /// The time of the last synchronisation before the peer was dropped, if the page repeats changes from before.
    private var dropped: Int64?

    init() {}

    /// - Parameters:
    ///   - page: the page.
    ///   - peer: the peer as it was known before the page.
    ///   - row: what is kept about the peer from before it was dropped; nil if it never was.
    ///   - tables: the tables of this store before the page.
    init(_ page: SyncPage, after peer: SyncPeerRow, dropped row: DroppedPeerRow?, _ tables: HealthSnapshot) {
        begin = HistoryLimit.stored(in: tables.settings)
        guard let row, row.at > 0 else { return }
        let position = SyncPosition(text: row.received)
        let then = position?.first ?? 0
        // A peer with a part of the store has objects that never came.
        if position?.selection ?? 0 != 0 { return }
        // A peer that was dropped in the middle of its first changes has objects that never came.
        if then == 0, !row.received.isEmpty { return }
        var first = SyncPosition(text: peer.received)?.first ?? 0
        // The sender may have begun anew.
        if let position = SyncPosition(text: page.position), position.isInside { first = min(first, position.first) }
        if first == 0 || first < then || row.epoch != peer.epoch { dropped = row.at }
    }

    /// Returns the rows of a series that are too old, without those of objects.
    func excluded(_ rows: SampleRows) -> Set<Int> {
        if begin == nil, dropped == nil { return [] }
        return Set(
            (0..<rows.count).filter { row in
                rows.metadata(of: row) >= 0 && isTooOld(end: rows.end(of: row), created: rows.created(of: row))
            })
    }

    func excludes(_ object: SavedObjectRow) -> Bool {
        if !HistoryLimit.limits(object.type), dropped == nil { return false }
        return isTooOld(end: HistoryLimit.limits(object.type) ? object.end : .max, created: object.created)
    }

    func excludes(_ element: ElementRow) -> Bool {
        guard let begin, let end = element.end ?? element.start else { return false }
        return end < begin
    }

    private func isTooOld(end: Int64, created: Int64?) -> Bool {
        if let begin, end < begin { return true }
        return dropped.map { created ?? end <= $0 } ?? false
    }
}
