// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A condition on the content of a sample that a store keeps as fields.
package enum FieldCondition: Hashable, Sendable {
    case kindOfMind(HKStateOfMind.Kind)
    case valence(HealthComparison, Double)
    case label(HKStateOfMind.Label)
    case association(HKStateOfMind.Association)
    /// Clinical records of a type of resource.
    case resource(HKFHIRResourceType)
    /// Clinical records of the resources with an identifier, of any source and type.
    case identifier(String)
    /// Clinical records of a resource of a source.
    case record(HKSource, HKFHIRResourceType, identifier: String)
    case dose(DoseCondition)
    case document(DocumentCondition)
    /// Verifiable records by their relevant date.
    case relevant(HealthComparison, Date)

    /// Returns whether the condition holds; never for a sample of another class.
    package func matches(_ sample: HKSample) -> Bool {
        switch self {
        case .kindOfMind(let kind): (sample as? HKStateOfMind)?.kind == kind
        case .valence(let comparison, let valence):
            (sample as? HKStateOfMind).map { comparison.holds($0.valence, valence) } ?? false
        case .label(let label): (sample as? HKStateOfMind)?.labels.contains(label) ?? false
        case .association(let association):
            (sample as? HKStateOfMind)?.associations.contains(association) ?? false
        case .resource(let type): (sample as? HKClinicalRecord)?.content.resourceType == type.rawValue
        case .identifier(let identifier): (sample as? HKClinicalRecord)?.content.identifier == identifier
        case .record(let source, let type, let identifier):
            (sample as? HKClinicalRecord).map {
                $0.content.resourceType == type.rawValue && $0.content.identifier == identifier && $0.source == source
            } ?? false
        case .dose(let condition): (sample as? HKMedicationDoseEvent).map(condition.matches) ?? false
        case .document(let condition): (sample as? HKCDADocumentSample).map(condition.matches) ?? false
        case .relevant(let comparison, let date):
            (sample as? HKVerifiableClinicalRecord).map {
                comparison.holds($0.relevantDate.timeIntervalSinceReferenceDate, date.timeIntervalSinceReferenceDate)
            } ?? false
        }
    }

    /// The text for logs.
    var text: String {
        switch self {
        case .kindOfMind(let kind): "kind = \(kind)"
        case .valence(let comparison, let valence): "valence \(comparison.sign) \(valence)"
        case .label(let label): "label \(label)"
        case .association(let association): "association \(association)"
        case .resource(let type): "resourceType = \(type)"
        case .identifier(let identifier): "identifier = \(identifier)"
        case .record(let source, let type, let identifier): "\(type) \(identifier) of \(source)"
        case .dose(let condition): condition.text
        case .document(let condition): condition.description
        case .relevant(let comparison, let date): "relevantDate \(comparison.sign) \(DateText.text(date))"
        }
    }
}

extension HKQuery {
    // MARK: States of mind

    /// Returns a predicate for state-of-mind entries of a kind.
    public static func predicateForStatesOfMind(with kind: HKStateOfMind.Kind) -> NSPredicate {
        HealthPredicate(.field(.kindOfMind(kind)))
    }

    /// Returns a predicate for state-of-mind entries whose valence compares to a number by the operator.
    public static func predicateForStatesOfMind(
        withValence valence: Double, operatorType: HealthComparison
    ) -> NSPredicate {
        HealthPredicate(.field(.valence(operatorType, valence)))
    }

    /// Returns a predicate for state-of-mind entries with a label.
    public static func predicateForStatesOfMind(with label: HKStateOfMind.Label) -> NSPredicate {
        HealthPredicate(.field(.label(label)))
    }

    /// Returns a predicate for state-of-mind entries with an association.
    public static func predicateForStatesOfMind(with association: HKStateOfMind.Association) -> NSPredicate {
        HealthPredicate(.field(.association(association)))
    }

    // MARK: Clinical records

    /// Returns a predicate for clinical records with a type of FHIR resource.
    public static func predicateForClinicalRecords(
        withFHIRResourceType resourceType: HKFHIRResourceType
    ) -> NSPredicate {
        HealthPredicate(.field(.resource(resourceType)))
    }

    /// Returns a predicate for the clinical records of one FHIR resource of a source.
    public static func predicateForClinicalRecords(
        from source: HKSource, fhirResourceType resourceType: HKFHIRResourceType, identifier: String
    ) -> NSPredicate {
        HealthPredicate(.field(.record(source, resourceType, identifier: identifier)))
    }

    /// Returns a predicate for verifiable records whose relevant date is in an interval, both ends included.
    public static func predicateForVerifiableClinicalRecords(
        withRelevantDateWithin dateInterval: DateInterval
    ) -> NSPredicate {
        HealthPredicate(
            .and([
                .field(.relevant(.greaterThanOrEqualTo, dateInterval.start)),
                .field(.relevant(.lessThanOrEqualTo, dateInterval.end)),
            ]))
    }
}
