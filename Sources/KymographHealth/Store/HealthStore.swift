// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import Synchronization

/// A directory with health data: samples of all types with their sources, devices and metadata, and the objects that
/// are no samples, such as workouts.
///
/// Samples live in the engine's series, one for each type, source and stored unit; everything else in tables of the
/// same catalog. One process at a time opens a store for writing, any number for reading. All methods may be called
/// from any thread; each answers from the store as it is when it is called.
public final class HealthStore: Sendable {
    /// The directory.
    public let path: String
    /// Whether this opening may write.
    public let mode: OpenMode

    /// The engine's store: raw series, snapshots, appends.
    public let engine: TimeSeriesStore

    /// The small tables as of one commit.
    private let tables = Mutex<HealthTables?>(nil)
    /// Keeps loads and saves apart.
    let gate = SaveGate()

    init(_ engine: TimeSeriesStore) {
        self.engine = engine
        path = engine.path
        mode = engine.mode
    }

    /// Another look at the same opening.
    convenience init(looking engine: TimeSeriesStore) { self.init(engine) }

    /// Opens an existing store.
    ///
    /// - Throws: `engine(.notAStore)`, `engine(.locked)` (another opening writes), `newerFormat`, `corrupt`,
    ///   `engine(.rolledBack)`, `engine(.inputOutput)`.
    /// - Complexity: O(catalog); no samples are touched.
    public static func open(
        at path: String, mode: OpenMode = .readWrite, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) -> HealthStore {
        let engine = try inEngine { () throws(StoreError) in
            try TimeSeriesStore.open(at: path, mode: mode, options: options)
        }
        let store = HealthStore(engine)
        store.eraseInTime()
        return store
    }

    /// Opens the store of a directory; makes one where there is none.
    ///
    /// - Parameter options: `homeZone`, which counts only for a new store, is the zone whose days are fastest.
    /// - Throws: as `open`, and `engine(.alreadyExists)` if the directory holds something else.
    public static func openOrCreate(
        at path: String, mode: OpenMode = .readWrite, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) -> HealthStore {
        let engine = try inEngine { () throws(StoreError) in
            try TimeSeriesStore.openOrCreate(at: path, mode: mode, options: options)
        }
        let store = HealthStore(engine)
        store.eraseInTime()
        return store
    }

    /// Where a person's store is if nothing else is said: `KYMO_STORE`, else `kymograph` in `XDG_DATA_HOME`, else
    /// `~/.local/share/kymograph`.
    ///
    /// - Parameter environment: The process's environment. Empty variables count as missing, and so does a relative
    ///   `XDG_DATA_HOME`.
    /// - Returns: nil if none of the three is set.
    public static func defaultPath(_ environment: [String: String]) -> String? {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = value("KYMO_STORE") { return path }
        if let data = value("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/kymograph" }
        return value("HOME").map { $0 + "/.local/share/kymograph" }
    }

    /// Sees what other processes committed since; does nothing in the process that writes.
    ///
    /// - Returns: whether anything is new.
    @discardableResult
    public func refresh() throws(HealthStoreError) -> Bool {
        try inEngine { () throws(StoreError) in try engine.refresh() }
    }

    /// Ends the use of the store: releases the lock and the catalog. A second call does nothing.
    public func close() { engine.close() }
}

extension HealthStore {
    /// The samples as they were after a commit, and the tables that explain them; nil for now.
    func view(asOf commit: Int64?) throws(HealthStoreError) -> HealthView {
        let now = try view()
        guard let commit else { return now }
        // What explains a sample stays for ever.
        let past = try inEngine { () throws(StoreError) in try engine.snapshot(now.snapshot, asOf: commit) }
        return HealthView(snapshot: past, tables: now.tables)
    }

    /// A snapshot of the samples, and the tables that explain them.
    ///
    /// - Throws: `corrupt` where a row is missing that others need: answers would lack what it explains.
    func view() throws(HealthStoreError) -> HealthView {
        let view = try uncheckedView()
        if let gap = view.tables.gap { throw HealthStoreError(.corrupt, gap, path: engine.catalogPath) }
        return view
    }

