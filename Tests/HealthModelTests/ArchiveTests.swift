// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HealthModel

@Suite("X-5 objects round-trip through NSKeyedArchiver")
struct ArchiveTests {
    private let start = Date(timeIntervalSinceReferenceDate: 712_345_678.123_456_7)
    private let metadata: [String: Any] = [
        "text": "a", "flag": true, "whole": 3, "real": 2.5, "date": Date(timeIntervalSinceReferenceDate: 0.1),
        "quantity": HKQuantity(unit: .meter(), doubleValue: 0.1), "data": Data([0, 255]),
    ]

    private func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
    }

    @Test("quantities and units keep number and unit, also unusual ones")
    func quantities() throws {
        for text in ["count/min", "mg/dL", "()", "mL/min·kg"] {
            #expect(try archived(HKUnit(from: text)) == HKUnit(from: text))
        }
        #expect(try archived(HKUnit.stored("furlong²")).unitString == "furlong²")
        for value in [0.1, -0.0, .infinity, .greatestFiniteMagnitude, .nan] {
            let one = try archived(HKQuantity(unit: .pound(), doubleValue: value))
            #expect(one.value.bitPattern == value.bitPattern && one.unit == .pound())
        }
        let quantity = HKQuantity(unit: .meter(), doubleValue: 1)
        #expect(quantity.isEqual(HKQuantity(unit: .meterUnit(with: .centi), doubleValue: 100)))
        #expect(quantity.hash == HKQuantity(unit: .meterUnit(with: .centi), doubleValue: 100).hash)
        #expect(!quantity.isEqual("1 m") && quantity.copy() as? HKQuantity === quantity)
        #expect(HKUnit.meter().copy() as? HKUnit == .meter() && HKUnit.meter().hash == HKUnit(from: "m").hash)
        #expect(!HKUnit.meter().isEqual(nil) && Set<NSObject>([HKUnit.meter(), HKUnit(from: "m")]).count == 1)
    }

    @Test("sources, revisions, devices, deleted objects and types keep all properties")
    func origins() throws {
        let source = HKSource(name: "Watch", bundleIdentifier: "com.example.watch")
        #expect(try archived(source) == source && archived(source).name == "Watch")
        let system = OperatingSystemVersion(majorVersion: 1, minorVersion: -1, patchVersion: .max)
        let revision = HKSourceRevision(
            source: source, version: nil, productType: "Watch7,1", operatingSystemVersion: system)
        #expect(try archived(revision) == revision)
        let device = HKDevice(
            name: "Anna's", manufacturer: nil, model: "", hardwareVersion: "1", firmwareVersion: "2",
            softwareVersion: "3", localIdentifier: "4", udiDeviceIdentifier: "5")
        #expect(try archived(device) == device)
        let deleted = HKDeletedObject(uuid: UUID(), metadata: HealthMetadataValues(["v": 2]))
        #expect(try archived(deleted) == deleted && archived(deleted).metadata?["v"] as? Int == 2)
        #expect(deleted.copy() as? HKDeletedObject === deleted)
        let type = HKQuantityType(.stepCount)
        #expect(try archived(type) == type && type.copy() as? HKQuantityType === type)
    }

    @Test("prescriptions, audiograms, states of mind, questionnaires and records keep their content")
    func records() throws {
        let (prism, lens) = (VisionTests.prism(2), VisionTests.diopters(-1.25))
        let left = HKGlassesLensSpecification(
            sphere: lens, cylinder: nil, axis: VisionTests.degrees(90), addPower: nil,
            vertexDistance: VisionTests.millimeters(12),
            prism: HKVisionPrism(amount: prism, angle: VisionTests.degrees(30), eye: .left),
            farPupillaryDistance: nil, nearPupillaryDistance: nil)
        let glasses = HKGlassesPrescription(
            rightEyeSpecification: nil, leftEyeSpecification: left, dateIssued: start, expirationDate: nil, device: nil,
            metadata: metadata)
        let copy = try archived(glasses)
        #expect(copy == glasses && copy.fields == glasses.fields && copy.expirationDate == nil)
        #expect(copy.leftEye?.prism?.amount == prism && copy.rightEye == nil && copy.metadata?.count == 7)
        let contacts = HKContactsPrescription(
            rightEyeSpecification: HKContactsLensSpecification(
                sphere: lens, cylinder: nil, axis: nil, addPower: nil, baseCurve: nil, diameter: nil),
            leftEyeSpecification: nil, brand: "A", dateIssued: start, expirationDate: start, device: nil, metadata: nil)
        #expect(try archived(contacts).fields == contacts.fields && archived(contacts).brand == "A")
        let bare = HKVisionPrescription(
            type: .contacts, dateIssued: start, expirationDate: nil, device: nil, metadata: nil)
        #expect(try archived(bare).prescriptionType == .contacts)
        let audiogram = HKAudiogramSample(
            sensitivityPoints: [
                try HKAudiogramSensitivityPoint(
                    frequency: HKQuantity(unit: .hertz(), doubleValue: 1_000),
                    leftEarSensitivity: HKQuantity(unit: .decibelHearingLevel(), doubleValue: 10.5),
                    rightEarSensitivity: nil)
            ], start: start, end: start, metadata: nil)
        #expect(try archived(audiogram).fields == audiogram.fields)
        let mood = HKStateOfMind(
            date: start, kind: .dailyMood, valence: -0.1, labels: [.calm], associations: [.weather])
        #expect(try archived(mood).fields == mood.fields && archived(mood).labels == [.calm])
        let anxiety = HKGAD7Assessment(date: start, answers: Array(repeating: .severalDays, count: 7))
        let assessment: HKScoredAssessment = try archived(anxiety)
        #expect(assessment.score == 7)
        #expect(try archived(anxiety).answers == anxiety.answers)
        let depression = HKPHQ9Assessment(date: start, answers: Array(repeating: .notAtAll, count: 9))
        #expect(try archived(depression).answers == depression.answers)
        let record = HKClinicalRecord(
            header: mood.header, type: HKClinicalType(.labResultRecord), date: start,
            content: .init(
                displayName: "a", resourceType: "Observation", identifier: "1", fhirVersion: "4.0.1",
                data: Data("{}".utf8)))
        #expect(try archived(record).content == record.content)
    }

    @Test("samples keep identity, origin, metadata, type, times and value")
    func samples() throws {
        let sample = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .pound(), doubleValue: 154.3), start: start,
            end: .distantFuture, device: .local(), metadata: metadata)
        let copy = try archived(sample)
        #expect(copy == sample && copy.quantity.value == 154.3 && copy.quantity.unit == .pound())
        #expect(copy.startDate == start && copy.endDate == .distantFuture && copy.sampleType == sample.sampleType)
        #expect(copy.device == sample.device && copy.sourceRevision == sample.sourceRevision && copy.count == 1)
        #expect(copy.header.metadata == sample.header.metadata && copy.metadata?.count == 7)
        let category = HKCategorySample(type: HKCategoryType(.sleepAnalysis), value: 3, start: start, end: start)
        #expect(try archived(category).value == 3 && archived(category).metadata == nil)
        let series = HKHeartbeatSeriesSample(header: sample.header, start: start, end: start, count: 7)
        #expect(try archived(series).count == 7 && archived(series).sampleType == HKSeriesType.heartbeat())
        let route = HKWorkoutRoute(header: sample.header, start: start, end: start, count: 9)
        #expect(try archived(route).count == 9)
        let member = HKQuantitySample(
            type: HKQuantityType(.dietaryProtein), quantity: HKQuantity(unit: .gram(), doubleValue: 3), start: start,
            end: start)
        let meal = HKCorrelation(
            type: HKCorrelationType(.food), start: start, end: start, objects: [member, category])
        #expect(try archived(meal).objects == meal.objects)
        #expect(try archived(meal).objects(for: member.sampleType).first == member)
    }

    @Test("discrete series keep their range, electrocardiograms their facts")
    func ranges() throws {
        func beats(_ value: Double) -> HKQuantity { HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: value) }
        let header = ObjectHeader(device: nil, metadata: nil)
        let series = HKDiscreteQuantitySample(
            header: header, type: HKQuantityType(.heartRate), quantity: beats(70), count: 3, start: start, end: start,
            range: QuantityRange(
                minimum: beats(60), maximum: beats(80), mostRecent: beats(75),
                mostRecentInterval: DateInterval(start: start, duration: 5)))
        let copy = try archived(series)
        #expect(copy.minimumQuantity == beats(60) && copy.maximumQuantity == beats(80) && copy.count == 3)
        #expect(copy.mostRecentQuantity == beats(75) && copy.mostRecentQuantityDateInterval.duration == 5)
        let facts = HKElectrocardiogram.Facts(
            voltages: 15_360, samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512),
            classification: .atrialFibrillation, averageHeartRate: nil, symptoms: .present)
        let one = try archived(HKElectrocardiogram(header: header, start: start, end: start, facts: facts))
        #expect(one.numberOfVoltageMeasurements == 15_360 && one.classification == .atrialFibrillation)
        #expect(one.samplingFrequency == facts.samplingFrequency && one.symptomsStatus == .present)
        #expect(one.averageHeartRate == nil && one.uuid == header.uuid)
    }

    @Test("workouts keep events, activities, statistics and totals")
    func workouts() throws {
        let end = start.addingTimeInterval(3_600)
        var statistic = WorkoutStatistic(unit: HKUnit(from: "count/min"))
        statistic.average = 140
        statistic.recent = .init(value: 150, start: start, end: end)
        let beats = HKQuantityTypeIdentifier.heartRate.rawValue
        let activity = WorkoutActivity(
            uuid: UUID(), configuration: WorkoutConfiguration(.running, .outdoor), start: start, end: end,
            metadata: HealthMetadataValues(["lap": 1]), statistics: [beats: statistic])
        let zones = try HKWorkoutZoneConfiguration(HKQuantityType(.heartRate), [100, 120], .user)
        let content = WorkoutContent(
            activity: .running, duration: 3_000,
            events: [HKWorkoutEvent(.pause, start: start, end: start, values: HealthMetadataValues(["n": 1]))],
            activities: [activity], statistics: [beats: statistic],
            totals: WorkoutTotals(energy: HKQuantity(unit: .kilocalorie(), doubleValue: 500)),
            zones: [beats: WorkoutZoneTimes(zones, nanoseconds: [1, 2, 3])])
        let workout = HKWorkout(
            header: ObjectHeader(device: nil, metadata: metadata), start: start, end: end, content: content)
        let copy = try archived(workout)
        #expect(copy.content == content && copy == workout && copy.duration == 3_000)
        #expect(copy.statistics(for: HKQuantityType(.heartRate))?.averageQuantity()?.value == 140)
    }

    @Test("statistics keep the values of their interval, and summaries day, amounts and goals")
    func statistics() throws {
        var columns = StatisticsColumns()
        columns.isThere = [false, true]
        columns.sum = [.nan, 5]
        columns.mostRecent = [.nan, 4]
        columns.mostRecentStarts = [start, start]
        columns.mostRecentEnds = [start, start.addingTimeInterval(2)]
        let source = HKSource(name: "a", bundleIdentifier: "b")
        let table = StatisticsTable(
            quantityType: HKQuantityType(.stepCount), options: [.cumulativeSum, .mostRecent, .separateBySource],
            unit: .count(), all: columns, bySource: [(source, columns)])
        let copy = try archived(HKStatistics(table, row: 1, start: start, end: start.addingTimeInterval(60)))
        #expect(copy.sumQuantity()?.value == 5 && copy.sumQuantity(for: source)?.value == 5)
        #expect(copy.mostRecentQuantityDateInterval()?.duration == 2 && copy.averageQuantity() == nil)
        #expect(copy.sources == [source] && copy.startDate == start && copy.quantityType == table.quantityType)
        #expect(try archived(HKStatistics(table, row: 0, start: start, end: start)).sumQuantity() == nil)
        let summary = HKActivitySummary(19_000, ActivityValues())
        summary.activeEnergyBurned = HKQuantity(unit: .kilocalorie(), doubleValue: 430)
        summary.standHoursGoal = HKQuantity(unit: .count(), doubleValue: 12)
        summary.isPaused = true
        let day = try archived(summary)
        #expect(day.day == 19_000 && day.values == summary.values)
    }

    @Test("characteristic objects can be archived, and subclasses override their value")
    func characteristics() throws {
        final class Female: HKBiologicalSexObject, @unchecked Sendable {
            override var biologicalSex: HKBiologicalSex { .female }
        }
        #expect(Female().biologicalSex == .female && Female().isEqual(HKBiologicalSexObject(.female)))
        #expect(try archived(HKBloodTypeObject(.abNegative)).bloodType == .abNegative)
        #expect(try archived(HKFitzpatrickSkinTypeObject(.IV)).skinType == .IV)
        #expect(try archived(HKWheelchairUseObject(.no)).wheelchairUse == .no)
        #expect(try archived(HKActivityMoveModeObject(.appleMoveTime)).activityMoveMode == .appleMoveTime)
        #expect(
            HKBloodTypeObject().bloodType == .notSet && HKActivityMoveModeObject().activityMoveMode == .activeEnergy)
    }

    @Test("a damaged archive is an error or no object, and ends no process")
    func damaged() throws {
        let sample = HKQuantitySample(
            type: HKQuantityType(.bodyMass), quantity: HKQuantity(unit: .pound(), doubleValue: 154.3), start: start,
            end: start, metadata: metadata)
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        coder.encode(NSData(data: Data([1, 2, 3])), forKey: "object")
        coder.finishEncoding()
        let decoder = try NSKeyedUnarchiver(forReadingFrom: coder.encodedData)
        let objects: [NSObject?] = [
            HKObject(coder: decoder), HKSample(coder: decoder), HKCategorySample(coder: decoder),
            HKQuantitySample(coder: decoder), HKDiscreteQuantitySample(coder: decoder), HKSeriesSample(coder: decoder),
            HKCorrelation(coder: decoder), HKElectrocardiogram(coder: decoder), HKWorkout(coder: decoder),
            HKDeletedObject(coder: decoder), HKUnit(coder: decoder), HKQuantity(coder: decoder),
            HKSource(coder: decoder), HKSourceRevision(coder: decoder), HKDevice(coder: decoder),
            HKStatistics(coder: decoder), HKActivitySummary(coder: decoder), HKBiologicalSexObject(coder: decoder),
            HKBloodTypeObject(coder: decoder), HKFitzpatrickSkinTypeObject(coder: decoder),
            HKWheelchairUseObject(coder: decoder), HKActivityMoveModeObject(coder: decoder),
        ]
        #expect(objects.allSatisfy { $0 == nil })
        let data = try NSKeyedArchiver.archivedData(withRootObject: sample, requiringSecureCoding: true)
        let cut = data.prefix(data.count / 2)
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantitySample.self, from: cut)
        }
    }
}
