// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The type of a FHIR resource. The raw value is FHIR's name; any other text is valid too.
public struct HKFHIRResourceType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// FHIR's name: `Observation`.
    public let rawValue: String

    /// Creates the type with this name, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An allergy.
    public static let allergyIntolerance = HKFHIRResourceType(rawValue: "AllergyIntolerance")
    /// A disease or another condition.
    public static let condition = HKFHIRResourceType(rawValue: "Condition")
    /// An insurance.
    public static let coverage = HKFHIRResourceType(rawValue: "Coverage")
    /// The report of an examination.
    public static let diagnosticReport = HKFHIRResourceType(rawValue: "DiagnosticReport")
    /// A document, such as a note.
    public static let documentReference = HKFHIRResourceType(rawValue: "DocumentReference")
    /// A vaccination.
    public static let immunization = HKFHIRResourceType(rawValue: "Immunization")
    /// A dispensed medication.
    public static let medicationDispense = HKFHIRResourceType(rawValue: "MedicationDispense")
    /// An ordered medication in DSTU2.
    public static let medicationOrder = HKFHIRResourceType(rawValue: "MedicationOrder")
    /// An ordered medication in R4.
    public static let medicationRequest = HKFHIRResourceType(rawValue: "MedicationRequest")
    /// A medication that the person takes.
    public static let medicationStatement = HKFHIRResourceType(rawValue: "MedicationStatement")
    /// A lab result or a vital sign.
    public static let observation = HKFHIRResourceType(rawValue: "Observation")
    /// A procedure.
    public static let procedure = HKFHIRResourceType(rawValue: "Procedure")

    /// FHIR's name.
    public var description: String { rawValue }
}

/// The FHIR resource of a clinical record: JSON as a clinic sent it.
public final class HKFHIRResource: NSObject, NSCopying, Sendable {
    /// The type of the resource.
    public let resourceType: HKFHIRResourceType
    /// The identifier that the clinic gave to the resource.
    public let identifier: String
    /// The JSON.
    public let data: Data
    /// The address from which the resource was loaded; nil if unknown.
    public let sourceURL: URL?
    /// The version of FHIR.
    public let fhirVersion: HKFHIRVersion

    /// Creates a resource for `HealthRecordStore`. HealthKit has no such initialiser. Never fails.
    ///
    /// - Parameter data: the JSON.
    public init(
        resourceType: HKFHIRResourceType, identifier: String, fhirVersion: HKFHIRVersion, sourceURL: URL? = nil,
        data: Data
    ) {
        self.resourceType = resourceType
        self.identifier = identifier
        self.data = data
        self.sourceURL = sourceURL
        self.fhirVersion = fhirVersion
        super.init()
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of type and identifier.
    public override var hash: Int { resourceType.hashValue ^ identifier.hashValue }

    /// Returns whether all properties of the other resource are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKFHIRResource else { return false }
        return resourceType == other.resourceType && identifier == other.identifier && data == other.data
            && sourceURL == other.sourceURL && fhirVersion == other.fhirVersion
    }

    /// The type and the identifier.
    public override var description: String { "\(resourceType) \(identifier)" }
}
