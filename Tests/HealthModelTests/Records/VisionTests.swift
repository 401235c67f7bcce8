// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

@Suite("S-159 S-160 S-161 S-162 S-163 prescriptions of glasses and contact lenses")
struct VisionTests {
    static let issued = Date(timeIntervalSinceReferenceDate: 700_000_000)

    static func diopters(_ value: Double) -> HKQuantity { HKQuantity(unit: .diopter(), doubleValue: value) }
    static func degrees(_ value: Double) -> HKQuantity { HKQuantity(unit: .degreeAngle(), doubleValue: value) }
    static func millimeters(_ value: Double) -> HKQuantity {
        HKQuantity(unit: .meterUnit(with: .milli), doubleValue: value)
    }
    static func prism(_ value: Double) -> HKQuantity { HKQuantity(unit: .prismDiopter(), doubleValue: value) }

    private func glasses(
        _ lens: HKGlassesLensSpecification, expires: Date? = nil, metadata: [String: Any]? = nil
    ) -> HKGlassesPrescription {
        HKGlassesPrescription(
            rightEyeSpecification: lens, leftEyeSpecification: nil, dateIssued: Self.issued, expirationDate: expires,
            device: nil, metadata: metadata)
    }

    private func isRefused(_ object: HKObject) -> Bool {
        do throws(HKError) {
            try HealthSaveRules.check(object)
            return false
        } catch {
            return error.code == .errorInvalidArgument && error.place?.contains(object.uuid.uuidString) == true
        }
    }

    @Test("the dates of the sample are the dates of issue and of expiration, which may be open")
    func dates() throws {
        let lens = HKGlassesLensSpecification(sphere: Self.diopters(-1.25), nearPupillaryDistance: Self.millimeters(31))
        let open = glasses(lens, metadata: [HKMetadataKeyGlassesPrescriptionDescription: "reading"])
        #expect(open.startDate == Self.issued && open.dateIssued == Self.issued)
        #expect(open.endDate == .distantFuture && open.expirationDate == nil && open.prescriptionType == .glasses)
        #expect(open.sampleType == HKObjectType.visionPrescriptionType())
        #expect(open.sampleType.identifier == HKVisionPrescriptionTypeIdentifier)
        #expect(!isRefused(open))
        let year = Self.issued.addingTimeInterval(365 * 86_400)
        #expect(glasses(lens, expires: year).expirationDate == year)
        #expect(isRefused(glasses(lens, expires: Self.issued.addingTimeInterval(-1))))
        let plain = HKVisionPrescription(
            type: .contacts, dateIssued: Self.issued, expirationDate: nil, device: nil, metadata: nil)
        #expect(plain.prescriptionType == .contacts && plain.lenses.isEmpty && !isRefused(plain))
        #expect(HKVisionPrescriptionType.allCases.map(\.rawValue) == [1, 2])
    }

