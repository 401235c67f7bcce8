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
        abstract: "Generate synthetic samples for a number of days.",
        discussion: """
            EXAMPLES
              kymo simulate --days 30 --store demo
              kymo simulate --from 2024-01-01 --days 366 --tz Europe/Berlin --store demo

            Generates heart rates, steps, distances, energies and sleep as a watch would record them. The same seed \
            and day give the same samples; a day that the store already has is rejected.

            The source of the samples is "Simulated watch". If several sources recorded the same time, it is last in \
            the order, unless "kymo prefer" names it. A store that holds data of other sources is refused unless \
            --with-other-sources is given; "kymo delete --source "Simulated watch" --all" deletes the samples again.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("First day, as 2024-01-31. Default: --days before today.", valueName: "day"))
    var from: String?

    @Option(help: ArgumentHelp("Number of days, up to 36500.", valueName: "count"))
    var days = 30

    @Option(help: ArgumentHelp("Seed of the simulated person.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Seconds between heart rates, from 1 to 3600.", valueName: "seconds"))
    var heartRateEvery = 60.0

    @Flag(help: "Add the samples even if the store holds data of other sources.")
    var withOtherSources = false

    @Flag(help: "Write the result as JSON.")
    var json = false

    func validate() throws {
        if store.path == nil { throw ValidationError("--store is missing: simulated days need a separate store.") }
        guard (1...36_500).contains(days) else { throw ValidationError("--days must be from 1 to 36500.") }
        guard (1...3_600).contains(heartRateEvery) else {
            throw ValidationError("--heart-rate-every must be from 1 to 3600 seconds.")
        }
        if let from, Self.day(from) == nil { throw ValidationError("--from is not a day such as 2024-01-31.") }
    }

    /// Parses year, month and day; nil if the text is not a day from 1700 to 2200.
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
            if !withOtherSources { try Self.refuseOtherSources(path) }
            try StoreOption.makeParents(of: path)
            // A new store gets the wearer's zone as its home zone.
            var options = try Stores.options(creating: path)
            options.homeZone = try zone.resolved().identifier
            let health = HKHealthStore(path: path, as: SimulatedWearer.sourceRevision, options: options, isOwner: true)
            defer { health.close() }
            let asked = from.flatMap { Self.day($0) }
            let first =
                asked.flatMap {
                    calendar.date(from: DateComponents(year: $0.year, month: $0.month, day: $0.day, hour: 12))
                }
                ?? calendar.date(byAdding: .day, value: -days, to: Date())
            guard let first else { throw Failure.usage("the first day is not in the calendar") }
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

    /// Throws if the store holds data that is not simulated.
    private static func refuseOtherSources(_ path: String) throws {
        let store: HealthStore
        do {
            store = try Stores.open(at: path, mode: .readOnly)
        } catch {
            if case .engine(.notAStore) = error.kind { return }
            throw error
        }
        defer { store.close() }
        let names = try store.sources().map(\.name) + ListedType.overviews(store).flatMap(\.sources)
        let others = Set(names).subtracting([SimulatedWearer.source.name]).sorted()
        let hasObjects = try store.objectCounts().values.contains { $0 > 0 } || !store.documents().isEmpty
        if others.isEmpty, !hasObjects { return }
        // A sample that an export writes without a source has none.
        let named = others.filter { !$0.isEmpty }
        let listed = named.prefix(3).joined(separator: ", ") + (named.count > 3 ? ", ..." : "")
        throw Failure.usage(
            "\(path) holds data of other sources\(named.isEmpty ? "" : " (\(listed))"); "
                + "name another --store, or add --with-other-sources")
    }

    private func timeZone() throws -> TimeZone {
        let zone = try zone.resolved()
        // The zone's names of fixed offsets differ from Foundation's.
        let found =
            zone.isFixed ? TimeZone(secondsFromGMT: zone.offset(at: 0)) : TimeZone(identifier: zone.identifier)
        guard let found else {
            throw Failure.usage("the zone \(zone.identifier) is unknown to this system's calendar; use an offset")
        }
        return found
    }

    /// Returns the error of a day that was not saved.
    private static func failure(
        _ error: HKError, _ samples: [HKSample], _ health: HKHealthStore, on day: DateComponents, after made: Int
    ) throws -> Failure {
        let before = made == 1 ? "1 earlier day was saved" : "\(made) earlier days were saved"
        guard error.code == .errorInvalidArgument, let first = samples.first,
            try health.store().object(first.uuid, parts: 0) != nil
        else { return Failure(.failed, "\(error); \(before)") }
        func two(_ number: Int?) -> String { String(format: "%02d", number ?? 0) }
        let date = "\(day.year ?? 0)-\(two(day.month))-\(two(day.day))"
        return Failure(
            .failed,
            "the store already has \(date): choose other days or another seed; \(before)")
    }
}
