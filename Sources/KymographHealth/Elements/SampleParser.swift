// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// A parser of one `Audiogram`, `VisionPrescription` or `ClinicalRecord`.
struct SampleParser {
    /// The reader of tags, attributes and metadata.
    private var tags: WorkoutParser

    init(_ xml: [UInt8], _ units: UnitCache) { tags = WorkoutParser(xml, units) }

    /// Parses the element; nil if it is incomplete, of another kind, or has no readable date.
    mutating func element() -> SampleElement? {
        guard tags.next() == .start else { return nil }
        if tags.reader.isNamed("Audiogram") { return audiogram() }
        if tags.reader.isNamed("VisionPrescription") { return prescription() }
        if tags.reader.isNamed("ClinicalRecord") { return clinicalRecord() }
        return nil
    }

    /// Calls `take` for the start tag of each child, and collects the metadata; nil for an incomplete element.
    private mutating func children(_ take: (inout SampleParser) -> Void) -> [WorkoutElement.Entry]? {
        var metadata: [WorkoutElement.Entry] = []
        while let tag = tags.next(), tags.reader.depth > 0 {
            guard tag == .start else { continue }
            if tags.reader.isNamed("MetadataEntry") {
                if let entry = tags.entry() { metadata.append(entry) }
            } else {
                take(&self)
            }
            tags.skip()
        }
        return tags.reader.depth == 0 ? metadata : nil
    }

    /// Returns the quantity of an attribute whose unit is another attribute; nil if it is missing or does not convert.
    ///
    /// - Parameter unit: the attribute with the unit.
    private mutating func quantity(_ name: String, unit: String, _ dimension: HKUnit) -> HKQuantity? {
        guard tags.reader[name] != nil else { return nil }
        let text = tags.reader[unit]
        guard let number = tags.reader.number(name), number.isFinite,
            let found = text.map({ tags.unit($0) }) ?? dimension, found.isCompatible(with: dimension)
        else {
            tags.note("\(name) of \((tags.reader[name] ?? "").prefix(40)) in \((text ?? "").prefix(40))")
            return nil
        }
        return HKQuantity(unit: found, doubleValue: number)
    }

    // MARK: Audiograms

    private mutating func audiogram() -> SampleElement? {
        guard let times = tags.times("startDate", "endDate") else { return nil }
        let origin = tags.origin()
        var points: [HKAudiogramSensitivityPoint] = []
        let metadata = children { parser in
            if parser.tags.reader.isNamed("SensitivityPoint"), let point = parser.point() { points.append(point) }
        }
        guard let metadata else { return nil }
        let (start, end) = (StoredTime.date(times.start), StoredTime.date(times.end))
        let sample = HKAudiogramSample(header: Self.header, points: points, start: start, end: end)
        let created = origin.created.map { "\($0)" } ?? ""
        return SampleElement(
            type: HKObjectType.audiogramSampleType(), origin: origin, start: times.start, end: times.end,
            fields: sample.fields ?? HealthFields(), metadata: metadata, notes: tags.notes,
            digest: Int64(bitPattern: tags.digest),
            key: ["audiogram", origin.source ?? "", "\(times.start)", "\(times.end)", created])
    }

    private mutating func point() -> HKAudiogramSensitivityPoint? {
        let tests = [HKAudiogramSensitivityTestSide.left, .right].compactMap { test($0) }
        guard let frequency = quantity("frequencyValue", unit: "frequencyUnit", .hertz()),
            let point = try? HKAudiogramSensitivityPoint(frequency: frequency, tests: tests)
        else {
            tags.note("a SensitivityPoint without a frequency or a sensitivity")
            return nil
        }
        return point
    }

    private mutating func test(_ side: HKAudiogramSensitivityTestSide) -> HKAudiogramSensitivityTest? {
        let ear = side == .left ? "leftEar" : "rightEar"
        guard let sensitivity = quantity(ear + "Value", unit: ear + "Unit", .decibelHearingLevel()) else { return nil }
        let masked = ["1", "true", "yes"].contains(tags.reader[ear + "Masked"]?.lowercased())
        let lower = tags.reader.number(ear + "ClampingRangeLowerBound")
        let upper = tags.reader.number(ear + "ClampingRangeUpperBound")
        var range: HKAudiogramSensitivityPointClampingRange?
        if lower != nil || upper != nil {
            range = try? HKAudiogramSensitivityPointClampingRange(lower, upper)
            if range == nil { tags.note("an impossible clamping range of the \(side) ear") }
        }
        let test = try? HKAudiogramSensitivityTest(
            sensitivity: sensitivity, type: .air, masked: masked, side: side, clampingRange: range)
        if test == nil { tags.note("a sensitivity of \(sensitivity)") }
        return test
    }

    // MARK: Prescriptions

