// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TestSupport

/// Makes blocks of every shape of every column from a seed.
struct BlockMaker {
    var random: TestRandom

    init(seed: UInt64) { random = TestRandom(seed: seed) }

    mutating func block(count: Int, from: Int64? = nil) -> BlockBuffer {
        let block = BlockBuffer()
        block.count = count
        starts(block, from ?? (random.oneIn(10) ? random.int64() : 1_700_000_000_000_000_000))
        ends(block)
        values(block)
        block.created = created(block)
        block.provenance = column(count) { Int64($0.below(5)) }
        block.metadata = column(count) { Int64($0.below(3)) }
        if !random.oneIn(3) {
            block.identityHigh = column(count, absent: false) { $0.int64() }
            block.identityLow = column(count, absent: false) { $0.int64() }
        }
        block.born = column(count) { Int64($0.below(100_000)) }
        block.grid = random.pick([.none, .quarterHours, .hours, .quarterDays, .days])
        return block
    }

    private mutating func starts(_ block: BlockBuffer, _ first: Int64) {
        let steps: [Int64] = [0, 1, 1000, 1_000_000_000, 1_953_125, 60_000_000_000]
        let shape = random.below(4)
        let step = random.pick(steps)
        var now = first
        for index in 0..<block.count {
            block.starts[index] = now
            let add: Int64 =
                switch shape {
                case 0: step
                case 1: step &+ Int64(random.below(1000)) &* 1_000_000
                case 2: random.oneIn(9) ? Int64(random.below(1 << 40)) : step
                default: Int64(random.below(1 << 30))
                }
            let (next, overflow) = now.addingReportingOverflow(add)
            now = overflow ? now : next
        }
    }

    private mutating func ends(_ block: BlockBuffer) {
        let shape = random.below(7)
        block.hasEnds = shape > 0
        for index in 0..<block.count {
            let start = block.starts[index]
            let next = index + 1 < block.count ? block.starts[index + 1] : start
            let duration: Int64 =
                switch shape {
                case 1: 0
                case 2: 60_000_000_000
                case 3: next &- start
                case 4: random.oneIn(20) ? .max : Int64(random.below(1 << 36))
                case 5: max(0, next &- start &- Int64(random.below(5)))
                default: Int64(random.below(100)) &* 1_000_000_000
                }
            let (end, overflow) = start.addingReportingOverflow(max(duration, 0))
            block.ends[index] = overflow ? .max : end
        }
    }

    private mutating func values(_ block: BlockBuffer) {
        let shape = random.below(8)
        var walk = 100.0
        for index in 0..<block.count {
            switch shape {
            case 0: block.values[index] = 42.5
            case 1: block.values[index] = Double(random.below(200))
            case 2: block.values[index] = Double(random.below(20_000)) / 100
            case 3: block.values[index] = Double(random.within(40...200)) / 60
            case 4: block.values[index] = Double(Float(random.below(1 << 24)) / 977)
            case 5: block.values[index] = finite()
            case 6: block.values[index] = random.pick([0, 1, 2, 3, -0.0])
            default:
                walk += Double(random.below(21) - 10) / 8
                block.values[index] = walk
            }
        }
    }

    private mutating func finite() -> Double {
        let value = Double(bitPattern: random.next())
        return value.isFinite ? value : random.pick([-0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    }

    private mutating func created(_ block: BlockBuffer) -> IntColumn {
        let shape = random.below(7)
        var array = [Int64](repeating: 0, count: block.count)
        for index in array.indices {
            let (start, end) = (block.starts[index], block.end(at: index))
            array[index] =
                switch shape {
                case 0: start &+ 5_000
                case 1: end &+ 7_000_000_000
                case 2: end &+ Int64(random.below(1000)) &* 1_000_000
                case 3: start &+ Int64(random.below(1000)) &* 1_000_000
                case 4: start / 1_000_000_000_000 &* 1_000_000_000_000
                default: random.int64()
                }
        }
        if shape == 5 { return .absent }
        return shape == 6 ? .constant(random.int64()) : .values(array)
    }

    private mutating func column(_ count: Int, absent: Bool = true, _ one: (inout TestRandom) -> Int64) -> IntColumn {
        switch random.below(7) {
        case 0 where absent: return .absent
        case 1: return .constant(one(&random))
        case 2: return .sequence(first: one(&random))
        case 3: return .values([Int64](repeating: one(&random), count: count))
        case 4:
            let first = one(&random)
            return .values((0..<Int64(count)).map { first &+ $0 })
        case 5:
            var value = one(&random)
            return .values(
                (0..<count).map { _ in
                    if random.oneIn(50) { value = one(&random) }
                    return value
                })
        default: return .values((0..<count).map { _ in one(&random) })
        }
    }
}

/// The samples of a block, independent of the shapes of its columns.
struct Rows: Equatable {
    var starts: [Int64] = []
    var ends: [Int64] = []
    var values: [UInt64] = []
    var side: [[Int64?]] = []

    init(_ block: BlockBuffer) {
        starts = Array(block.starts.prefix(block.count))
        ends = (0..<block.count).map { block.end(at: $0) }
        values = block.values.prefix(block.count).map(\.bitPattern)
        side = [IntegerColumn.created, .provenance, .metadata, .identityHigh, .identityLow, .born].map { column in
            (0..<block.count).map { block.value(of: column, at: $0) }
        }
    }
}

let testStore = [UInt8](1...16)
let testSegment = [UInt8](101...116)

func testIdentity(series: UInt64 = 7, position: UInt64 = 64) -> BlockIdentity {
    BlockIdentity(store: testStore, segment: testSegment, series: series, position: position)
}

/// Returns all bits of a summary, so that NaN equals itself and -0.0 differs from 0.
func bits(_ s: Summary) -> [UInt64] {
    let doubles = [
        s.sum.hi, s.sum.lo, s.sumOfSquares.hi, s.sumOfSquares.lo, s.min, s.max, s.firstValue, s.lastValue,
        s.integral.hi, s.integral.lo,
    ]
    let numbers = [
        s.count, s.firstStart, s.firstEnd, s.lastStart, s.lastEnd, s.maxEnd, s.maxEndExceptLast, s.minBorn, s.maxBorn,
        Int64(truncatingIfNeeded: s.durationSum), Int64(truncatingIfNeeded: s.durationSum >> 64),
    ]
    return doubles.map(\.bitPattern) + numbers.map { UInt64(bitPattern: $0) }
}
