// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("S-159 S-160 the example of the page about records")
struct RecordsExampleTests {
    @Test("the example saves glasses and a mood, and finds the glasses")
    func example() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"))
        defer { health.close() }
        let today = Date(timeIntervalSinceReferenceDate: 700_000_000)
        // example records begins
        let right = HKGlassesLensSpecification(
            sphere: HKQuantity(unit: .diopter(), doubleValue: -1.25),
            prism: HKVisionPrism(
                amount: HKQuantity(unit: .prismDiopter(), doubleValue: 2),
                angle: HKQuantity(unit: .degreeAngle(), doubleValue: 90), eye: .right))
        let glasses = HKGlassesPrescription(
            rightEyeSpecification: right, leftEyeSpecification: nil, dateIssued: today, expirationDate: nil,
            device: nil,
            metadata: [HKMetadataKeyGlassesPrescriptionDescription: "reading"])
        let mood = HKStateOfMind(date: today, kind: .dailyMood, valence: 0.5, labels: [.calm], associations: [.work])
        try await health.save([glasses, mood])

        let latest = HKSampleQueryDescriptor(
            predicates: [.visionPrescription()], sortDescriptors: [SortDescriptor(\.startDate, order: .reverse)],
            limit: 1)
        for prescription in try await latest.result(for: health) {
            print((prescription as? HKGlassesPrescription)?.rightEye?.sphere ?? "no glasses")
        }
        // example records ends
        let found = try await latest.result(for: health)
        #expect(found == [glasses] && (found.first as? HKGlassesPrescription)?.rightEye == right)
        let moods = try await HKSampleQueryDescriptor(predicates: [.stateOfMind()]).result(for: health)
        #expect(moods == [mood] && moods.first?.valenceClassification == .pleasant)
    }
}
