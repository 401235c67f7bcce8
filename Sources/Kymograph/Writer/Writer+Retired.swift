// SPDX-License-Identifier: Apache-2.0

import Catalog
import FileSystem

// Replaced segments, until their files and rows are removed.
extension Writer {
    /// Rows of retired segments whose files are removed. The row with the greatest number stays, so that numbers are
    /// not reused.
    var forgettable: [Int64] { retired.filter { $0.isGone && $0.row.id < nextSegment - 1 }.map(\.row.id) }

    /// Updates the list after a commit that removed `rows` and retired the segments `more`.
    mutating func forget(_ rows: [Int64], adding more: [RetiredSegment]) {
        if !rows.isEmpty {
            let gone = Set(rows)
            retired.removeAll { gone.contains($0.row.id) }
        }
        retired += more
    }

    /// Removes the files of retired segments that no reader can use. A failed removal is retried at the next call.
    mutating func removeRetired(_ slots: ReaderSlots, _ layout: StoreLayout, _ disk: any Disk) {
        if retired.allSatisfy(\.isGone) { return }
        guard let held = try? Optional.some(slots.oldest()) else { return }
        let oldest = held ?? .max
        for i in retired.indices where !retired[i].isGone && oldest >= retired[i].row.died && !retired[i].isNeeded {
            do throws(DiskError) {
                try disk.remove(layout.segment(retired[i].row.uuid))
                retired[i].isGone = true
            } catch {
                if error.isMissing { retired[i].isGone = true }
            }
        }
    }
}
