// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kymograph

/// Stores a signal of 512 samples per second, queries it in four ways and checks every result.
///
///     swift run -c release HighRate [SAMPLES] [FOLDER]
@main
struct HighRate {
    static let batch = 1 << 20
    static let hour: Int64 = 3_600_000_000_000

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let samples = Int(arguments.first ?? "10000000"), samples >= 100_000 else {
            complain("usage: HighRate [SAMPLES >= 100000] [FOLDER]")
            exit(64)
        }
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("HighRate-\(UUID().uuidString)")
        var sound = false
        do {
            sound = try run(samples, at: arguments.dropFirst().first ?? scratch.path)
        } catch {
            complain("\(error)")
        }
        try? FileManager.default.removeItem(at: scratch)
        exit(sound ? 0 : 1)
    }

    /// Stores and queries the samples; returns whether all results were correct.
    static func run(_ samples: Int, at path: String) throws -> Bool {
        let store = try TimeSeriesStore.create(at: path)
        defer { store.close() }
        let lead = try store.series("electrocardiogram", labels: ["lead": "I", "unit": "uV"], kind: .discrete)
        try ingest(samples, into: store, lead)

        let info = try store.info()
        print("on disk: \(info.bytes) bytes, \(rounded(info.bytesPerSample)) per sample, \(info.segments) segments")
        var checks = Checks()
        try query(samples, store.snapshot(), lead, &checks)
        let report = try store.verify()
        checks.expect("verify", report.problems.isEmpty)
        print("\(checks.made) results checked, \(checks.failed) wrong")
        return checks.failed == 0
    }

    /// Stores most samples in bulk, a million per commit, and the last 2,000 in durable appends of 20, as from a
    /// sensor.
    static func ingest(_ samples: Int, into store: TimeSeriesStore, _ lead: Series) throws {
        let signal = Signal()
        let clock = ContinuousClock()
        let bulk = samples - 2_000
        var spent = Duration.zero
        for first in stride(from: 0, to: bulk, by: batch) {
            let indices = first..<min(first + batch, bulk)
            let times = indices.map(Signal.time)
            let values = indices.map(signal.value)
            spent += try clock.measure {
                try store.bulkLoad { loader in
                    try loader.append(to: lead.id, starts: times.span, values: values.span)
                }
            }
        }
        let rate = Double(bulk) / seconds(spent) / 1e6
        print("bulk: \(bulk) samples, durable, in \(rounded(seconds(spent))) s: \(rounded(rate)) M samples per second")

        var waits: [Double] = []
        for first in stride(from: bulk, to: samples, by: 20) {
            let times = (first..<first + 20).map(Signal.time)
            let values = (first..<first + 20).map(signal.value)
            let wait = try clock.measure {
                try store.append(to: lead.id, starts: times.span, values: values.span)
            }
            waits.append(seconds(wait) * 1e6)
        }
        waits.sort()
        let (median, slowest) = (waits[waits.count / 2], waits[waits.count - 1])
        print("durable appends of 20: median \(rounded(median)) us, slowest \(rounded(slowest)) us")
    }

    static func query(_ samples: Int, _ snapshot: Snapshot, _ lead: Series, _ checks: inout Checks) throws {
        let signal = Signal()
        let whole = try timed("count, sum, min, max, average of all samples") { try snapshot.aggregate(of: lead.id) }
        checks.expect("count", whole.count == samples)
        checks.expect("sum", whole.sum == signal.sum(0..<samples))

        let end = Signal.time(samples)
        let buckets = Buckets.fixed(nanoseconds: hour, anchor: Signal.begin)
        let hours = try timed("hourly buckets") {
            try snapshot.buckets(of: lead.id, buckets, over: TimeRange(Signal.begin, end))
        }
        for (i, bucket) in hours.enumerated() {
            let indices = i * 1_843_200..<min((i + 1) * 1_843_200, samples)
            checks.expect("hour \(i)", bucket.count == indices.count && bucket.sum == signal.sum(indices))
            print("  hour \(i): \(bucket.count) samples, average \(rounded(bucket.average ?? .nan)) uV")
        }

        let first = samples / 2
        let from = Signal.time(first)
        let minute = TimeRange(from, from + 60_000_000_000)
        let (times, values) = try timed("the samples of one minute") {
            var (times, values): ([Int64], [Double]) = ([], [])
            try snapshot.read(lead.id, over: minute, starts: &times, values: &values)
            return (times, values)
        }
        let indices = first..<min(first + 30_720, samples)
        checks.expect("minute: times", times == indices.map(Signal.time))
        checks.expect("minute: values", values == indices.map(signal.value))

        let last = try timed("the most recent sample") { try snapshot.mostRecent(of: lead.id) }
        checks.expect("most recent", last == Sample(start: Signal.time(samples - 1), value: signal.value(samples - 1)))
    }

    /// Runs `body` once to warm up, then once with time measurement.
    static func timed<R>(_ what: String, _ body: () throws -> R) rethrows -> R {
        _ = try body()
        let clock = ContinuousClock()
        let start = clock.now
        let result = try body()
        print("\(what): \(rounded(seconds(clock.now - start) * 1e6)) us")
        return result
    }

    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    static func rounded(_ x: Double) -> Double { (x * 100).rounded() / 100 }
}

/// Counts checks and prints failures.
struct Checks {
    private(set) var made = 0
    private(set) var failed = 0

    mutating func expect(_ what: String, _ holds: Bool) {
        made += 1
        if holds { return }
        failed += 1
        complain("wrong: \(what)")
    }
}

func complain(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
