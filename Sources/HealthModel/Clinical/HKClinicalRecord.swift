// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A record of a clinic or an insurer. Stores return records of imports and of `HealthRecordStore`.
///
/// The start and the end are the time when the record was received. HealthKit does not keep ``HKObject/uuid``: identify
/// a record by source, resource type and identifier.
public final class HKClinicalRecord: HKSample, @unchecked Sendable {
    /// The stored properties of a record.
    package struct Content: Sendable, Hashable {
        package var displayName: String
        package var resourceType: String
        package var identifier: String
        package var fhirVersion: String
        package var sourceURL: String?
        /// The JSON; nil until an import finds its file.
        package var data: Data?
        /// The path of the file in the export; nil for a record that a program saved.
        package var path: String?

        package init(
            displayName: String, resourceType: String, identifier: String, fhirVersion: String,
            sourceURL: String? = nil, data: Data? = nil, path: String? = nil
        ) {
            self.displayName = displayName
            self.resourceType = resourceType
            self.identifier = identifier
            self.fhirVersion = fhirVersion
            self.sourceURL = sourceURL
            self.data = data
            self.path = path
        }
    }

    package let content: Content

    package init(header: ObjectHeader, type: HKClinicalType, date: Date, content: Content) {
        self.content = content
        super.init(header: header, type: type, start: date, end: date)
    }

    /// Decodes a record that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKClinicalRecord.self) else { return nil }
        content = known.content
        super.init(coder: coder)
    }

    /// The type of the record.
    public var clinicalType: HKClinicalType {
        sampleType as? HKClinicalType ?? HKClinicalType(facts: sampleType.facts)
    }
    /// The name of the record: that of its resource, else the resource's type.
    public var displayName: String { content.displayName }
    /// The FHIR resource; nil if the export had no file of the resource.
    public var fhirResource: HKFHIRResource? {
        content.data.map {
            HKFHIRResource(
                resourceType: HKFHIRResourceType(rawValue: content.resourceType), identifier: content.identifier,
                fhirVersion: HKFHIRVersion(stored: content.fhirVersion),
                sourceURL: content.sourceURL.flatMap { URL(string: $0) }, data: $0)
        }
    }

    package override var fields: HealthFields? { content.fields }
}

extension HKClinicalRecord.Content {
    /// The properties as fields: 1 name, 2 resource type, 3 identifier, 4 version, 5 address, 6 JSON, 7 path.
    package var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, displayName)
        fields.put(2, resourceType)
        fields.put(3, identifier)
        fields.put(4, fhirVersion)
        fields.put(5, sourceURL)
        fields.put(6, data)
        fields.put(7, path)
        return fields
    }

    /// Creates the properties of fields.
    package init(fields: HealthFields) throws(HealthFields.Fault) {
        self.init(
            displayName: try fields.text(1) ?? "", resourceType: try fields.text(2) ?? "",
            identifier: try fields.text(3) ?? "", fhirVersion: try fields.text(4) ?? "", sourceURL: try fields.text(5),
            data: try fields.data(6), path: try fields.text(7))
    }
}
