// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthCatalog
@testable import HealthModel
@testable import KymographHealth

@Suite("T-1 E-18 workouts of stores of earlier versions become objects")
struct WorkoutConversionTests {
    private static func time(_ hours: Int, _ minute: Int, _ offset: String) -> String {
        "2024-01-02 \(hours < 10 ? "0" : "")\(hours):\(minute < 10 ? "0" : "")\(minute):00 \(offset)"
    }

    /// Returns the element of a workout that depends only on a number, as exported in one of two time zones.
    private static func element(_ number: Int, inSummer: Bool = false) -> [UInt8] {
        let (shift, offset) = inSummer ? (2, "+0200") : (1, "+0100")
        func time(_ minutes: Int) -> String { Self.time(minutes / 60 + shift, minutes % 60, offset) }
        let start = number * 10
        return Array(
            #"""
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="9" durationUnit="min" \#
            sourceName="Watch" sourceVersion="\#(number % 3)" creationDate="\#(time(start + 9))" \#
            startDate="\#(time(start))" endDate="\#(time(start + 9))">
              <MetadataEntry key="HKIndoorWorkout" value="\#(number % 2)"/>
              <WorkoutStatistics type="HKQuantityTypeIdentifierStepCount" sum="\#(number)" unit="count"/>
              <WorkoutRoute sourceName="Phone" startDate="\#(time(start))" endDate="\#(time(start + 9))">
               <FileReference path="/workout-routes/\#(number)\#(inSummer ? "s" : "").gpx"/>
              </WorkoutRoute>
             </Workout>
            """#.utf8)
    }

    private static func gpx(_ number: Int) -> [UInt8] {
        let time = "2024-01-02T0\(number / 6):\(number % 6)1:00Z"
        return Array(
            #"<gpx><trk><trkseg><trkpt lat="\#(number)" lon="1"><time>\#(time)</time></trkpt></trkseg></trk></gpx>"#
                .utf8)
    }

    /// Adds elements and documents as earlier versions did.
    private func addOld(_ elements: [[UInt8]], routes: Range<Int>, to store: HealthStore) throws {
        _ = try store.load { loader in
            for xml in elements {
                let element = WorkoutElement(xml)
                try loader.add(kind: .workout, start: element?.start, end: element?.end, xml)
            }
            for number in routes { try loader.add(document: "/workout-routes/\(number).gpx", Self.gpx(number)) }
        }
    }

    private func workouts(_ store: HealthStore) async throws -> [HKWorkout] {
        try await HKSampleQueryDescriptor(
            predicates: [.workout()], sortDescriptors: [SortDescriptor(\.startDate)]
        ).result(for: HKHealthStore(store))
    }

    private func routes(_ store: HealthStore) async throws -> [HKWorkoutRoute] {
        try await HKSampleQueryDescriptor(
            predicates: [.workoutRoute()], sortDescriptors: [SortDescriptor(\.startDate)]
        ).result(for: HKHealthStore(store))
    }

    /// The properties of all workouts and routes.
    private func summary(_ store: HealthStore) async throws -> [String] {
        let workouts = try await workouts(store).map {
            "\($0.uuid) \($0.content) \($0.sourceRevision) \(String(describing: $0.header.metadata))"
        }
        let routes = try await routes(store).map { "\($0.uuid) \($0.startDate) \($0.sourceRevision)" }
        return (workouts + routes).sorted()
    }

    @Test("the first opening for writing gives what a new import gives; readers change nothing")
    func upgrade() async throws {
        let (old, new) = (try TestHealthStore(), try TestHealthStore())
        let elements = (0..<20).map { Self.element($0) } + [Array("<Workout/>".utf8)]
        try addOld(elements, routes: 0..<15, to: old.store)
        old.store.close()
        let reader = try HealthStore.open(at: old.directory.file("store"), mode: .readOnly)
        #expect(try await workouts(reader).isEmpty)
        reader.close()
        try old.reopen()
        _ = try new.store.load { loader in
            for xml in elements where try loader.add(workout: xml) == nil {
                try loader.add(kind: .workout, start: nil, end: nil, xml)
            }
            for number in 0..<15 {
                let (path, bytes) = ("/workout-routes/\(number).gpx", Self.gpx(number))
                try loader.add(document: path, bytes)
                #expect(try loader.addRoute(file: path, bytes) == .added)
            }
            try loader.settleWorkouts()
        }
        let (upgraded, imported) = (try await summary(old.store), try await summary(new.store))
        #expect(upgraded == imported)
        #expect(try await workouts(old.store).count == 20)
        #expect(try await routes(old.store).count == 15)
        #expect(try old.store.verify().isSound && new.store.verify().isSound)
        // Nothing is left to do, so that another opening commits nothing.
        for one in [old, new] {
            #expect(try one.store.hasConvertedWorkouts())
            let sequence = one.store.engine.snapshot().sequence
            try one.reopen()
            #expect(one.store.engine.snapshot().sequence == sequence)
        }
    }

    @Test("a conversion that stops at any commit continues at the next opening", arguments: [1, 3, 7])
    func resumes(most: Int) async throws {
        let (whole, parts) = (try TestHealthStore(), try TestHealthStore())
        let elements = (0..<20).map { Self.element($0) } + [Self.element(3), Array("<Workout>".utf8)]
        for one in [whole, parts] { try addOld(elements, routes: 0..<20, to: one.store) }
        try whole.reopen()
        struct Stop: Error {}
        for _ in 0..<3 {
            let state = WorkoutConversion(taken: try parts.store.elementsWithWorkouts())
            _ = try parts.store.load { try $0.convertWorkouts(state, most: most) }
            // A commit that fails leaves nothing behind.
            #expect(throws: (any Error).self) {
                _ = try parts.store.load {
                    try $0.convertWorkouts(state, most: most)
                    throw Stop()
                }
            }
            #expect(try !parts.store.hasConvertedWorkouts())
        }
        try parts.reopen()
        let (resumed, expected) = (try await summary(parts.store), try await summary(whole.store))
        #expect(resumed == expected)
        #expect(try await workouts(parts.store).count == 21)
        #expect(try parts.store.verify().isSound)
    }

    @Test("elements of two exports that differ only in the time zone are one workout")
    func zones() async throws {
        let test = try TestHealthStore()
        try addOld((0..<5).map { Self.element($0) }, routes: 0..<5, to: test.store)
        try addOld((0..<7).map { Self.element($0, inSummer: true) }, routes: 0..<0, to: test.store)
        try test.reopen()
        #expect(try await workouts(test.store).count == 7)
        #expect(try await routes(test.store).count == 5)
        #expect(try test.store.objectCounts()[.workout] == 7)
        #expect(try test.store.verify().isSound)
    }

    @Test("elements that an earlier version adds later are converted, too")
    func addedLater() async throws {
        let test = try TestHealthStore()
        try addOld([Self.element(0)], routes: 0..<1, to: test.store)
        try test.reopen()
        try addOld([Self.element(1), Self.element(2)], routes: 1..<2, to: test.store)
        #expect(try await workouts(test.store).count == 1)
        try test.reopen()
        #expect(try await workouts(test.store).count == 3)
        #expect(try await routes(test.store).count == 2)
    }

    @Test("a damaged element stays as it is, and the others are converted")
    func damaged() async throws {
        let test = try TestHealthStore()
        try addOld((0..<4).map { Self.element($0) }, routes: 0..<0, to: test.store)
        try test.store.write { transaction in
            let row = ElementRow(id: 5, kind: 1, start: nil, end: nil, digest: 1, body: [9, 9])
            try HealthCatalog.insert([row], transaction)
        }
        try test.reopen()
        #expect(try await workouts(test.store).count == 4)
        #expect(try test.store.hasConvertedWorkouts())
    }

    @Test("after a repair, lost workouts come back from their elements, once")
    func repair() async throws {
        let test = try TestHealthStore()
        let elements = (0..<6).map { Self.element($0) } + [Self.element(2)]
        try addOld(elements, routes: 0..<6, to: test.store)
        try test.reopen()
        let before = try await summary(test.store)
        #expect(before.count == 14)
        // Two workouts are lost; their routes stay.
        try test.store.write { transaction in
            var ids: [Int64] = []
            try HealthCatalog.eachSavedObject(kind: SavedObjectKind.workout.rawValue, transaction) { ids.append($0.id) }
            try HealthCatalog.retire(savedObjects: Array(ids[2..<4]), transaction)
        }
        test.store.close()
        let (path, target) = (test.directory.file("store"), test.directory.file("repaired"))
        #expect(try HealthStore.repair(from: path, to: target).isComplete)
        let repaired = try HealthStore.open(at: target)
        defer { repaired.close() }
        #expect(try await summary(repaired) == before)
    }
}
