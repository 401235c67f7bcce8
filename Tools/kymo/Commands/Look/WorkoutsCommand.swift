// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import HealthViews

struct WorkoutsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workouts",
        abstract: "List workouts, or show one with splits, pulse and route.",
        discussion: """
            EXAMPLES
              kymo workouts                        the latest \(defaultLimit), and the totals of all
              kymo workouts --last 30d
              kymo workouts --activity run --from 2024 --totals
              kymo workouts 9a03de                 the one with this identity
              kymo workouts last --unit miles      the latest one, in miles
              kymo workouts 9a03de --csv           the locations of its route
              kymo delete workouts --id 9a03de     delete it

            The latest workouts come first. A workout belongs to the range that contains its start. Lengths are \
            without pauses. \(RangeOptions.explanation)

            A table shows \(defaultLimit) workouts unless a range or --limit is given; other formats contain all.
            """)

    /// The default number of workouts in a table.
    private static let defaultLimit = 20
    /// The word that selects the latest workout, in place of an identity.
    private static let latest = "last"

    @OptionGroup var store: StoreOption

    @Argument(
        help: ArgumentHelp("The first digits of an identity in the list, or \"last\".", valueName: "id"),
        completion: Completions.workouts)
    var identity: String?

    @OptionGroup var range: RangeOptions
    @OptionGroup var zone: ZoneOption
    @OptionGroup var activity: ActivityOption
    @OptionGroup var source: SourceOption

    @Option(help: ArgumentHelp("Maximum number of workouts.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Show the totals of each activity.")
    var totals = false

    @Option(help: ArgumentHelp("Unit of distances and paces: km or miles. Default: km.", valueName: "unit"))
    var unit = DistanceUnit.km

    @OptionGroup var format: FormatOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1; got \(limit).") }
        let filters = range.isGiven || !activity.names.isEmpty || !source.names.isEmpty || limit != nil || totals
        if let identity, filters {
            throw ValidationError("\"\(identity)\" is one workout; omit the options that select workouts.")
        }
    }

    func run() throws {
        try perform { output in
            let store = try store.open()
            let zone = try zone.resolved(store, asOf: nil)
            let all = try store.workouts()
            if let identity {
                let one = try Self.find(identity, all, store)
                try WorkoutAnswer(
                    store: store, one: one, short: all.short(one), zone: zone, text: WorkoutText(unit: unit)
                ).write(output, format.format)
                return .done
            }
            let request = WorkoutRequest(
                range: try range.resolved(zone),
                activities: try activity.resolved(Set(all.all.map(\.activityName))),
                sources: try sources(all))
            try write(all.filtered(request), of: all, store, zone, output)
            return .done
        }
    }

    /// Returns the names of the selected sources; nil for all.
    private func sources(_ all: WorkoutList) throws -> Set<String>? {
        source.names.isEmpty
            ? nil : try SourceOption.matching(source.names, among: Set(all.all.map(\.source)).sorted())
    }

    private func write(
        _ list: WorkoutList, of all: WorkoutList, _ store: HealthStore, _ zone: CivilZone, _ output: Output
    ) throws {
        let text = WorkoutText(unit: unit)
        let isLimited = format.format == nil && !range.isGiven
        let table = WorkoutTable(
            list: list, zone: zone, text: text, limit: limit ?? (isLimited ? Self.defaultLimit : Int.max))
        let sums = WorkoutTotalsTable(list: list, zone: zone, text: text)
        if let format = format.format {
            if totals {
                try sums.write(RowWriter(output, format, columns: WorkoutTotalsTable.columns))
            } else {
                try table.write(RowWriter(output, format, columns: WorkoutTable.columns))
            }
        } else if list.all.isEmpty {
            Messages.write(WorkoutMessages.empty(all, store, zone))
        } else if totals {
            try sums.show(output)
        } else {
            try table.show(output)
            let left = list.all.count - table.limit
            guard left > 0 else { return }
            try output.finish()
            Messages.line("... and \(NumberText.grouped(left)) more; --limit \(list.all.count) shows all")
        }
    }

    /// Whether a text is the word for the latest workout.
    static func isLatest(_ text: String) -> Bool { text.lowercased() == latest }

    /// Returns the latest of all workouts. Throws if there is none.
    static func latestWorkout(_ list: WorkoutList, _ store: HealthStore) throws -> WorkoutSummary {
        guard let last = list.all.last else { throw Failure(.failed, WorkoutMessages.empty(list, store, .utc)) }
        return last
    }

    /// Returns the workout with an identity. Throws if no workout or several workouts have it.
    private static func find(_ identity: String, _ list: WorkoutList, _ store: HealthStore) throws -> WorkoutSummary {
        if isLatest(identity) { return try latestWorkout(list, store) }
        let found = list.matching(identity)
        guard let one = found.first else {
            if list.all.isEmpty { throw Failure(.failed, WorkoutMessages.empty(list, store, .utc)) }
            if let advice = ArgumentAdvice.range(identity) {
                throw Failure.usage("\"\(identity)\" is a date; \(advice)")
            }
            if (try? ActivityName.find(identity, Set(list.all.map(\.activityName)))) != nil {
                throw Failure.usage("\"\(identity)\" is an activity; use --activity \(ShellText.quoted(identity))")
            }
            throw Failure.usage("no workout has an identity that begins with \"\(identity)\"; see \"kymo workouts\"")
        }
        guard found.count == 1 else {
            throw Failure.ambiguous(identity, found.map { list.short($0) })
        }
        return one
    }
}

/// Messages about workouts.
enum WorkoutMessages {
    /// Returns the message about an empty list.
    ///
    /// - Parameter all: the workouts of the store.
    static func empty(_ all: WorkoutList, _ store: HealthStore, _ zone: CivilZone) -> String {
        if let first = all.all.first, let last = all.all.last {
            let (begin, end) = (Civil.formatDate(first.start, zone: zone), Civil.formatDate(last.start, zone: zone))
            let dates = begin == end ? "on \(begin)" : "from \(begin) to \(end)"
            return "no such workout; the store has \(NumberText.count(all.all.count, "workout")) \(dates)"
        }
        return kept(store) ?? "no workout is stored; watches and phones record them, and exports contain them"
    }

    /// Returns the message about workouts that are stored only as XML of an export; nil without such workouts.
    static func kept(_ store: HealthStore) -> String? {
        guard let count = (try? store.objectCounts())?[.workout], count > 0 else { return nil }
        let them = count == 1 ? "it" : "them"
        return "\(NumberText.count(count, "workout")) of an import cannot be listed yet: the next command that writes, "
            + "such as \"kymo compact\", reads \(them)"
    }
}
