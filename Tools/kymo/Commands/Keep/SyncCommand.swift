// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FileSystem
import Foundation
import HealthSync
import KymographHealth

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Exchange changes with another store.",
        discussion: """
            EXAMPLES
              kymo sync --create /media/disk/health
              kymo sync --command "ssh server kymo sync --stdio"
              kymo sync --pull /media/disk/health
              kymo sync --follow /media/disk/health
              kymo sync --types steps,pulse --from 2026-01-01 --create study

            Afterwards both stores have the same samples, objects and deletions. The other store is a directory, or \
            that of a command which runs "kymo sync --stdio" anywhere and passes bytes on. Each page of changes is \
            durable before the other side forgets it: an interrupted synchronisation continues where it ended. Later \
            synchronisations exchange only what is new. What came from a store is not sent back to it.

            --types and --from select a part, also of what the other store gives. Blood pressure and food are \
            exchanged with their members, workouts with their routes. Settings, decisions about programs, and the \
            files of imports are exchanged only without --types.

            Each store has its own key. An encrypted store exchanges changes with a plain one only with \
            --allow-plaintext, given where the encrypted store is.

            EXIT STATUS
              0    all changes are exchanged
              1    the synchronisation failed; the pages before are stored
              3    a store is damaged, or the other side sent damaged changes
              130  interrupted; --follow ends with 0
            """)

    @Argument(help: ArgumentHelp("The directory of the other store.", valueName: "other"), completion: .directory)
    var other: String?

    @Option(help: ArgumentHelp("A shell command that speaks for the other store.", valueName: "command"))
    var command: String?

    @Flag(help: "Create a store in the other directory if there is none.")
    var create = false

    @Flag(help: "Speak for this store on standard input and output.")
    var stdio = false

    @Flag(help: "Only take changes.")
    var pull = false

    @Flag(help: "Only give changes.")
    var push = false

    @Flag(help: "Exchange later changes as they come, until interrupted.")
    var follow = false

    @Option(
        help: ArgumentHelp("Exchange only these types, with commas; may be repeated.", valueName: "types"),
        completion: Completions.typeLists)
    var types: [String] = []

    @Option(help: ArgumentHelp("Exchange only what starts on this day or later.", valueName: "day"))
    var from: String?

    @Flag(help: "List the rules by which conflicts were decided.")
    var explain = false

    @Flag(help: "Let an encrypted store exchange changes with a store that is not encrypted.")
    var allowPlaintext = false

    @Option(
        help: ArgumentHelp("A file with the key of the other store, if it is encrypted.", valueName: "file"),
        completion: .file())
    var otherKeyFile: String?

    @Option(help: ArgumentHelp("Forget a store of earlier synchronisations, by its name or id.", valueName: "peer"))
    var forget: String?

    @Flag(help: "List the stores of earlier synchronisations.")
    var list = false

    @OptionGroup var store: StoreOption

    @OptionGroup var reporting: ReportOptions

    func run() throws {
        try perform { output in
            let modes = [other != nil, command != nil, stdio, forget != nil, list].count { $0 }
            guard modes == 1 else {
                throw Failure.usage("give one of: a directory, --command, --stdio, --list, --forget")
            }
            if pull, push { throw Failure.usage("give --pull or --push; both are the default") }
            let path = try store.resolved()
            let store = try open(path, mode: list ? .readOnly : .shared)
            defer { store.close() }
            if list { return try write(try store.peers(), output) }
            if let forget {
                guard try store.removePeer(forget) else {
                    throw Failure(.failed, "there is no peer \(forget); \"kymo sync --list\" names all")
                }
                return .done
            }
            Interrupt.catchRequests()
            let report = try exchange(store)
            if !stdio { try write(report, output) }
            return .done
        }
    }

    private func exchange(_ store: HealthStore) throws -> SyncReport {
        var options = SyncOptions()
        (options.receives, options.sends) = (!push, !pull)
        (options.follows, options.allowsPlaintext) = (follow || stdio, allowPlaintext)
        options.types = try selectedTypes()
        if let from {
            let zone = try store.homeZone()
            options.from = StoredTime.date(try RangeOptions.instant(from, zone))
        }
        options.explains = explain
        options.isCancelled = { Interrupt.isRequested }
        options.progress = { _ in !Interrupt.isRequested }
        if let other {
            let there = try open(other, mode: .shared, creates: create, key: otherKeyFile.map { KeyFile($0) })
            defer { there.close() }
            options.peerName = there.path
            return try HealthStoreSync(store, options: options).run(with: there)
        }
        if stdio {
            let channel = DescriptorChannel(reading: dup(0), writing: dup(1), name: "standard input and output")
            return try HealthStoreSync(store, options: options).run(over: channel)
        }
        return try run(command ?? "", store, &options)
    }

    private func selectedTypes() throws -> Set<HKObjectType>? {
        if types.isEmpty { return nil }
        let names = types.flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
        return Set(try names.map { try AccessOptions.type($0) })
    }

    /// - Parameter key: the key of the other store; nil for the key that the user gave for both.
    private func open(
        _ path: String, mode: OpenMode, creates: Bool = false, key: KeyFile? = nil
    ) throws -> HealthStore {
        var options = creates ? try Stores.options(creating: path) : Stores.options()
        // One of the stores may be plain.
        if let key { options.key = key }
        options.isKeyOptional = true
        // The disks and the connection are slower than one thread, and each thread needs memory.
        options.threads = 1
        if creates { return try HealthStore.openOrCreate(at: path, mode: mode, options: options) }
        return try HealthStore.open(at: path, mode: mode, options: options)
    }

    /// Synchronises with a shell command over its standard input and output.
    private func run(_ command: String, _ store: HealthStore, _ options: inout SyncOptions) throws -> SyncReport {
        options.peerName = command
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let channel = DescriptorChannel(
            reading: dup(output.fileHandleForReading.fileDescriptor),
            writing: dup(input.fileHandleForWriting.fileDescriptor), name: command)
        try? input.fileHandleForWriting.close()
        try? output.fileHandleForReading.close()
        let result = Result { () throws(SyncError) in try HealthStoreSync(store, options: options).run(over: channel) }
        process.waitUntilExit()
        return try result.get()
    }

    // MARK: - Output

    private func write(_ report: SyncReport, _ output: Output) throws {
        if reporting.json {
            var json = JSONWriter(lines: 1)
            json.beginObject()
            json.field("peer", report.peer)
            for (key, changes) in [("received", report.received), ("sent", report.sent)] {
                json.key(key)
                json.beginObject()
                json.field("samples", changes.samples)
                json.field("objects", changes.objects)
                json.field("deletions", changes.deletions)
                json.field("documents", changes.documents)
                json.field("attachments", changes.attachments)
                json.field("bytes", Int(clamping: changes.bytes))
                json.endObject()
            }
            json.field("passedOver", report.passedOver)
            json.field("changedValues", report.changedValues)
            if explain { explained(report, &json) }
            json.endObject()
            json.endLine()
            return try output.write(json.take())
        }
        if reporting.quiet { return }
        try output.line("received: " + Self.text(report.received))
        try output.line("sent:     " + Self.text(report.sent))
        if report.changedValues > 0 {
            try output.line(
                "changed:  " + NumberText.count(report.changedValues, "setting or decision", "settings and decisions"))
        }
        if explain { try explained(report, output) }
    }

    // MARK: Rules

    private func explained(_ report: SyncReport, _ json: inout JSONWriter) {
        json.key("rules")
        json.beginObject()
        for (rule, count) in report.rules.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            json.field(rule.rawValue, count)
        }
        json.endObject()
        json.key("conflicts")
        json.beginArray()
        for one in report.conflicts {
            json.beginObject()
            json.field("rule", one.rule.rawValue)
            json.field("subject", one.subject)
            json.endObject()
        }
        json.endArray()
    }

    private func explained(_ report: SyncReport, _ output: Output) throws {
        if report.rules.isEmpty { return try output.line("no rule was needed") }
        for (rule, count) in report.rules.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try output.line("\(rule.text): \(count)")
            for one in report.conflicts where one.rule == rule {
                try output.line("  " + TerminalText.printable(one.subject))
            }
        }
    }

    private static func text(_ changes: SyncReport.Changes) -> String {
        if changes.isEmpty { return "nothing new" }
        return [
            NumberText.count(changes.samples, "sample"), NumberText.count(changes.objects, "object"),
            NumberText.count(changes.deletions, "deletion"),
        ].joined(separator: ", ") + " (" + NumberText.bytes(Int64(clamping: changes.bytes)) + ")"
    }

    private func write(_ peers: [HealthStorePeer], _ output: Output) throws -> ExitStatus {
        for peer in peers { try output.line(TerminalText.printable(peer.name) + "  " + peer.store) }
        return .done
    }
}

extension SyncRule {
    /// The rule in words.
    fileprivate var text: String {
        switch self {
        case .known: "stored already under the same identity"
        case .deletion: "deleted in one store, which counts"
        case .higherVersion: "the higher version of a sync identifier counts"
        case .lowerIdentity: "the same version twice, the lower identity counts"
        case .laterValue: "the later value of a setting or characteristic counts"
        case .laterDecision: "the later decision about a program counts"
        case .denial: "decided at the same time, the refusal counts"
        case .answer: "a decision answers a request"
        case .request: "a request without an answer"
        case .reset: "the decisions about a program were removed"
        }
    }
}
