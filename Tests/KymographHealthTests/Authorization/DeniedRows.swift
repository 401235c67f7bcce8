// SPDX-License-Identifier: Apache-2.0

import Foundation
import UniformTypeIdentifiers

@testable import HealthModel
@testable import KymographHealth

/// The older call that adds samples to a saved workout, without the warning that it is deprecated.
private protocol AddingSamples: Sendable {
    func addSamples(_ samples: [HKSample], to workout: HKWorkout) async throws
}

extension HKHealthStore: AddingSamples {}

/// An operation of a client: a row of the table on the page about privacy.
struct DeniedRow: Sendable {
    let name: String
    /// What the client sees in each state, in the order of the states; `-` where a state does not apply.
    let cells: [String]
    /// Returns what the client sees.
    let run: @Sendable (DeniedScene) async throws -> String

    init(
        _ name: String, _ cells: [String], chosen: String = "-",
        _ run: @escaping @Sendable (DeniedScene) async throws -> String
    ) {
        self.name = name
        self.cells = cells + [chosen]
        self.run = run
    }

    /// Own objects, and those of other programs that the person allowed.
    private static let readable = ["not asked", "own", "recent", "all", "all"]
    /// The same with a reference to an object. A program has a reference from an earlier result.
    private static let known = ["own", "own", "recent", "all", "all"]
    private static let values = ["not asked", "none", "recent", "all", "all"]
    private static let person = ["not asked", "none", "all", "all", "all"]
    private static let own = Array(repeating: "own", count: 5)
    private static let change = ["not asked", "refused", "done", "done", "guest"]

    /// The operations that change nothing.
    static let reading = samples + series + workouts + numbers + chosen
    static let changing = changes + writes

    private static let samples = [
        DeniedRow("samples", readable) { DeniedScene.cell(try await $0.samples(DeniedScene.step)) },
        DeniedRow("category samples", readable) { DeniedScene.cell(try await $0.samples(DeniedScene.sleep)) },
        DeniedRow("correlations", readable) { DeniedScene.cell(try await $0.samples(DeniedScene.pressure)) },
        DeniedRow("samples outside of correlations", ["not asked", "none", "none", "none", "none"]) {
            DeniedScene.cell(
                try await $0.samples(
                    HKQuantityType(.bloodPressureSystolic), HKQuery.predicateForObjectsWithNoCorrelation()))
        },
        DeniedRow("electrocardiograms", readable) {
            DeniedScene.cell(try await $0.samples(HKObjectType.electrocardiogramType()))
        },
        DeniedRow("heartbeat series", readable) { DeniedScene.cell(try await $0.samples(HKSeriesType.heartbeat())) },
    ]

    private static let series = [
        DeniedRow("voltages of a known electrocardiogram", known) { scene in
            try await scene.each { try await scene.voltages($0) }
        },
        DeniedRow("beats of a known series", known) { scene in try await scene.each { try await scene.heartbeats($0) }
        },
        DeniedRow("quantities of series", readable) { try await $0.quantities() },
    ]

