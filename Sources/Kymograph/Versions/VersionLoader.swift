// SPDX-License-Identifier: Apache-2.0

import Catalog
import CivilTime
import TimeIndex

/// Loads the catalog, and makes versions of its images.
struct VersionLoader {
    private let layout: StoreLayout
    private let options: StoreOptions
    private let cache: IndexCache

    init(_ layout: StoreLayout, _ options: StoreOptions, _ cache: IndexCache) {
        self.layout = layout
        self.options = options
        self.cache = cache
    }

    /// Opens the catalog, without settling its log, and loads it.
    ///
    /// - Throws: `corrupt`, `newerFormat`, `readOnly`, `inputOutput`.
    func catalog(readOnly: Bool) throws(StoreError) -> (CatalogDatabase, CatalogImage) {
        let (path, vfs, keys) = (layout.catalog, options.catalogVFS, options.keys)
        do throws(StoreError) {
            return try keys.retrying { () throws(StoreError) in
                try inCatalog { () throws(CatalogError) in
                    let catalog = try CatalogDatabase.open(
                        at: path, readOnly: readOnly, vfs: vfs, settling: false, keys: keys?.pages)
                    return (catalog, try catalog.load())
                }
            }
        } catch {
            guard error.kind == .notAStore else { throw error }
            if keys == nil, StoreKeys.isCatalogEncrypted(layout, options) { throw StoreKeys.missingKeys(layout) }
            throw StoreError(
                .corrupt,
                "the catalog is not a SQLite database; repair the store, or restore a backup: \(error.message)",
                path: path)
        }
    }

    /// Returns the home zone of a store.
    ///
    /// - Throws: `corrupt`.
    func homeZone(of image: CatalogImage) throws(StoreError) -> CivilZone { try homeZone(named: image.homeZone) }

    func homeZone(named name: String) throws(StoreError) -> CivilZone {
        guard let zone = CivilZone(identifier: name) else {
            throw StoreError(
                .corrupt, "the store's home zone \"\(name)\" is not in this system's zone database; install tzdata")
        }
        return zone
    }

    /// Returns the version that an image of the catalog shows.
    ///
    /// - Parameter known: a version whose segments and tombstones are used again.
    /// - Throws: `newerFormat`, `corrupt`.
    func version(of image: CatalogImage, known: Version?) throws(StoreError) -> Version {
        var version = Version()
        version.seq = image.seq
        version.threads = min(64, max(1, options.threads))
        version.retired = image.retired
        for place in image.series.indices where SeriesKind(rawValue: image.series.kind(at: place)) == nil {
            let row = image.series[place]
            throw StoreError(
                .newerFormat, "series \(row.id) has kind \(row.kind), which this version does not know",
                path: layout.catalog)
        }
        version.series = SeriesTable(image.series)
        for file in try files(of: image, known) { version.add(file) }
        var codec = TailCodec(store: image.storeID)
        for row in image.tail {
            version.add(try codec.decode(row.body, seq: row.seq), seq: row.seq)
        }
        version.past = CommitHistory(image)
        let rows = Dictionary(grouping: image.deletions.tombstones, by: \.series)
        var all = [Int64: Tombstones]()
        for (series, rows) in rows {
            all[series] = try tombstones(rows, image.storeID, known?.tombstones[series])
        }
        if !all.isEmpty { version.tombstones = all }
        return version
    }

    /// The segments of an image, in its order; segments of a known version are used again.
    private func files(of image: CatalogImage, _ known: Version?) throws(StoreError) -> [SegmentFile] {
        let rows = Array(image.liveSegments)
        let (store, layout, access, cache) = (image.storeID, layout, FileAccess(options), cache)
        // The summary of each run is checked, which takes time where there are very many.
        let runs = rows.reduce(0) { $0 + $1.runs.count }
        let threads = runs < 100_000 ? 1 : options.threads
        return try Parallel.map(rows.count, threads: threads, explain: nil) { (place, _) throws(StoreError) in
            let row = rows[place]
            if let file = known?.segments[row.id], file.row.uuid == row.uuid { return file }
            return try SegmentFile(
                row: row, store: store, path: layout.segment(row.uuid), access: access, cache: cache)
        }
    }

    /// The tombstones of a series; known ones are used again.
    private func tombstones(
        _ rows: [TombstoneRow], _ store: [UInt8], _ known: Tombstones?
    ) throws(StoreError) -> Tombstones {
        if let known, known.all.map(\.id) == rows.map(\.id) {
            if known.all.map(\.count) == rows.map(\.count) { return known }
            return known.counting(Dictionary(rows.map { ($0.id, $0.count) }) { $1 })
        }
        var codec = TombstoneCodec(store: store)
        var all = [Tombstone]()
        let old = Dictionary((known?.all ?? []).map { ($0.id, $0) }) { $1 }
        for row in rows {
            if let last = all.last, row.born < last.born {
                throw StoreError(
                    .corrupt, "tombstone \(row.id) is older than the one before it", path: layout.catalog)
            }
            if let one = old[row.id], one.born == row.born {
                all.append(one)
                all[all.count - 1].count = row.count
            } else {
                all.append(try codec.tombstone(row))
            }
        }
        return Tombstones(all)
    }
}
