// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What a clinical record states about its FHIR resource: the name that people read, and the kind of the record.
package struct FHIRSummary {
    /// The name in the resource; nil if it has none.
    package let displayName: String?
    /// Whether an observation is a vital sign.
    private let isVitalSign: Bool

    /// The longest name, in characters.
    private static let longest = 500

    /// Reads the JSON of a resource. Bytes that are no JSON have neither a name nor a category.
    ///
    /// - Complexity: O(bytes).
    package init(_ json: Data) {
        let resource = (try? JSONSerialization.jsonObject(with: json)) as? [String: Any] ?? [:]
        isVitalSign = Self.codes(resource["category"]).contains { Self.plain($0) == "vitalsigns" }
        let names = [
            "code", "vaccineCode", "medicationCodeableConcept", "substance", "type", "medicationReference", "policy",
        ]
        displayName = names.lazy.compactMap { Self.text(resource[$0]) }.first.map { String($0.prefix(Self.longest)) }
    }

    /// Returns the text of a concept: its own, or that of its first coding.
    private static func text(_ concept: Any?) -> String? {
        guard let concept = concept as? [String: Any] else { return nil }
        let codings = concept["coding"] as? [[String: Any]] ?? []
        let texts = [concept["text"], concept["display"]] + codings.map { $0["display"] }
        return texts.lazy.compactMap { $0 as? String }.first { !$0.isEmpty }
    }

    /// Returns the codes of concepts: one concept in DSTU2, a list in R4.
    private static func codes(_ concepts: Any?) -> [String] {
        let list = concepts as? [[String: Any]] ?? (concepts as? [String: Any]).map { [$0] } ?? []
        return list.flatMap { concept in
            (concept["coding"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
                + [concept["text"] as? String].compactMap(\.self)
        }
    }

    private static func plain(_ code: String) -> String { code.lowercased().filter(\.isLetter) }

    /// Returns the type of the record of a resource. An observation is a lab result unless its category is that of
    /// vital signs; an unknown resource is a clinical note.
    package func type(of resource: HKFHIRResourceType) -> HKClinicalTypeIdentifier {
        switch resource {
        case .allergyIntolerance: .allergyRecord
        case .condition: .conditionRecord
        case .coverage: .coverageRecord
        case .immunization: .immunizationRecord
        case .medicationDispense, .medicationOrder, .medicationRequest, .medicationStatement: .medicationRecord
        case .procedure: .procedureRecord
        case .observation: isVitalSign ? .vitalSignRecord : .labResultRecord
        case .diagnosticReport: .labResultRecord
        default: .clinicalNoteRecord
        }
    }
}
