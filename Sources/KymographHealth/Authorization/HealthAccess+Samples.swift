// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

// What a client sees of samples: a condition that is added to each predicate, and workouts without hidden values.
extension HealthAccess {
    /// Returns the predicate with the condition that its samples may be read.
    ///
    /// - Throws: `errorAuthorizationNotDetermined`.
    func visible(_ predicate: SamplePredicate, of type: HKObjectType) throws(HKError) -> SamplePredicate {
        try requireReading(type)
        guard let condition = condition(readingSamples(type)) else { return predicate }
        return predicate == .always(true) ? condition : .and([condition, predicate])
    }

    /// Returns the condition that an object may be read; nil if all may be read.
    private func condition(_ scope: ReadScope) -> SamplePredicate? {
        let own = SamplePredicate.sources([client])
        switch scope {
        case .all: return nil
        case .own, .undetermined: return own
        case .since(let first): return .or([own, .time(start: first, end: nil, options: .strictEndDate)])
        case .objects(let allowed, let refused):
            let kept: SamplePredicate = refused.isEmpty ? own : .and([own, .not(.uuids(refused))])
            return allowed.isEmpty ? kept : .or([kept, .uuids(allowed)])
        case .doses(let medications): return .field(.dose(.medications(medications)))
        }
    }

    /// Returns whether a saved object may be read: by its type, and a correlation by the types of its members.
    func mayRead(_ row: SavedObjectRow, of source: HKSource) throws -> Bool {
        let (isOwn, end) = (source == client, StoredTime.endDate(row.end))
        switch readingSamples(HKObjectType.type(for: row.type)) {
        case .undetermined, .own: return isOwn
        case .objects(let allowed, let refused):
            let uuid = SampleIdentity(row.uuid).uuid
            return allowed.contains(uuid) || isOwn && !refused.contains(uuid)
        case .doses(let medications):
            if medications.isEmpty { return false }
            let content = try? HKMedicationDoseEvent.Content(fields: FieldsRecord(row.body).fields)
            return content.map { medications.contains($0.concept.uuid) } ?? false
        case .since(let first) where !isOwn && end < first: return false
        case .since, .all:
            guard !isOwn, row.kind == SavedObjectKind.correlation.rawValue else { return true }
            let members = try CorrelationRecord.members(row.body)
            // The bytes of a deleted food are erased after a time; its members may have been of any dietary type.
            if members.isEmpty { return readsAllMembers(of: row.type) }
            return members.allSatisfy { mayRead($0.type, endingAt: end) }
        }
    }

    /// Returns whether all objects of all types may be read that a correlation of a type may contain.
    private func readsAllMembers(of type: String) -> Bool {
        if let members = AuthorizationRules.members(of: type) { return members.allSatisfy { readsAll($0) } }
        return HealthTypes.all.filter { $0.identifier.contains("IdentifierDietary") }.allSatisfy {
            readsAll(HKObjectType.type(for: $0.identifier))
        }
    }

    /// Returns whether a predicate tests values of workouts that may be hidden.
    func mayHideValues(in predicate: SamplePredicate) -> Bool {
        switch predicate {
        case .and(let parts), .or(let parts): parts.contains { mayHideValues(in: $0) }
        case .not(let part), .someActivity(let part): mayHideValues(in: part)
        case .workout(let condition), .activity(let condition): mayHideValue(in: condition)
        default: false
        }
    }

    private func mayHideValue(in condition: WorkoutCondition) -> Bool {
        switch condition {
        case .statistic(let type, _, _, _): !readsAll(HKObjectType.type(for: type))
        case .total: true
        case .activity, .duration, .time: false
        }
    }

    /// Returns the content of a workout without the values of types that may not be read. An own workout keeps its
    /// totals.
    func visible(_ content: WorkoutContent, of source: HKSource, endingAt end: Date) -> WorkoutContent {
        var content = content
        func isVisible(_ type: String) -> Bool { mayRead(type, endingAt: end) }
        content.statistics = content.statistics.filter { isVisible($0.key) }
        content.zones = content.zones.filter { isVisible($0.key) }
        for place in content.activities.indices {
            content.activities[place].statistics = content.activities[place].statistics.filter { isVisible($0.key) }
            content.activities[place].zones = content.activities[place].zones.filter { isVisible($0.key) }
        }
        if source == client { return content }
        func areVisible(_ types: [HKQuantityTypeIdentifier]) -> Bool { types.allSatisfy { isVisible($0.rawValue) } }
        if !areVisible([.activeEnergyBurned]) { content.totals.energy = nil }
        if !areVisible(WorkoutTypes.distances(of: content.activity)) { content.totals.distance = nil }
        if !areVisible([.swimmingStrokeCount]) { content.totals.strokes = nil }
        if !areVisible([.flightsClimbed]) { content.totals.flights = nil }
        return content
    }
}