    /// The same, whatever is missing in the tables.
    func uncheckedView() throws(HealthStoreError) -> HealthView {
        let snapshot = engine.snapshot()
        if let known = tables.withLock({ $0 }), known.sequence == snapshot.sequence {
            return HealthView(snapshot: snapshot, tables: known)
        }
        let old = tables.withLock { $0 }
        let rows = try inEngine { () throws(StoreError) in
            try engine.readCatalog { transaction in
                var rows = old?.rows ?? HealthSnapshot()
                try rows.update(transaction)
                return rows
            }
        }
        // Rows are only ever added, so tables that are newer than the snapshot explain it as well.
        let new = HealthTables(rows, of: snapshot, after: old)
        tables.withLock { $0 = new }
        return HealthView(snapshot: snapshot, tables: new)
    }
}

/// Samples and the tables that explain them, of one moment.
struct HealthView: Sendable {
    let snapshot: Snapshot
    let tables: HealthTables
}

/// The small tables of the health layer, for looking things up.
final class HealthTables: Sendable {
    let sequence: Int64
    let rows: HealthSnapshot
    let sources: [Int64: SourceRow]
    let devices: [Int64: String]
    let provenances: [Int64: ProvenanceRow]
    /// The series of each type, ascending by number.
    let byType: [String: [HealthSeriesRow]]
    let bySeries: [Int64: HealthSeriesRow]
    /// What the devices of a source say of its priority; see `deviceRanks(_:_:)`.
    let deviceRanks: [Int64: Int]
    /// A row that others need and that is missing, in words. No call makes such tables; a disk that loses writes can.
    let gap: String?

    /// - Parameter old: earlier tables, of which is taken what is still the same.
    init(_ rows: HealthSnapshot, of snapshot: Snapshot, after old: HealthTables? = nil) {
        self.rows = rows
        sequence = snapshot.sequence
        if let old, old.rows.hasSameRows(rows) {
            (sources, devices, provenances) = (old.sources, old.devices, old.provenances)
            (byType, bySeries, deviceRanks) = (old.byType, old.bySeries, old.deviceRanks)
            gap = old.gap ?? Self.unexplained(snapshot, bySeries).first
            return
        }
        sources = Dictionary(rows.sources.map { ($0.id, $0) }) { first, _ in first }
        devices = Dictionary(rows.devices.map { ($0.id, $0.text) }) { first, _ in first }
        provenances = Dictionary(rows.provenances.map { ($0.id, $0) }) { first, _ in first }
        byType = Dictionary(grouping: rows.series) { $0.type }
        bySeries = Dictionary(rows.series.map { ($0.series, $0) }) { first, _ in first }
        deviceRanks = Self.deviceRanks(rows.provenances, devices)
        gap = Self.gaps(rows, sources, devices).first ?? Self.unexplained(snapshot, bySeries).first
    }

    /// All rows that are missing, in words.
    func gaps(of snapshot: Snapshot) -> [String] {
        Self.gaps(rows, sources, devices) + Self.unexplained(snapshot, bySeries)
    }

    private static func gaps(
        _ rows: HealthSnapshot, _ sources: [Int64: SourceRow], _ devices: [Int64: String]
    ) -> [String] {
        var found: [String] = []
        for row in rows.series where sources[row.source] == nil {
            found.append("source \(row.source), which recorded series \(row.series) (\(row.type)), is missing")
        }
        for row in rows.provenances {
            if sources[row.source] == nil {
                found.append("source \(row.source), which provenance \(row.id) names, is missing")
            }
            if let device = row.device, devices[device] == nil {
                found.append("device \(device), which provenance \(row.id) names, is missing")
            }
        }
        return found
    }

    /// Series of health types of which no row says what they are.
    private static func unexplained(_ snapshot: Snapshot, _ bySeries: [Int64: HealthSeriesRow]) -> [String] {
        if snapshot.seriesCount == bySeries.count { return [] }
        return snapshot.series.filter { $0.name.hasPrefix("HK") && bySeries[$0.id.rawValue] == nil }.map {
            "the row of health_series that explains \($0.id) (\($0.name)) is missing"
        }
    }

    /// Where samples are from; nil for the number of none.
    ///
    /// - Throws: `corrupt` where the row is missing.
    func provenance(_ id: Int64) throws(HealthStoreError) -> ProvenanceRow? {
        if let row = provenances[id] { return row }
        if id == 0 { return nil }
        throw HealthStoreError(.corrupt, "provenance \(id), which says where samples are from, is missing")
    }
}

extension HealthSnapshot {
    /// Whether another one, which was made of this one, has no more sources, devices, provenances and series.
    fileprivate func hasSameRows(_ other: HealthSnapshot) -> Bool {
        sources.count == other.sources.count && devices.count == other.devices.count
            && provenances.count == other.provenances.count && series.count == other.series.count
    }
}
