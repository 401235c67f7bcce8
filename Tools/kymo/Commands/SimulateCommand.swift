// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import Foundation
import HealthModel
import KymographHealth

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Fills a store with the days of somebody who does not exist.",
        discussion: """
            EXAMPLES
              kymo simulate --days 30 --store demo
              kymo simulate --from 2024-01-01 --days 366 --seed 7 --tz Europe/Berlin --store demo

            Heart rates, steps, distances, energies and sleep as a watch would record them. The same seed and day give \
            the same samples; a day that is there already is refused. Not in a store with real data: there is no way \
            to tell them apart but the device, "Simulated watch".
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("The first day, as 2024-01-31. Default: so many days before today.", valueName: "day"))
    var from: String?

    @Option(help: ArgumentHelp("How many days, up to 36500.", valueName: "count"))
    var days = 30

    @Option(help: ArgumentHelp("Which wearer.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Seconds between two heart rates, from 1 to 3600.", valueName: "seconds"))
    var heartRateEvery = 60.0

    @Flag(help: "Write the result as JSON.")
    var json = false

    func validate() throws {
        if store.path == nil { throw ValidationError("--store is missing: simulated days want a store of their own.") }
        guard (1...36_500).contains(days) else { throw ValidationError("--days is from 1 to 36500.") }
        guard (1...3_600).contains(heartRateEvery) else {
            throw ValidationError("--heart-rate-every is from 1 to 3600 seconds.")
        }
        if let from, Self.day(from) == nil { throw ValidationError("--from is no day, such as 2024-01-31.") }
    }

    /// Year, month and day.
    private static func day(_ text: String) -> DateComponents? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2], year >= 1_700,
            year <= 2_200
        else { return nil }
        let components = DateComponents(
            calendar: Calendar(identifier: .gregorian), year: year, month: month, day: day)
        return components.isValidDate ? components : nil
    }

    func run() throws {
        try perform { output in
            Interrupt.catchRequests()
            let timeZone = try self.timeZone()
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = timeZone
            let path = try store.resolved()
            let wearer = SimulatedWearer(seed: seed, timeZone: timeZone, heartRateInterval: heartRateEvery)
            try StoreOption.makeParents(of: path)
            let health = HKHealthStore(directory: path)
            defer { health.close() }
            let asked = from.flatMap { Self.day($0) }
            let first =
                asked.flatMap {
                    calendar.date(from: DateComponents(year: $0.year, month: $0.month, day: $0.day, hour: 12))
                }
                ?? calendar.date(byAdding: .day, value: -days, to: Date())
            guard let first else { throw Failure.usage("the first day is none of the calendar") }
            var (count, made) = (0, 0)
            for day in 0..<days where !Interrupt.isRequested {
                guard let date = calendar.date(byAdding: .day, value: day, to: first) else { break }
                let samples = wearer.samples(of: date)
                do throws(HKError) {
                    try health.saveNow(samples)
                } catch {
                    throw try Self.failure(
                        error, samples, health, on: calendar.dateComponents([.year, .month, .day], from: date),
                        after: made)
                }
                count += samples.count
                made += 1
            }
            let place = TerminalText.printable(path)
            var text = "\(NumberText.count(made, "day")), \(NumberText.count(count, "sample")) in \(place)\n"
            if json {
                var writer = JSONWriter(lines: 0)
                writer.beginObject()
                writer.field("days", made)
                writer.field("samples", count)
                writer.field("store", path)
                writer.endObject()
                text = String(decoding: writer.take(), as: UTF8.self) + "\n"
            }
            try output.write(Array(text.utf8))
            return Interrupt.isRequested ? .interrupted : .done
        }
    }

    private func timeZone() throws -> TimeZone {
        let zone = try zone.resolved()
        // The names of offsets are not those that Foundation knows.
        let found =
            zone.isFixed ? TimeZone(secondsFromGMT: zone.offset(at: 0)) : TimeZone(identifier: zone.identifier)
        guard let found else {
            throw Failure.usage("the zone \(zone.identifier) is not known to this system's calendar")
        }
        return found
    }

    /// What to say of a day that was not saved.
    private static func failure(
        _ error: HKError, _ samples: [HKSample], _ health: HKHealthStore, on day: DateComponents, after made: Int
    ) throws -> Failure {
        let before = made == 1 ? "1 day before it was saved" : "\(made) days before it were saved"
        guard error.code == .errorInvalidArgument, let first = samples.first,
            try health.store().object(first.uuid, parts: 0) != nil
        else { return Failure(.failed, "\(error); \(before)") }
        func two(_ number: Int?) -> String { String(format: "%02d", number ?? 0) }
        let date = "\(day.year ?? 0)-\(two(day.month))-\(two(day.day))"
        return Failure(
            .failed,
            "\(date) is there already, and a day is made once: name other days, or another seed; \(before)")
    }
}
