// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels
import TestSupport
import Testing

@testable import ColumnCodec

extension LevelTests {
    /// Decodes the integers of a sequence by its definition.
    static func plain(_ values: [Int64], isDelta: Bool, base: Int64, unit: UInt64) -> [Int64] {
        var sum = base
        return values.map { value in
            let step = value &* Int64(bitPattern: unit)
            if !isDelta { return base &+ step }
            sum &+= step
            return sum
        }
    }

    @Test("Sequences decoded in one pass equal their definition: every width, unit, form and meaning")
    func sequences() throws {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 16)
        for round in 0..<1500 {
            let n = round % 5 == 0 ? 1 + g.below(1536) : 1 + g.below(200)
            let width = g.below(round % 3 == 0 ? 65 : 27)
            let outliers = [0, 8, 60][g.below(3)]
            let frame = Int64(bitPattern: g.next()) >> Int64(g.below(64))
            let values = (0..<n).map { _ -> Int64 in
                let bits = outliers > 0 && g.below(outliers) == 0 ? g.below(65) : width
                let x = bits == 0 ? 0 : Int64(bitPattern: g.next() >> UInt64(64 - bits))
                return frame &+ (g.below(40) == 0 ? 0 &- x : x)
            }
            let base = Int64(bitPattern: g.next()) >> Int64(g.below(64))
            let unit = g.below(3) == 0 ? 1 : max(1, g.next() >> UInt64(g.below(64)))
            let isDelta = g.below(2) == 0
            let hasWindows = g.below(4) > 0
            var bytes = [UInt8](
                repeating: 0xa5, count: max(ColumnKernels.streamBound(n), ColumnKernels.windowsBound(n)) + 64)
            var used = 0
            if hasWindows {
                var group = UInt8(g.below(2) == 0 ? 0 : 5 + g.below(7))
                used = ColumnKernels.encodeWindows(values, n, group: &group, into: &bytes, at: 0)
            } else {
                used = ColumnKernels.encodeStream(values, n, wholeBytes: false, into: &bytes, at: 0)
            }
            let form = (isDelta ? Encoding.delta : Encoding.packed)
            func sequence(_ meaning: ColumnKernels.Meaning) -> ColumnKernels.IntegerSequence {
                .init(form: hasWindows ? Encoding.windows(form) : form, base: base, unit: unit, meaning: meaning)
            }
            let integers = Self.plain(values, isDelta: isDelta, base: base, unit: unit)
            let divisor = (Encoding.powersOfTen + Encoding.divisors.dropFirst())[g.below(31)]
            for level in 0...3 {
                Kernel.force(level: level)
                let note: Comment = "round \(round) level \(level) width \(width) n \(n) windows \(hasWindows)"
                var out = [Int64](repeating: 77, count: n + 9)
                var span = out.mutableSpan
                let (next, ascends) = try ColumnKernels.decode(
                    sequence(.integers), bytes, at: 0, end: used, n, into: &span)
                #expect(next == used && out == integers + [Int64](repeating: 77, count: 9), note)
                #expect(!ascends || zip(integers, integers.dropFirst()).allSatisfy { $0 <= $1 }, note)
                for meaning in [ColumnKernels.Meaning.quotients(1), .quotients(divisor), .ordered] {
                    var reals = [Double](repeating: 77, count: n + 9)
                    var span = reals.mutableSpan
                    _ = try ColumnKernels.decode(sequence(meaning), bytes, at: 0, end: used, n, into: &span)
                    let expected = integers.map { Self.real($0, meaning).bitPattern }
                    #expect(reals.prefix(n).map(\.bitPattern) == expected, note)
                    #expect(reals.suffix(9) == [Double](repeating: 77, count: 9)[...], note)
                }
            }
        }
    }

    static func real(_ k: Int64, _ meaning: ColumnKernels.Meaning) -> Double {
        switch meaning {
        case .integers: .nan
        case .quotients(let divisor): Double(k) / divisor
        case .ordered: Double(bitPattern: UInt64(bitPattern: k ^ ((k >> 63) & Int64.max)))
        }
    }

    @Test("Columns reported as ascending do ascend, and the usual ones are reported")
    func ascending() throws {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 17)
        var starts = [Int64](repeating: 1_700_000_000_000_000_000, count: 900)
        for index in 1..<900 { starts[index] = starts[index - 1] + Int64(900 + g.below(200)) * 1_000_000 }
        for level in 1...3 where Kernel.force(level: level) == level {
            for (change, claim) in [(Int64(0), true), (-3_000_000_000, false)] {
                var values = starts
                values[500] += change
                var encoder = IntegerColumnEncoder()
                encoder.forced = Encoding.deltaWindows
                var w = ByteWriter()
                _ = encoder.encode(values, values.indices, into: &w)
                var decoder = ColumnDecoder()
                var out = [Int64](repeating: 0, count: 900)
                var span = out.mutableSpan
                let outcome = try decoder.integers(w.bytes, at: 0, end: w.count, count: 900, into: &span)
                #expect(out == values && outcome.isProven == claim && outcome.end == w.count)
            }
        }
    }

    @Test("Damaged streams give the same values or an error on every level, and write nothing past the count")
    func damagedStreams() {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        var g = TestRandom(seed: 18)
        var agreed = 0
        for _ in 0..<3000 {
            let n = 1 + g.below(400)
            let values = (0..<n).map { _ in Int64(g.below(g.below(9) == 0 ? 5000 : 50)) }
            var bytes = [UInt8](
                repeating: 0, count: max(ColumnKernels.streamBound(n), ColumnKernels.windowsBound(n)) + 64)
            let hasWindows = g.below(4) > 0
            var group = UInt8(g.below(2) == 0 ? 0 : 5 + g.below(7))
            var used =
                hasWindows
                ? ColumnKernels.encodeWindows(values, n, group: &group, into: &bytes, at: 0)
                : ColumnKernels.encodeStream(values, n, wholeBytes: false, into: &bytes, at: 0)
            for _ in 0...g.below(2) { bytes[g.below(min(used, g.below(2) == 0 ? 12 : 400))] = UInt8(g.below(256)) }
            if g.below(4) == 0 { used = g.below(used + 1) }
            var expected: [Int64]??
            for level in 0...3 {
                Kernel.force(level: level)
                var out = [Int64](repeating: 77, count: n + 9)
                var span = out.mutableSpan
                let form = hasWindows ? Encoding.deltaWindows : Encoding.delta
                let next = try? ColumnKernels.decode(
                    .init(form: form, base: 5, unit: 3, meaning: .integers), bytes, at: 0, end: used, n, into: &span
                ).next
                #expect(out.suffix(9).allSatisfy { $0 == 77 } && next ?? 0 <= used)
                let found = next == nil ? nil : Array(out.prefix(n))
                #expect(found == expected ?? found)
                if found != nil { agreed += 1 }
                expected = .some(found)
            }
        }
        #expect(agreed > 500)
    }
}
