// SPDX-License-Identifier: Apache-2.0
// kymo: the health store at the command line; data goes to standard output, everything else to standard error.

import ArgumentParser
import FileSystem

@main
struct Kymo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kymo",
        abstract: "A store for your health data, on your machine.",
        discussion: """
            EXAMPLES
              kymo import export.zip               the export of the Health app
              kymo types                           what is in the store
              kymo stats stepCount --by month      totals, read from the index
              kymo stats heartRate --by day --from 2024-01-01 --to 2024-01-31
              kymo query sleepAnalysis --reverse   the samples, the latest first
              kymo show UUID                       one object with all that is known of it
              kymo add bodyMass 70.2 kg            a sample by hand
              kymo watch heartRate                 what comes and goes, as it happens
              kymo export export.xml               everything as Apple's XML, or as CSV or JSON lines
              kymo verify                          reads everything and checks it
              kymo repair --to DIR                 a new store of what is sound in a damaged one
              kymo backup /media/disk/health       a copy that is consistent and checked

            The store is a directory: --store DIR, else the variable KYMO_STORE, else kymograph in the user's data \
            directory (XDG_DATA_HOME, else ~/.local/share).

            EXIT STATUS
              0    done
              1    failed
              2    imported, and something in the file was repaired or left out
              3    the store is damaged; of a repair: something was lost
              64   wrong usage
              130  interrupted
            """,
        version: version,
        subcommands: commands)

    private static let commands: [any ParsableCommand.Type] = [
        ImportCommand.self, TypesCommand.self, SourcesCommand.self, StatsCommand.self, QueryCommand.self,
        SummariesCommand.self, ShowCommand.self, AddCommand.self, WatchCommand.self, SimulateCommand.self,
        DeleteCommand.self, PreferCommand.self,
        ExportCommand.self, InfoCommand.self, CompactCommand.self, VerifyCommand.self, RepairCommand.self,
        BackupCommand.self, RestoreCommand.self,
    ]

    private static var names: [String] { commands.compactMap { $0.configuration.commandName } }

    /// The version of the tools, as CHANGELOG.md counts them.
    static let version = "0.1.0"

    static func main() {
        Terminal.reportFailedWrites()
        if let odd = Environment.oddArgument {
            Messages.write("\(odd): an argument that is no UTF-8; give the file or directory another name")
            exit(withError: ExitCode.validationFailure)
        }
        let arguments = CommandArguments.prepared(Array(CommandLine.arguments.dropFirst()))
        let name = arguments.first.flatMap { names.contains($0) ? $0 : nil }
        do {
            if let wrong = unknownCommand(arguments) { throw ValidationError(unknown(wrong)) }
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch {
            if exitCode(for: error) == .success { show(fullMessage(for: error)) }
            guard exitCode(for: error) == .validationFailure, !(error is ExitCode) else { exit(withError: error) }
            let page = name.map { "help \($0)" } ?? "--help"
            Messages.write("\(oneLine(message(for: error))); see \"kymo \(page)\"")
            exit(withError: ExitCode.validationFailure)
        }
    }

    /// Ends with what help or the version says.
    private static func show(_ text: String) -> Never {
        do throws(DiskError) {
            if !text.isEmpty { try OutputWriter.write(text: text) }
        } catch {
            Messages.write(error.description)
            exit(withError: ExitCode(ExitStatus.failed.rawValue))
        }
        exit(withError: ExitCode.success)
    }

    /// What the parser says about wrong usage: its lists become commas.
    private static func oneLine(_ message: String) -> String {
        var text = ""
        for line in message.split(separator: "\n") {
            let part = line.drop { $0 == " " }
            if part.hasPrefix("- ") {
                text += (text.hasSuffix(":") ? " " : ", ") + part.dropFirst(2)
            } else {
                text += (text.isEmpty ? "" : " ") + part
            }
        }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// The command that is run, or that help is asked for, if there is none of that name.
    private static func unknownCommand(_ arguments: [String]) -> String? {
        let asked = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        guard let asked, !asked.hasPrefix("-"), asked != "help", !names.contains(asked) else { return nil }
        return asked
    }

    private static func unknown(_ wrong: String) -> String {
        let near = names.min { Spelling.distance(wrong, $0) < Spelling.distance(wrong, $1) }
        guard let near, near.hasPrefix(wrong) || Spelling.distance(wrong, near) <= 2 else {
            return "there is no command \"\(wrong)\""
        }
        return "there is no command \"\(wrong)\"; did you mean \(near)?"
    }
}

/// How far a mistyped word is from another.
enum Spelling {
    /// The letters to insert, leave out or change.
    static func distance(_ a: String, _ b: String) -> Int {
        let b = Array(b)
        var row = Array(0...b.count)
        for (i, letter) in a.prefix(40).enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let change = diagonal + (letter == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}
