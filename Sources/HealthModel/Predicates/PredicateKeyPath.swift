// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The meaning of a comparison of a key path with a value.
enum PredicateKeyPath {
    /// Returns the condition of a comparison.
    ///
    /// - Throws: `errorInvalidArgument` for an unknown path, operator or type of value.
    static func condition(
        _ path: String, _ relation: PredicateRelation, _ value: Any?
    ) throws(HKError) -> SamplePredicate {
        // A list of values, and a range, are compounds of comparisons.
        switch relation {
        case .comparison(let comparison): return try compare(path, comparison, value)
        case .among:
            var parts: [SamplePredicate] = []
            for one in try list(value, path) { parts.append(try compare(path, .equalTo, one)) }
            return .or(parts)
        case .between:
            let bounds = try list(value, path)
            guard bounds.count == 2 else { throw refusal(path, "BETWEEN needs two values") }
            return .and([
                try compare(path, .greaterThanOrEqualTo, bounds[0]), try compare(path, .lessThanOrEqualTo, bounds[1]),
            ])
        }
    }

    private static func list(_ value: Any?, _ path: String) throws(HKError) -> [Any] {
        switch value {
        case let list as [Any]: return list
        case let list as NSArray: return list.map { $0 }
        case let list as NSSet: return list.map { $0 }
        case let list as Set<AnyHashable>: return list.map(\.base)
        default: throw refusal(path, "IN and BETWEEN need a list")
        }
    }

    private static func compare(
        _ path: String, _ comparison: HealthComparison, _ value: Any?
    ) throws(HKError) -> SamplePredicate {
        if path.hasPrefix("metadata.") { return metadata(String(path.dropFirst(9)), comparison, value) }
        if path.hasPrefix("device.") { return try device(String(path.dropFirst(7)), path, comparison, value) }
        switch path {
        case "startDate": return try time(path, .strictStartDate, comparison, value)
        case "endDate": return try time(path, .strictEndDate, comparison, value)
        case "UUID", "uuid": return try equality(path, comparison, value) { (one: UUID) in .uuids([one]) }
        case "source": return try equality(path, comparison, value) { (one: HKSource) in .sources([one]) }
        case "sourceRevision":
            return try equality(path, comparison, value) { (one: HKSourceRevision) in .revisions([one]) }
        case "device": return try equality(path, comparison, value) { (one: HKDevice) in .devices([one]) }
        case "workout": return try equality(path, comparison, value) { (one: HKWorkout) in .members(of: one.uuid) }
        case "correlation":
            guard value == nil else { throw refusal(path, "only a comparison with nil is possible") }
            return try signed(path, comparison, .withoutCorrelation)
        case "quantity":
            guard let quantity = value as? HKQuantity else { throw refusal(path, "the value must be an HKQuantity") }
            return .quantity(comparison, quantity)
        case "value": return .category(comparison, try whole(path, value))
        case "ecg_public_classification":
            guard let value = HKElectrocardiogram.Classification(rawValue: try whole(path, value)) else {
                throw refusal(path, "the value is not a classification")
            }
            return try signed(path, comparison, .classification(value))
        case "ecg_symptoms_status":
            guard let value = HKElectrocardiogram.SymptomsStatus(rawValue: try whole(path, value)) else {
                throw refusal(path, "the value is not a symptoms status")
            }
            return try signed(path, comparison, .symptoms(value))
        default:
            if let condition = try record(path, comparison, value) { return condition }
            return try workout(path, comparison, value)
        }
    }

    /// Returns the condition of a key path of doses, medications, documents and verifiable records; nil for another
    /// path.
    private static func record(
        _ path: String, _ comparison: HealthComparison, _ value: Any?
    ) throws(HKError) -> SamplePredicate? {
        switch path {
        case HKPredicateKeyPathStatus:
            let known = HKMedicationDoseEvent.LogStatus(rawValue: try whole(path, value))
            return try signed(path, comparison, .field(.dose(.statuses(known.map { [$0] } ?? []))))
        case HKPredicateKeyPathLogOrigin:
            let known = HKMedicationDoseEvent.ScheduleType(rawValue: try whole(path, value))
            return try signed(path, comparison, .field(.dose(.reasons(known.map { [$0] } ?? []))))
        case HKPredicateKeyPathScheduledDate:
            return .field(.dose(.scheduled(comparison, try instant(path, value))))
        case HKPredicateKeyPathMedicationConceptIdentifier:
            return try equality(path, comparison, value) { (one: HKHealthConceptIdentifier) in
                .field(.dose(.concepts([one])))
            }
        case HKUserAnnotatedMedicationPredicateKeyPathIsArchived:
            return try signed(path, comparison, .medication(.isArchived(try real(path, value) != 0)))
        case HKUserAnnotatedMedicationPredicateKeyPathHasSchedule:
            return try signed(path, comparison, .medication(.hasSchedule(try real(path, value) != 0)))
        case "relevantDate": return .field(.relevant(comparison, try instant(path, value)))
        case HKPredicateKeyPathClinicalRecordFHIRResourceIdentifier:
            return try equality(path, comparison, value) { (one: String) in .field(.identifier(one)) }
        case HKPredicateKeyPathClinicalRecordFHIRResourceType:
            return try equality(path, comparison, value) { (one: String) in
                .field(.resource(HKFHIRResourceType(rawValue: one)))
            }
        case HKPredicateKeyPathWorkoutEffortRelationship:
            return try equality(path, comparison, value) { (one: HKWorkout) in .effort(of: one.uuid, activity: nil) }
        case HKPredicateKeyPathDateComponents: return try days(path, comparison, value)
        default:
            guard let name = DocumentCondition.Name(rawValue: path) else { return nil }
            guard let text = value as? String else { throw refusal(path, "the value must be a string") }
            return .field(.document(DocumentCondition(name: name, comparison: comparison, text: text)))
        }
    }

