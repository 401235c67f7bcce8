// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A condition on a medication in the list of a person.
package enum MedicationCondition: Hashable, Sendable {
    case isArchived(Bool)
    case hasSchedule(Bool)

    /// Returns whether the condition holds.
    func matches(_ medication: HKUserAnnotatedMedication) -> Bool {
        switch self {
        case .isArchived(let flag): medication.isArchived == flag
        case .hasSchedule(let flag): medication.hasSchedule == flag
        }
    }

    /// The text for logs.
    var text: String {
        switch self {
        case .isArchived(let flag): "isArchived = \(flag)"
        case .hasSchedule(let flag): "hasSchedule = \(flag)"
        }
    }
}

/// A condition on a dose event.
package enum DoseCondition: Hashable, Sendable {
    case statuses(Set<HKMedicationDoseEvent.LogStatus>)
    case reasons(Set<HKMedicationDoseEvent.ScheduleType>)
    case scheduled(HealthComparison, Date)
    /// From a date, inclusive, to another, exclusive; nil is an open bound.
    case scheduledWithin(Date?, Date?)
    case concepts(Set<HKHealthConceptIdentifier>)
    /// Doses of medications with these identities.
    case medications(Set<UUID>)

    /// Returns whether the condition holds; a dose as needed has no scheduled date.
    func matches(_ dose: HKMedicationDoseEvent) -> Bool {
        switch self {
        case .statuses(let statuses): statuses.contains(dose.logStatus)
        case .reasons(let reasons): reasons.contains(dose.scheduleType)
        case .scheduled(let comparison, let date):
            dose.scheduledDate.map {
                comparison.holds($0.timeIntervalSinceReferenceDate, date.timeIntervalSinceReferenceDate)
            } ?? false
        case .scheduledWithin(let start, let end):
            dose.scheduledDate.map { Self.isWithin($0, start, end) } ?? false
        case .concepts(let concepts): concepts.contains(dose.medicationConceptIdentifier)
        case .medications(let identities): identities.contains(dose.medicationConceptIdentifier.uuid)
        }
    }

    /// Compares numbers, not dates: a date that is not a number is in no window.
    private static func isWithin(_ date: Date, _ start: Date?, _ end: Date?) -> Bool {
        let time = date.timeIntervalSinceReferenceDate
        return time >= start?.timeIntervalSinceReferenceDate ?? -.infinity
            && time < end?.timeIntervalSinceReferenceDate ?? .infinity
    }

    /// The text for logs.
    var text: String {
        func list(_ values: some Sequence) -> String { "{\(values.map { "\($0)" }.sorted().joined(separator: ", "))}" }
        return switch self {
        case .statuses(let statuses): "status in \(list(statuses))"
        case .reasons(let reasons): "scheduleType in \(list(reasons))"
        case .scheduled(let comparison, let date): "scheduledDate \(comparison.sign) \(DateText.text(date))"
        case .scheduledWithin(let start, let end):
            "scheduledDate in \(DateText.text(start)) ..< \(DateText.text(end))"
        case .concepts(let concepts): "medication in \(list(concepts))"
        case .medications(let identities): "medication in \(list(identities))"
        }
    }
}

extension SamplePredicate {
    /// Returns whether the predicate matches a medication. A condition on samples does not match.
    package func matches(_ medication: HKUserAnnotatedMedication) -> Bool {
        switch self {
        case .always(let all): all
        case .and(let parts): parts.allSatisfy { $0.matches(medication) }
        case .or(let parts): parts.contains { $0.matches(medication) }
        case .not(let part): !part.matches(medication)
        case .medication(let condition): condition.matches(medication)
        default: false
        }
    }

    /// Whether the predicate has only conditions on medications.
    package var isOfMedications: Bool {
        switch self {
        case .always, .medication: true
        case .and(let parts), .or(let parts): parts.allSatisfy(\.isOfMedications)
        case .not(let part): part.isOfMedications
        default: false
        }
    }
}
