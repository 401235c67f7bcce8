// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// What `worker.py` found out about one peer with some threads.
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

    /// What it could not do.
    package struct Failure: Codable, Sendable {
        package var id, set, mode, reason: String
    }

    package var peer, title, version, note: String
    /// Why samples of a set do not come back as they went in, by set.
    package var lossy: [String: String]
    package var threads: Int
    package var rows: [Row]
    package var failures: [Failure]
    /// Why nothing of it was measured.
    package var problem: String?

    /// A peer of which nothing could be measured.
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

    /// Reads what a worker wrote.
    package static func read(_ path: String) throws -> PeerOutcome {
        let bytes = try RealDisk().contents(of: path, limit: 1 << 26)
        return try JSONDecoder().decode(PeerOutcome.self, from: Data(bytes))
    }

    /// Why there is no figure of it, if there is none.
    package var reason: String? {
        if let problem { return problem }
        return rows.contains { $0.id != "call" } ? nil : failures.first?.reason ?? "nothing of it was measured"
    }

    /// The cost of an empty call through its binding.
    package var callSeconds: Double? { rows.first { $0.id == "call" }?.minSeconds }
}
