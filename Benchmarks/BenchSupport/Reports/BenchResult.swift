// SPDX-License-Identifier: Apache-2.0

/// One measured row. Rows of two runs are comparable if id, set, mode and threads are equal.
package struct BenchResult: Codable, Sendable, Equatable {
    /// The operation: `ingest`, `size`, `Q1` ... `Q10`, `open`, the name of a kernel.
    package var id: String
    /// The data set, the encoding of a kernel's column, or the size of a growing store.
    package var set: String
    /// The threads of the store, or the appending producers.
    package var threads: Int
    /// The kind of measurement: `bulk`, `durable-1`, `warm`, `cold`, ...
    package var mode: String
    /// The seconds of one operation; 0 for rows about sizes.
    package var medianSeconds: Double
    package var minSeconds: Double
    /// The time exceeded by one in a hundred operations.
    package var p99Seconds: Double?
    /// The processor time of all threads, if measured.
    package var processorSeconds: Double?
    /// The samples, records or values of one operation.
    package var samples: Int
    /// A checksum over the result in hexadecimal; equal results have equal hashes on every machine.
    package var hash: String
    package var samplesPerSecond: Double?
    package var bytesPerSample: Double?
    /// The bytes on disk.
    package var bytes: Int?
    /// The bytes of plain values (8 each) read or written per second.
    package var bytesPerSecond: Double?
    /// The resident memory afterwards, or its peak.
    package var residentBytes: Int?
    /// The speed or size relative to `ratioTo`.
    package var ratio: Double?
    package var ratioTo: String?
    /// The number of measurements behind median and minimum; nil if there are none.
    package var runs: Int?
    /// The description of the measurement.
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

    /// Creates a row of measured runs.
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

    /// The properties that make two rows comparable.
    package struct Key: Hashable, Sendable, CustomStringConvertible {
        package let id, set, mode: String
        package let threads: Int

        package var description: String { "\(id) \(set) \(mode), \(threads) thread\(threads == 1 ? "" : "s")" }
    }

    package var key: Key { Key(id: id, set: set, mode: mode, threads: threads) }
}
