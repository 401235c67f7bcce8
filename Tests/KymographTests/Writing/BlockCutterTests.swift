// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kymograph

@Suite("E-9 blocks are cut on the calendar grid")
struct BlockCutterTests {
    /// The rule of the cutter's comment, with linear searches and edges in UTC.
    static func slow(_ starts: [Int64], _ at: Int) -> Int {
        let window = Array(starts[at..<min(starts.count, at + BlockCutter.most)])
        func cell(_ time: Int64, _ length: Int64) -> Int64 {
            let q = time / length
            return q * length > time ? q - 1 : q
        }
        var cut = Int.max
        for length in [hour / 4, hour, 6 * hour, day] {
            // An edge is a sample in another cell than its predecessor. Four edges are too many for a dense block.
            let edges = (1..<max(1, window.count)).filter { cell(window[$0], length) != cell(window[$0 - 1], length) }
            let counted = edges.prefix(4)
            if let first = counted.first, let last = counted.last, last / counted.count >= 400 {
                cut = min(cut, first)
            }
        }
        if cut != Int.max { return cut }
        if window.count < BlockCutter.most { return window.count }
        let days = (1..<window.count).filter { cell(window[$0], day) != cell(window[$0 - 1], day) }
        return days.last ?? BlockCutter.usual
    }

    @Test("Every cut equals that of the plain rule, for every sampling rate and with gaps", arguments: 0..<12)
    func cuts(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var starts = [Int64]()
        var time = random.number(in: -1_000 * day...1_000 * day)
        var step = second
        for _ in 0..<12_000 {
            if random.below(1_500) == 0 {
                step =
                    [0, 1, second / 512, second, 2 * second, 4 * second, 20 * second, 400 * second, hour][
                        random.below(9)]
            }
            if random.below(3_000) == 0 { time += Int64(random.below(100)) * hour }
            time += step == 0 ? 0 : Int64(random.below(Int(2 * step)))
            starts.append(time)
        }
        var cutter = BlockCutter(zone: try TestStore().store.context.zone)
        var at = 0
        while at < starts.count {
            let count = cutter.next(starts.span, at, final: true)
            let wanted = Self.slow(starts, at)
            #expect(count == wanted, "seed \(seed), at \(at)")
            if count != wanted { break }
            at += count
        }
    }
}
