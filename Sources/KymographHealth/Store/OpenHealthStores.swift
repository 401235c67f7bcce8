// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Synchronization

/// A store that is open as long as the number of closings is unchanged.
struct KnownStore {
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
                do throws(HealthStoreError) {
                    if let open = state.store {
                        try inEngine { () throws(StoreError) in try open.engine.requireKey(options) }
                        return .success(open)
                    }
                    let store = try HealthStore.openOrCreate(at: key, mode: .shared, options: options)
                    state.store = store
                    return .success(store)
                } catch {
                    if state.store == nil { remove(key, &state) }
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
