// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog
import HealthModel
import Synchronization

/// A directory with health data: samples of all types with their sources, devices and metadata, and objects that are
/// not samples, such as workouts. It returns plain values; `HKHealthStore` has HealthKit's objects.
///
/// ```swift
/// let store = try HealthStore.open(at: path, mode: .readOnly)
/// let days = Buckets.calendar(.days(1), zone: "Europe/Zurich")
/// let report = try store.statistics(StatisticsRequest(HealthTypes.type(for: .stepCount), buckets: days))
/// for day in report.rows where !day.isEmpty { print(day.start, day.sum ?? 0) }
/// store.close()
/// ```
///
/// Samples are in the engine's series, one per type, source and stored unit; everything else is in tables of the same
/// catalog. One process at a time opens a store for writing, any number for reading. All methods may be called from any
/// thread; each reads the newest state.
///
/// Opening costs O(catalog) and reads no samples. Overviews read no samples either. Statistics come mostly from
/// summaries in the index, and samples cost the blocks of their dates. A deletion costs one commit (a synced write).
public final class HealthStore: Sendable {
    /// The directory.
    public let path: String
    /// The mode of this opened store.
    public let mode: OpenMode

    /// The engine's store: raw series, snapshots, appends.
    public let engine: TimeSeriesStore

    /// The tables of the health layer as of one commit.
    private let tables = Mutex<HealthTables?>(nil)
    /// Separates loads from saves.
    let gate: SaveGate
    let workoutIndex: WorkoutIndex
    /// The store with all objects; nil if this instance is it.
    private let whole: HealthStore?
    /// The access of the client that this instance acts for; nil for the owner, who sees everything.
    let client: ClientAccess?

    init(_ engine: TimeSeriesStore) {
        self.engine = engine
        path = engine.path
        mode = engine.mode
        (gate, workoutIndex) = (SaveGate(), WorkoutIndex())
        (whole, client) = (nil, nil)
    }

    /// Creates an instance that sees and does what a client may.
    init(_ store: HealthStore, for client: HKSource) {
        let whole = store.owner
        (engine, path, mode) = (whole.engine, whole.path, whole.mode)
        (gate, workoutIndex) = (whole.gate, whole.workoutIndex)
        self.whole = whole
        self.client = ClientAccess(client)
    }

    /// Returns an instance that sees and does what a client may.
    package func acting(for client: String) -> HealthStore {
        HealthStore(self, for: HKSource(name: client, bundleIdentifier: client))
    }

    /// The store with all objects.
    var owner: HealthStore { whole ?? self }

    /// Creates another instance over an open engine.
    convenience init(looking engine: TimeSeriesStore) { self.init(engine) }

    /// Opens an existing store.
    ///
    /// - Throws: `engine(.notAStore)`, `engine(.locked)` (another process or instance writes), `newerFormat`,
    ///   `corrupt`, `engine(.rolledBack)`, `engine(.inputOutput)`.
    /// - Complexity: O(catalog); reads no samples.
    public static func open(
        at path: String, mode: OpenMode = .readWrite, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) -> HealthStore {
        let engine = try inEngine { () throws(StoreError) in
            try TimeSeriesStore.open(at: path, mode: mode, options: options)
        }
        let store = HealthStore(engine)
        store.eraseInTime()
        store.convertWorkoutsAtOpening()
        store.convertSamplesAtOpening()
        return store
    }

    /// Opens the store of a directory, or creates one if there is none.
    ///
    /// - Parameter options: `homeZone`, which is used only for a new store, is the zone with the fastest statistics per
    ///   day.
    /// - Throws: the errors of `open`, and `engine(.alreadyExists)` if the directory holds something else.
    public static func openOrCreate(
        at path: String, mode: OpenMode = .readWrite, options: StoreOptions = StoreOptions()
    ) throws(HealthStoreError) -> HealthStore {
        let engine = try inEngine { () throws(StoreError) in
            try TimeSeriesStore.openOrCreate(at: path, mode: mode, options: options)
        }
        let store = HealthStore(engine)
        store.eraseInTime()
        store.convertWorkoutsAtOpening()
        store.convertSamplesAtOpening()
        return store
    }

    /// Returns a person's default store path: `KYMO_STORE`, else `kymograph` in `XDG_DATA_HOME`, else
    /// `~/.local/share/kymograph`.
    ///
    /// - Parameter environment: the process's environment. Empty variables count as missing, and so does a relative
    ///   `XDG_DATA_HOME`.
    /// - Returns: nil if none of the three is set.
    public static func defaultPath(_ environment: [String: String]) -> String? {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let path = value("KYMO_STORE") { return path }
        if let data = value("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/kymograph" }
        return value("HOME").map { $0 + "/.local/share/kymograph" }
    }

