// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Campaigns
import Foundation
import TestSupport

/// Attacks stores, and says what became of them.
@main
struct CampaignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Attack stores by crashes, failing disks and damage; say what became of them.",
        discussion: "Suites: "
            + all.map { "\n  \($0.name): \($0.summary)" }.joined()
            + "\nEach suite prints one line of JSON. Exit status 1 where one of them found a failure.")

    static let all: [any Campaign.Type] = [
        CrashCampaign.self, ErrorCampaign.self, KillCampaign.self, ReopenCampaign.self, PowerCutCampaign.self,
        ModelCampaign.self, CorruptionCampaign.self, FlipCampaign.self, HostileCampaign.self, TourCampaign.self,
        ResourceCampaign.self, ReaderCampaign.self, SoakCampaign.self, HealthCampaign.self,
        ProgramCampaign.self, OutsiderCampaign.self,
    ]

    @Argument(help: "The suites to run; all without one.")
    var suites: [String] = []

    @Option(help: "Cases of each suite.")
    var cases = 1_000

    @Option(help: "Seconds after which each suite ends, whatever it has done.")
    var seconds: Double?

    @Option(help: "What all random choices follow from.")
    var seed: UInt64 = 1

    @Option(help: "Cases tried side by side.")
    var threads = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: "A file for the call sites that were crashed and failed; Tools/call-sites reads it.")
    var sites: String?

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        // What campaigns start as their children is no suite and appears in no help.
        if arguments.first == "worker" { return CampaignWorker.main(Array(arguments.dropFirst())) }
        main(arguments)
    }

    @Option(help: ArgumentHelp("What a process with limits does for a suite.", visibility: .private))
    var child: String?

    func validate() throws {
        for suite in suites where !Self.all.contains(where: { $0.name == suite }) {
            throw ValidationError("there is no suite \"\(suite)\"")
        }
        guard cases > 0, threads > 0, threads <= 256, (seconds ?? 1) > 0 else {
            throw ValidationError("cases, seconds and threads are positive")
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
