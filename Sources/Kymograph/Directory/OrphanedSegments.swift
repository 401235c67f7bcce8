// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem

/// Segment files that were begun after commits that the catalog does not have. The catalog is an older copy then, even
/// if the witness beside it is as old.
///
/// An opening that accepts the loss keeps the files until its next commit and then removes them. Later commits reuse
/// the lost numbers, so the files would look like the result of another loss.
struct OrphanedSegments {
    private(set) var paths: [String]
    private let disk: any Disk

    var isEmpty: Bool { paths.isEmpty }

    /// Finds the orphaned segments; changes no file.
    ///
    /// - Throws: `rolledBack` if there are orphaned segments and the options do not accept lost commits; the error of a
    ///   file that cannot be read now, because it may be an orphan.
    init(_ layout: StoreLayout, _ image: CatalogImage, _ options: StoreOptions) throws(StoreError) {
        let disk = options.disk
        self.disk = disk
        let known = Set(image.segments.map { StoreLayout.name($0.uuid) + ".kseg" })
        let names = try onDisk { () throws(DiskError) in try disk.list(layout.segments) }
        paths = []
        for name in names where name.hasSuffix(".kseg") && !known.contains(name) {
            let path = layout.segments + "/" + name
            let isLater = try onDisk { () throws(DiskError) in
                try SegmentHeader.ofFile(path, disk)?.isLater(than: image.seq, of: image.storeID) ?? false
            }
            if isLater { paths.append(path) }
        }
        guard !paths.isEmpty, !options.acceptsLostCommits else { return }
        throw StoreError(
            .rolledBack,
            "the catalog has no commit after \(image.seq), but \(paths.count) segments were begun after later commits: "
                + "the catalog is an older copy. Put the current catalog back, restore a backup, repair the store, or "
                + "open with acceptsLostCommits to use the remaining data", path: layout.catalog)
    }

    /// Removes the files. The next opening reports a file that could not be removed.
    ///
    /// - Ordering: after the commit that makes the loss final.
    mutating func remove() {
        for path in paths { try? Self.remove(path, disk) }
        paths = []
    }

    static func remove(_ path: String, _ disk: any Disk) throws(StoreError) {
        try onDisk { () throws(DiskError) in try disk.remove(path) }
    }
}
