// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem

/// A segment that others have replaced. Its file stays as long as somebody may read it, its row a little longer.
struct RetiredSegment {
    /// With the commit that retired it.
    let row: SegmentRow
    let path: String
    /// Gone as soon as no version of this opening has it.
    private(set) weak var file: SegmentFile?
    /// Whether this opening may still read the file.
    var isNeeded: Bool { file.map { !$0.isExpired } ?? false }
    /// Whether the file was removed.
    fileprivate(set) var isGone = false

    init(_ file: SegmentFile, died: Int64) {
        var row = file.row
        row.died = died
        self.row = row
        path = file.path
        self.file = file
    }

    /// One that an earlier opening retired.
    init(_ row: SegmentRow, _ layout: StoreLayout) {
        self.row = row
        path = layout.segment(row.uuid)
    }
}

extension Writer {
    /// Rows of retired segments whose files are gone. The one with the greatest number stays: numbers are not given
    /// twice.
    var forgettable: [Int64] { retired.filter { $0.isGone && $0.row.id < nextSegment - 1 }.map(\.row.id) }

    /// After a commit that removed rows and retired segments.
    mutating func forget(_ rows: [Int64], adding more: [RetiredSegment]) {
        retired.removeAll { rows.contains($0.row.id) }
        retired += more
    }

    /// Removes the files of retired segments that nobody can read any more. What cannot be removed now is tried again.
    mutating func removeRetired(_ slots: ReaderSlots, _ disk: any Disk) {
        if retired.allSatisfy(\.isGone) { return }
        guard let oldest = try? Optional.some(slots.oldest()) else { return }
        for i in retired.indices where !retired[i].isGone && !retired[i].isNeeded {
            if let oldest, oldest < retired[i].row.died ?? .max { continue }
            do throws(DiskError) {
                try disk.remove(retired[i].path)
                retired[i].isGone = true
            } catch {
                if error.isMissing { retired[i].isGone = true }
            }
        }
    }
}

extension CatalogImage {
    /// The segments that are not retired.
    var liveSegments: [SegmentRow] { segments.filter { $0.died == nil } }
}
