// SPDX-License-Identifier: Apache-2.0
// kymo-bench: measures ingest, queries, sizes, kernels, growth and imports, and checks every result.

import ArgumentParser
import BenchSupport
import FileSystem

@main
struct KymoBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kymo-bench",
        abstract: "Measure the engine; every timed result is first compared with plain recomputation.",
        discussion: """
            Docs/Internals/Performance.md explains every command, row and column.

            EXAMPLES
              python3 Benchmarks/data/gen.py --out data         # the full data sets: 530 MB, needs numpy
              kymo-bench all --data data --json run.json --markdown run.md --svg plots
              kymo-bench query --data data --only Q2,Q5 --threads 1,2
              kymo-bench size --small                           # seconds, on small generated sets
              kymo-bench grow --up-to 1G
              kymo-bench diff before.json after.json

            EXIT STATUS
              0    measured, and all results are correct
              1    a measurement failed, or there was nothing to measure
              64   the command line is invalid
            """,
        version: BenchHost.currentVersion,
        subcommands: [
            Ingest.self,
            Query.self,
            Size.self,
            Kernels.self,
            Grow.self,
            ManySeries.self,
            Year.self,
            Live.self,
            Deletions.self,
            Reads.self,
            Health.self,
            Workouts.self,
            Access.self,
            Attachments.self, Sync.self, History.self,
            Encryption.self,
            Import.self,
            Commands.self,
            All.self,
            Compare.self,
            Real.self,
            Operations.self,
            CheckBudgets.self,
            Diff.self,
            GrowProbe.self,
            SeriesStep.self,
            ReadBeside.self,
            Measure.self,
        ])

    static func main() {
        Terminal.reportFailedWrites()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            if error is ExitCode { exit(withError: error) }
            let code = exitCode(for: error)
            guard code == .success else {
                // Messages repeat arguments and file names, which may contain control characters.
                StandardError.write(fullMessage(for: error) + "\n")
                exit(withError: code)
            }
            // Help or version text; the parser would write it without checking for write errors.
            do throws(DiskError) { try OutputWriter.write(text: fullMessage(for: error)) } catch {
                StandardError.write("kymo-bench: \(error)\n")
                exit(withError: ExitCode(1))
            }
            exit(withError: ExitCode.success)
        }
    }
}
