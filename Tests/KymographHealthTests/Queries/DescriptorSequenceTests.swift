// SPDX-License-Identifier: Apache-2.0

import CoreLocation
import Foundation
import HealthModel
import KymographHealth
import TestSupport
import Testing

@Suite("S-40 sequences of results can be stepped through with their iterators")
struct DescriptorSequenceTests {
    private let steps = HKQuantityType(.stepCount)
    private let start = Date(timeIntervalSinceReferenceDate: 700_000_000)

    private func walk(_ door: TestDoor) async throws -> HKQuantitySample {
        let sample = HKQuantitySample(
            type: steps, quantity: HKQuantity(unit: .count(), doubleValue: 7), start: start,
            end: start.addingTimeInterval(60))
        try await door.health.save(sample)
        return sample
    }

    @Test("sequences of a whole type: the first element is the present state")
    func types() async throws {
        let door = try TestDoor()
        let sample = try await walk(door)
        let condition = HKSamplePredicate.quantitySample(type: steps)

        let anchored = HKAnchoredObjectQueryDescriptor(predicates: [condition], anchor: nil)
        let changes: HKAnchoredObjectQueryDescriptor<HKQuantitySample>.Results = anchored.results(for: door.health)
        var change: HKAnchoredObjectQueryDescriptor<HKQuantitySample>.Results.Iterator = changes.makeAsyncIterator()
        let added: HKAnchoredObjectQueryDescriptor<HKQuantitySample>.Results.Element? = try await change.next()
        #expect(added?.addedSamples.map(\.uuid) == [sample.uuid])

        let hourly = HKStatisticsCollectionQueryDescriptor(
            predicate: condition, options: .cumulativeSum, anchorDate: start,
            intervalComponents: DateComponents(hour: 1))
        let sums: HKStatisticsCollectionQueryDescriptor.Results = hourly.results(for: door.health)
        var sum: HKStatisticsCollectionQueryDescriptor.Results.Iterator = sums.makeAsyncIterator()
        let result: HKStatisticsCollectionQueryDescriptor.Results.Element? = try await sum.next()
        let first: HKStatisticsCollectionQueryDescriptor.Result = try #require(result)
        #expect(first.statisticsCollection.statistics().first?.sumQuantity()?.doubleValue(for: .count()) == 7)
        #expect(first.updatedStatistics == nil)

        let days: HKActivitySummaryQueryDescriptor.Results = HKActivitySummaryQueryDescriptor().results(
            for: door.health)
        var day: HKActivitySummaryQueryDescriptor.Results.Iterator = days.makeAsyncIterator()
        let summaries: HKActivitySummaryQueryDescriptor.Results.Element? = try await day.next()
        #expect(summaries?.isEmpty == true)

        let effort = HKWorkoutEffortRelationshipQueryDescriptor(predicate: nil, anchor: nil, option: .default)
        let relations: HKWorkoutEffortRelationshipQueryDescriptor.Results = effort.results(for: door.health)
        var relation: HKWorkoutEffortRelationshipQueryDescriptor.Results.Iterator = relations.makeAsyncIterator()
        let related: HKWorkoutEffortRelationshipQueryDescriptor.Results.Element? = try await relation.next()
        #expect(related?.relationships.isEmpty == true)
    }

    @Test("sequences of one series end after the last element")
    func series() async throws {
        let door = try TestDoor()
        let sample = try await walk(door)
        let quantities = HKQuantitySeriesSampleQueryDescriptor(
            predicate: .quantitySample(type: steps), options: .includeSample)
        let values: HKQuantitySeriesSampleQueryDescriptor.Results = quantities.results(for: door.health)
        var value: HKQuantitySeriesSampleQueryDescriptor.Results.Iterator = values.makeAsyncIterator()
        let element: HKQuantitySeriesSampleQueryDescriptor.Results.Element? = try await value.next()
        let found: HKQuantitySeriesSampleQueryDescriptor.Result = try #require(element)
        #expect(found.quantity.doubleValue(for: .count()) == 7 && found.sample?.uuid == sample.uuid)
        #expect(try await value.next() == nil)

        let beats = HKHeartbeatSeriesBuilder(healthStore: door.health, device: nil, start: start)
        try await beats.addHeartbeat(at: 0.5, precededByGap: true)
        let heartbeats = HKHeartbeatSeriesQueryDescriptor(try await beats.finishSeries())
        #expect(heartbeats.heartbeatSeries.count == 1)
        let times: HKHeartbeatSeriesQueryDescriptor.Results = heartbeats.results(for: door.health)
        var time: HKHeartbeatSeriesQueryDescriptor.Results.Iterator = times.makeAsyncIterator()
        let beat: HKHeartbeatSeriesQueryDescriptor.Results.Element? = try await time.next()
        #expect(beat?.timeIntervalSinceStart == 0.5 && beat?.precededByGap == true)
        #expect(try await time.next() == nil)

        let electrodes = HealthElectrocardiogramBuilder(
            healthStore: door.health, device: nil, start: start,
            samplingFrequency: HKQuantity(unit: .hertz(), doubleValue: 512))
        try electrodes.append(voltages: [1], unit: .voltUnit(with: .milli))
        let recording = try await electrodes.finish(classification: .sinusRhythm)
        let electrocardiogram = HKElectrocardiogramQueryDescriptor(recording)
        #expect(electrocardiogram.electrocardiogram.uuid == recording.uuid)
        let voltages: HKElectrocardiogramQueryDescriptor.Results = electrocardiogram.results(for: door.health)
        var voltage: HKElectrocardiogramQueryDescriptor.Results.Iterator = voltages.makeAsyncIterator()
        let measured: HKElectrocardiogramQueryDescriptor.Results.Element? = try await voltage.next()
        let lead = measured?.quantity(for: .appleWatchSimilarToLeadI)
        #expect(lead?.doubleValue(for: .voltUnit(with: .milli)) == 1)
        #expect(try await voltage.next() == nil)
    }

    @Test("the sequence of a route gives its places")
    func route() async throws {
        let door = try TestDoor()
        let configuration = HKWorkoutConfiguration()
        configuration.activityType = .running
        let builder = HKWorkoutBuilder(healthStore: door.health, configuration: configuration, device: nil)
        try await builder.beginCollection(at: start)
        try await builder.endCollection(at: start.addingTimeInterval(60))
        let workout = try #require(try await builder.finishWorkout())
        let places = HKWorkoutRouteBuilder(healthStore: door.health, device: nil)
        try await places.insertRouteData([
            CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: 50, longitude: 8), altitude: 1, horizontalAccuracy: 1,
                verticalAccuracy: 1, timestamp: start)
        ])
        let descriptor = HKWorkoutRouteQueryDescriptor(try await places.finishRoute(with: workout, metadata: nil))
        #expect(descriptor.workoutRoute.count == 1)
        let locations: HKWorkoutRouteQueryDescriptor.Results = descriptor.results(for: door.health)
        var location: HKWorkoutRouteQueryDescriptor.Results.Iterator = locations.makeAsyncIterator()
        let place: HKWorkoutRouteQueryDescriptor.Results.Element? = try await location.next()
        #expect(place?.coordinate.latitude == 50)
        #expect(try await location.next() == nil)
    }
}
