// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import HealthModel
import TestSupport
import Testing

@testable import KymographHealth

@Suite("T-1 workouts of an export are objects")
struct WorkoutImportTests {
    private static let shipped = [
        "Docs/Samples/sample-export.zip", "Docs/Samples/dogsheep_zip_2019",
        "Docs/Samples/dogsheep_inline_locations_2019.xml", "Docs/Samples/v03_tdda_iphone6s_2016.xml",
    ]
    private static let unshipped = [
        "v14_grll_2025_handmade.xml", "nicolas_workout_running_long_distance.xml",
        "nicolas_workout_running_multiple_parts.xml",
    ]

    @Test("every workout equals the one that an independent script reads", arguments: shipped)
    func samples(path: String) async throws {
        let file = repositoryFile(path)
        let bench = try ImportBench()
        let outcome = try bench.importFile(file)
        let truth = try PlainWorkout.oracle(file)
        #expect(!truth.isEmpty && outcome.complete && outcome.skipped == 0)
        PlainWorkout.compare(try await bench.plainWorkouts(), truth, path)
        #expect(try bench.store.verify().isSound)
    }

    @Test("every workout of local exports equals the one that an independent script reads", arguments: unshipped)
    func localFiles(name: String) async throws {
        guard let file = LocalData.path(name) else { return }
        let bench = try ImportBench()
        try bench.importFile(file)
        PlainWorkout.compare(try await bench.plainWorkouts(), try PlainWorkout.oracle(file), name)
        #expect(try bench.store.verify().isSound)
    }

    @Test("a second import adds no workout, no route and no file")
    func twice() async throws {
        let bench = try ImportBench()
        let file = repositoryFile("Docs/Samples/sample-export.zip")
        let first = try bench.importFile(file)
        let (workouts, routes) = (try await bench.workouts(), try await bench.routes())
        #expect(workouts.count == 8 && routes.count == 4)
        let second = try bench.importFile(file)
        #expect(!second.committed && second.objectsUnchanged == first.objectsAdded)
        #expect(second.documentsUnchanged == first.documentsAdded)
        #expect(try await bench.workouts().map(\.uuid) == workouts.map(\.uuid))
        #expect(try await bench.routes().map(\.uuid) == routes.map(\.uuid))
        // Another store gives the workouts the same identities.
        let other = try ImportBench()
        try other.importFile(file)
        #expect(try await other.workouts().map(\.uuid) == workouts.map(\.uuid))
    }

    @Test("samples that leave the memory while documents are read are stored unchanged")
    func setAside() throws {
        let (whole, split) = (try ImportBench(), try ImportBench())
        let file = repositoryFile("Docs/Samples/sample-export.zip")
        let outcome = try whole.importFile(file)
        #expect(outcome.added > 0 && outcome.documentsAdded > 0)
        // Half of the capacity is used when the documents begin.
        try split.importFile(file, capacity: 2 * outcome.records)
        #expect(try split.records() == whole.records())
        #expect(try split.store.verify().isSound)
    }

