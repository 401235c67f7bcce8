// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import KymographHealth
import TestSupport
import Testing

@Suite("S-40 queries and descriptors keep what they were created with")
struct DescriptorPropertyTests {
    private let predicate = HKQuery.predicateForObjects(withMetadataKey: "key")
    private let steps = HKQuantityType(.stepCount)
    private let start = Date(timeIntervalSinceReferenceDate: 700_000_000)

    @Test("descriptors of samples, anchors and sources")
    func samples() {
        let type = HKQueryDescriptor(sampleType: steps, predicate: predicate)
        #expect(type.sampleType == steps && type.predicate == predicate)
        let condition = HKSamplePredicate.quantitySample(type: steps, predicate: predicate)
        let samples = HKSampleQueryDescriptor(
            predicates: [condition], sortDescriptors: [SortDescriptor(\.startDate)], limit: 3)
        #expect(samples.predicates == [condition] && samples.limit == 3 && samples.sortDescriptors.count == 1)
        let anchored = HKAnchoredObjectQueryDescriptor(predicates: [condition], anchor: nil, limit: 4)
        #expect(anchored.predicates == [condition] && anchored.limit == 4 && anchored.anchor == nil)
        #expect(HKSourceQueryDescriptor(predicate: condition).predicate == condition)
        let series = HKQuantitySeriesSampleQueryDescriptor(predicate: condition, options: .includeSample)
        #expect(series.predicate == condition && series.options.rawValue == 1 << 0)
    }

    @Test("descriptors of statistics, summaries, records and effort")
    func others() {
        let condition = HKSamplePredicate.quantitySample(type: steps, predicate: predicate)
        let statistics = HKStatisticsQueryDescriptor(predicate: condition, options: .cumulativeSum)
        #expect(statistics.predicate == condition && statistics.options == .cumulativeSum)
        let collection = HKStatisticsCollectionQueryDescriptor(
            predicate: condition, options: .cumulativeSum, anchorDate: start,
            intervalComponents: DateComponents(hour: 2))
        #expect(collection.predicate == condition && collection.options == .cumulativeSum)
        #expect(collection.anchorDate == start && collection.intervalComponents == DateComponents(hour: 2))
        let handlerQuery = HKStatisticsCollectionQuery(
            quantityType: steps, quantitySamplePredicate: predicate, options: .cumulativeSum, anchorDate: start,
            intervalComponents: DateComponents(day: 1))
        #expect(handlerQuery.options == .cumulativeSum)
        #expect(HKActivitySummaryQueryDescriptor(predicate: predicate).predicate == predicate)
        let records = HKVerifiableClinicalRecordQueryDescriptor(
            recordTypes: [.covid19], sourceTypes: [.smartHealthCard])
        #expect(records.recordTypes == [.covid19] && records.sourceTypes == [.smartHealthCard])
        #expect(HKUserAnnotatedMedicationQueryDescriptor(predicate: nil, limit: 2).limit == 2)
        let effort = HKWorkoutEffortRelationshipQueryDescriptor(
            predicate: predicate, anchor: nil, option: .mostRelevant)
        #expect(effort.anchor == nil && effort.option == .mostRelevant)
    }

    @Test("queries with handlers")
    func handlers() throws {
        let pressure = HKCorrelationType(.bloodPressure)
        let correlation = HKCorrelationQuery(type: pressure, predicate: nil, samplePredicates: [steps: predicate]) {
            _, _, _ in
        }
        #expect(correlation.correlationType == pressure && correlation.samplePredicates == [steps: predicate])
        let door = try TestDoor()
        let builder = HKQuantitySeriesSampleBuilder(
            healthStore: door.health, quantityType: steps, startDate: start, device: .local())
        #expect(builder.quantityType == steps && builder.startDate == start && builder.device == .local())
        let completion: HKObserverQueryCompletionHandler = {}
        completion()
        #expect(HKSampleSortIdentifierEndDate == "endDate" && HKSampleSortIdentifierStartDate == "startDate")
    }

    @Test("types of the objects that have a class of their own")
    func types() {
        let activity: HKActivitySummaryType = HKObjectType.activitySummaryType()
        let medication: HKUserAnnotatedMedicationType = HKObjectType.userAnnotatedMedicationType()
        let audiogram: HKAudiogramSampleType = HKObjectType.audiogramSampleType()
        let electrocardiogram: HKElectrocardiogramType = HKObjectType.electrocardiogramType()
        let mind: HKStateOfMindType = HKObjectType.stateOfMindType()
        let dose: HKMedicationDoseEventType = HKObjectType.medicationDoseEventType()
        let all: Set<HKObjectType> = [activity, medication, audiogram, electrocardiogram, mind, dose]
        #expect(Set(all.map(\.identifier)).count == 6)
        let origins: [HKWorkoutZoneConfiguration.Source] = [.system, .user, .app]
        #expect(HKWorkoutZoneConfiguration.Source.allCases == origins)
        #expect(HKFHIRResourceType.observation.rawValue == "Observation")
        #expect(HKWorkoutSessionType.primary != HKWorkoutSessionType.mirrored)
        #expect(HKAuthorizationRequestStatus.unknown.rawValue == 0)
    }

    @Test("each code of an error is a constant of HKError")
    func errors() {
        let codes: [HKError.Code] = [
            HKError.unknownError, HKError.errorHealthDataUnavailable, HKError.errorHealthDataRestricted,
            HKError.errorInvalidArgument, HKError.errorAuthorizationDenied, HKError.errorAuthorizationNotDetermined,
            HKError.errorDatabaseInaccessible, HKError.errorUserCanceled, HKError.errorAnotherWorkoutSessionStarted,
            HKError.errorUserExitedWorkoutSession, HKError.errorRequiredAuthorizationDenied, HKError.errorNoData,
            HKError.errorWorkoutActivityNotAllowed, HKError.errorDataSizeExceeded,
            HKError.errorBackgroundWorkoutSessionNotAllowed, HKError.errorNotPermissibleForGuestUserMode,
        ]
        #expect(codes.map(\.rawValue) == Array(0...15))
        #expect(HKDevicePropertyKeyHardwareVersion == "hardwareVersion")
        #expect(HKDevicePropertyKeyFirmwareVersion == "firmwareVersion")
        #expect(HKDevicePropertyKeySoftwareVersion == "softwareVersion")
        #expect(HKDevicePropertyKeyLocalIdentifier == "localIdentifier")
    }
}
