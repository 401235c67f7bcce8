// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CivilTime
import FileSystem
import Foundation
import KymographHealth

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows what comes and goes in a type, as it happens.",
        discussion: """
            EXAMPLES
              kymo watch heartRate                       from now on, until Ctrl-C
              kymo watch stepCount --source "Ann's Watch" --jsonl
              kymo watch bodyMass --all --once --jsonl   everything so far, and the anchor to go on from
              kymo watch bodyMass --since 01e0...9a --once --jsonl
              kymo watch stepCount --exec ./on-steps.sh  run a command for what comes and goes, over restarts

            With --jsonl each line is one JSON object: {"added": ...} for a sample, {"deleted": ...} for a deletion, \
            and {"anchor": "..."} after all that one or several commits did: the text that --since takes to go on \
            from there.

            With --exec the command gets such lines as its standard input, and KYMO_STORE and KYMO_TYPE in its \
            environment. The store remembers what it ended with status 0 for; anything else is told again.
            """)

    @OptionGroup var store: StoreOption
    @OptionGroup var type: TypeArgument
    @OptionGroup var zone: ZoneOption

    @Option(help: ArgumentHelp("Begin with what changed since this anchor.", valueName: "anchor"))
    var since: String?

    @Flag(help: "Begin with all samples that are there.")
    var all = false

    @Flag(help: "End as soon as there is nothing more.")
    var once = false

    @OptionGroup var source: SourceOption
    @OptionGroup var unit: UnitOption

    @Flag(help: "Write JSON lines.")
    var jsonl = false

    @Option(
        name: .customLong("exec"),
        help: ArgumentHelp("Run this in /bin/sh for what comes and goes.", valueName: "command"))
    var command: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("With --exec: the name under which the store remembers.", valueName: "name"))
    var name: String?

    func validate() throws {
        if command != nil, since != nil || jsonl || !source.names.isEmpty || unit.unit != nil {
            throw ValidationError("--exec has no place beside --since, --jsonl, --source and --unit.")
        }
        if command?.isEmpty ?? false { throw ValidationError("--exec is empty; name a command.") }
        if let name, TerminalText.printable(name) != name {
            throw ValidationError("--as is a name without tabs, line feeds and the like.")
        }
        if name != nil, command == nil { throw ValidationError("--as belongs to --exec.") }
        if all && since != nil { throw ValidationError("--all has no place beside --since.") }
        if let since, ChangeAnchor(text: since) == nil {
            throw ValidationError("--since is no anchor: it is the text behind \"anchor\" of an earlier --jsonl.")
        }
    }

    func run() throws {
        try perform { output in
            Interrupt.catchRequests()
            let zone = try zone.resolved()
            if let command { return try execute(command, zone, output) }
            let store = try store.open()
            let type = try type.resolved(store)
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
                    usleep(50_000)
                    output.look()
                }
            }
            return .done
        }
    }
}
