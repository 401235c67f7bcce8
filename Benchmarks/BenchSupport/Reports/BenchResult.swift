// SPDX-License-Identifier: Apache-2.0

/// One measured row. Two rows of two runs are about the same thing when id, set, mode and threads are equal.
package struct BenchResult: Codable, Sendable, Equatable {
    /// What was asked or done: `ingest`, `size`, `Q1` ... `Q10`, `open`, the name of a kernel.
    package var id: String
    /// The data set, or what stands for it: the encoding of a kernel's column, the size of a growing store.
    package var set: String
    /// The threads that the store could use, or the producers that appended.
    package var threads: Int
    /// How: `bulk`, `durable-1`, `warm`, `cold`, ...
    package var mode: String
    /// Seconds of one operation; 0 where a row is about bytes.
    package var medianSeconds: Double
    package var minSeconds: Double
    /// The time that one in a hundred operations took longer than.
    package var p99Seconds: Double?
    /// Processor time of all threads, where it was taken.
    package var processorSeconds: Double?
    /// Samples, records or values that one operation was about.
    package var samples: Int
    /// A checksum over the answer, in hexadecimal; equal answers have equal hashes on every machine.
    package var hash: String
    package var samplesPerSecond: Double?
    package var bytesPerSample: Double?
    /// Bytes on disk.
    package var bytes: Int?
    /// Bytes of plain values (8 each) that were read or written in a second.
    package var bytesPerSecond: Double?
    /// Resident memory afterwards, or its peak.
    package var residentBytes: Int?
    /// How many times as fast (or as large) as what `ratioTo` names.
    package var ratio: Double?
    package var ratioTo: String?
    /// How many times were taken, where they were: median and minimum are of these.
    package var runs: Int?
    /// What was measured, for people.
    package var what: String

    package init(
        id: String, set: String, threads: Int = 1, mode: String, medianSeconds: Double = 0, minSeconds: Double = 0,
        p99Seconds: Double? = nil, processorSeconds: Double? = nil, samples: Int, hash: String = "",
        samplesPerSecond: Double? = nil, bytesPerSample: Double? = nil, bytes: Int? = nil,
        bytesPerSecond: Double? = nil, residentBytes: Int? = nil, ratio: Double? = nil, ratioTo: String? = nil,
        what: String
    ) {
        self.id = id
        self.set = set
        self.threads = threads
        self.mode = mode
        self.medianSeconds = medianSeconds
        self.minSeconds = minSeconds
        self.p99Seconds = p99Seconds
        self.processorSeconds = processorSeconds
        self.samples = samples
        self.hash = hash
        self.samplesPerSecond = samplesPerSecond
        self.bytesPerSample = bytesPerSample
        self.bytes = bytes
        self.bytesPerSecond = bytesPerSecond
        self.residentBytes = residentBytes
        self.ratio = ratio
        self.ratioTo = ratioTo
        self.what = what
    }

    /// A row of timed runs.
    package init(
        id: String, set: String, threads: Int = 1, mode: String, watch: Stopwatch, samples: Int, hash: AnswerHash?,
        what: String
    ) {
        self.init(
            id: id, set: set, threads: threads, mode: mode, medianSeconds: watch.median, minSeconds: watch.min,
            samples: samples, hash: hash?.text ?? "", what: what)
        runs = watch.runs.count
    }

    enum CodingKeys: String, CodingKey {
        case id, set, threads, mode, samples, hash, what, bytes, ratio, runs
        case medianSeconds = "median_s"
        case minSeconds = "min_s"
        case p99Seconds = "p99_s"
        case processorSeconds = "cpu_s"
        case samplesPerSecond = "samples_per_s"
        case bytesPerSample = "bytes_per_sample"
        case bytesPerSecond = "bytes_per_s"
        case residentBytes = "resident_bytes"
        case ratioTo = "ratio_to"
    }

    /// What makes two rows comparable.
    package struct Key: Hashable, Sendable, CustomStringConvertible {
        package let id, set, mode: String
        package let threads: Int

        package var description: String { "\(id) \(set) \(mode), \(threads) thread\(threads == 1 ? "" : "s")" }
    }

    package var key: Key { Key(id: id, set: set, mode: mode, threads: threads) }
}