    private static let run = #"""
         <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" \#
        totalDistance="5" totalDistanceUnit="km" totalEnergyBurned="300" totalEnergyBurnedUnit="kcal" \#
        sourceName="Watch" creationDate="2024-01-01 11:00:00 +0100" startDate="2024-01-01 10:00:00 +0100" \#
        endDate="2024-01-01 10:30:00 +0100">
          <WorkoutRoute sourceName="Watch" startDate="2024-01-01 10:00:00 +0100" endDate="2024-01-01 10:30:00 +0100">
           <FileReference path="/workout-routes/route_2024-01-01_10.30am.gpx"/>
          </WorkoutRoute>
         </Workout>
        """#

    private static func gpx(_ exported: String) -> String {
        #"""
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1"><metadata><time>\#(exported)</time></metadata><trk><trkseg>
        <trkpt lon="8.5" lat="47.4"><ele>400.5</ele><time>2024-01-01T09:00:01Z</time>
        <extensions><speed>2.5</speed><course>90</course><hAcc>3</hAcc><vAcc>2</vAcc></extensions></trkpt>
        <trkpt lon="8.6" lat="47.5"><time>2024-01-01T09:00:01.25Z</time></trkpt>
        </trkseg></trk></gpx>
        """#
    }

    /// Writes a folder with one workout and its route, as exported at some time in some zone.
    private func folder(
        _ bench: ImportBench, _ name: String, _ text: String, route: String, exported: String
    ) throws -> String {
        let folder = bench.directory.file(name)
        let routes = folder + "/workout-routes"
        try FileManager.default.createDirectory(atPath: routes, withIntermediateDirectories: true)
        try exportText(text).write(toFile: folder + "/export.xml", atomically: true, encoding: .utf8)
        try Self.gpx(exported).write(toFile: "\(routes)/\(route).gpx", atomically: true, encoding: .utf8)
        return folder
    }

    @Test("a later export of the same person, from another time zone and in another form, adds no workout")
    func later() async throws {
        let bench = try ImportBench()
        try bench.importFile(
            folder(bench, "one", Self.run, route: "route_2024-01-01_10.30am", exported: "2024-01-02T00:00:00Z"))
        let statistics =
            #"<WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="120" unit="count/min"/>"#
        let zoned = Self.run.replacing("10:00:00 +0100", with: "04:00:00 -0500")
            .replacing("10:30:00 +0100", with: "04:30:00 -0500").replacing("11:00:00 +0100", with: "05:00:00 -0500")
            .replacing("_10.30am", with: "_4.30am").replacing("</WorkoutRoute>", with: "</WorkoutRoute>\(statistics)")
        let second = try bench.importFile(
            folder(bench, "two", zoned, route: "route_2024-01-01_4.30am", exported: "2024-06-02T00:00:00Z"))
        #expect(!second.committed && second.objectsUnchanged == 1 && second.documentsUnchanged == 1)
        #expect(try await bench.workouts().count == 1)
        let routes = try await bench.routes()
        #expect(routes.count == 1)
        let found = try bench.store.locations(of: try #require(routes.first))
        let first: Double = 1_704_099_601_000_000_000
        #expect(
            found.points == [
                [first, 47.4, 8.5, 400.5, 3, 2, 90, 2.5], [first + 250_000_000, 47.5, 8.6, 0, -1, -1, -1, -1],
            ])
    }

    @Test("an XML alone, and then the whole folder, give the route")
    func xmlFirst() async throws {
        let bench = try ImportBench()
        try bench.importText(exportText(Self.run))
        #expect(try await bench.routes().isEmpty)
        let path = try folder(
            bench, "whole", Self.run, route: "route_2024-01-01_10.30am", exported: "2024-01-02T00:00:00Z")
        let outcome = try bench.importFile(path)
        #expect(outcome.committed && outcome.objectsUnchanged == 1 && outcome.documentsAdded == 1)
        #expect(try await bench.routes().count == 1)
        #expect(try await bench.workouts().count == 1)
        #expect(try bench.store.verify().isSound)
    }

    @Test("equal workouts of one file are separate workouts, each found again")
    func copies() async throws {
        let bench = try ImportBench()
        try bench.importText(exportText(Self.run + Self.run))
        #expect(try await Set(bench.workouts().map(\.uuid)).count == 2)
        #expect(try !bench.importText(exportText(Self.run + Self.run)).committed)
        #expect(try !bench.importText(exportText(Self.run)).committed)
        #expect(try bench.importText(exportText(Self.run + Self.run + Self.run)).objectsAdded == 1)
    }

    @Test("parts that cannot be read are listed, and the workout is kept")
    func notes() async throws {
        let bench = try ImportBench()
        let event = #"<WorkoutEvent type="HKWorkoutEventTypeCoffee" date="2024-01-01 10:10:00 +0100"/>"#
        let outcome = try bench.importText(
            exportText(Self.run.replacing("<WorkoutRoute", with: event + "<WorkoutRoute")))
        #expect(outcome.repaired == 1 && outcome.issues.first?.reason == .unreadablePart)
        #expect(outcome.issues.first?.what.contains("HKWorkoutEventTypeCoffee") ?? false)
        #expect(try await bench.workouts().first?.workoutEvents == nil)
        let late = try bench.importText(exportText(Self.run.replacing("2024-01-01 10:30:00", with: "later")))
        #expect(late.skipped == 1 && late.issues.first?.reason == .unreadableDate && late.objectsAdded == 1)
        #expect(try await bench.workouts().count == 1)
    }

    @Test("a file that is not a route stays a document, and is listed")
    func badRoute() async throws {
        let bench = try ImportBench()
        let path = try folder(
            bench, "bad", Self.run, route: "route_2024-01-01_10.30am", exported: "2024-01-02T00:00:00Z")
        try "<gpx><trk></trk></gpx>".write(
            toFile: path + "/workout-routes/route_2024-01-01_10.30am.gpx", atomically: true, encoding: .utf8)
        let outcome = try bench.importFile(path)
        #expect(outcome.skipped == 1 && outcome.issues.first?.reason == .unreadableRoute)
        #expect(outcome.documentsAdded == 1)
        #expect(try await bench.routes().isEmpty)
        #expect(try await bench.workouts().count == 1)
    }

    @Test("a deleted workout takes its element, its route and the route's file with it")
    func deletion() async throws {
        let bench = try ImportBench()
        try bench.importFile(
            folder(bench, "one", Self.run, route: "route_2024-01-01_10.30am", exported: "2024-01-02T00:00:00Z"))
        let workout = try #require(try await bench.workouts().first)
        try bench.store.delete([workout], as: workout.sourceRevision)
        #expect(try await bench.workouts().isEmpty)
        #expect(try await bench.routes().isEmpty)
        #expect(try bench.objects() == [] && bench.store.documents().isEmpty)
        try bench.store.compact()
        #expect(try bench.store.verify().isSound)
        // The next import adds it again.
        #expect(try bench.importText(exportText(Self.run)).objectsAdded == 1)
        #expect(try await bench.workouts().map(\.uuid) == [workout.uuid])
    }

    /// Returns a record of the source of `run`, at a minute of the workout.
    private static func record(_ type: String, _ value: Int, _ unit: String, minute: Int) -> String {
        let date = "2024-01-01 10:\(minute < 10 ? "0" : "")\(minute):00 +0100"
        return #"<Record type="\#(type)" sourceName="Watch" unit="\#(unit)" creationDate="\#(date)" "#
            + #"startDate="\#(date)" endDate="\#(date)" value="\#(value)"/>"#
    }

    @Test("samples added twice to an imported workout count, and records of their type do not become its samples")
    @available(*, deprecated, message: "tests a deprecated function")
    func additions() async throws {
        let bench = try ImportBench()
        let steps = #"<WorkoutStatistics type="HKQuantityTypeIdentifierStepCount" sum="900" unit="count"/>"#
        try bench.importText(
            exportText(
                Self.record("HKQuantityTypeIdentifierHeartRate", 100, "count/min", minute: 5)
                    + Self.record("HKQuantityTypeIdentifierHeartRate", 200, "count/min", minute: 6)
                    + Self.record("HKQuantityTypeIdentifierStepCount", 900, "count", minute: 7)
                    + Self.run.replacing("<WorkoutRoute", with: steps + "<WorkoutRoute")))
        let health = HKHealthStore(bench.store)
        let (rate, count) = (HKQuantityType(.heartRate), HKQuantityType(.stepCount))
        let workout = try #require(try await bench.workouts().first)
        func add(_ type: HKQuantityType, _ value: Double, _ unit: String, minute: Double) async throws {
            let date = workout.startDate.addingTimeInterval(minute * 60)
            let quantity = HKQuantity(unit: HKUnit(from: unit), doubleValue: value)
            try await health.addSamples(
                [HKQuantitySample(type: type, quantity: quantity, start: date, end: date)], to: workout)
        }
        func members(_ type: HKQuantityType) async throws -> Int {
            let own = HKQuery.predicateForObjects(from: workout)
            return try await HKSampleQueryDescriptor(predicates: [.quantitySample(type: type, predicate: own)])
                .result(for: health).count
        }
        #expect(try await members(rate) == 0)
        #expect(try await members(count) == 1)
        for (number, value) in [120.0, 140, 90].enumerated() {
            try await add(rate, value, "count/min", minute: 10 + Double(number))
            let found = try #require(try await bench.workouts().first?.statistics(for: rate))
            let beat = HKUnit(from: "count/min")
            #expect(found.maximumQuantity()?.doubleValue(for: beat) == (number == 0 ? 120 : 140))
            #expect(found.minimumQuantity()?.doubleValue(for: beat) == (number == 2 ? 90 : 120))
            #expect(try await members(rate) == number + 1)
        }
        try await add(count, 50, "count", minute: 12)
        #expect(try await members(count) == 2)
        let found = try #require(try await bench.workouts().first)
        #expect(found.statistics(for: count)?.sumQuantity()?.doubleValue(for: .count()) == 900)
        #expect(found.totalEnergyBurned == workout.totalEnergyBurned && found.totalDistance == workout.totalDistance)
        #expect(try bench.store.verify().isSound)
        // The workout is exported as it was imported.
        #expect(try bench.objects().contains { $0.contains("<Workout ") && !$0.contains("HeartRate") })
    }
}
