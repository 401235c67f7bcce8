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
              kymo sync --keep 7d /media/disk/health

            Afterwards both stores have the same samples, objects and deletions. The other store is a directory, or \
            that of a command which runs "kymo sync --stdio" anywhere and passes bytes on. Each page of changes is \
            durable before the other side forgets it: an interrupted synchronisation continues where it ended. Later \
            synchronisations exchange only what is new. What came from a store is not sent back to it.

            --types and --from select a part, also of what the other store gives. Blood pressure and food are \
            exchanged with their members, workouts with their routes. Settings, decisions about programs, and the \
            files of imports are exchanged only without --types.

            With --keep this store removes samples and objects that ended before the kept days, once another store has \
            them. The other stores keep them. A save of an older sample then fails.

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

    @Option(
        help: ArgumentHelp(
            "Keep this many days before the newest sample's day in this store, such as 7d. Default: everything.",
            valueName: "days"))
    var keep: KeptDays?

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
            if keep != nil, list || forget != nil {
                throw Failure.usage("--keep belongs to a synchronisation: give a directory, --command or --stdio")
            }
            let path = try store.resolved()
            let store = try open(path, mode: list ? .readOnly : .shared, keeping: keep)
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
        _ path: String, mode: OpenMode, creates: Bool = false, key: KeyFile? = nil, keeping: KeptDays? = nil
    ) throws -> HealthStore {
        var options = creates ? try Stores.options(creating: path) : Stores.options()
        if let keeping { options.keepsHistory = keeping.history }
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
}
