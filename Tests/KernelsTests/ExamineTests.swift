// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Kernels

extension LevelledTests {
    @Suite("E-3 samples are validated before they are accepted") struct ExamineTests {}
}

extension LevelledTests.ExamineTests {
    /// Validates sample by sample, from the definition.
    static func slow(
        _ starts: [Int64], _ ends: [Int64], _ values: [Double], _ times: ClosedRange<Int64>
    ) -> SampleFaults {
        var faults: SampleFaults = []
        for i in starts.indices {
            let end = ends.isEmpty ? starts[i] : ends[i]
            if !values[i].isFinite { faults.insert(.notFinite) }
            if starts[i] < times.lowerBound || end > times.upperBound { faults.insert(.outside) }
            if end < starts[i] { faults.insert(.backwards) }
            if end != starts[i] { faults.insert(.lasting) }
            if i > 0 {
                let before = (starts[i - 1], ends.isEmpty ? starts[i - 1] : ends[i - 1])
                if before > (starts[i], end) { faults.insert(.unordered) }
            }
        }
        return faults
    }

    @Test("Every fault is found at every position, on every level")
    func everyPlace() {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        for level in 0...Kernel.highestLevel {
            Kernel.force(level: level)
            for n in 0..<36 {
                let starts = (0..<n).map { Int64($0 / 2 * 10) }
                let values = [Double](repeating: 1, count: n)
                for place in 0..<max(1, n) {
                    for change in 0..<9 {
                        check(
                            starts, values, place, change, "level \(level), \(n) samples, change \(change) at \(place)")
                    }
                }
            }
        }
    }

    /// Applies one change to valid samples and compares.
    private func check(_ starts: [Int64], _ values: [Double], _ place: Int, _ change: Int, _ note: String) {
        var (starts, ends, values) = (starts, starts, values)
        if place < starts.count {
            switch change {
            case 1: values[place] = .nan
            case 2: values[place] = -.infinity
            case 3: starts[place] = -1_001
            case 4: ends[place] = 1_001
            case 5: ends[place] = starts[place] - 1
            case 6: ends[place] = starts[place] + 1
            case 7: starts[place] = .max
            case 8: (starts[place], ends[place]) = (.min, .min)
            default: break
            }
        }
        let times: ClosedRange<Int64> = -1_000...1_000
        let lasting = Kernel.examine(starts: starts.span, ends: ends.span, values: values.span, times: times)
        #expect(lasting == Self.slow(starts, ends, values, times), "\(note), with ends")
        let points = Kernel.examine(starts: starts.span, ends: Span(), values: values.span, times: times)
        #expect(points == Self.slow(starts, [], values, times), "\(note), points")
    }

    @Test("Columns are copied and appended in parts")
    func copies() {
        let column = (0..<100).map { Int64($0) }
        var array = [Int64](repeating: -1, count: 20)
        Kernel.copy(column.span, 30..<45, into: &array)
        #expect(array == Array(column[30..<45]) + [Int64](repeating: -1, count: 5))
        Kernel.append(column.span, 7..<9, to: &array)
        Kernel.append(column.span, 9..<9, to: &array)
        #expect(array.suffix(3) == [-1, 7, 8])
    }
}
