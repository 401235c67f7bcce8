// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import ColumnCodec
import Kernels

/// Kernels and codecs on cached columns at every processor level, relative to the memory bandwidth of the machine.
///
/// Each result is hashed, and all levels must agree.
package struct KernelBenchmark {
    let runs: Int
    let seconds: Double
    /// The number of columns of 1,024 values.
    let columns: Int
    let memoryBytes: Int

    package init(runs: Int, small: Bool) {
        self.runs = runs
        seconds = small ? 0.000_1 : 0.01
        columns = small ? 4 : 32
        memoryBytes = small ? 4 << 20 : 256 << 20
    }

    /// Returns all rows. Restores the highest level afterwards.
    package func run() throws -> [BenchResult] {
        defer { Kernel.force(level: -1) }
        let memory = try MemoryBandwidth(bytes: memoryBytes, runs: runs)
        var rows = [memory.read, memory.copy]
        for level in 0...Kernel.highestLevel where Kernel.force(level: level) == level {
            let name = BenchHost.levelName(level)
            for var row in try kernels(name) + integers(name) + reals(name) + blocks(name) {
                try Self.agree(row, with: rows)
                row.ratio = (row.bytesPerSecond ?? 0) / (memory.read.bytesPerSecond ?? 1)
                row.ratioTo = "memory read"
                rows.append(row)
            }
        }
        return rows
    }

    private static func agree(_ row: BenchResult, with others: [BenchResult]) throws {
        guard let other = others.first(where: { $0.id == row.id && $0.set == row.set }), other.hash != row.hash else {
            return
        }
        throw BenchError("\(row.id) \(row.set): \(row.mode) and \(other.mode) give different results")
    }

    /// Measures a body that processes a number of values.
    func row(
        _ id: String, _ set: String, _ level: String, values: Int, bytes: Int? = nil, _ hash: AnswerHash,
        _ what: String, _ body: () throws -> Void
    ) rethrows -> BenchResult {
        let watch = try Stopwatch.rounds(runs, seconds: seconds, body)
        var row = BenchResult(id: id, set: set, mode: level, watch: watch, samples: values, hash: hash, what: what)
        row.samplesPerSecond = Double(values) / max(watch.min, 1e-12)
        row.bytesPerSecond = Double(bytes ?? values * 8) / max(watch.min, 1e-12)
        return row
    }

    // MARK: arithmetic

    private func kernels(_ level: String) -> [BenchResult] {
        let n = columns * KernelColumns.count
        let values = (0..<columns).flatMap { KernelColumns.reals("decimal", $0) }
        let times = (0..<columns).flatMap { KernelColumns.integers("delta", $0) }
        let bytes = times.flatMap { time in (0..<8).map { UInt8(truncatingIfNeeded: time >> ($0 * 8)) } }
        var rows = [BenchResult]()
        func kernel(_ name: String, _ hash: AnswerHash, _ what: String, bytes: Int? = nil, _ body: () -> Void) {
            rows.append(row("kernel", name, level, values: n, bytes: bytes, hash, what, body))
        }
        func hash(_ words: [UInt64]) -> AnswerHash {
            var hash = AnswerHash()
            for word in words { hash.add(word) }
            return hash
        }
        let all = 0..<n
        let sums = Kernel.sums(values, all)
        let words = [sums.sum.hi, sums.sum.lo, sums.min, sums.max].map(\.bitPattern)
        kernel("sums", hash(words), "sum, minimum, maximum") { blackHole(Kernel.sums(values, all).sum.hi) }
        kernel("squares", hash([Kernel.sumOfSquares(values, all).hi.bitPattern]), "sum of squares") {
            blackHole(Kernel.sumOfSquares(values, all).hi)
        }
        func summarize() -> Summary {
            Kernel.summarize(starts: times, ends: nil, values: values, range: all, minBorn: 0, maxBorn: 0)
        }
        let summary = summarize()
        let parts = [summary.sum.hi, summary.sumOfSquares.hi, summary.integral.hi, summary.min].map(\.bitPattern)
        kernel("summary", hash(parts), "a block's summary from times and values", bytes: n * 16) {
            blackHole(summarize().sum.hi)
        }
        func deviations() -> (sum: DoubleDouble, squares: DoubleDouble) {
            Kernel.deviations(values, all, from: 72, scale: 0.25)
        }
        let found = deviations()
        let spread = [found.sum.hi, found.sum.lo, found.squares.hi, found.squares.lo].map(\.bitPattern)
        kernel("deviations", hash(spread), "sums of deviations and of their squares") {
            blackHole(deviations().squares.hi)
        }
        let extremes = Kernel.extremes(values, all)
        kernel("extremes", hash([UInt64(extremes.least), UInt64(extremes.greatest)]), "positions of min and max") {
            blackHole(Kernel.extremes(values, all).least)
        }
        func triangle() -> Int {
            let side = TriangleSide(start: times[0], value: 70, width: 9e9, height: 3)
            return Kernel.largestTriangle(times, values, all, with: side)?.place ?? 0
        }
        kernel("triangles", hash([UInt64(triangle())]), "the largest triangle", bytes: n * 16) { blackHole(triangle()) }
        kernel("crc32c", hash([UInt64(Kernel.crc32c(bytes, 0..<bytes.count))]), "checksum") {
            blackHole(Kernel.crc32c(bytes, 0..<bytes.count))
        }
        kernel("finite", hash([Kernel.allFinite(values, all) ? 1 : 0]), "no value is NaN or infinite") {
            blackHole(Kernel.allFinite(values, all))
        }
        kernel("ascending", hash([Kernel.isAscending(times, all) ? 1 : 0]), "times ascend") {
            blackHole(Kernel.isAscending(times, all))
        }
        return rows
    }
}

/// Prevents the optimiser from removing an unused value.
@inline(never)
package func blackHole<T>(_ value: T) { withExtendedLifetime(value) {} }
