// SPDX-License-Identifier: Apache-2.0

import Campaigns
import Kernels
import TestSupport
import Testing

@testable import Kymograph

/// Returns the value of a rank in sorted order: the definition of a quantile.
private func exact(_ values: [Double], _ probability: Double) -> Double {
    let sorted = values.sorted()
    return sorted[min(sorted.count, max(1, Int((probability * Double(sorted.count)).rounded(.up)))) - 1]
}

private let probabilities = [0, 0.001, 0.05, 0.25, 0.5, 0.5000001, 0.75, 0.95, 0.999, 1]

@Suite("E-11 a mergeable sketch of quantiles with a stated error")
struct QuantileSketchTests {
    /// Returns values of one of eight distributions.
    private static func values(_ kind: Int, _ random: inout SeededGenerator) -> [Double] {
        (0..<[40_000, 40_000, 3, 20_000, 30_000, 40_000, 25_000, 9][kind]).map { i in
            switch kind {
            case 0: Double(40 + random.below(140))
            case 1: random.normal()
            case 2: -1.5
            case 3: random.fraction() * 1e-3 + 1e6
            case 4: Double(bitPattern: random.next() & 0x7FEF_FFFF_FFFF_FFFF) * (random.below(2) == 0 ? 1 : -1)
            case 5:
                random.chance(0.01) ? .infinity : random.chance(0.3) ? 0 : -random.fraction() * .leastNormalMagnitude
            case 6: Double(i)
            default:
                [
                    -Double.infinity, -0.0, 0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .infinity, 1,
                    .greatestFiniteMagnitude, -1,
                ][i]
            }
        }
    }

