// SPDX-License-Identifier: Apache-2.0
// Campaigns: attacks on a store by crashes, failing disks, damage and kills, of any length from a short test to days.

import Foundation

/// The amount of work of a campaign, and its environment.
package struct CampaignPlan: Sendable {
    /// The number of cases after which it ends; a campaign may finish its current group.
    package var cases: Int
    /// The number of seconds after which it ends.
    package var seconds: Double
    /// The seed of every random choice.
    package var seed: UInt64
    /// The number of cases tried in parallel.
    package var threads: Int
    /// The folder for files. The creator of the plan removes it.
    package var work: String
    /// The path of the campaign program, for campaigns that need child processes.
    package var program: String

    package init(
        cases: Int, seconds: Double = .infinity, seed: UInt64 = 1, threads: Int = 2, work: String = "/tmp",
        program: String = CommandLine.arguments[0]
    ) {
        self.cases = cases
        self.seconds = seconds
        self.seed = seed
        self.threads = threads
        self.work = work
        self.program = program
    }
}

/// The result of a campaign.
package struct CampaignResult: Codable, Sendable {
    package var suite: String
    package var seed: UInt64
    /// The number of cases tried.
    package var cases = 0
    package var seconds = 0.0
    /// Failures, each with the data to repeat it; empty for success. Only the first hundred are kept.
    package var failures: [String] = []
    package var failureCount = 0
    /// Counts of cases and events: images by kind, calls failed, samples lost ...
    package var counts: [String: Int] = [:]

    package init(suite: String, seed: UInt64) {
        self.suite = suite
        self.seed = seed
    }

    package mutating func fail(_ text: String) {
        failureCount += 1
        if failures.count < 100 { failures.append(text) }
    }

    package mutating func count(_ name: String, _ number: Int = 1) { counts[name, default: 0] += number }

    package mutating func merge(_ other: CampaignResult) {
        cases += other.cases
        failureCount += other.failureCount
        failures = Array((failures + other.failures).prefix(100))
        counts.merge(other.counts) { $0 + $1 }
    }
}

/// One kind of attack.
package protocol Campaign: Sendable {
    /// The name on the command line and in the log.
    static var name: String { get }
    /// A summary of one line for a list.
    static var summary: String { get }
    /// Runs until the plan is fulfilled.
    static func run(_ plan: CampaignPlan) throws -> CampaignResult
}

/// Reports when the time of a campaign is over.
package struct CampaignClock: Sendable {
    private let start = ContinuousClock.now
    private let limit: Double

    package init(_ plan: CampaignPlan) { limit = plan.seconds }

    package var elapsed: Double {
        let parts = (ContinuousClock.now - start).components
        return Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    }

    package var isOver: Bool { elapsed >= limit }
}