    /// Makes the commits of other processes visible. Does nothing in the process that writes.
    ///
    /// - Returns: whether there are new commits.
    @discardableResult
    public func refresh() throws(HealthStoreError) -> Bool {
        try inEngine { () throws(StoreError) in try engine.refresh() }
    }

    /// Closes the store: releases the lock and the catalog. A second call does nothing.
    public func close() { engine.close() }

    /// Returns the samples as of a commit, and the tables that describe them; nil for the newest commit.
    func view(asOf commit: Int64?) throws(HealthStoreError) -> HealthView {
        let now = try view()
        guard let commit else { return now }
        // Rows of these tables are never removed.
        let past = try inEngine { () throws(StoreError) in try engine.snapshot(now.snapshot, asOf: commit) }
        return HealthView(snapshot: past, tables: now.tables)
    }

    /// Returns a snapshot of the samples, and the tables that describe them.
    ///
    /// - Throws: `corrupt` if a referenced row is missing, because results would be incomplete.
    func view() throws(HealthStoreError) -> HealthView {
        let view = try uncheckedView()
        if let gap = view.tables.gap { throw HealthStoreError(.corrupt, gap, path: engine.catalogPath) }
        return view
    }

    /// Returns the same as `view()`, with the commits of other processes so far.
    func currentView() throws(HealthStoreError) -> HealthView {
        if mode != .readWrite { try refresh() }
        return try view()
    }

    /// Returns the same as `view()`, without the check for missing rows.
    func uncheckedView() throws(HealthStoreError) -> HealthView {
        if let whole { return try whole.uncheckedView() }
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
        // Rows are never removed, so newer tables describe an older snapshot as well.
        let new = HealthTables(rows, of: snapshot, after: old)
        tables.withLock { $0 = new }
        return HealthView(snapshot: snapshot, tables: new)
    }
}

/// A snapshot of the samples, and the tables that describe them.
struct HealthView: Sendable {
    let snapshot: Snapshot
    let tables: HealthTables
}

/// The small tables of the health layer, indexed for look-ups.
final class HealthTables: Sendable {
    let sequence: Int64
    let rows: HealthSnapshot
    let sources: [Int64: SourceRow]
    let devices: [Int64: String]
    let provenances: [Int64: ProvenanceRow]
    /// The series of each type, in ascending order.
    let byType: [String: [HealthSeriesRow]]
    let bySeries: [Int64: HealthSeriesRow]
    /// The priority of each source by its devices; see `deviceRanks(_:_:)`.
    let deviceRanks: [Int64: Int]
    /// A message about a referenced row that is missing. No call creates such tables; a disk with lost writes can.
    let gap: String?

    /// - Parameter old: earlier tables; their unchanged parts are reused.
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

    /// Returns a message for every missing row.
    func gaps(of snapshot: Snapshot) -> [String] {
        Self.gaps(rows, sources, devices) + Self.unexplained(snapshot, bySeries)
    }

    private static func gaps(
        _ rows: HealthSnapshot, _ sources: [Int64: SourceRow], _ devices: [Int64: String]
    ) -> [String] {
        var found: [String] = []
        for row in rows.series where sources[row.source] == nil {
            found.append("source \(row.source) of series \(row.series) (\(row.type)) is missing")
        }
        for row in rows.provenances {
            if sources[row.source] == nil {
                found.append("source \(row.source) of provenance \(row.id) is missing")
            }
            if let device = row.device, devices[device] == nil {
                found.append("device \(device) of provenance \(row.id) is missing")
            }
        }
        return found
    }

    /// Returns a message for every series of a health type without a row in `health_series`.
    private static func unexplained(_ snapshot: Snapshot, _ bySeries: [Int64: HealthSeriesRow]) -> [String] {
        if snapshot.seriesCount == bySeries.count { return [] }
        return snapshot.series.filter { $0.name.hasPrefix("HK") && bySeries[$0.id.rawValue] == nil }.map {
            "the health_series row of \($0.id) (\($0.name)) is missing"
        }
    }

    /// Returns the provenance with a number; nil for number 0, an unknown provenance.
    ///
    /// - Throws: `corrupt` if the row is missing.
    func provenance(_ id: Int64) throws(HealthStoreError) -> ProvenanceRow? {
        if let row = provenances[id] { return row }
        if id == 0 { return nil }
        throw HealthStoreError(.corrupt, "provenance \(id) of samples is missing")
    }
}

extension HealthSnapshot {
    /// Returns whether a later copy of these tables has no additional sources, devices, provenances and series.
    fileprivate func hasSameRows(_ other: HealthSnapshot) -> Bool {
        sources.count == other.sources.count && devices.count == other.devices.count
            && provenances.count == other.provenances.count && series.count == other.series.count
    }
}
