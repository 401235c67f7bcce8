// SPDX-License-Identifier: Apache-2.0

import Foundation
import KymographHealth

/// Two weeks of an athlete on the server of a coaching service: saves, reports and follows changes.
///
///     swift run Coach
@main
struct Coach {
    static let dayCount = 14

    static func main() async {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Coach-\(UUID().uuidString)")
        var isSound = false
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            isSound = try await run(in: folder)
        } catch {
            print("failed: \(error)")
        }
        try? FileManager.default.removeItem(at: folder)
        exit(isSound ? 0 : 1)
    }

    /// Records, reports and follows; returns whether all results were correct.
    static func run(in folder: URL) async throws -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Zurich") ?? .gmt
        // Daylight saving time begins in these two weeks: the seventh day has 23 hours.
        guard let first = calendar.date(from: DateComponents(year: 2026, month: 3, day: 23)),
            let end = calendar.date(byAdding: .day, value: dayCount, to: first)
        else { return false }
        let health = HKHealthStore(directory: folder.appendingPathComponent("store").path)
        defer { health.close() }
        let wearer = SimulatedWearer(seed: 707, timeZone: calendar.timeZone)
        let athlete = Athlete(health: health, wearer: wearer, calendar: calendar)
        var checks = Checks()

        let saved = try await athlete.recordDays(dayCount, from: first)
        print("saved \(saved.count) samples of \(dayCount) days")
        try await report(athlete, saved, from: first, to: end, &checks)

        let follower = ChangeFollower(health: health, file: folder.appendingPathComponent("anchor"))
        let known = try await follower.follow { _ in true }
        print("\nfollowed: \(known.came) samples added, \(known.went) deleted")
        checks.expect("first changes", known == (saved.count, 0))

        // The service continues from the anchor in the file, while the athlete runs and deletes a sample.
        let following = Task { try await follower.follow { !$0.deletedObjects.isEmpty } }
        try await reportRun(athlete, at: end.addingTimeInterval(-6 * 3_600), &checks)
        if let mistaken = try await athlete.newestHeartRates(1).first { try await health.delete(mistaken) }
        let later = try await following.value
        print("followed: \(later.came) added, \(later.went) deleted")
        checks.expect("later changes", later == (1, 1))

        // The anchor's checksum detects a damaged file, and the service can start again.
        var bytes = try Data(contentsOf: follower.file)
        bytes[bytes.count / 2] ^= 1
        let damaged = ChangeFollower(health: health, file: folder.appendingPathComponent("damaged"))
        try bytes.write(to: damaged.file)
        do {
            _ = try damaged.anchor()
            checks.expect("a damaged anchor is detected", false)
        } catch let error as DamagedAnchor {
            checks.expect("a damaged anchor is detected", error.path == damaged.file.path)
        }

        print("\n\(checks.made) results checked, \(checks.failed) wrong")
        return checks.failed == 0
    }

    static func report(
        _ athlete: Athlete, _ saved: [HKSample], from first: Date, to end: Date, _ checks: inout Checks
    ) async throws {
        let newest = try await athlete.newestHeartRates(10)
        print("newest heart rates:", newest.map { number($0.quantity, Athlete.beatsPerMinute) })
        let rates = saved.filter { $0.sampleType == Athlete.heartRate }.sorted { $0.startDate > $1.startDate }
        checks.expect("newest heart rates", newest.map(\.uuid) == rates.prefix(10).map(\.uuid))

        let steps = try await athlete.daily(Athlete.steps, .cumulativeSum, from: first, to: end)
        let pulse = try await athlete.daily(Athlete.heartRate, .discreteAverage, from: first, to: end)
        print("\nday             steps  beats/min   h asleep")
        let dates = Date.ISO8601FormatStyle(timeZone: athlete.calendar.timeZone).year().month().day()
        for day in steps.statistics() {
            let asleep = try await athlete.hoursAsleep(on: day.startDate)
            let beats = pulse.statistics(for: day.startDate)?.averageQuantity()
            let columns = [number(day.sumQuantity(), .count()), number(beats, Athlete.beatsPerMinute), asleep]
            print(day.startDate.formatted(dates), columns.map { String(format: "%10.1f", $0) }.joined(separator: " "))
            let sum = saved.compactMap { $0 as? HKQuantitySample }
                .filter { $0.quantityType == Athlete.steps && (day.startDate..<day.endDate).contains($0.startDate) }
                .reduce(0) { $0 + $1.quantity.doubleValue(for: .count()) }
            checks.expect("steps", day.sumQuantity()?.doubleValue(for: .count()) == sum)
        }
        checks.expect("days", steps.statistics().count == dayCount)
    }

    static func reportRun(_ athlete: Athlete, at start: Date, _ checks: inout Checks) async throws {
        // Half an hour at increasing speed, in quarters of a metre, so that sums are exact.
        let paces = (0..<1_800).map { 2.5 + Double($0 / 600) * 0.25 }
        guard let run = try await athlete.recordRun(at: start, paces: paces) else {
            return checks.expect("the run", false)
        }
        let splits = try await athlete.splits(of: run)
        print("run: \(run.count) quantities, \(number(run.quantity, .meter())) m, seconds per kilometre:", splits)
        checks.expect("the run's length", run.quantity.doubleValue(for: .meter()) == paces.reduce(0, +))
        checks.expect("the run's quantities", run.count == paces.count && splits.count == 4)
    }

    static func number(_ quantity: HKQuantity?, _ unit: HKUnit) -> Double { quantity?.doubleValue(for: unit) ?? .nan }
}

/// Counts checks and prints failures.
struct Checks {
    private(set) var made = 0
    private(set) var failed = 0

    mutating func expect(_ what: String, _ holds: Bool) {
        made += 1
        if holds { return }
        failed += 1
        print("wrong: \(what)")
    }
}