    /// Returns the condition that the day of an activity summary compares to a day.
    private static func days(
        _ path: String, _ comparison: HealthComparison, _ value: Any?
    ) throws(HKError) -> SamplePredicate {
        let components: DateComponents
        switch value {
        case let one as DateComponents: components = one
        case let one as NSDateComponents: components = one as DateComponents
        default: throw refusal(path, "the value must be DateComponents")
        }
        let (day, zone) = try PredicateDays.day(components)
        func range(_ first: Int64, _ last: Int64) -> SamplePredicate {
            .days(PredicateDays(first: first, last: last, timeZone: zone))
        }
        switch comparison {
        case .lessThan: return range(DayCondition.all.lowerBound, day - 1)
        case .lessThanOrEqualTo: return range(DayCondition.all.lowerBound, day)
        case .greaterThan: return range(day + 1, DayCondition.all.upperBound)
        case .greaterThanOrEqualTo: return range(day, DayCondition.all.upperBound)
        default: return try signed(path, comparison, range(day, day))
        }
    }

    private static func workout(
        _ path: String, _ comparison: HealthComparison, _ value: Any?
    ) throws(HKError) -> SamplePredicate {
        let total: WorkoutCondition.Total
        switch path {
        case "workoutType", "workoutActivityType":
            guard let raw = UInt(exactly: try whole(path, value)), let type = HKWorkoutActivityType(rawValue: raw)
            else {
                throw refusal(path, "the value is not a workout activity type")
            }
            return try signed(path, comparison, .workout(.activity(type)))
        case "duration": return .workout(.duration(comparison, try real(path, value)))
        case "totalEnergyBurned": total = .energy
        case "totalDistance": total = .distance
        case "totalSwimmingStrokeCount": total = .strokes
        case "totalFlightsClimbed": total = .flights
        default: throw PredicateScanner.refusal("\(path) is not a key path of samples")
        }
        guard let quantity = value as? HKQuantity else { throw refusal(path, "the value must be an HKQuantity") }
        return .workout(.total(total, comparison, quantity))
    }

    private static func metadata(
        _ key: String, _ comparison: HealthComparison, _ value: Any?
    ) -> SamplePredicate {
        guard let value else { return comparison == .equalTo ? .not(.hasMetadata(key)) : .hasMetadata(key) }
        return .metadata(key, comparison, HealthMetadataValue(value))
    }

    private static func device(
        _ key: String, _ path: String, _ comparison: HealthComparison, _ value: Any?
    ) throws(HKError) -> SamplePredicate {
        guard let property = HealthDeviceProperty(rawValue: key) else {
            throw refusal(path, "a device has no such property")
        }
        guard let value else { return try signed(path, comparison, .device(property, [])) }
        guard let text = value as? String else { throw refusal(path, "the value must be a string") }
        return try signed(path, comparison, .device(property, [text]))
    }

    private static func time(
        _ path: String, _ option: HKQueryOptions, _ comparison: HealthComparison, _ value: Any?
    ) throws(HKError) -> SamplePredicate {
        let date = try instant(path, value)
        let after = Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.nextUp)
        func window(_ start: Date?, _ end: Date?) -> SamplePredicate { .time(start: start, end: end, options: option) }
        switch comparison {
        case .lessThan: return window(nil, date)
        case .lessThanOrEqualTo: return window(nil, after)
        case .greaterThan: return window(after, nil)
        case .greaterThanOrEqualTo: return window(date, nil)
        default: return try signed(path, comparison, window(date, after))
        }
    }

    private static func instant(_ path: String, _ value: Any?) throws(HKError) -> Date {
        guard case .date(let date)? = value.map({ HealthMetadataValue($0) }) else {
            throw refusal(path, "the value must be a Date")
        }
        return date
    }

    /// Returns the condition that a property equals, or does not equal, a value of one type.
    private static func equality<Value>(
        _ path: String, _ comparison: HealthComparison, _ value: Any?, _ condition: (Value) -> SamplePredicate
    ) throws(HKError) -> SamplePredicate {
        guard let value = value as? Value else { throw refusal(path, "the value must be of the type \(Value.self)") }
        return try signed(path, comparison, condition(value))
    }

    /// Returns a condition for `==`, its negation for `!=`.
    private static func signed(
        _ path: String, _ comparison: HealthComparison, _ condition: SamplePredicate
    ) throws(HKError) -> SamplePredicate {
        switch comparison {
        case .equalTo: return condition
        case .notEqualTo: return .not(condition)
        default: throw refusal(path, "only = and != are possible")
        }
    }

    private static func whole(_ path: String, _ value: Any?) throws(HKError) -> Int {
        let number = try real(path, value)
        guard let whole = Int(exactly: number) else { throw refusal(path, "the value must be a whole number") }
        return whole
    }

    private static func real(_ path: String, _ value: Any?) throws(HKError) -> Double {
        switch value.map({ HealthMetadataValue($0) }) {
        case .integer(let number)?: return Double(number)
        case .unsigned(let number)?: return Double(number)
        case .real(let number)?: return number
        case .boolean(let flag)?: return flag ? 1 : 0
        default: throw refusal(path, "the value must be a number")
        }
    }

    private static func refusal(_ path: String, _ reason: String) -> HKError {
        PredicateScanner.refusal("\(path): \(reason)")
    }
}
