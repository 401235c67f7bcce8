// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel

/// The result of reading a file of routes.
package enum RouteFileOutcome: Sendable, Equatable {
    /// No workout of the load names the file, or the file repeats a stored route.
    case none
    /// The workouts that name the file have its route.
    case added
    /// The file is not a route; the text is the reason.
    case unreadable(String)
}

/// The routes of a load whose files are not read yet.
struct PendingRouteFiles {
    /// A `WorkoutRoute` of a workout.
    struct Route {
        let workout: UUID
        let provenance: Int64
        let source: Int64
        let created: Int64?
        /// A local number of the loader's metadata.
        let metadata: Int32
    }

    /// The routes by the key of their file.
    var waiting: [String: [Route]] = [:]
    /// The keys of the files whose routes are stored already.
    var complete: Set<String> = []
    /// The number of stored routes by workout; nil until the first search.
    var stored: [UUID: Int]?
    /// The remaining bytes for the paths of files, so that a hostile file cannot use up the memory.
    var room = 8 << 20

    /// Returns the text by which paths are compared: file systems differ in the case of letters, and only elements
    /// write a leading slash.
    static func key(_ path: String) -> String {
        (path.hasPrefix("/") ? String(path.dropFirst()) : path).lowercased()
    }
}

extension HealthLoader {
    /// Adds the routes inside an element, and records the routes in files.
    ///
    /// - Parameter isStored: whether the workout was stored before the load.
    func addRoutes(
        of element: WorkoutElement, _ identity: SampleIdentity, isStored: Bool
    ) throws(HealthStoreError) {
        if element.routes.isEmpty { return }
        let paths = Set(element.routes.compactMap { $0.path.map(PendingRouteFiles.key) })
        if isStored {
            let inside = element.routes.count { !$0.points.isEmpty }
            if try storedRoutes(of: identity.uuid) >= paths.count + inside {
                for path in paths where path.utf8.count <= routeFiles.room {
                    routeFiles.room -= path.utf8.count
                    routeFiles.complete.insert(path)
                }
                return
            }
        }
        var seen: Set<String> = []
        for route in element.routes {
            let one = try pending(route, identity.uuid)
            if !route.points.isEmpty { try add(route.points, one) }
            guard let path = route.path.map(PendingRouteFiles.key), seen.insert(path).inserted,
                path.utf8.count + 64 <= routeFiles.room
            else { continue }
            routeFiles.room -= path.utf8.count + 64
            routeFiles.waiting[path, default: []].append(one)
        }
    }

    private func pending(
        _ route: WorkoutElement.Route, _ workout: UUID
    ) throws(HealthStoreError) -> PendingRouteFiles.Route {
        var writer = MetadataWriter()
        route.metadata.write(to: &writer, hasSource: route.origin.source != nil)
        let (row, source) = provenance(
            source: route.origin.source ?? "", version: route.origin.version, device: route.origin.device)
        return PendingRouteFiles.Route(
            workout: workout, provenance: row, source: source, created: route.origin.created,
            metadata: try intern(metadata: writer.bytes))
    }

    private func add(_ points: RoutePoints, _ route: PendingRouteFiles.Route) throws(HealthStoreError) {
        // The parsers accept only points that a route can store.
        guard let locations = try? points.locations else { return }
        try add(
            LoadedRoute(
                locations, workout: route.workout, provenance: route.provenance, source: route.source,
                created: route.created, metadata: route.metadata))
    }

    /// Returns the number of stored routes of a workout.
    private func storedRoutes(of workout: UUID) throws(HealthStoreError) -> Int {
        if routeFiles.stored == nil {
            routeFiles.stored = try store.catalog([:]) { transaction in
                var counts: [UUID: Int] = [:]
                try HealthCatalog.eachSavedObject(type: HKWorkoutRouteTypeIdentifier, transaction) { row in
                    if let owner = try RouteRecord(row.body).workout { counts[owner, default: 0] += 1 }
                    return true
                }
                return counts
            }
        }
        return routeFiles.stored?[workout] ?? 0
    }

    /// Returns whether a file repeats routes that are stored already: a later export has the same route in other
    /// bytes, because each file has the date of its export.
    package func hasRoutes(ofFile path: String) -> Bool {
        let key = PendingRouteFiles.key(path)
        return routeFiles.complete.contains(key) && routeFiles.waiting[key] == nil
    }

    /// Adds the route of a file to the workouts of the load that name the file.
    ///
    /// - Parameter path: the path in the export.
    package func addRoute(file path: String, _ bytes: [UInt8]) throws(HealthStoreError) -> RouteFileOutcome {
        guard let waiting = routeFiles.waiting.removeValue(forKey: PendingRouteFiles.key(path)) else { return .none }
        let file: GPXFile
        do throws(GPXFile.Fault) {
            file = try GPXFile(bytes)
        } catch {
            return .unreadable(error.what)
        }
        for route in waiting { try add(file.points, route) }
        return .added
    }

    /// Adds the routes that wait for files, from the stored documents.
    func addStoredRouteFiles(_ state: WorkoutConversion) throws(HealthStoreError) {
        if routeFiles.waiting.isEmpty { return }
        if state.documents == nil {
            let all = try store.catalog([DocumentRow]()) { try HealthCatalog.documents($0) }
            // The same path may have several documents, of several exports; the newest counts.
            state.documents = Dictionary(all.map { (PendingRouteFiles.key($0.path), $0.id) }) { $1 }
        }
        for path in routeFiles.waiting.keys.sorted() {
            guard let id = state.documents?[path], let bytes = try routeFile(id, state) else {
                routeFiles.waiting[path] = nil
                continue
            }
            state.bytes += bytes.count
            _ = try addRoute(file: path, bytes)
        }
    }

    /// Returns the bytes of a stored file; nil if it is damaged and the conversion skips damage.
    private func routeFile(_ id: Int64, _ state: WorkoutConversion) throws(HealthStoreError) -> [UInt8]? {
        do throws(HealthStoreError) { return try store.documentBytes(id) } catch {
            guard state.skipsDamage, error.isDamage else { throw error }
            return nil
        }
    }
}
