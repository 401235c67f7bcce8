// SPDX-License-Identifier: Apache-2.0

import Bytes
import Catalog
import ChunkFormat
import CivilTime
import ColumnCodec
import FileSystem
import TimeIndex

extension TimeSeriesStore {
    /// The version of the directory's layout and of the catalog's tables.
    static let formatVersion = 2

    /// Makes a new store in a directory that does not exist or is empty, and opens it for writing.
    ///
    /// - Throws: `alreadyExists`, `invalidArgument` (unknown home zone), `diskFull`, `inputOutput`.
    public static func create(
        at path: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> TimeSeriesStore {
        let layout = StoreLayout(root: path, catalog: options.catalogPath)
        guard CivilZone(identifier: options.homeZone) != nil else {
            throw StoreError(
                .invalidArgument, "there is no time zone \"\(options.homeZone)\"; use a name such as Europe/Zurich")
        }
        try StoreCreation(layout: layout, options: options).run()
        return try open(at: path, options: options)
    }

    /// Opens an existing store.
    ///
    /// - Throws: `notAStore`, `isBackup`, `newerFormat`, `locked` (another opening writes), `rolledBack` (acknowledged
    ///   commits are missing, see `StoreOptions.acceptsLostCommits`), `readOnly` (a writer has to mend the log first),
    ///   `corrupt`, `inputOutput`.
    /// - Complexity: O(catalog); no segment is touched.
    public static func open(
        at path: String, mode: OpenMode = .readWrite, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> TimeSeriesStore {
        let layout = StoreLayout(root: path, catalog: options.catalogPath)
        guard try isStore(layout, options) else {
            throw StoreError(.notAStore, "there is no store here; create one, or import something", path: path)
        }
        try requireDescriptors(path)
        let watch = Stopwatch()
        var options = options
        options.telemetry = Telemetry(path, options.observer)
        let store = try openWithReserve(layout, options) { () throws(StoreError) in
            switch mode {
            case .readWrite: return try openToWrite(layout, options)
            case .readOnly: return try openWhatIsThere(layout, options, .readOnly)
            case .shared: return try openToShare(layout, options)
            }
        }
        store.telemetry.noteOpening(mode, sequence: store.snapshot().sequence, took: watch.elapsed)
        return store
    }

    /// The descriptors that an opening takes, those of the timers of this process included: the system's library for
    /// them ends a process that has none left.
    private static let mostDescriptors = 12

    /// Makes sure that there are descriptors for some openings.
    ///
    /// - Parameter openings: how many there will be at once; what else a call opens is less than one takes.
    static func requireDescriptors(_ path: String, openings: Int = 1) throws(StoreError) {
        let count = openings * mostDescriptors
        do throws(DiskError) {
            try Machine.requireDescriptors(count)
        } catch {
            throw StoreError(
                .inputOutput, "this needs \(count) descriptors: \(StoreError(error).message)", path: path,
                isRefusal: true)
        }
    }

    /// Opens the store of a directory, and makes it first where there is none.
    ///
    /// - Throws: as `create` and `open`.
    public static func openOrCreate(
        at path: String, mode: OpenMode = .readWrite, options: StoreOptions = StoreOptions()
    ) throws(StoreError) -> TimeSeriesStore {
        let layout = StoreLayout(root: path, catalog: options.catalogPath)
        let end = ContinuousClock.now + options.writerWait
        while !(try isStore(layout, options)) {
            do throws(StoreError) {
                let store = try create(at: path, options: options)
                if mode == .readWrite { return store }
                store.close()
            } catch {
                // Another process may have made it meanwhile, or be making it; who shares a store waits for that.
                let isBeingMade = mode != .readWrite && error.kind == .locked
                guard error.kind == .alreadyExists || isBeingMade else { throw error }
                if try isStore(layout, options) { break }
                guard isBeingMade, ContinuousClock.now < end else { throw error }
                sleep(milliseconds: 1)
            }
        }
        return try open(at: path, mode: mode, options: options)
    }

    /// Whether a store was ever made here, even if its catalog is gone by now.
    private static func isStore(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> Bool {
        let disk = options.disk
        if options.catalogPath != nil { return try onDisk { () throws(DiskError) in try disk.exists(layout.lock) } }
        if try onDisk({ () throws(DiskError) in try disk.exists(layout.catalog) }) { return true }
        try BackupManifest.refuse(layout.root, disk)
        try RepairPlace.refuseUnfinished(layout, disk)
        try RestoreDraft.refuse(layout, disk)
        let hasSegments = try onDisk { () throws(DiskError) in
            guard try disk.exists(layout.segments) else { return false }
            return try !disk.list(layout.segments).isEmpty
        }
        if hasSegments {
            throw StoreError(
                .corrupt, "the store's catalog is missing while its segments are there; restore it from a backup",
                path: layout.catalog)
        }
        if let seq = try witnessed(layout, options).lastCommit, seq > 0 {
            throw StoreError(
                .corrupt, "the store's catalog is missing, and it had \(seq) commits; restore it from a backup",
                path: layout.catalog)
        }
        return false
    }

    private static func openToWrite(
        _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) -> TimeSeriesStore {
        let disk = options.disk
        let held: (any DiskLock)?
        do throws(DiskError) {
            held = try disk.lock(layout.lock, exclusive: true, byte: 0)
        } catch {
            guard error.isMissing else { throw StoreError(error) }
            throw StoreError(
                .inputOutput,
                "the store's file LOCK is missing, which is empty: perhaps a copy left it out. While nobody writes the "
                    + "store, make an empty file of that name", path: layout.lock)
        }
        guard let lock = held else {
            throw StoreError(
                .locked, "another process is writing this store; try again when it is done", path: layout.root)
        }
        do throws(StoreError) {
            let slots = ReaderSlots(layout, disk, isPublic: false)
            let cache = IndexCache(bytes: options.indexCacheBytes)
            var (writer, version, image) = try makeWriter(lock, slots, layout, options, cache, known: nil)
            let zone = try homeZone(image)
            version.hold = slots.holdNewest(version.seq)
            return TimeSeriesStore(
                layout: layout, mode: .readWrite, options: options, storeID: image.storeID, zone: zone,
                version: version, slots: slots, cache: cache, random: try random(), writer: writer, reader: nil)
        } catch {
            lock.release()
            throw error
        }
    }

    /// The writer that a lock entitles to, and what it finds.
    static func makeWriter(
        _ lock: any DiskLock, _ slots: ReaderSlots, _ layout: StoreLayout, _ options: StoreOptions,
        _ cache: IndexCache, known: Version?
    ) throws(StoreError) -> sending (Writer, Version, CatalogImage) {
        let disk = options.disk
        let said = try witnessed(layout, options)
        var (catalog, image) = try load(layout, options, readOnly: false)
        // A log that lost its end is left as it is: settling it would remove what may be mended.
        try requireAcknowledged(said, image, layout, options)
        let later = try OrphanedSegments(layout, image, options)
        let outcomeMark = UnknownOutcomeMark(layout, store: image.storeID, disk: disk)
        let isOutcomeUnknown = try onDisk { () throws(DiskError) in try outcomeMark.isNoted() }
        try settle(outcomeMark) { () throws(CatalogError) in try catalog.settle(rewritingLog: isOutcomeUnknown) }
        if isOutcomeUnknown { outcomeMark.clear() }
        if isRolledBack(said, image) || !later.isEmpty {
            // Commits that were lost were perhaps seen, and those that come now get their numbers.
            let number = try CommitHistory.newEpoch()
            try settle(outcomeMark) { () throws(CatalogError) in try catalog.beginEpoch(number) }
            image = try inCatalog { () throws(CatalogError) in try catalog.load() }
        }
        // Numbers count up from 1; ones that leave no room to go on were never given.
        let tombstone = image.deletions.tombstones.last?.id ?? 0
        let highest = max(image.seq, image.segments.last?.id ?? 0, image.series.ids.last ?? 0, tombstone)
        guard highest < Int64.max / 2 else {
            throw StoreError(
                .corrupt,
                "the catalog holds the number \(highest), which no store reaches; restore it from a backup",
                path: layout.catalog)
        }
        _ = try homeZone(image)
        let version = try version(of: image, layout: layout, options: options, cache: cache, known: known)
        // The call that made or restored the store may have failed after giving it its name, or been cut off there.
        if image.seq == 0 || said.bytes == nil { try StoreCreation.syncNames(layout, disk) }
        var recovery = StoreEvent.Recovery()
        recovery.settledUnknownOutcome = isOutcomeUnknown
        let witness = try openWitness(said, slots, layout, image, options, keepsAll: !later.isEmpty, &recovery)
        RepairPlace.settle(layout, disk)
        if recovery != StoreEvent.Recovery() { options.telemetry?.post(.recovered(recovery)) }
        var writer = Writer(
            catalog: catalog, lock: lock, witness: witness, outcomeMark: outcomeMark, ballast: Ballast(layout, options),
            tail: TailCodec(store: image.storeID), seq: image.seq,
            nextSegment: (image.segments.last?.id ?? 0) + 1, nextSeries: (image.series.ids.last ?? 0) + 1,
            nextTombstone: tombstone + 1, latestNow: image.deletions.now, telemetry: options.telemetry)
        writer.retired = image.retired.map { RetiredSegment($0) }
        writer.later = later
        return (writer, version, image)
    }

    /// Runs what commits before there is a writer. If a sync fails, the log may not be on the device, here too.
    private static func settle(
        _ outcomeMark: UnknownOutcomeMark, _ body: () throws(CatalogError) -> Void
    ) throws(StoreError) {
        do throws(StoreError) {
            try inCatalog(body)
        } catch {
            if [.inputOutput, .outcomeUnknown, .writerFailed].contains(error.kind) { outcomeMark.note() }
            throw error
        }
    }

    /// Whether the witness knows later commits than the catalog.
    private static func isRolledBack(_ said: Witness.Statement, _ image: CatalogImage) -> Bool {
        guard case .commit(let seq, _) = said.testimony(for: image.storeID) else { return false }
        return seq > image.seq
    }

    /// Opens to share. A log that only a writer can mend is mended first.
    private static func openToShare(
        _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) -> TimeSeriesStore {
        do throws(StoreError) {
            return try openWhatIsThere(layout, options, .shared)
        } catch {
            guard error.kind == .readOnly else { throw error }
            try mend(layout, options)
            return try openWhatIsThere(layout, options, .shared)
        }
    }

    /// Opens to write, which mends the log, and closes again. Another process may be doing it.
    private static func mend(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) {
        let end = ContinuousClock.now + options.writerWait
        while true {
            do throws(StoreError) {
                return try openToWrite(layout, options).close()
            } catch {
                guard error.kind == .locked, ContinuousClock.now < end else { throw error }
                sleep(milliseconds: 1)
            }
        }
    }

    /// Opens to read. A log that a power cut tore while a writer wrote it again is no damage: the next writer mends it.
    private static func openWhatIsThere(
        _ layout: StoreLayout, _ options: StoreOptions, _ mode: OpenMode
    ) throws(StoreError) -> TimeSeriesStore {
        do throws(StoreError) {
            return try openToRead(layout, options, mode)
        } catch {
            guard [.corrupt, .rolledBack].contains(error.kind),
                try inCatalog({ () throws(CatalogError) in
                    try CatalogDatabase.isRewritingLog(at: layout.catalog, vfs: options.catalogVFS)
                })
            else { throw error }
            throw StoreError(
                .readOnly,
                "the power failed while a writer mended the log; open the store for writing once, and all "
                    + "is there again", path: layout.catalog + "-wal")
        }
    }

    private static func openToRead(
        _ layout: StoreLayout, _ options: StoreOptions, _ mode: OpenMode
    ) throws(StoreError) -> TimeSeriesStore {
        let slots = ReaderSlots(layout, options.disk, isPublic: true)
        // Nothing is removed before it is known which commit this opening shows.
        let all = try slots.hold(0)
        defer { withExtendedLifetime(all) {} }
        let said = try witnessed(layout, options)
        let (catalog, image) = try load(layout, options, readOnly: true)
        try requireAcknowledged(said, image, layout, options)
        let zone = try homeZone(image)
        let cache = IndexCache(bytes: options.indexCacheBytes)
        var version = try version(of: image, layout: layout, options: options, cache: cache, known: nil)
        version.hold = try slots.hold(version.seq)
        return TimeSeriesStore(
            layout: layout, mode: mode, options: options, storeID: image.storeID, zone: zone, version: version,
            slots: slots, cache: cache, random: try random(), writer: nil, reader: catalog)
    }

    static func random() throws(StoreError) -> [UInt8] {
        try onDisk { () throws(DiskError) in try SystemRandom.bytes(8) }
    }

    private static func load(
        _ layout: StoreLayout, _ options: StoreOptions, readOnly: Bool
    ) throws(StoreError) -> (CatalogDatabase, CatalogImage) {
        do throws(StoreError) {
            return try inCatalog { () throws(CatalogError) in
                let catalog = try CatalogDatabase.open(
                    at: layout.catalog, readOnly: readOnly, vfs: options.catalogVFS, settling: false)
                return (catalog, try catalog.load())
            }
        } catch {
            guard error.kind == .notAStore else { throw error }
            throw StoreError(
                .corrupt, "the store's catalog is none any more; repair it, or restore a backup: \(error.message)",
                path: layout.catalog)
        }
    }

    static func homeZone(_ image: CatalogImage) throws(StoreError) -> CivilZone {
        guard let zone = CivilZone(identifier: image.homeZone) else {
            throw StoreError(
                .corrupt,
                "the store's home zone \"\(image.homeZone)\" is not in this system's zone database; install tzdata")
        }
        return zone
    }

    /// What the witness says. To be asked before the catalog is read.
    static func witnessed(_ layout: StoreLayout, _ options: StoreOptions) throws(StoreError) -> Witness.Statement {
        try onDisk { () throws(DiskError) in try Witness.read(layout.witness, disk: options.disk) }
    }

    /// Refuses a catalog that lost commits of which the witness knows, unless the caller accepts that.
    static func requireAcknowledged(
        _ said: Witness.Statement, _ image: CatalogImage, _ layout: StoreLayout, _ options: StoreOptions
    ) throws(StoreError) {
        guard case .commit(let seq, _) = said.testimony(for: image.storeID), seq > image.seq,
            !options.acceptsLostCommits
        else { return }
        throw StoreError(
            .rolledBack,
            "the catalog knows commit \(image.seq), but commit \(seq) was acknowledged: restore a backup, "
                + "or open with acceptsLostCommits to see what is left", path: layout.catalog)
    }

    private static func openWitness(
        _ said: Witness.Statement, _ slots: ReaderSlots, _ layout: StoreLayout, _ image: CatalogImage,
        _ options: StoreOptions, keepsAll hasLater: Bool, _ recovery: inout StoreEvent.Recovery
    ) throws(StoreError) -> Witness {
        let disk = options.disk
        // Without a word from the witness the catalog may be an old one, and what it does not name somebody's data;
        // so it is after a loss that was accepted.
        let testimony = said.testimony(for: image.storeID)
        let (keepsAll, isSound) =
            switch testimony {
            case .none: (false, false)
            case .unreadable: (true, false)
            case .commit(let seq, let isWhole): (seq > image.seq, isWhole || seq > image.seq)
            }
        if case .commit(let seq, _) = testimony { recovery.commitsLost = max(0, seq - image.seq) }
        recovery.renewedWitness = !isSound && image.seq > 0
        if !keepsAll, !hasLater { recovery.segmentsRemoved = try removeOrphans(slots, layout, image, options) }
        let witness = try onDisk { () throws(DiskError) in
            try Witness(layout.witness, store: image.storeID, disk: disk)
        }
        // A witness that cannot be written costs a later warning, never data.
        if !isSound { try? witness.note(image.seq) }
        return witness
    }

    /// Removes segments that no committed row names, what a crash between writing and committing left, and those that
    /// are retired and nobody reads any more.
    private static func removeOrphans(
        _ slots: ReaderSlots, _ layout: StoreLayout, _ image: CatalogImage, _ options: StoreOptions
    ) throws(StoreError) -> Int {
        let disk = options.disk
        let isRetired = image.segments.contains { $0.died != nil }
        let oldest = (isRetired ? try slots.oldest() : nil) ?? .max
        let kept = image.segments.filter { row in row.died.map { oldest < $0 } ?? true }
        let named = Set(kept.map { StoreLayout.name($0.uuid) + ".kseg" })
        // Those that are retired were replaced, not left over.
        let known = Set(image.segments.map { StoreLayout.name($0.uuid) + ".kseg" })
        let names = try onDisk { () throws(DiskError) in try disk.list(layout.segments) }
        let left = names.filter { $0.hasSuffix(".kseg") && !named.contains($0) }
        for name in left { try OrphanedSegments.remove(layout.segments + "/" + name, disk) }
        return left.count { !known.contains($0) }
    }

    /// The version that an image of the catalog shows; segments of a known version are used again.
    static func version(
        of image: CatalogImage, layout: StoreLayout, options: StoreOptions, cache: IndexCache, known: Version?
    ) throws(StoreError) -> Version {
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
        for file in try files(of: image, layout, options, cache, known) { version.add(file) }
        var codec = TailCodec(store: image.storeID)
        for row in image.tail {
            version.add(try codec.decode(row.body, seq: row.seq), seq: row.seq)
        }
        version.past = CommitHistory(image)
        let rows = Dictionary(grouping: image.deletions.tombstones, by: \.series)
        var all = [Int64: Tombstones]()
        for (series, rows) in rows {
            all[series] = try tombstones(rows, image.storeID, layout, known?.tombstones[series])
        }
        if !all.isEmpty { version.tombstones = all }
        return version
    }

    /// The segments of an image, in its order; those of a known version are used again.
    private static func files(
        of image: CatalogImage, _ layout: StoreLayout, _ options: StoreOptions, _ cache: IndexCache, _ known: Version?
    ) throws(StoreError) -> [SegmentFile] {
        let rows = Array(image.liveSegments)
        let (store, disk, telemetry) = (image.storeID, options.disk, options.telemetry)
        // The summary of each run is checked, which takes its time where there are very many.
        let runs = rows.reduce(0) { $0 + $1.runs.count }
        let threads = runs < 100_000 ? 1 : options.threads
        return try Parallel.map(rows.count, threads: threads, explain: nil) { (place, _) throws(StoreError) in
            let row = rows[place]
            if let file = known?.segments[row.id], file.row.uuid == row.uuid { return file }
            return try SegmentFile(
                row: row, store: store, path: layout.segment(row.uuid), disk: disk, cache: cache, telemetry: telemetry)
        }
    }

    /// The tombstones of a series; those that are known are used again.
    private static func tombstones(
        _ rows: [TombstoneRow], _ store: [UInt8], _ layout: StoreLayout, _ known: Tombstones?
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
