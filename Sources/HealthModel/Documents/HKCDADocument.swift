// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A medical document in HL7's Clinical Document Architecture (CDA): XML, and the title and names in it.
public final class HKCDADocument: NSObject, Sendable {
    /// The XML; nil if the query did not ask for it.
    public let documentData: Data?
    private let names: CDANames

    package init(names: CDANames, data: Data?) {
        self.names = names
        documentData = data
        super.init()
    }

    /// The title; empty if the document has none.
    public var title: String { names.title }
    /// The given names and the family name of the patient; empty if the document has none.
    public var patientName: String { names.patient }
    /// The name of the author: a person, a device or an organization; empty if the document has none.
    public var authorName: String { names.author }
    /// The name of the organization that keeps the document; empty if the document has none.
    public var custodianName: String { names.custodian }

    /// The title and the patient.
    public override var description: String { "HKCDADocument '\(title)', \(patientName)" }
}

/// HealthKit's key path "title".
public let HKPredicateKeyPathCDATitle = DocumentCondition.Name.title.rawValue
/// HealthKit's key path "patient_name".
public let HKPredicateKeyPathCDAPatientName = DocumentCondition.Name.patient.rawValue
/// HealthKit's key path "author_name".
public let HKPredicateKeyPathCDAAuthorName = DocumentCondition.Name.author.rawValue
/// HealthKit's key path "custodian_name".
public let HKPredicateKeyPathCDACustodianName = DocumentCondition.Name.custodian.rawValue

/// A condition on the title of a document, or on a name in it.
package struct DocumentCondition: Hashable, Sendable {
    /// A text of a document. Raw values are HealthKit's key paths.
    package enum Name: String, Hashable, Sendable, CaseIterable {
        case title
        case patient = "patient_name"
        case author = "author_name"
        case custodian = "custodian_name"
    }

    let name: Name
    let comparison: HealthComparison
    let text: String

    /// Returns whether the condition holds; never for a document whose content is not readable.
    func matches(_ sample: HKCDADocumentSample) -> Bool {
        guard let names = sample.content?.names else { return false }
        let own =
            switch name {
            case .title: names.title
            case .patient: names.patient
            case .author: names.author
            case .custodian: names.custodian
            }
        return HealthMetadataValue.string(own).compares(comparison, .string(text))
    }

    /// The text for logs.
    var description: String { "\(name.rawValue) \(comparison.sign) '\(text)'" }
}
