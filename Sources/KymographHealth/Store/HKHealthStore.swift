// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import HealthModel
import Synchronization

/// A health store with the API of HealthKit: a directory in which objects are saved, queried, observed and deleted.
///
/// ```swift
/// let health = HKHealthStore(directory: path)
/// let type = HKQuantityType(.bodyMass)
/// let quantity = HKQuantity(unit: .pound(), doubleValue: 154.3)
/// try await health.save(HKQuantitySample(type: type, quantity: quantity, start: now, end: now))  // on disk
///
/// let newest = HKSampleQueryDescriptor(
///     predicates: [.quantitySample(type: type)],
///     sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)], limit: 10)
/// for sample in try await newest.result(for: health) { print(sample.startDate, sample.quantity) }
/// health.close()
/// ```
///
/// All instances of a process with the same directory share one open store. The directory is opened in shared mode at
/// first use: reads see the commits of every process, and a save waits up to five seconds for another process that
/// writes.
///
/// The first use costs an opening, O(catalog). A save or a deletion costs one commit (a synced write), shared by the
/// tasks that save at the same time. A query by start date reads the samples that it returns; statistics come mostly
/// from summaries in the index.
public final class HKHealthStore: NSObject, Sendable {
    /// The directory; nil if the environment names none.
    private let path: String?
    /// The source revision of all objects that this instance saves.
    let revision: HKSourceRevision
    private let options: StoreOptions
    /// A store that is opened and closed by its owner.
    private let given: HealthStore?
    /// The open store, after its first use.
    private let known = Mutex<KnownStore?>(nil)
    /// The wait for sessions to mirror.
    let mirrors = MirrorWatch()

    /// Creates an instance for the store that the environment names: `KYMO_STORE`, else `kymograph` in `XDG_DATA_HOME`,
    /// else `~/.local/share/kymograph`.
    public override convenience init() {
        self.init(path: HealthStore.defaultPath(ProcessInfo.processInfo.environment))
    }

    /// Creates an instance for the store in a directory; the first use creates the store if there is none. Not part of
    /// HealthKit.
    public convenience init(directory path: String) { self.init(path: path) }

    /// - Parameter revision: the program that saves and reads; nil for this program.
    package init(path: String?, as revision: HKSourceRevision? = nil, options: StoreOptions = StoreOptions()) {
        self.path = path
        self.revision = revision ?? HKSourceRevision.thisProgram
        self.options = options
        given = nil
        super.init()
    }

    /// Creates an instance for a store that is opened and closed by its owner: for stores on custom disks.
    package init(_ store: HealthStore) {
        path = nil
        revision = HKSourceRevision.thisProgram
        options = StoreOptions()
        given = store
        super.init()
    }

    /// Returns the earliest start of a sample that a store can hold, in 1678.
    public func earliestPermittedSampleDate() -> Date { HealthSaveRules.earliestStorableDate }

    /// Returns true: a health store is always available.
    public static func isHealthDataAvailable() -> Bool { true }

    /// Returns the open store, and opens it if needed.
    ///
    /// - Throws: `errorHealthDataUnavailable` if the environment names none, `errorDatabaseInaccessible`.
    package func store() throws(HKError) -> HealthStore {
        if let open = storeIfOpen { return open }
        guard let path else {
            throw HKError(
                .errorHealthDataUnavailable, reason: "the path of the health store is not set",
                advice: "set KYMO_STORE to a directory, or HOME")
        }
        // Read before the open: a concurrent close then makes the cached store stale.
        let closings = OpenHealthStores.closings
        let store = try OpenHealthStores.store(at: path, options)
        known.withLock { $0 = KnownStore(store: store, closings: closings) }
        return store
    }

    /// Returns the newest tables of the store.
    func currentTables() throws(HKError) -> HealthTables {
        let store = try store()
        return try HKError.converting { try store.currentView().tables }
    }

    /// The store, if this instance has opened it and it is not closed since. Does not block.
    var storeIfOpen: HealthStore? {
        if let given { return given }
        guard let known = known.withLock({ $0 }), known.closings == OpenHealthStores.closings else { return nil }
        return known.store
    }

    /// Closes the store of this directory for all instances of the process; the next use opens it again. Not part of
    /// HealthKit: for tests, and for programs that hand over a directory.
    public func close() {
        if let path { OpenHealthStores.close(path) }
    }
}

/// A store that is open as long as the number of closings is unchanged.
private struct KnownStore {
    let store: HealthStore
    let closings: Int
}

/// The open health stores of this process, one per directory.
enum OpenHealthStores {
    private static let closed = Atomic(0)

    /// The number of closed stores so far.
    static var closings: Int { closed.load(ordering: .acquiring) }

    /// The store of one directory. Its lock is held during an open, which may wait for other processes; other
    /// directories are not blocked.
    private final class Place: Sendable {
        struct State {
            var store: HealthStore?
            /// Whether the place was removed from the list, so that a caller that waited has to look again.
            var isRemoved = false
        }

        let state = Mutex(State())
    }

    private static let places = Mutex<[String: Place]>([:])

    /// The directories whose store is open, or is being opened.
    static var names: [String] { places.withLock { Array($0.keys) } }

    private static func place(_ key: String) -> Place {
        places.withLock { places in
            let place = places[key] ?? Place()
            places[key] = place
            return place
        }
    }

    /// Removes a place without a store.
    ///
    /// - Requires: the place's lock.
    private static func remove(_ key: String, _ state: inout Place.State) {
        state.isRemoved = true
        places.withLock { $0[key] = nil }
    }

    static func store(at path: String, _ options: StoreOptions) throws(HKError) -> HealthStore {
        let key = name(path)
        while true {
            let result = place(key).state.withLock { state -> Result<HealthStore, HKError>? in
                if state.isRemoved { return nil }
                if let open = state.store { return .success(open) }
                do throws(HealthStoreError) {
                    let store = try HealthStore.openOrCreate(at: key, mode: .shared, options: options)
                    state.store = store
                    return .success(store)
                } catch {
                    remove(key, &state)
                    return .failure(HKError(error))
                }
            }
            if let result { return try result.get() }
        }
    }

    static func close(_ path: String) {
        let key = name(path)
        let place = places.withLock { $0[key] }
        let store = place?.state.withLock { state in
            if !state.isRemoved { remove(key, &state) }
            defer { state.store = nil }
            return state.store
        }
        closed.add(1, ordering: .acquiringAndReleasing)
        store?.close()
    }

    /// Returns one canonical path for a directory.
    private static func name(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
