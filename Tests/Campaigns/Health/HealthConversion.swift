// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation
import HealthModel
import Kymograph
import KymographHealth
import Synchronization
import TestSupport

/// The first opening of a store of an earlier version, whose workouts are elements: crashes before changing calls, and
/// failing calls. The next opening continues the conversion.
struct HealthConversion {
    private let seed: UInt64
    /// The number of elements: several commits convert them.
    private let count: Int

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed ^ 0xC0DE)
        count = 66 + random.below(80)
    }

    func run(cases: Int, _ result: inout CampaignResult) throws {
        let old = try oldStore()
        let whole = try HealthLife(MemoryDisk(directories: old.directories, files: old.files))
        try whole.open()
        let wanted = try whole.lines()
        let found = wanted.count { $0.hasPrefix(HealthScript.workout.identifier) }
        if found != count { result.fail("conversion \(seed): \(found) workouts of \(count) elements") }
        whole.close()
        for image in try crashes(old, cases) {
            result.cases += 1
            result.count("crashes in a conversion")
            try check(image, wanted, "conversion \(seed), crash", &result)
        }
        for number in 0..<cases { try fail(old, number, wanted, &result) }
    }

    /// Returns the files of a store whose workouts are elements, as earlier versions stored them.
    private func oldStore() throws -> MemoryDisk {
        let disk = try FaultyDisk()
        disk.resetTrace(keep: false)
        let life = try HealthLife(disk)
        try life.open()
        let store = try life.opened().store()
        _ = try store.load { loader in
            for number in 0..<count {
                let start = HealthScript.date(number * 100)
                let nanoseconds = Int64(start.timeIntervalSince1970) * 1_000_000_000
                try loader.add(
                    kind: .workout, start: nanoseconds, end: nanoseconds + 60_000_000_000, element(number, start))
                if number % 3 == 0 {
                    try loader.add(document: "/workout-routes/\(number).gpx", route(number, start))
                }
            }
        }
        life.close()
        return try disk.crash(seed: seed, .keepAll)
    }

    private func element(_ number: Int, _ start: Date) -> [UInt8] {
        let (first, last) = (text(start), text(start.addingTimeInterval(60)))
        let file = number % 3 == 0 ? #"<FileReference path="/workout-routes/\#(number).gpx"/>"# : ""
        return Array(
            #"""
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="1" durationUnit="min" \#
            sourceName="Watch" creationDate="\#(last)" startDate="\#(first)" endDate="\#(last)">
              <WorkoutStatistics type="HKQuantityTypeIdentifierStepCount" sum="\#(number)" unit="count"/>
              <WorkoutRoute sourceName="Watch" startDate="\#(first)" endDate="\#(last)">\#(file)</WorkoutRoute>
             </Workout>
            """#.utf8)
    }

    private func route(_ number: Int, _ start: Date) -> [UInt8] {
        let points = (0..<5).map { place in
            let time = text(start.addingTimeInterval(Double(place)))
            return #"<trkpt lat="48" lon="\#(place)"><ele>\#(number)</ele><time>\#(time)</time></trkpt>"#
        }
        return Array("<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".utf8)
    }

    /// Returns the text of a date in an export.
    private func text(_ date: Date) -> String {
        date.ISO8601Format().replacing("T", with: " ").replacing("Z", with: " +0000")
    }

    /// Returns what is left after crashes in the first opening.
    private func crashes(_ old: MemoryDisk, _ cases: Int) throws -> [MemoryDisk] {
        let disk = try FaultyDisk(MemoryDisk(directories: old.directories, files: old.files))
        disk.resetTrace(keep: false)
        let images = Mutex<[MemoryDisk]>([])
        let state = Mutex((step: 0, random: SeededGenerator(seed: seed ^ 0xFEED)))
        disk.observe { _, _ in
            CallSites.note(.crashed)
            let (place, seed, isAny) = state.withLock { state in
                state.step += 1
                let place = state.step <= cases ? state.step - 1 : state.random.below(state.step)
                return (place, state.random.next(), state.random.chance(0.5))
            }
            guard place < cases, let left = try? disk.crash(seed: seed, isAny ? .any : .loseAll) else { return }
            images.withLock { images in
                if place < images.count { images[place] = left } else { images.append(left) }
            }
        }
        let life = try HealthLife(disk)
        try life.open()
        disk.observe(nil)
        return images.withLock { $0 }
    }

    /// Opens the store with one failing call. The opening itself may fail; the next one converts the rest.
    private func fail(
        _ old: MemoryDisk, _ number: Int, _ wanted: [String], _ result: inout CampaignResult
    ) throws {
        result.cases += 1
        result.count("errors in a conversion")
        var random = SeededGenerator(seed: seed &* 32_452_843 &+ UInt64(number))
        let disk = try FaultyDisk(MemoryDisk(directories: old.directories, files: old.files))
        disk.resetTrace(keep: false)
        let nth = 1 + random.below(400)
        let life = try HealthLife(disk)
        disk.inject(
            DiskFault(
                Set(DiskCallKind.allCases), nth: nth, forever: random.chance(0.3),
                errno: random.pick([DiskError.inputOutput, DiskError.noSpace]),
                effect: random.pick([.nothing, .part])))
        do { try life.open() } catch { result.count("openings failed") }
        disk.clearFaults()
        life.close()
        try check(disk.crash(seed: seed, .keepAll), wanted, "conversion \(seed), call \(nth) failed", &result)
    }

    /// Opens a store again, and compares its workouts and routes.
    private func check(
        _ image: MemoryDisk, _ wanted: [String], _ note: String, _ result: inout CampaignResult
    ) throws {
        let life = try HealthLife(image)
        do {
            try life.open()
            let lines = try life.lines()
            if lines != wanted {
                let missing = Set(wanted).subtracting(lines).sorted().prefix(2)
                result.fail("\(note): \(lines.count) lines of \(wanted.count), missing \(missing)")
            }
            try life.perform(.seal)
            if try life.store?.verify().isSound != true { result.fail("\(note): the store is damaged") }
        } catch {
            result.fail("\(note): \(error)")
        }
    }
}
