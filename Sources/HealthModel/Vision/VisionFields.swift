// SPDX-License-Identifier: Apache-2.0

import Foundation

// Prescriptions from their fields: 1 class, 2 kind, 3 and 4 right and left lens, 5 brand.
extension HKVisionPrescription {
    /// Returns the prescription of a header, dates and fields, as an object of the class that was saved.
    static func stored(
        _ header: ObjectHeader, _ fields: HealthFields, issued: Date, expires: Date?
    ) throws(HealthFields.Fault) -> HKVisionPrescription {
        switch try required(fields.integer(1), "the class of the prescription") {
        case 0:
            let raw = try required(fields.integer(2), "the kind of the prescription")
            guard let type = UInt(exactly: raw).flatMap({ HKVisionPrescriptionType(rawValue: $0) }) else {
                throw HealthFields.Fault(reason: "\(raw) is an unknown kind of prescription", isNewer: true)
            }
            return HKVisionPrescription(header: header, type, issued: issued, expires: expires)
        case 1:
            return HKGlassesPrescription(
                header: header, right: try glasses(fields.part(3)), left: try glasses(fields.part(4)), issued: issued,
                expires: expires)
        case 2:
            return HKContactsPrescription(
                header: header, right: try contacts(fields.part(3)), left: try contacts(fields.part(4)),
                brand: try required(fields.text(5), "the brand of the lenses"), issued: issued, expires: expires)
        case let other:
            throw HealthFields.Fault(reason: "\(other) is an unknown class of prescriptions", isNewer: true)
        }
    }

    private static func glasses(_ fields: HealthFields?) throws(HealthFields.Fault) -> HKGlassesLensSpecification? {
        guard let fields else { return nil }
        return HKGlassesLensSpecification(
            sphere: try required(fields.quantity(1), "the sphere of a lens"), cylinder: try fields.quantity(2),
            axis: try fields.quantity(3), addPower: try fields.quantity(4), vertexDistance: try fields.quantity(5),
            prism: try fields.part(10).map { part throws(HealthFields.Fault) in try HKVisionPrism(fields: part) },
            farPupillaryDistance: try fields.quantity(6), nearPupillaryDistance: try fields.quantity(7))
    }

    private static func contacts(_ fields: HealthFields?) throws(HealthFields.Fault) -> HKContactsLensSpecification? {
        guard let fields else { return nil }
        return HKContactsLensSpecification(
            sphere: try required(fields.quantity(1), "the sphere of a lens"), cylinder: try fields.quantity(2),
            axis: try fields.quantity(3), addPower: try fields.quantity(4), baseCurve: try fields.quantity(8),
            diameter: try fields.quantity(9))
    }
}

extension HKVisionPrism {
    /// The values that were given: 1 eye, 2 and 3 amount and angle, 4 to 7 vertical and horizontal amounts and bases.
    var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, eye.rawValue)
        if isPolar {
            fields.put(2, amount)
            fields.put(3, angle)
        } else {
            fields.put(4, verticalAmount)
            fields.put(5, verticalBase.rawValue)
            fields.put(6, horizontalAmount)
            fields.put(7, horizontalBase.rawValue)
        }
        return fields
    }

    /// Creates the prism of its fields.
    convenience init(fields: HealthFields) throws(HealthFields.Fault) {
        let eye = try required(fields.all(1, of: HKVisionEye.self).first, "the eye of a prism")
        if let amount = try fields.quantity(2) {
            self.init(amount: amount, angle: try required(fields.quantity(3), "the angle of a prism"), eye: eye)
        } else {
            self.init(
                verticalAmount: try required(fields.quantity(4), "the vertical amount of a prism"),
                verticalBase: try required(fields.all(5, of: HKPrismBase.self).first, "the vertical base of a prism"),
                horizontalAmount: try required(fields.quantity(6), "the horizontal amount of a prism"),
                horizontalBase: try required(
                    fields.all(7, of: HKPrismBase.self).first, "the horizontal base of a prism"), eye: eye)
        }
    }
}
