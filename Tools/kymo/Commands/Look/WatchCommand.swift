// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import Foundation
import KymographHealth

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print changes of a type as they are committed.",
        discussion: """
            EXAMPLES
              kymo watch heartRate                       new changes, until Ctrl-C
              kymo watch stepCount --source "Ann's Watch" --jsonl
              kymo watch bodyMass --all --once --jsonl   all samples, and an anchor
              kymo watch bodyMass --since 01e0...9a --once --jsonl
              kymo watch stepCount --exec ./on-steps.sh  run a command for changes
              kymo watch --recover --exec ./workout      start a workout app anew

            With --jsonl each line is one JSON object: {"added": ...} for a sample, {"deleted": ...} for a deletion, \
            and {"anchor": "..."} after all changes of one or several commits. --since continues from such an anchor.

            With --exec the command reads such lines from standard input, with KYMO_STORE and KYMO_TYPE in its \
            environment. The store records the last anchor for which the command ended with status 0; all later \
            changes are sent again.

            With --recover the command starts when the process of a workout session is gone, once per death; it runs \
            beside this program, with KYMO_STORE and KYMO_CLIENT in its environment. If a signal ends the command and \
            no process owns the session, the command starts again, at most once per second. With --once this program \
            ends when the started commands have ended, and starts none again.
            """)

    @OptionGroup var store: StoreOption
    @Argument(
        help: ArgumentHelp(
            "The type: a word such as steps, its short name stepCount, or HealthKit's identifier.", valueName: "type"),
        completion: Completions.types)
    var type: String?
    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("Start with the changes since this anchor.", valueName: "anchor"))
    var since: String?

    @Flag(help: "Start with all stored samples.")
    var all = false

    @Flag(help: "Stop when there are no further changes.")
    var once = false

    @Flag(help: "With --exec: start the command when a workout has lost its process.")
    var recover = false

    @OptionGroup var source: SourceOption
    @OptionGroup var unit: UnitOption

    @Flag(help: "Write JSON lines.")
    var jsonl = false

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp("Run this command in /bin/sh for changes.", valueName: "command"))
    var command: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("With --exec: name of the subscription in the store.", valueName: "name"))
    var name: String?

    func validate() throws {
        if recover {
            guard command != nil else { throw ValidationError("--recover requires --exec.") }
            if type != nil || all || name != nil {
                throw ValidationError("--recover cannot be combined with a type, --all or --as.")
            }
        } else if type == nil {
            throw ValidationError("Missing expected argument '<type>'")
        }
        if command != nil, since != nil || jsonl || !source.names.isEmpty || unit.unit != nil {
            throw ValidationError("--exec cannot be combined with --since, --jsonl, --source or --unit.")
        }
        if command?.isEmpty ?? false { throw ValidationError("--exec is empty; give a command.") }
        if let name, TerminalText.printable(name) != name {
            throw ValidationError("--as must not contain control characters.")
        }
        if name != nil, command == nil { throw ValidationError("--as requires --exec.") }
        if all && since != nil { throw ValidationError("--all cannot be combined with --since.") }
        if let since, ChangeAnchor(text: since) == nil {
            throw ValidationError("--since is not an anchor; use the \"anchor\" text of an earlier --jsonl.")
        }
    }

    /// Returns the type with the given name.
    func resolvedType(_ store: HealthStore) throws -> HealthType { try TypeArgument.type(type ?? "", store) }

    func run() throws {
        try perform { output in
            Interrupt.catchRequests()
            if recover { return try recover(command ?? "") }
            if let command { return try execute(command, output) }
            let store = try store.open()
            let zone = try zone.resolved(store)
            let type = try resolvedType(store)
            let request = SampleRequest(
                type, limit: 10_000, sources: try source.resolved(store), unit: try unit.resolved(type))
            var anchor = since.flatMap { ChangeAnchor(text: $0) } ?? (all ? nil : store.engine.currentAnchor())
            var lines = WatchLines(output, zone, type, asJSON: jsonl)
            var isFirst = true
            while output.isOpen && !Interrupt.isRequested {
                let before = anchor
                let page = try store.changes(
                    request, since: anchor,
                    onDeletions: { all throws(HealthStoreError) in lines.delete(all) },
                    { samples throws(HealthStoreError) in
                        lines.add(samples)
                        return true
                    })
                anchor = page.anchor
                if page.isComplete, isFirst || page.anchor != before { lines.end(at: page.anchor) }
                if page.isComplete { isFirst = false }
                try lines.flush()
                if once && page.isComplete { return .done }
                if page.isComplete {
                    SystemClock.sleep(milliseconds: 50)
                    output.look()
                }
            }
            return .done
        }
    }
}
