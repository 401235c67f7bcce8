// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import HealthViews

struct TodayCommand: ParsableCommand {
    static let name = "today"
    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Show today, or the latest day with data. This is what kymo shows without a command.",
        discussion: """
            EXAMPLES
              kymo                       steps, activity, pulse, sleep, weight, workout
              kymo today --json          the same values for other programs

            Each line compares a value with the days before it: 7 days of steps, activity and sleep, 30 days of \
            resting pulse and weight. The average of the steps contains only days that are over. A value of an earlier \
            day is shown with its date; a type without data has no line. The last line is the latest workout.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var zone: ZoneOption

    @Flag(help: "Write a JSON object.")
    var json = false

    func run() throws {
        try perform { output in
            let path = try store.resolved()
            guard let store = try Self.open(path, explains: !json) else {
                try Self.advise(path, output)
                return .done
            }
            let zone = try zone.resolved(store, asOf: nil)
            guard let day = try store.dayOverview(now: SystemClock.wallNanoseconds(), zone: zone) else {
                let advice = "\"kymo types\" lists what is stored, \"kymo import export.zip\" adds data"
                Messages.write("no steps, activity, resting pulse, sleep, weight or workout is stored; \(advice)")
                if json { try output.line("{}") }
                return .done
            }
            if json {
                try TodayJSON(day: day).write(output)
            } else {
                try TodayScreen(day: day, path: path).write(output)
            }
            return .done
        }
    }

    /// Opens the store; returns nil if there is none and the screen explains what to do.
    private static func open(_ path: String, explains: Bool) throws -> HealthStore? {
        do throws(HealthStoreError) {
            return try Stores.open(at: path, mode: .readOnly)
        } catch {
            let isAbsent = ((try? RealDisk().list(path)) ?? []).isEmpty
            if explains, isAbsent, error.kind == .engine(.notAStore) { return nil }
            throw error
        }
    }

    private static func advise(_ path: String, _ output: Output) throws(DiskError) {
        try output.line("There is no store at \(TerminalText.printable(path)) yet.")
        try output.line("On the phone: Health, your picture, Export All Health Data. Copy export.zip to this machine.")
        try output.line("Then \"kymo import export.zip\" creates the store. \"kymo --help\" lists all commands.")
    }
}