    @Test("Every answer is within the stated error, which is 0 for few distinct values", arguments: 0..<8)
    func bound(kind: Int) throws {
        var random = SeededGenerator(seed: UInt64(kind) + 900)
        let values = Self.values(kind, &random)
        var sketch = QuantileSketch()
        for value in values { sketch.insert(value) }
        sketch.insert(.nan)
        #expect(sketch.count == values.count && sketch.keys.used <= sketch.capacity)
        #expect(sketch.min == values.min() && sketch.max == values.max())
        let error = sketch.relativeError
        if Set(values).count <= sketch.capacity { #expect(error == 0) } else { #expect(error > 0 && error <= 0.5) }
        if kind == 1 { #expect(error <= 0x1p-6) }
        let answers = try #require(sketch.quantiles(probabilities))
        for (answer, probability) in zip(answers, probabilities) {
            let wanted = exact(values, probability)
            let allowed = error * max(abs(wanted), 0x1p-1021)
            #expect(answer == wanted || abs(answer - wanted) <= allowed, "\(probability): \(answer) \(wanted)")
            #expect(sketch.quantile(probability) == answer)
        }
        #expect(answers[0] == sketch.min && answers[9] == sketch.max)
    }

    @Test("Any order, division and order of merging gives equal sketches and equal bytes", arguments: 0..<8)
    func order(kind: Int) throws {
        var random = SeededGenerator(seed: UInt64(kind) + 31)
        var values = Self.values(kind, &random)
        var whole = QuantileSketch()
        whole.insert(values, 0..<values.count)
        for _ in 0..<3 {
            values.shuffle(using: &random)
            var parts = [QuantileSketch]()
            var at = 0
            while at < values.count {
                let next = min(values.count, at + 1 + random.below(9_000))
                var part = QuantileSketch()
                part.insert(values, at..<next)
                parts.append(part)
                at = next
            }
            while parts.count > 1 {
                let one = parts.remove(at: random.below(parts.count))
                parts[random.below(parts.count)].merge(one)
            }
            #expect(parts[0] == whole && parts[0].bytes == whole.bytes && parts[0].hashValue == whole.hashValue)
        }
        let again = try QuantileSketch(bytes: whole.bytes)
        #expect(again == whole && again.quantiles(probabilities) == whole.quantiles(probabilities))
    }

    @Test("Merging with an empty sketch changes nothing; the smaller capacity applies in either order")
    func capacities() {
        var random = SeededGenerator(seed: 4)
        let values = (0..<30_000).map { _ in random.fraction() + 1 }
        var (small, large) = (QuantileSketch(), QuantileSketch(capacity: 20_000))
        small.insert(values, 0..<15_000)
        large.insert(values, 15_000..<30_000)
        var (one, other) = (small, large)
        one.merge(large)
        other.merge(small)
        #expect(one == other && one.capacity == QuantileSketch.defaultCapacity && one.count == 30_000)
        var all = QuantileSketch()
        all.insert(values, 0..<30_000)
        #expect(one == all)
        one.merge(QuantileSketch())
        #expect(one == all)
        var empty = QuantileSketch()
        empty.merge(all)
        #expect(empty == all && large.relativeError == 0 && small.relativeError > 0)
        #expect(QuantileSketch(capacity: -5).capacity == 4_096 && QuantileSketch(capacity: .max).capacity == 1 << 20)
    }

    @Test("An empty sketch gives nil, and no probability traps")
    func edges() {
        var sketch = QuantileSketch()
        #expect(sketch.quantile(0.5) == nil && sketch.isEmpty && sketch.relativeError == 0 && sketch.min == nil)
        for value in [1.0, 2, 3, 4] { sketch.insert(value) }
        #expect(sketch.quantile(.nan) == nil && sketch.quantile(-.infinity) == 1 && sketch.quantile(.infinity) == 4)
        #expect(sketch.quantile(0.25) == 1 && sketch.quantile(0.2500001) == 2 && sketch.quantile(0.5) == 2)
        sketch.insert(-0.0)
        #expect(sketch.quantile(0)?.sign == .plus)
    }

    @Test("The bytes equal those of Quantiles.md, and all invalid bytes are refused")
    func bytes() throws {
        var sketch = QuantileSketch()
        for value in [2.5, -1, 2.5] { sketch.insert(value) }
        func little(_ word: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        }
        var wanted = Array("KQS1".utf8) + little(4_096, 4) + little(0, 4) + little(2, 4) + little(3, 8)
        wanted += little((-1.0).bitPattern, 8) + little((2.5).bitPattern, 8)
        wanted += little(~(1.0).bitPattern, 8) + little(1, 8) + little((2.5).bitPattern, 8) + little(2, 8)
        wanted += little(UInt64(Kernel.crc32c(wanted, 0..<wanted.count)), 4)
        #expect(sketch.bytes == wanted)
        var random = SeededGenerator(seed: 12)
        for length in 0..<wanted.count {
            #expect(throws: StoreError.self) { try QuantileSketch(bytes: Array(wanted[..<length])) }
        }
        for round in 0..<4_000 {
            var bytes = wanted
            bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
            // Half of the inputs have a correct checksum.
            if round % 2 == 0 {
                let end = bytes.count - 4
                bytes.replaceSubrange(end..., with: little(UInt64(Kernel.crc32c(bytes, 0..<end)), 4))
            }
            guard let found = try? QuantileSketch(bytes: bytes) else { continue }
            #expect(found.bytes == bytes, "an accepted input round-trips")
            _ = found.quantiles(probabilities)
        }
        #expect(try QuantileSketch(bytes: QuantileSketch().bytes).isEmpty)
    }
}

@Suite("E-11 quantiles of a range and of buckets")
struct QuantileTests {
    private static func filled(_ threads: Int) throws -> (test: TestStore, id: SeriesID, oracle: Oracle) {
        let test = try TestStore { $0.threads = threads }
        let id = try test.store.series("a", kind: .cumulative).id
        var oracle = Oracle(kind: .cumulative)
        var random = SeededGenerator(seed: 8)
        for piece in 0..<4 {
            let samples = (0..<30_000).map { i in
                Sample(
                    start: Int64(i * 4 + piece) * second, end: Int64(i * 4 + piece + 9) * second,
                    value: piece < 2 ? random.normal() : Double(random.below(50)))
            }
            if piece < 3 { try test.store.load(samples, to: id) } else { try test.store.append(samples, to: id) }
            oracle.append(samples)
        }
        return (test, id, oracle)
    }

    @Test("Quantiles of ranges and buckets over overlapping runs equal sorting, on any number of threads")
    func ranges() throws {
        var answers = [[Quantiles]]()
        for threads in [1, 2, 5] {
            let (test, id, oracle) = try Self.filled(threads)
            let snapshot = test.store.snapshot()
            var found = [Quantiles]()
            for range in [TimeRange.all, TimeRange(100 * second, 50_000 * second), TimeRange(7 * second, 8 * second)] {
                found.append(try snapshot.quantiles(of: id, over: range, at: probabilities))
            }
            let hours = Buckets.fixed(nanoseconds: 3_600 * second, anchor: 5)
            found += try snapshot.quantiles(of: id, hours, at: probabilities)
            found += try snapshot.quantiles(
                of: id, .calendar(.minutes(7), zone: "Europe/Zurich"), over: TimeRange(0, 9_000 * second),
                at: probabilities)
            answers.append(found)
            if threads > 1 { continue }
            let sorted = oracle.sorted
            for one in found {
                let values = sorted.filter { one.start <= $0.start && $0.start < one.end }.map(\.value)
                #expect(one.count == values.count && one.values.count == (values.isEmpty ? 0 : probabilities.count))
                for (value, probability) in zip(one.values, probabilities) {
                    let wanted = exact(values, probability)
                    #expect(abs(value - wanted) <= one.relativeError * abs(wanted), "\(probability) at \(one.start)")
                }
            }
            let sketch = try snapshot.sketch(of: [id])
            #expect(sketch.quantiles(probabilities) == found[0].values && sketch.count == sorted.count)
        }
        #expect(answers[1] == answers[0] && answers[2] == answers[0])
    }

    @Test("Empty ranges have no values; invalid probabilities and unknown series are refused")
    func refused() throws {
        let test = try TestStore()
        let id = try test.store.series("a", kind: .discrete).id
        let snapshot = test.store.snapshot()
        let empty = try snapshot.quantiles(of: id, at: [0.5])
        #expect(empty.count == 0 && empty.values.isEmpty && empty.relativeError == 0)
        #expect(try snapshot.quantiles(of: id, .fixed(nanoseconds: 5), at: [0.5]).isEmpty)
        #expect(try snapshot.quantiles(of: id, .edges([0, 1, 2]), at: [0.5]).map(\.count) == [0, 0])
        for wrong in [-0.1, 1.1, .nan, .infinity] {
            let error = #expect(throws: StoreError.self) { try snapshot.quantiles(of: id, at: [0.5, wrong]) }
            #expect(error?.kind == .invalidArgument)
        }
        let error = #expect(throws: StoreError.self) { try snapshot.sketch(of: [SeriesID(rawValue: 99)]) }
        #expect(error?.kind == .unknownSeries)
    }
}
