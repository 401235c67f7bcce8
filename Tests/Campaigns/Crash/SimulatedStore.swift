// SPDX-License-Identifier: Apache-2.0

import Catalog
package import FileSystem
package import Kymograph
import TestSupport

/// A store that lies wholly on a simulated disk: segments, witness, lock, and SQLite's files.
package final class SimulatedStore {
    package static let path = "/store"

    package let disk: any Disk
    private let databases: DiskDatabases
    /// The name of the catalog's VFS layer over the disk.
    private let layer: String
    package var options = StoreOptions()
    package private(set) var store: TimeSeriesStore?

    package init(_ disk: any Disk) throws {
        self.disk = disk
        databases = try DiskDatabases(disk)
        layer = databases.name + "-checked"
        try CatalogVFS.register(layer, over: databases.name)
        options.disk = disk
        options.catalogVFS = layer
        options.ballastBytes = 24_576
        options.segmentBytes = 20_000
        options.largeAppend = 400
        options.sealSamples = 200
        options.sealBatches = 6
        options.threads = 1
        options.indexCacheBytes = 1 << 20
        // Merges run at fixed points, independent of threads.
        options.compacts = false
        // A compaction removes every tombstone but the last, in a commit of its own.
        options.deletionsKept = .zero
        options.compaction.leastBytes = 3_000
        options.compaction.stepSegments = 6
    }

    deinit {
        store?.close()
        CatalogVFS.unregister(layer)
    }

    package func open(_ mode: OpenMode = .readWrite) throws(StoreError) {
        close()
        store = try TimeSeriesStore.open(at: Self.path, mode: mode, options: options)
    }

    package func create() throws(StoreError) {
        close()
        store = try TimeSeriesStore.openOrCreate(at: Self.path, options: options)
    }

    package func close() {
        store?.close()
        store = nil
    }

    package func opened() throws(StoreError) -> TimeSeriesStore {
        if let store { return store }
        throw StoreError(.closed, "the store is not open")
    }

    /// Restores the backup and returns its digest; nil without a backup.
    package func restoredDigest() throws -> UInt64? {
        let place = Self.path + "-restored"
        do throws(StoreError) {
            try TimeSeriesStore.restore(from: Self.path + "-backup", to: place, options: options)
        } catch {
            if error.kind == .notAStore { return nil }
            throw error
        }
        let store = try TimeSeriesStore.open(at: place, options: options)
        defer { store.close() }
        return try Self.digest(of: store)
    }

    /// Runs a body with a second, reading opening of the store.
    package func withReader(_ body: (TimeSeriesStore) throws -> Void) throws {
        let reader = try TimeSeriesStore.open(at: Self.path, mode: .readOnly, options: options)
        defer { reader.close() }
        try body(reader)
    }

    package func perform(_ operation: StoreOperation) throws {
        if case .reopen = operation { try open() } else { try opened().perform(operation) }
    }

    /// Returns the digest of the store, read by scans.
    package func digest() throws -> UInt64 { try Self.digest(of: opened()) }

    /// Returns the digest of a store. It is wrong on purpose if the rows of the other table do not match.
    package static func digest(of store: TimeSeriesStore) throws -> UInt64 {
        let snapshot = store.snapshot()
        let found = try digest(of: snapshot)
        return try store.notesAgree(with: snapshot) ? found : ~found
    }

    /// Returns the digest of some series of a snapshot, or of all, and of others that are not empty. Sorts by name,
    /// because numbers do not show the order of creation: a failed call may have reserved a number that a later series
    /// uses.
    package static func digest(of snapshot: Snapshot, series known: Set<SeriesID>? = nil) throws -> UInt64 {
        var sum = Fingerprint()
        for series in snapshot.series.sorted(by: { $0.name < $1.name })
        where known?.contains(series.id) ?? true || snapshot.count(of: series.id) > 0 {
            sum.add(series.name, series.kind.rawValue)
            var found: [Sample] = []
            try snapshot.scan(series.id) { batch in
                for i in 0..<batch.count { found.append(batch[i]) }
                return true
            }
            found.sort(by: Fingerprint.precedes)
            for sample in found { sum.add(sample) }
        }
        return sum.value
    }
}

extension TimeSeriesStore {
    /// Runs one operation; the owner handles reopening.
    func perform(_ operation: StoreOperation) throws {
        func id(_ name: String) throws(StoreError) -> SeriesID {
            guard let series = snapshot().series(named: name) else {
                throw StoreError(.unknownSeries, "unknown series \(name)")
            }
            return series.id
        }
        switch operation {
        case .series(let name, let kind): try series(name, kind: kind)
        case .append(let name, let samples): try append(to: id(name), samples)
        case .relaxed(let name, let samples): try append(relaxed: samples, to: id(name))
        case .identified(let plan): try perform(plan)
        case .load(let parts):
            let ids = try parts.map { try id($0.name) }
            try bulkLoad { loader in
                for (id, part) in zip(ids, parts) {
                    let (starts, ends) = (part.samples.map(\.start), part.samples.map(\.end))
                    let values = part.samples.map(\.value)
                    try loader.append(to: id, starts: starts.span, ends: ends.span, values: values.span)
                }
            }
        case .delete(let name, let range): try delete(from: id(name), startingIn: range)
        case .deleteDivided(let plan): try delete(plan)
        case .retain(let name, let age, let now):
            // The script's clock is right, even for old samples stored after a full disk.
            try retain(.age(nanoseconds: age, now: now), in: id(name), force: true)
        case .group(let parts): try append(meeting: parts.map { (try id($0.name), $0.samples) })
        case .batches(let plans): try perform(plans)
        case .loadedBatch(let plan): try perform(loading: plan)
        case .seal: try seal()
        case .compact: try compact()
        case .backup: try backup(to: path + "-backup")
        case .keys(let number): try changeKeys(number)
        case .reopen: break
        }
    }

    /// Begins a generation, or adds or removes a slot. Does nothing in a plain store.
    func changeKeys(_ number: Int) throws {
        guard let keys else { return }
        let label = "slot \(number)"
        if number % 3 == 0 {
            try keys.rotate()
        } else if keys.slots.contains(where: { $0.label == label }) {
            try keys.remove(label)
        } else {
            try keys.add(.random(), label: label)
        }
    }
}