    @Test("a prism has both forms, and the two forms agree")
    func prisms() {
        let polar = HKVisionPrism(amount: Self.prism(2), angle: Self.degrees(90), eye: .right)
        #expect(polar.verticalBase == .up && polar.verticalAmount == Self.prism(2))
        #expect(polar.horizontalBase == .none && polar.horizontalAmount == Self.prism(0))
        for (eye, base) in [(HKVisionEye.right, HKPrismBase.in), (.left, .out)] {
            let level = HKVisionPrism(amount: Self.prism(1.5), angle: Self.degrees(0), eye: eye)
            #expect(level.horizontalBase == base && level.verticalBase == .none)
            let other = HKVisionPrism(amount: Self.prism(1.5), angle: Self.degrees(180), eye: eye)
            #expect(other.horizontalBase == (base == .in ? .out : .in))
        }
        for eye in HKVisionEye.allCases {
            for angle in stride(from: 0.0, to: 360, by: 15) {
                let one = HKVisionPrism(amount: Self.prism(3), angle: Self.degrees(angle), eye: eye)
                let two = HKVisionPrism(
                    verticalAmount: one.verticalAmount, verticalBase: one.verticalBase,
                    horizontalAmount: one.horizontalAmount, horizontalBase: one.horizontalBase, eye: eye)
                #expect(abs(two.amount.value - 3) < 1e-12 && abs(two.angle.value - angle) < 1e-9, "\(angle)")
                #expect(one != two, "the given form is part of the value")
            }
        }
        let radians = HKQuantity(unit: .radianAngle(), doubleValue: .pi / 2)
        #expect(HKVisionPrism(amount: Self.prism(1), angle: radians, eye: .left).verticalBase == .up)
        #expect(HKPrismBase.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    @Test("values of another dimension, infinite values and wrong bases are refused")
    func refused() {
        let sphere = Self.diopters(1)
        let wrong: [HKGlassesLensSpecification] = [
            HKGlassesLensSpecification(sphere: Self.degrees(1)),
            HKGlassesLensSpecification(sphere: Self.diopters(.nan)),
            HKGlassesLensSpecification(sphere: sphere, cylinder: Self.millimeters(1)),
            HKGlassesLensSpecification(sphere: sphere, axis: Self.diopters(1)),
            HKGlassesLensSpecification(sphere: sphere, addPower: Self.diopters(.infinity)),
            HKGlassesLensSpecification(sphere: sphere, vertexDistance: Self.diopters(12)),
            HKGlassesLensSpecification(sphere: sphere, farPupillaryDistance: Self.prism(12)),
            HKGlassesLensSpecification(
                sphere: sphere, prism: HKVisionPrism(amount: Self.prism(-1), angle: Self.degrees(1), eye: .left)),
            HKGlassesLensSpecification(
                sphere: sphere, prism: HKVisionPrism(amount: Self.diopters(1), angle: Self.degrees(1), eye: .left)),
            HKGlassesLensSpecification(
                sphere: sphere,
                prism: HKVisionPrism(
                    verticalAmount: Self.prism(1), verticalBase: .in, horizontalAmount: Self.prism(1),
                    horizontalBase: .in, eye: .left)),
        ]
        for lens in wrong { #expect(isRefused(glasses(lens)), "\(lens)") }
        let contacts = HKContactsPrescription(
            rightEyeSpecification: HKContactsLensSpecification(sphere: sphere, baseCurve: Self.degrees(8)),
            leftEyeSpecification: nil, brand: "A", dateIssued: Self.issued, expirationDate: nil, device: nil,
            metadata: nil)
        #expect(isRefused(contacts))
    }

    @Test("every class is the same after its fields, and wrong fields give faults")
    func fields() throws {
        let lens = HKContactsLensSpecification(
            sphere: Self.diopters(-2), cylinder: Self.diopters(0.5), axis: Self.degrees(20),
            baseCurve: Self.millimeters(8.6), diameter: Self.millimeters(14.2))
        let contacts = HKContactsPrescription(
            rightEyeSpecification: lens, leftEyeSpecification: lens, brand: "A", dateIssued: Self.issued,
            expirationDate: nil, device: nil, metadata: nil)
        let type = HKObjectType.visionPrescriptionType()
        func read(_ fields: HealthFields) throws(HealthFields.Fault) -> HKSample {
            try fields.sample(of: type, contacts.header, start: Self.issued, end: .distantFuture)
        }
        let again = try #require(try read(contacts.fields ?? HealthFields()) as? HKContactsPrescription)
        #expect(
            again.rightEye == lens && again.leftEye == lens && again.brand == "A" && again.fields == contacts.fields)
        #expect(again.rightEye?.description == lens.description && lens.hash == again.rightEye?.hash)
        #expect(throws: HealthFields.Fault(reason: "the class of the prescription is missing")) {
            _ = try read(HealthFields())
        }
        #expect(throws: HealthFields.Fault(reason: "field 1 has the wrong kind")) {
            _ = try read(HealthFields([.init(1, .text("1"))]))
        }
        #expect(throws: HealthFields.Fault(reason: "9 is an unknown class of prescriptions", isNewer: true)) {
            _ = try read(HealthFields([.init(1, .integer(9))]))
        }
    }
}
