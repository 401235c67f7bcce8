// SPDX-License-Identifier: Apache-2.0

import Catalog
import HealthCatalog

extension SavedObjectRow {
    /// The imported element that describes the object; nil for an object saved by a program.
    var element: CorrelationBody.Element? {
        get throws(HealthStoreError) {
            switch SavedObjectKind(rawValue: kind) {
            case .correlation: try CorrelationBody(body).element
            case .workout: try WorkoutRecord(body).element
            case .fields: try FieldsRecord(body).element
            default: nil
            }
        }
    }
}

extension HealthCatalog {
    /// Retires objects in this commit, with imported objects also their XML elements, and with workouts also
    /// the files of their routes and their relations to effort samples.
    static func retire(_ rows: [SavedObjectRow], isNoted: Bool = true, _ transaction: CatalogTransaction) throws {
        if rows.isEmpty { return }
        try retire(savedObjects: rows.map(\.id), isNoted: isNoted, transaction)
        let workouts = Set(
            rows.lazy.filter { $0.kind == SavedObjectKind.workout.rawValue }.map { SampleIdentity($0.uuid).uuid })
        if !workouts.isEmpty {
            // At any time: a relation of a replaced workout keeps the start of its first version.
            let relations = try EffortRecord.all(transaction).filter { workouts.contains($0.record.workout) }
            try retire(savedObjects: relations.map(\.id), transaction)
        }
        let elements = try rows.compactMap { try $0.element?.object }
        if elements.isEmpty { return }
        try removeRouteFiles(of: elements, transaction)
        try retire(objects: elements, transaction)
    }

    /// Removes the documents that elements of workouts name. Several exports may have added documents of one path.
    private static func removeRouteFiles(of elements: [Int64], _ transaction: CatalogTransaction) throws {
        var named: Set<String> = []
        for row in try objects(ids: elements, transaction) where row.kind == ImportedElementKind.workout.rawValue {
            // The paths of a damaged element are unknown, and the object is deleted nevertheless.
            guard let xml = try? ObjectExpander.decode(row.body) else { continue }
            named.formUnion(WorkoutElement.paths(xml).map(PendingRouteFiles.key))
        }
        if named.isEmpty { return }
        let all = try documents(transaction)
        try remove(documents: all.filter { named.contains(PendingRouteFiles.key($0.path)) }.map(\.id), transaction)
    }
}
