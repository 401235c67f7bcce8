// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import HealthModel
import Synchronization

/// The door to a health store, as HealthKit has it.
///
/// All of a process that are of one directory share one opening. The directory is opened when it is first needed, for
/// sharing: reads see what every process has committed, and a save waits up to five seconds for another process that
/// writes.
public final class HKHealthStore: NSObject, Sendable {
    /// The directory; nil where the environment names none.
    private let path: String?
    /// What is stamped on all that is saved.
    let revision: HKSourceRevision
    private let options: StoreOptions
    /// A store that somebody else has opened, and closes.
    private let given: HealthStore?
    /// The store behind, since it was asked for.
    private let known = Mutex<KnownStore?>(nil)

    /// The store that the environment names: `KYMO_STORE`, else `kymograph` in `XDG_DATA_HOME`, else
    /// `~/.local/share/kymograph`.
    public override convenience init() {
        self.init(path: HealthStore.defaultPath(ProcessInfo.processInfo.environment))
    }

    /// The store of a directory, which is made where there is none. Not part of HealthKit.
    public convenience init(directory path: String) { self.init(path: path) }

    /// - Parameter revision: the program that saves and reads; this one, unless said.
    package init(path: String?, as revision: HKSourceRevision? = nil, options: StoreOptions = StoreOptions()) {
        self.path = path
        self.revision = revision ?? HKSourceRevision.thisProgram
        self.options = options
        given = nil
        super.init()
    }

    /// The door to a store that somebody else has opened, and closes: for stores on disks of their own.
    package init(_ store: HealthStore) {
        path = nil
        revision = HKSourceRevision.thisProgram
        options = StoreOptions()
        given = store
        super.init()
    }

    /// Before this date no sample can start: the earliest that a store can hold, in 1678.
    public func earliestPermittedSampleDate() -> Date { HealthSaveRules.earliestStorableDate }

    /// Whether there can be a health store here: always.
    public static func isHealthDataAvailable() -> Bool { true }

    /// The store behind.
    ///
    /// - Throws: `errorHealthDataUnavailable` where the environment names none, `errorDatabaseInaccessible`.
    package func store() throws(HKError) -> HealthStore {
        if let open = storeIfOpen { return open }
        guard let path else {
            throw HKError(
                .errorHealthDataUnavailable, reason: "nothing says where the health store is",
                advice: "set KYMO_STORE to a directory, or HOME")
        }
        // Asked for before, so that a store that is closed meanwhile is not taken for open.
        let closings = OpenHealthStores.closings
        let store = try OpenHealthStores.store(at: path, options)
        known.withLock { $0 = KnownStore(store: store, closings: closings) }
        return store
    }

    /// The store behind, if this object has asked for it and nobody has closed it since. Waits for nothing.
    var storeIfOpen: HealthStore? {
        if let given { return given }
        guard let known = known.withLock({ $0 }), known.closings == OpenHealthStores.closings else { return nil }
        return known.store
    }

    /// Closes what all of this process have open in this directory; the next use opens it again. Not part of HealthKit:
    /// for tests, and for programs that hand a directory on.
    public func close() {
        if let path { OpenHealthStores.close(path) }
    }
}

/// A store that is open as long as no more stores were closed than these.
private struct KnownStore {
    let store: HealthStore
    let closings: Int
}

/// The health stores that this process has open, each once.
private enum OpenHealthStores {
    private static let closed = Atomic(0)

    /// How many were closed so far.
    static var closings: Int { closed.load(ordering: .acquiring) }

    /// A directory's store: who opens it waits, perhaps for other processes, and others only for that directory's.
    private final class Place: Sendable {
        let store = Mutex<HealthStore?>(nil)
    }

    private static let places = Mutex<[String: Place]>([:])

    private static func place(_ path: String) -> (key: String, place: Place) {
        let key = name(path)
        return places.withLock { places in
            let place = places[key] ?? Place()
            places[key] = place
            return (key, place)
        }
    }

    static func store(at path: String, _ options: StoreOptions) throws(HKError) -> HealthStore {
        let (key, place) = place(path)
        let result = place.store.withLock { open in
            Result { () throws(HKError) in
                if let open { return open }
                do throws(HealthStoreError) {
                    let store = try HealthStore.openOrCreate(at: key, mode: .shared, options: options)
                    open = store
                    return store
                } catch {
                    throw HKError(error)
                }
            }
        }
        return try result.get()
    }

    static func close(_ path: String) {
        let store = place(path).place.store.withLock { open in
            defer { open = nil }
            return open
        }
        closed.add(1, ordering: .acquiringAndReleasing)
        store?.close()
    }

    /// One name for a directory, however it is written.
    private static func name(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
}
