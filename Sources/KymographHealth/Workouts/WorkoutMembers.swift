// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog
import HealthModel

// The samples of a workout, as a predicate that a search can evaluate.
extension SamplePredicate {
    /// Whether the predicate has a condition on the samples or the effort of a workout.
    var asksForMembers: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.contains { $0.asksForMembers }
        case .not(let part): part.asksForMembers
        case .members, .effort: true
        default: false
        }
    }

    /// Returns the predicate with the samples of workouts as identities, or as conditions on source and time.
    ///
    /// - Parameter condition: returns the replacement of a condition `members` or `effort`.
    func replacingMembers(
        _ condition: (SamplePredicate) throws -> SamplePredicate
    ) rethrows -> SamplePredicate {
        switch self {
        case .and(let parts): .and(try parts.map { try $0.replacingMembers(condition) })
        case .or(let parts): .or(try parts.map { try $0.replacingMembers(condition) })
        case .not(let part): .not(try part.replacingMembers(condition))
        case .members, .effort: try condition(self)
        default: self
        }
    }
}

extension HealthStore {
    /// Returns a predicate that a search of samples of a type can evaluate.
    ///
    /// - Parameter view: the state of the store.
    func resolved(
        _ predicate: SamplePredicate, for type: HKObjectType, in view: HealthView
    ) throws -> SamplePredicate {
        let access = try access(view.tables)
        var predicate = predicate
        if predicate.asksForMembers {
            let (asked, sequence) = (predicate, view.snapshot.sequence)
            predicate = try catalog(asked) { transaction in
                try Self.resolved(asked, for: type, view.tables, access, asOf: sequence, transaction)
            }
        }
        return try access?.visible(predicate, of: type) ?? predicate
    }

    /// Returns a predicate that a search of samples of a type can evaluate, inside a transaction.
    ///
    /// - Parameter sequence: the commit of the state; nil for the transaction's own.
    static func resolved(
        _ predicate: SamplePredicate, for type: HKObjectType, _ tables: HealthTables, _ access: HealthAccess? = nil,
        asOf sequence: Int64? = nil, _ transaction: CatalogTransaction
    ) throws -> SamplePredicate {
        try predicate.replacingMembers { condition in
            if case .effort(let workout, let activity) = condition {
                let relations = try EffortRecord.all(of: workout, asOf: sequence, transaction)
                return .uuids(Set(relations.filter { $0.record.activity == activity }.map(\.record.sample)))
            }
            guard case .members(let uuid) = condition else { return condition }
            if type.identifier == HKWorkoutRouteTypeIdentifier {
                let routes = try RouteRecord.routes(of: [uuid], asOf: sequence, transaction)
                return .uuids(Set(routes.map { SampleIdentity($0.uuid).uuid }))
            }
            let found = try HealthCatalog.savedObjects(
                uuids: [SampleIdentity(uuid).bytes], asOf: sequence, transaction)
            guard let row = found.first.flatMap({ $0 }), row.kind == SavedObjectKind.workout.rawValue else {
                return .always(false)
            }
            let origin = try ObjectReader(tables) { _ in [:] }.origin(row.provenance)
            if let access, try !access.mayRead(row, of: origin.revision.source) { return .always(false) }
            let record = try WorkoutRecord(row.body)
            if record.element == nil { return .identities(record.members) }
            let added = SamplePredicate.identities(record.members)
            guard try record.statedTypes(transaction).contains(type.identifier) else { return added }
            return .or([imported(row, origin), added])
        }
    }

    /// Returns the condition on the samples of an imported workout. Exports do not list them, so these are the samples
    /// of its source and device model that start within its time.
    private static func imported(_ row: SavedObjectRow, _ origin: ObjectReader.Origin) -> SamplePredicate {
        var parts: [SamplePredicate] = [
            .sources([origin.revision.source]),
            .time(
                start: StoredTime.date(row.start), end: StoredTime.date(row.end), options: .strictStartDate),
        ]
        if let model = origin.device?.model { parts.append(.device(.model, [model])) }
        return .and(parts)
    }
}

extension WorkoutRecord {
    /// Returns the types of the statistics of an imported workout that its element states. The types of samples that a
    /// program added are not among them. All types of its statistics if the element cannot be read.
    ///
    /// - Complexity: O(bytes of the element) for a workout with added samples, otherwise O(types).
    func statedTypes(_ transaction: CatalogTransaction) throws -> Set<String> {
        let all = Set(content.statistics.keys)
        guard let element, !members.runs.isEmpty,
            let row = try HealthCatalog.objects(ids: [element.object], transaction).first,
            let stated = WorkoutElement(try ObjectExpander.decode(row.body))
        else { return all }
        return Set(stated.content.statistics.keys)
    }
}
