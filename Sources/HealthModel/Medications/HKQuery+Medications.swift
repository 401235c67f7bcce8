// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// HealthKit's key path "scheduledDate".
public let HKPredicateKeyPathScheduledDate = "scheduledDate"
/// HealthKit's key path "medicationConceptIdentifier".
public let HKPredicateKeyPathMedicationConceptIdentifier = "medicationConceptIdentifier"
/// HealthKit's key path "logOrigin".
public let HKPredicateKeyPathLogOrigin = "logOrigin"
/// HealthKit's key path "isArchived".
public let HKUserAnnotatedMedicationPredicateKeyPathIsArchived = "isArchived"
/// HealthKit's key path "hasSchedule".
public let HKUserAnnotatedMedicationPredicateKeyPathHasSchedule = "hasSchedule"

extension HKQuery {
    private static func doses(_ condition: DoseCondition) -> NSPredicate { HealthPredicate(.field(.dose(condition))) }

    // MARK: Medications

    /// Returns a predicate for dose events with a status.
    public static func predicateForMedicationDoseEvent(status: HKMedicationDoseEvent.LogStatus) -> NSPredicate {
        doses(.statuses([status]))
    }

    /// Returns a predicate for dose events with one of these statuses.
    ///
    /// - Parameter statuses: raw values of ``HKMedicationDoseEvent/LogStatus``; other numbers match nothing.
    public static func predicateForMedicationDoseEvent(statuses: Set<NSNumber>) -> NSPredicate {
        let known = statuses.compactMap { number in
            Int(exactly: number.doubleValue).flatMap { HKMedicationDoseEvent.LogStatus(rawValue: $0) }
        }
        return doses(.statuses(Set(known)))
    }

    /// Returns a predicate for dose events that were scheduled for exactly this date.
    public static func predicateForMedicationDoseEvent(scheduledDate: Date) -> NSPredicate {
        doses(.scheduled(.equalTo, scheduledDate))
    }

    /// Returns a predicate for dose events that were scheduled for exactly one of these dates.
    public static func predicateForMedicationDoseEvent(scheduledDates: Set<Date>) -> NSPredicate {
        HealthPredicate(.or(scheduledDates.sorted().map { .field(.dose(.scheduled(.equalTo, $0))) }))
    }

    /// Returns a predicate for dose events that were scheduled from `startDate`, inclusive, to `endDate`, exclusive;
    /// nil is an open bound. Doses as needed do not match. HealthKit does not publish which bounds it includes.
    public static func predicateForMedicationDoseEvent(
        scheduledStart startDate: Date?, end endDate: Date?
    ) -> NSPredicate {
        doses(.scheduledWithin(startDate, endDate))
    }

    /// Returns a predicate for the dose events of a medication.
    public static func predicateForMedicationDoseEvent(
        medicationConceptIdentifier: HKHealthConceptIdentifier
    ) -> NSPredicate {
        doses(.concepts([medicationConceptIdentifier]))
    }

    /// Returns a predicate for the dose events of these medications.
    public static func predicateForMedicationDoseEvent(
        medicationConceptIdentifiers: Set<HKHealthConceptIdentifier>
    ) -> NSPredicate {
        doses(.concepts(medicationConceptIdentifiers))
    }

    /// Returns a predicate for medications that are archived, or not archived.
    public static func predicateForUserAnnotatedMedications(isArchived: Bool) -> NSPredicate {
        HealthPredicate(.medication(.isArchived(isArchived)))
    }

    /// Returns a predicate for medications with a schedule, or without one.
    public static func predicateForUserAnnotatedMedications(hasSchedule: Bool) -> NSPredicate {
        HealthPredicate(.medication(.hasSchedule(hasSchedule)))
    }
}
