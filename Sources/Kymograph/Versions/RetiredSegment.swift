// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import FileSystem

/// The part of a retired segment's row that stays in memory. It is small, since a long-lived reader can cause thousands
/// of retired segments.
struct RetiredRow: Sendable, Equatable {
    let id: Int64
    let bytes: Int64
    /// The commit that retired the segment.
    let died: Int64
    private let name: UUIDBytes

    /// Creates the row of a live segment that a commit retires.
    init(_ row: SegmentRow, died: Int64) {
        id = row.id
        bytes = row.bytes
        self.died = died
        name = UUIDBytes(row.uuid)
    }

    /// The UUID of the segment, which names the file.
    var uuid: [UInt8] { name.bytes }
}

/// A segment that other segments have replaced. Its file remains while a reader may use it; its row is removed later.
struct RetiredSegment {
    let row: RetiredRow
    /// The file; nil as soon as no version of this opening refers to it.
    private(set) weak var file: SegmentFile?
    /// Whether this opening may still read the file.
    var isNeeded: Bool { file.map { !$0.isExpired } ?? false }
    /// Whether the file was removed.
    var isGone = false

    init(_ file: SegmentFile, died: Int64) {
        row = RetiredRow(file.row, died: died)
        self.file = file
    }

    /// Creates a segment that an earlier opening retired.
    init(_ row: RetiredRow) { self.row = row }
}

extension SegmentRow {
    /// Returns the row with the commit that retired the segment.
    func retired(by commit: Int64) -> Self {
        var row = self
        row.died = commit
        return row
    }
}

extension CatalogImage {
    /// The segments that are not retired.
    var liveSegments: [SegmentRow] { segments.filter { $0.died == nil } }
    /// The segments that are retired.
    var retired: [RetiredRow] { segments.compactMap { row in row.died.map { RetiredRow(row, died: $0) } } }
}
