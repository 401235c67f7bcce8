// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import FileSystem

/// Segments that were begun after commits which the catalog does not know: it is an older one then, even where the
/// witness beside it is as old.
///
/// Whoever accepts that loss keeps them until the next commit takes it for granted. They have to go with it: by their
/// numbers they could not be told from what another loss leaves.
struct OrphanedSegments {
    private(set) var paths: [String]
    private let disk: any Disk

    var isEmpty: Bool { paths.isEmpty }

    /// Looks for them, changing nothing.
    ///
    /// - Throws: `rolledBack` if there are some and the options do not accept that; what a file that cannot be read at
    ///   the moment throws, as nobody knows what it is.
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
            "the catalog knows no commit after \(image.seq), but \(paths.count) segments were begun after later "
                + "ones: it is an older one. Put the right one back, restore a backup, repair the store, or open "
                + "with acceptsLostCommits to go on with what is left", path: layout.catalog)
    }

    /// After a commit. One that stays is told again by the next opening.
    mutating func remove() {
        for path in paths { try? Self.remove(path, disk) }
        paths = []
    }

    static func remove(_ path: String, _ disk: any Disk) throws(StoreError) {
        try onDisk { () throws(DiskError) in try disk.remove(path) }
    }
}
