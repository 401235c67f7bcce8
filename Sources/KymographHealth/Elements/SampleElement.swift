// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// An `Audiogram`, `VisionPrescription` or `ClinicalRecord` of an export as a sample. `Docs/Guide/Import.md` has the
/// rules.
struct SampleElement {
    let type: HKSampleType
    let origin: WorkoutElement.Origin
    /// Nanoseconds since 1970-01-01 UTC.
    let start: Int64
    let end: Int64
    var fields: HealthFields
    /// The entries of the metadata. Each key occurs once.
    let metadata: [WorkoutElement.Entry]
    /// Descriptions of the attributes and children that are left out of the sample.
    let notes: [String]
    /// A digest of the content, independent of its spelling.
    let digest: Int64
    /// The texts that identify the sample in all exports.
    let key: [String]
    /// The identifiers of the attachments that a prescription names. Others than UUIDs are left out.
    var attachments: [UUID] = []

    /// Parses an element; nil if the bytes are not a complete element of one of the three kinds with readable dates.
    ///
    /// - Parameter units: the units of earlier elements.
    /// - Complexity: O(bytes).
    init?(_ xml: [UInt8], _ units: UnitCache = UnitCache()) {
        var parser = SampleParser(xml, units)
        guard let element = parser.element() else { return nil }
        self = element
    }

    init(
        type: HKSampleType, origin: WorkoutElement.Origin, start: Int64, end: Int64, fields: HealthFields,
        metadata: [WorkoutElement.Entry], notes: [String], digest: Int64, key: [String]
    ) {
        self.type = type
        self.origin = origin
        self.start = start
        self.end = end
        self.fields = fields
        self.metadata = metadata.withoutRepetitions
        self.notes = notes
        self.digest = digest
        self.key = key
    }

    /// Returns the identity of a copy of the sample.
    ///
    /// - Parameter copy: the number of samples with the same key before this one; 0 for the first.
    func identity(copy: Int) -> SampleIdentity {
        let parts = ["sample"] + key + ["\(copy)"]
        return SampleIdentity.digested(parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
    }

    /// The element of a clinical record with the type and the name of its resource.
    ///
    /// - Parameter json: the bytes of the resource.
    func completed(by json: [UInt8]) throws(HealthFields.Fault) -> SampleElement {
        var content = try HKClinicalRecord.Content(fields: fields)
        let summary = FHIRSummary(Data(json))
        content.data = Data(json)
        content.displayName = summary.displayName ?? content.resourceType
        return SampleElement(
            type: HKClinicalType(summary.type(of: HKFHIRResourceType(rawValue: content.resourceType))), origin: origin,
            start: start, end: end, fields: content.fields, metadata: metadata, notes: notes, digest: digest, key: key)
    }
}

extension ImportedElementKind {
    /// The kinds of elements that `SampleElement` parses.
    static let ofSamples: [ImportedElementKind] = [.audiogram, .visionPrescription, .clinicalRecord]
}
