// SPDX-License-Identifier: Apache-2.0
// kymo: the health store on the command line. Data goes to standard output, everything else to standard error.

import ArgumentParser
import FileSystem
import HealthModel

@main
struct Kymo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kymo",
        abstract: "Store and query your health data on your machine.",
        discussion: """
            EXAMPLES
              kymo import export.zip               import the Health app's export
              kymo                                 show today beside the days before
              kymo types                           list the types in the store
              kymo stats steps --by month          show totals per month
              kymo stats pulse --by day --last 7d  show the last seven days
              kymo sleep                           show the last nights
              kymo workouts --last 30d             show the workouts of a month
              kymo plot pulse --last 7d            draw values over time
              kymo why steps yesterday             show which sources count
              kymo report --open                   show a year as a page in the browser
              kymo query pulse --reverse           show samples, the latest first
              kymo add weight 70.2 kg              add a sample by hand
              kymo export export.xml               export as Apple's XML, CSV or JSON lines
              kymo verify                          verify the whole store
              kymo repair --to DIR                 recover a damaged store into a new one
              kymo backup /media/disk/health       copy the store, consistent and verified
              kymo key list                        list what opens an encrypted store

            The store is a directory: --store DIR, otherwise the environment variable KYMO_STORE, otherwise kymograph \
            in the user's data directory (XDG_DATA_HOME or ~/.local/share).

            EXIT STATUS
              0    done
              1    failed
              2    imported, with repaired or skipped elements
              3    the store is damaged; repair: data was lost
              64   wrong usage
              130  interrupted
            """,
        version: version,
        groupedSubcommands: groups)

    /// The commands, in the groups of the folders in `Commands`.
    private static let groups = [
        CommandGroup(
            name: "Look",
            subcommands: [
                TodayCommand.self, TypesCommand.self, SourcesCommand.self, StatsCommand.self, QueryCommand.self,
                SleepCommand.self, WorkoutsCommand.self, PlotCommand.self, WhyCommand.self,
                ElectrocardiogramCommand.self, SummariesCommand.self, MedicationsCommand.self, ShowCommand.self,
                ReportCommand.self, WatchCommand.self,
            ]),
        CommandGroup(
            name: "Change",
            subcommands: [
                ImportCommand.self, AddCommand.self, DeleteCommand.self, PreferCommand.self, ZoneCommand.self,
                SimulateCommand.self, AttachmentCommand.self,
            ]),
        CommandGroup(
            name: "Keep",
            subcommands: [
                InfoCommand.self, ExportCommand.self, BackupCommand.self, RestoreCommand.self, VerifyCommand.self,
                SyncCommand.self, RepairCommand.self, CompactCommand.self,
            ]),
        CommandGroup(name: "Encryption", subcommands: [EncryptCommand.self, DecryptCommand.self, KeysCommand.self]),
        CommandGroup(
            name: "Privacy",
            subcommands: [
                PrivacyCommand.self, ClientsCommand.self, AllowCommand.self, DenyCommand.self,
                ResetPrivacyCommand.self,
            ]),
    ]

    private static var names: [String] { groups.flatMap(\.subcommands).compactMap { $0.configuration.commandName } }

    /// The version of the tools, as in CHANGELOG.md.
    static let version = "0.1.0"

    static func main() {
        StandardStreams.reserve()
        Terminal.reportFailedWrites()
        if let odd = Environment.oddArgument {
            Messages.write("\(odd): the argument is not UTF-8; rename the file or directory")
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
            let parsed = oneLine(message(for: error))
            let text = ArgumentAdvice.unknownOption(parsed, command: name) ?? parsed
            let advice = ArgumentAdvice.text(text, command: name).map { "; \($0)" } ?? ""
            let end = text.hasSuffix("?") && advice.isEmpty ? " See" : "; see"
            Messages.write("\(text)\(advice)\(end) \"kymo \(page)\"")
            exit(withError: ExitCode.validationFailure)
        }
    }

    /// Prints help or the version and exits.
    private static func show(_ text: String) -> Never {
        do throws(DiskError) {
            if !text.isEmpty {
                try OutputWriter.write(
                    text: HelpText.folded(BashCompletion.repaired(text), width: Terminal.columns(.output)))
            }
        } catch {
            Messages.write(error.description)
            exit(withError: ExitCode(ExitStatus.failed.rawValue))
        }
        exit(withError: ExitCode.success)
    }

    /// Returns the parser's message on one line, with lists joined by commas.
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

    /// Returns the name of the requested command, or of the command after `help`, if it does not exist.
    private static func unknownCommand(_ arguments: [String]) -> String? {
        let asked = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        guard let asked, !asked.hasPrefix("-"), asked != "help", !names.contains(asked) else { return nil }
        return asked
    }

    private static func unknown(_ wrong: String) -> String {
        if let type = HealthTypes.find(TypeAlias.expanded(wrong)), type.isKnown {
            return "no command \"\(wrong)\"; did you mean kymo stats \(wrong)?"
        }
        guard let question = Spelling.question(Spelling.nearest(wrong, names)) else {
            return "no command \"\(wrong)\""
        }
        return "no command \"\(wrong)\"; \(question)"
    }
}
