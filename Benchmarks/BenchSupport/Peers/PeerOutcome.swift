// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// The results of `worker.py` for one peer and one number of threads.
package struct PeerOutcome: Codable, Sendable {
    /// One measurement.
    package struct Row: Codable, Sendable {
        package var id, set, mode: String
        package var medianSeconds, minSeconds: Double
        package var runs: Int?
        package var samples: Int
        package var samplesPerSecond: Double?
        package var p99Seconds: Double?
        package var bytes: Int?
        package var bytesPerSample: Double?

        enum CodingKeys: String, CodingKey {
            case id, set, mode, runs, samples, bytes
            case medianSeconds = "median_s"
            case minSeconds = "min_s"
            case samplesPerSecond = "samples_per_s"
            case p99Seconds = "p99_s"
            case bytesPerSample = "bytes_per_sample"
        }
    }

    /// A measurement that failed.
    package struct Failure: Codable, Sendable {
        package var id, set, mode, reason: String
    }

    package var peer, title, version, note: String
    /// The reasons why samples change on a round trip, by set.
    package var lossy: [String: String]
    package var threads: Int
    package var rows: [Row]
    package var failures: [Failure]
    /// The reason why nothing was measured; nil if there are results.
    package var problem: String?

    /// Creates the outcome of a peer that could not be measured.
    package init(_ peer: String, threads: Int, problem: String) {
        self.peer = peer
        title = peer
        version = ""
        note = ""
        lossy = [:]
        self.threads = threads
        rows = []
        failures = []
        self.problem = problem
    }

    /// Reads the output of a worker.
    package static func read(_ path: String) throws -> PeerOutcome {
        let bytes = try RealDisk().contents(of: path, limit: 1 << 26)
        return try JSONDecoder().decode(PeerOutcome.self, from: Data(bytes))
    }

    /// The reason for missing results; nil if there are results.
    package var reason: String? {
        if let problem { return problem }
        return rows.contains { $0.id != "call" } ? nil : failures.first?.reason ?? "it has no results"
    }

    /// The cost of an empty call through the peer's binding.
    package var callSeconds: Double? { rows.first { $0.id == "call" }?.minSeconds }
}
