// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth

extension ExportText {
    /// Writes an audiogram or a prescription; nothing for any other sample.
    mutating func sample(_ sample: ExportedSample) {
        switch sample.sample {
        case let audiogram as HKAudiogramSample: self.audiogram(audiogram, sample)
        case let prescription as HKVisionPrescription: self.prescription(prescription, sample)
        default: return
        }
    }

    private mutating func audiogram(_ audiogram: HKAudiogramSample, _ sample: ExportedSample) {
        put(" <Audiogram")
        attribute("type", audiogram.sampleType.identifier)
        origin(sample.metadata.hasNoSource ? nil : sample.source, sample.version, sample.device)
        dates(sample.created, sample.start, sample.end ?? sample.start)
        put(">\n")
        entries(sample.metadata, 2)
        for point in audiogram.sensitivityPoints {
            put("  <SensitivityPoint")
            quantity("frequencyValue", "frequencyUnit", point.frequency)
            for (side, ear) in [(HKAudiogramSensitivityTestSide.left, "leftEar"), (.right, "rightEar")] {
                guard let test = point.tests.first(where: { $0.side == side && $0.type == .air }) else { continue }
                quantity(ear + "Value", ear + "Unit", test.sensitivity)
                if test.masked { attribute(ear + "Masked", "true") }
                if let bound = test.clampingRange?.lowerBound { number(ear + "ClampingRangeLowerBound", bound.value) }
                if let bound = test.clampingRange?.upperBound { number(ear + "ClampingRangeUpperBound", bound.value) }
            }
            put("/>\n")
        }
        put(" </Audiogram>\n")
    }

    private mutating func prescription(_ prescription: HKVisionPrescription, _ sample: ExportedSample) {
        put(" <VisionPrescription")
        attribute("type", "\(prescription.prescriptionType)")
        date(" dateIssued=\"", sample.start)
        if let end = sample.end { date(" expirationDate=\"", end) }
        attribute("brand", (prescription as? HKContactsPrescription)?.brand)
        put(">\n")
        for (eye, lens) in prescription.lenses {
            put(eye == .right ? "  <RightEye" : "  <LeftEye")
            self.lens(lens)
            put("/>\n")
        }
        for attachment in sample.attachments {
            put("  <Attachment")
            attribute("identifier", attachment.uuidString)
            put("/>\n")
        }
        entries(sample.metadata, 2)
        put(" </VisionPrescription>\n")
    }

    /// Writes the values of a lens. A prism is written as amount and angle, the only form of exports.
    private mutating func lens(_ lens: HKLensSpecification) {
        let glasses = lens as? HKGlassesLensSpecification
        let contacts = lens as? HKContactsLensSpecification
        let values: [(name: String, value: HKQuantity?)] = [
            ("sphere", lens.sphere), ("cylinder", lens.cylinder), ("axis", lens.axis), ("add", lens.addPower),
            ("vertex", glasses?.vertexDistance), ("prismAmount", glasses?.prism?.amount),
            ("prismAngle", glasses?.prism?.angle), ("farPD", glasses?.farPupillaryDistance),
            ("nearPD", glasses?.nearPupillaryDistance), ("baseCurve", contacts?.baseCurve),
            ("diameter", contacts?.diameter),
        ]
        for one in values {
            if let value = one.value { quantity(one.name, one.name + "Unit", value) }
        }
    }

    private mutating func quantity(_ name: String, _ unit: String, _ quantity: HKQuantity) {
        number(name, quantity.value)
        attribute(unit, quantity.unit.unitString)
    }
}
