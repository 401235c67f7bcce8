// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Campaigns
import Foundation
import TestSupport

/// Attacks stores with crashes, failing calls and damage, and reports the outcome.
@main
struct CampaignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Attack stores with crashes, failing disks and damage, and report the outcome.",
        discussion: "Suites: "
            + all.map { "\n  \($0.name): \($0.summary)" }.joined()
            + "\nEach suite prints one line of JSON. The exit status is 1 if a suite found a failure.")

    static let all: [any Campaign.Type] = [
        CrashCampaign.self, ErrorCampaign.self, KillCampaign.self, ReopenCampaign.self, PowerCutCampaign.self,
        ModelCampaign.self, CorruptionCampaign.self, FlipCampaign.self, HostileCampaign.self, TourCampaign.self,
        ResourceCampaign.self, ReaderCampaign.self, SoakCampaign.self, HealthCampaign.self,
        ProgramCampaign.self, OutsiderCampaign.self, WorkoutCampaign.self, MirrorCampaign.self, AccessCampaign.self,
        ForgeryCampaign.self, SyncCampaign.self,
    ]

    @Argument(help: "Suites to run (default: all).")
    var suites: [String] = []

    @Option(help: "Number of cases per suite.")
    var cases = 1_000

    @Option(help: "Time limit per suite in seconds (default: none).")
    var seconds: Double?

    @Option(help: "Seed of all random choices.")
    var seed: UInt64 = 1

    @Option(help: "Number of cases that run concurrently.")
    var threads = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: "File to write the crashed and failed call sites to, for Tools/call-sites.")
    var sites: String?

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Ends the process if a nonce encrypts two messages.
        if TestKey.isUsed { NonceWatch.start() }
        // Child processes of campaigns start with `worker`; this is not a suite and not in the help.
        if arguments.first == "worker" { return CampaignWorker.main(Array(arguments.dropFirst())) }
        main(arguments)
    }

    @Option(help: ArgumentHelp("Task of a child process with resource limits.", visibility: .private))
    var child: String?

    func validate() throws {
        for suite in suites where !Self.all.contains(where: { $0.name == suite }) {
            throw ValidationError("there is no suite \"\(suite)\"; campaign --help lists the suites")
        }
        guard cases > 0, threads > 0, threads <= 256, (seconds ?? 1) > 0 else {
            throw ValidationError("--cases, --seconds and --threads must be positive, and --threads at most 256")
        }
    }

    func run() throws {
        if let child { return LimitedChild.run(child) }
        var isSound = true
        if sites != nil { CallSites.start() }
        defer {
            if let sites, let lines = try? CallSites.lines().joined(separator: "\n") {
                try? Data((lines + "\n").utf8).write(to: URL(fileURLWithPath: sites))
            }
        }
        defer {
            if TestKey.isUsed {
                let text = "\(suites.joined(separator: ", ")): \(NonceWatch.count) encryptions, and no nonce twice\n"
                try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
            }
        }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        for suite in Self.all where suites.isEmpty || suites.contains(suite.name) {
            let work = FileManager.default.temporaryDirectory.path + "/campaign-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: work) }
            let plan = CampaignPlan(
                cases: cases, seconds: seconds ?? .infinity, seed: seed, threads: threads, work: work, program: own)
            let result = try suite.run(plan)
            isSound = isSound && result.failureCount == 0
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(result), as: UTF8.self))
        }
        if !isSound { throw ExitCode(1) }
    }
}
