// SPDX-License-Identifier: Apache-2.0
// Campaigns: attacks on a store by crashes, failing disks, damage and kills, as short in a test or as long as you like.

import Foundation

/// How much of a campaign to run.
package struct CampaignPlan: Sendable {
    /// Cases after which it ends; a campaign may finish the group it is in.
    package var cases: Int
    /// Seconds after which it ends, whatever it has done.
    package var seconds: Double
    /// What every random choice follows from.
    package var seed: UInt64
    /// Cases that are tried side by side.
    package var threads: Int
    /// Where files may be put; removed afterwards by whoever made it.
    package var work: String
    /// The campaign program, for campaigns that need children.
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

/// What a campaign found.
package struct CampaignResult: Codable, Sendable {
    package var suite: String
    package var seed: UInt64
    /// Cases tried.
    package var cases = 0
    package var seconds = 0.0
    /// What went wrong, each with what repeats it; empty for success. Only the first hundred are kept.
    package var failures: [String] = []
    package var failureCount = 0
    /// Numbers that say what was tried: images by kind, calls failed, samples lost ...
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
    /// What the command line and the log call it.
    static var name: String { get }
    /// One line for a list.
    static var summary: String { get }
    /// Runs until the plan is fulfilled.
    static func run(_ plan: CampaignPlan) throws -> CampaignResult
}

/// Says when a campaign's time is over.
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