    private mutating func prescription() -> SampleElement? {
        guard let start = tags.instant("dateIssued") else { return nil }
        var end = StoredTime.openEnd
        if tags.reader["expirationDate"] != nil {
            if let expires = tags.instant("expirationDate"), expires >= start {
                end = expires
            } else {
                tags.note("an expirationDate that is unreadable or before the date of issue")
            }
        }
        let (name, brand) = (tags.reader["type"]?.lowercased() ?? "", tags.reader["brand"])
        var eyes: [HKVisionEye: Lens] = [:]
        var attachments: [UUID] = []
        let metadata = children { parser in
            if parser.tags.reader.isNamed("Attachment") {
                if let uuid = parser.tags.reader["identifier"].flatMap({ UUID(uuidString: $0) }) {
                    attachments.append(uuid)
                } else {
                    parser.tags.note("an Attachment whose identifier is no UUID")
                }
                return
            }
            for (eye, tag) in [(HKVisionEye.right, "RightEye"), (.left, "LeftEye")]
            where parser.tags.reader.isNamed(tag) {
                let lens = parser.lens(eye)
                if eyes[eye] == nil { eyes[eye] = lens }
            }
        }
        guard let metadata else { return nil }
        let isContacts =
            name.contains("contact")
            || !name.contains("glass") && (brand != nil || eyes.values.contains { $0.isOfContacts })
        let issued = StoredTime.date(start)
        let sample: HKVisionPrescription
        if eyes.isEmpty, brand == nil {
            sample = HKVisionPrescription(
                type: isContacts ? .contacts : .glasses, dateIssued: issued, expirationDate: nil, device: nil,
                metadata: nil)
        } else if isContacts {
            sample = HKContactsPrescription(
                header: Self.header, right: eyes[.right]?.contacts, left: eyes[.left]?.contacts, brand: brand ?? "",
                issued: issued, expires: nil)
        } else {
            sample = HKGlassesPrescription(
                header: Self.header, right: eyes[.right]?.glasses, left: eyes[.left]?.glasses, issued: issued,
                expires: nil)
        }
        let fields = sample.fields ?? HealthFields()
        // The digest of the tags depends on the time zone of the date of issue.
        let entries = metadata.flatMap { Array("\($0.key)=\($0.value);".utf8) }
        let digest = HealthCatalog.digest(FieldsRecord.plain(fields) + Array("\(start) \(end) ".utf8) + entries)
        var element = SampleElement(
            type: HKObjectType.visionPrescriptionType(), origin: WorkoutElement.Origin(), start: start, end: end,
            fields: fields, metadata: metadata, notes: tags.notes, digest: digest,
            key: ["prescription", "\(start)", "\(digest)"])
        element.attachments = attachments
        return element
    }

    /// A header for samples of which only the fields are used.
    private static var header: ObjectHeader {
        ObjectHeader(uuid: UUID(), sourceRevision: .thisProgram, device: nil, metadata: nil)
    }

    /// The attributes of a lens.
    private struct Lens {
        let sphere: HKQuantity
        var cylinder, axis, add, vertex, farPD, nearPD, baseCurve, diameter: HKQuantity?
        var prism: HKVisionPrism?

        var isOfContacts: Bool { baseCurve != nil || diameter != nil }

        var glasses: HKGlassesLensSpecification {
            HKGlassesLensSpecification(
                sphere: sphere, cylinder: cylinder, axis: axis, addPower: add, vertexDistance: vertex, prism: prism,
                farPupillaryDistance: farPD, nearPupillaryDistance: nearPD)
        }

        var contacts: HKContactsLensSpecification {
            HKContactsLensSpecification(
                sphere: sphere, cylinder: cylinder, axis: axis, addPower: add, baseCurve: baseCurve, diameter: diameter)
        }
    }

    /// Returns the lens of the last tag. A lens without a sphere has a sphere of 0.
    private mutating func lens(_ eye: HKVisionEye) -> Lens {
        var lens = Lens(
            sphere: quantity("sphere", unit: "sphereUnit", .diopter()) ?? HKQuantity(unit: .diopter(), doubleValue: 0))
        lens.cylinder = quantity("cylinder", unit: "cylinderUnit", .diopter())
        lens.axis = quantity("axis", unit: "axisUnit", .degreeAngle())
        lens.add = quantity("add", unit: "addUnit", .diopter())
        lens.vertex = quantity("vertex", unit: "vertexUnit", .meterUnit(with: .milli))
        lens.farPD = quantity("farPD", unit: "farPDUnit", .meterUnit(with: .milli))
        lens.nearPD = quantity("nearPD", unit: "nearPDUnit", .meterUnit(with: .milli))
        lens.baseCurve = quantity("baseCurve", unit: "baseCurveUnit", .meterUnit(with: .milli))
        lens.diameter = quantity("diameter", unit: "diameterUnit", .meterUnit(with: .milli))
        let amount = quantity("prismAmount", unit: "prismAmountUnit", .prismDiopter())
        let angle = quantity("prismAngle", unit: "prismAngleUnit", .degreeAngle())
        if let amount, amount.value >= 0, let angle {
            lens.prism = HKVisionPrism(amount: amount, angle: angle, eye: eye)
        } else if amount != nil || angle != nil {
            tags.note("a prism without an amount from 0 or an angle")
        }
        return lens
    }

    // MARK: Clinical records

    private mutating func clinicalRecord() -> SampleElement? {
        guard let start = tags.instant("receivedDate"), let name = tags.reader["type"] else { return nil }
        let origin = tags.origin()
        let content = HKClinicalRecord.Content(
            displayName: name, resourceType: name, identifier: tags.reader["identifier"] ?? "",
            fhirVersion: tags.reader["fhirVersion"] ?? "", sourceURL: tags.reader["sourceURL"],
            path: tags.reader["resourceFilePath"])
        guard let metadata = children({ _ in }) else { return nil }
        return SampleElement(
            type: HKClinicalType(FHIRSummary(Data()).type(of: HKFHIRResourceType(rawValue: name))), origin: origin,
            start: start, end: start, fields: content.fields, metadata: metadata, notes: tags.notes,
            digest: Int64(bitPattern: tags.digest),
            key: ["clinical", name, content.identifier, origin.source ?? "", "\(start)"])
    }
}
