// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// One measured row.
package struct BenchResult: Codable, Sendable {
    /// `ingest`, `size`, `Q1` ... `Q10`.
    package var id: String
    /// The data set.
    package var set: String
    package var threads = 1
    /// `bulk`, `durable-1`, `warm`, `cold`, ...
    package var mode: String
    package var medianSeconds: Double
    package var minSeconds: Double
    /// Samples that one run was about.
    package var samples: Int
    /// A checksum over the answer, in hexadecimal; equal answers have equal hashes on every machine.
    package var hash: String
    package var samplesPerSecond: Double?
    package var bytesPerSample: Double?
    /// What was measured, for people.
    package var what: String

    enum CodingKeys: String, CodingKey {
        case id, set, threads, mode, samples, hash, what
        case medianSeconds = "median_s"
        case minSeconds = "min_s"
        case samplesPerSecond = "samples_per_s"
        case bytesPerSample = "bytes_per_sample"
    }
}

/// The machine and all rows of one run.
package struct BenchReport: Codable, Sendable {
    /// What it ran on.
    package struct Host: Codable, Sendable {
        package var processor: String
        package var cores: Int
        package var memoryBytes: UInt64
        package var kernel: String
        package var system: String
        package var build: String
    }

    package var machine: Host
    package var results: [BenchResult]

    /// A report about this machine.
    package init(_ results: [BenchResult]) {
        #if DEBUG
            let build = "debug"
        #else
            let build = "release"
        #endif
        machine = Host(
            processor: Machine.processorModel(), cores: Machine.processorCount(), memoryBytes: Machine.memoryBytes(),
            kernel: Machine.kernel(), system: Machine.operatingSystem(), build: build)
        self.results = results
    }

    /// As JSON with sorted keys.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// As a Markdown table.
    package func markdown() -> String {
        var text = "\(machine.processor), \(machine.cores) cores, \(machine.memoryBytes >> 30) GiB, "
        text += "\(machine.system),\nkernel \(machine.kernel), \(machine.build) build. "
        text += "Median and minimum of the runs, one thread.\n\n"
        text += "| id | set | what | mode | median | min | samples | M samples/s | B/sample |\n"
        text += "|---|---|---|---|---:|---:|---:|---:|---:|\n"
        for row in results {
            let rate = row.samplesPerSecond.map { Self.number($0 / 1e6) } ?? ""
            let size = row.bytesPerSample.map { Self.number($0) } ?? ""
            text += "| \(row.id) | \(row.set) | \(row.what) | \(row.mode) | \(Self.time(row.medianSeconds)) | "
            text += "\(Self.time(row.minSeconds)) | \(row.samples) | \(rate) | \(size) |\n"
        }
        return text
    }

    private static func number(_ x: Double) -> String {
        x >= 100 ? String(Int(x.rounded())) : String((x * 1_000).rounded() / 1_000)
    }

    private static func time(_ seconds: Double) -> String {
        switch seconds {
        case 0: "-"
        case ..<1e-6: "\(number(seconds * 1e9)) ns"
        case ..<1e-3: "\(number(seconds * 1e6)) µs"
        case ..<1: "\(number(seconds * 1e3)) ms"
        default: "\(number(seconds)) s"
        }
    }
}

/// Runs a body several times.
package struct Stopwatch {
    /// The seconds of each run, ascending.
    package private(set) var runs: [Double] = []

    package init() {}

    /// Times one run; `repeats` is how many operations the body does.
    package mutating func measure<R>(repeats: Int = 1, _ body: () throws -> R) rethrows -> R {
        let before = SystemClock.monotonicNanoseconds()
        let result = try body()
        let after = SystemClock.monotonicNanoseconds()
        runs.append(Double(after - before) / 1e9 / Double(max(1, repeats)))
        runs.sort()
        return result
    }

    package var median: Double { runs.isEmpty ? 0 : runs[runs.count / 2] }
    package var min: Double { runs.first ?? 0 }
}

/// A checksum over answers (FNV-1a, 64 bits).
package struct AnswerHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            state = (state ^ (word >> UInt64(shift) & 0xFF)) &* 0x100_0000_01B3
        }
    }

    package mutating func add(_ x: Double?) { add(x.map(\.bitPattern) ?? 1) }
    package mutating func add(_ x: Int64) { add(UInt64(bitPattern: x)) }

    package var text: String { String(state, radix: 16) }
}