    private static let workouts = [
        DeniedRow("workouts", readable) { DeniedScene.cell(try await $0.workouts()) },
        DeniedRow("statistics of workouts", values) { scene in
            DeniedScene.cell(try await scene.workouts().filter { $0.statistics(for: DeniedScene.rate) != nil })
        },
        DeniedRow("totals of workouts", readable) { scene in
            DeniedScene.cell(try await scene.workouts().filter { $0.content.totals.energy != nil })
        },
        DeniedRow("workouts by a condition on statistics", values) { scene in
            let quantity = HKQuantity(unit: .count().unitDivided(by: .minute()), doubleValue: 100)
            return DeniedScene.cell(
                try await scene.workouts(
                    HKQuery.predicateForWorkouts(
                        operatorType: .greaterThan, quantityType: DeniedScene.rate, averageQuantity: quantity)))
        },
        DeniedRow("samples of a known workout", readable) { scene in
            try await scene.each {
                try await !scene.samples(DeniedScene.rate, HKQuery.predicateForObjects(from: $0.workout)).isEmpty
            }
        },
        DeniedRow("routes", readable) { DeniedScene.cell(try await $0.samples(DeniedScene.route)) },
        DeniedRow("locations of a known route", known) { scene in try await scene.each { try await scene.places($0) } },
        DeniedRow("effort relationships", readable) { scene in
            let query = HKWorkoutEffortRelationshipQueryDescriptor(predicate: nil, anchor: nil, option: .default)
            let found = try await query.result(for: scene.client).relationships
            return DeniedScene.cell(found.filter { $0.samples != nil }.map(\.workout))
        },
        DeniedRow("effort samples of a known workout", readable) { scene in
            try await scene.each {
                let related = HKQuery.predicateForWorkoutEffortSamplesRelated(workout: $0.workout, activity: nil)
                return try await !scene.samples(DeniedScene.effort, related).isEmpty
            }
        },
    ]

    private static let numbers = [
        DeniedRow("statistics", readable) { scene in
            let query = HKStatisticsQueryDescriptor(
                predicate: .quantitySample(type: DeniedScene.step), options: .cumulativeSum)
            let sum = try await query.result(for: scene.client)?.sumQuantity()
            return DeniedScene.cell(ofSum: sum?.doubleValue(for: .count()))
        },
        DeniedRow("collections of statistics", readable) { scene in
            let query = HKStatisticsCollectionQueryDescriptor(
                predicate: .quantitySample(type: DeniedScene.step), options: .cumulativeSum, anchorDate: clock,
                intervalComponents: DateComponents(hour: 1))
            let sums = try await query.result(for: scene.client).statistics().compactMap { $0.sumQuantity() }
            return DeniedScene.cell(ofSum: sums.reduce(0) { $0 + $1.doubleValue(for: .count()) })
        },
        DeniedRow("sources", readable) { scene in
            let query = HKSourceQueryDescriptor(predicate: .quantitySample(type: DeniedScene.step))
            return DeniedScene.cell(Set(try await query.result(for: scene.client).map { DeniedScene.name($0) }))
        },
        DeniedRow("activity summaries", person) { scene in
            try await HKActivitySummaryQueryDescriptor(predicate: nil).result(for: scene.client).isEmpty
                ? "none" : "all"
        },
        DeniedRow("characteristics", person) { scene in
            try scene.client.biologicalSex().biologicalSex == .notSet ? "none" : "all"
        },
        DeniedRow("preferred units", ["not asked", "usual", "set", "set", "set"]) { scene in
            let found = try await scene.client.preferredUnits(for: [DeniedScene.rate])[DeniedScene.rate]
            return found == .count().unitDivided(by: .hour()) ? "set" : "usual"
        },
    ]

    private static let changes = [
        DeniedRow("additions of an anchored query", readable) { scene in
            DeniedScene.cell(try await scene.changes(since: nil).addedSamples)
        },
        DeniedRow("deletions of an anchored query", readable) { try await $0.deletions() },
        DeniedRow("changes that call an observer query", readable) { try await $0.observer() },
        DeniedRow("enable background delivery", Array(repeating: "done", count: 5)) { scene in
            try await scene.done {
                try await scene.client.enableBackgroundDelivery(for: DeniedScene.step, frequency: .immediate)
            }
        },
    ]

    private static let chosen = [
        DeniedRow("prescriptions", own, chosen: "own, chosen") {
            DeniedScene.cell(try await $0.samples(DeniedScene.prescription))
        },
        DeniedRow("attachments of a known prescription", own, chosen: "own, chosen") { scene in
            let store = HKAttachmentStore(healthStore: scene.client)
            return try await scene.each { try await !store.attachments(for: $0.prescription).isEmpty }
        },
        DeniedRow("bytes of a known attachment", own, chosen: "own, chosen") { scene in
            let store = HKAttachmentStore(healthStore: scene.client)
            return try await scene.each { try await store.dataReader(for: $0.attachment).data.count == 10 }
        },
        DeniedRow("medications", Array(repeating: "none", count: 5), chosen: "chosen") { scene in
            let found = try await HKUserAnnotatedMedicationQueryDescriptor().result(for: scene.client)
            return DeniedScene.cell(Set(found.map(\.medication.displayText)))
        },
        DeniedRow("doses of medications", Array(repeating: "none", count: 5), chosen: "chosen") { scene in
            let query = HKSampleQueryDescriptor(predicates: [.medicationDoseEvent()])
            return DeniedScene.cell(Set(try await query.result(for: scene.client).map(\.content.name)))
        },
    ]

    /// Changes. The other program is the one whose objects end before the date.
    private static let writes = [
        DeniedRow("save", change) { scene in try await scene.done { try await scene.client.save(steps(2, at: 50)) } },
        DeniedRow("delete an own object", change) { scene in
            try await scene.done { for one in scene.of("own") { try await scene.client.delete(one.steps) } }
        },
        DeniedRow("delete by a predicate", ["not asked", "refused", "own", "own", "guest"]) { scene in
            let all = HKQuery.predicateForSamples(withStart: nil, end: nil)
            let count = try await scene.client.deleteObjects(of: DeniedScene.step, predicate: all)
            return count == 1 ? "own" : "\(count)"
        },
        DeniedRow("delete another program's object", Array(repeating: "refused", count: 5)) { scene in
            try await scene.done { for one in scene.of("early") { try await scene.client.delete(one.steps) } }
        },
        DeniedRow("relate effort to its workout", ["not asked", "refused", "not found", "done", "guest"]) { scene in
            let score = HKQuantitySample(
                type: DeniedScene.effort, quantity: HKQuantity(unit: .appleEffortScore(), doubleValue: 3),
                start: at(90), end: at(91))
            return try await scene.done {
                for one in scene.of("early") {
                    try await scene.client.relateWorkoutEffortSample(score, with: one.workout, activity: nil)
                }
            }
        },
        DeniedRow("add samples to its workout", ["not asked", "refused", "not found", "refused", "guest"]) { scene in
            let client: any AddingSamples = scene.client
            return try await scene.done {
                for one in scene.of("early") { try await client.addSamples([beats(70, at: 20)], to: one.workout) }
            }
        },
        DeniedRow("finish a route of its workout", ["not found", "not found", "not found", "done", "guest"]) { scene in
            try await scene.done {
                let builder = HKWorkoutRouteBuilder(healthStore: scene.client, device: nil)
                try await builder.insertRouteData(walk(2))
                for one in scene.of("early") { _ = try await builder.finishRoute(with: one.workout, metadata: nil) }
            }
        },
        DeniedRow(
            "attach a file to its prescription", ["not asked", "refused", "not found", "not found", "guest"],
            chosen: "refused"
        ) { scene in
            let store = HKAttachmentStore(healthStore: scene.client)
            let url = try scene.door.directory.write(noise(10), "new.png")
            return try await scene.done {
                for one in scene.of("early") {
                    _ = try await store.addAttachment(to: one.prescription, name: "n", contentType: .png, url: url)
                }
            }
        },
        DeniedRow(
            "remove an attachment of it", ["not asked", "refused", "not found", "not found", "guest"],
            chosen: "refused"
        ) { scene in
            let store = HKAttachmentStore(healthStore: scene.client)
            return try await scene.done {
                for one in scene.of("early") {
                    try await store.removeAttachment(one.attachment, from: one.prescription)
                }
            }
        },
    ]
}

extension DeniedScene {
    /// Returns the objects of a program, in a list.
    func of(_ name: String) -> [Objects] { [objects[name]].compactMap(\.self) }
}
