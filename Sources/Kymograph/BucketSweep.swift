// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// What one bucket has collected so far.
struct BucketState {
    /// Samples that start in the bucket.
    var summary = Summary()
    /// What sharing adds to (or takes from) the sum and the duration.
    var shared = DoubleDouble.zero
    var sharedDuration: Int128 = 0
    var isReached = false
    /// The run that added last; several runs mean that `summary.integral` says nothing.
    var run = -1
    var isMixed = false

    /// Adds samples that lie wholly in the bucket. Without `everything`, only what every query needs is kept.
    @inline(__always)
    mutating func add(_ s: borrowing Summary, run: Int, everything: Bool) {
        let isAlone = self.run == run && !isMixed
        if summary.count == 0 || isAlone {
            self.run = run
            if everything { summary.append(copy s) } else { summary.appendBasics(s) }
        } else {
            isMixed = true
            summary.merge(copy s)
        }
    }
}

extension Summary {
    /// Appends count, sum, minimum, maximum, first and last of later samples, and nothing else.
    @inline(__always)
    mutating func appendBasics(_ s: borrowing Summary) {
        if s.count == 0 { return }
        if count == 0 {
            firstStart = s.firstStart
            firstEnd = s.firstEnd
            firstValue = s.firstValue
            min = s.min
            max = s.max
            sum = s.sum
        } else {
            min = Swift.min(min, s.min)
            max = Swift.max(max, s.max)
            sum.addFast(s.sum)
        }
        count &+= s.count
        lastStart = s.lastStart
        lastEnd = s.lastEnd
        lastValue = s.lastValue
    }
}

extension DoubleDouble {
    /// The sum of two double-doubles: TwoSum of the high parts, the low ones added to its error.
    @inline(__always)
    mutating func addFast(_ other: DoubleDouble) {
        let high = hi + other.hi
        let back = high - hi
        let error = ((hi - (high - back)) + (other.hi - back)) + (lo + other.lo)
        let sum = high + error
        // An overflow stays infinite; its error would be no number.
        lo = sum.isFinite ? error - (sum - high) : 0
        hi = sum.isFinite ? sum : high
    }
}

extension Summary {
    /// Adds the samples of another run, whose times lie anywhere. The integral is lost.
    mutating func merge(_ other: Summary) {
        count += other.count
        sum.add(other.sum)
        sumOfSquares.add(other.sumOfSquares)
        min = Swift.min(min, other.min)
        max = Swift.max(max, other.max)
        if (other.firstStart, other.firstEnd) < (firstStart, firstEnd) {
            firstStart = other.firstStart
            firstEnd = other.firstEnd
            firstValue = other.firstValue
        }
        if (other.lastStart, other.lastEnd) >= (lastStart, lastEnd) {
            lastStart = other.lastStart
            lastEnd = other.lastEnd
            lastValue = other.lastValue
        }
        maxEnd = Swift.max(maxEnd, other.maxEnd)
        maxEndExceptLast = maxEnd
        durationSum += other.durationSum
        minBorn = Swift.min(minBorn, other.minBorn)
        maxBorn = Swift.max(maxBorn, other.maxBorn)
    }
}

/// One pass over the runs of some series that fills a row of buckets, from summaries wherever a block or a whole
/// subtree lies inside one bucket.
struct BucketSweep {
    /// `edges.count - 1` buckets, half-open.
    let edges: [Int64]
    let options: AggregateOptions
    /// Whether samples that cross an edge are shared.
    var isShared: Bool
    private(set) var states: [BucketState]
    private var run = -1
    private var cursor = 0
    /// The edges of the cursor's bucket, and the outermost ones.
    private var upper: Int64
    private let first: Int64
    private let last: Int64

    init(edges: [Int64], options: AggregateOptions) {
        self.edges = edges
        self.options = options
        isShared = false
        states = [BucketState](repeating: BucketState(), count: edges.count - 1)
        first = edges[0]
        last = edges[edges.count - 1]
        upper = edges[1]
    }

    /// Begins with the next run.
    mutating func begin() {
        run += 1
        cursor = 0
        upper = edges[1]
    }

    /// Moves the cursor to the bucket that holds `instant`, which is inside the row and not before the cursor's bucket.
    @inline(__always)
    private mutating func seek(_ instant: Int64) {
        if instant >= upper { seekFurther(instant) }
    }

    private mutating func seekFurther(_ instant: Int64) {
        defer { upper = edges[cursor + 1] }
        if cursor + 2 < edges.count, instant < edges[cursor + 2] {
            cursor += 1
            return
        }
        // The last edge that is not after the instant.
        var low = cursor + 1
        var high = edges.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if edges[middle] <= instant { low = middle } else { high = middle }
        }
        cursor = low
    }

    /// Takes a whole block or subtree if its summary suffices; otherwise says what to do with it.
    mutating func consider(_ s: borrowing Summary) -> Visit {
        if s.count == 0 { return .skip }
        if s.firstStart >= last { return .stop }
        if s.lastStart < first {
            let reaches = s.maxEnd > first
            if !isShared || !reaches { return .skip }
            if s.maxEndExceptLast > first { return .descend }
            share(start: s.lastStart, end: s.lastEnd, value: s.lastValue, from: -1)
            return .whole
        }
        if s.firstStart < first { return .descend }
        seek(s.firstStart)
        if s.lastStart >= upper { return .descend }
        if isShared, s.maxEnd > upper {
            if s.maxEndExceptLast > upper { return .descend }
            share(start: s.lastStart, end: s.lastEnd, value: s.lastValue, from: cursor)
        }
        states[cursor].add(s, run: run, everything: !options.isEmpty)
        return .whole
    }

    /// Takes a decoded block that an edge cuts.
    mutating func take(_ block: BlockBuffer) {
        let all = 0..<block.count
        var at = Kernel.lowerBound(block.starts, all, first)
        if isShared, block.hasEnds {
            for i in 0..<at where block.ends[i] > first {
                share(start: block.starts[i], end: block.ends[i], value: block.values[i], from: -1)
            }
        }
        while at < block.count, block.starts[at] < last {
            seek(block.starts[at])
            let edge = upper
            let next = Kernel.lowerBound(block.starts, at..<block.count, edge)
            states[cursor].add(summary(block, at..<next), run: run, everything: !options.isEmpty)
            if isShared, block.hasEnds {
                for i in at..<next where block.ends[i] > edge {
                    share(start: block.starts[i], end: block.ends[i], value: block.values[i], from: cursor)
                }
            }
            at = next
        }
    }

    /// The summary of some rows, with what the query needs.
    private func summary(_ block: BlockBuffer, _ rows: Range<Int>) -> Summary {
        if !options.isEmpty {
            let whole = Kernel.summarize(
                starts: block.starts, ends: block.hasEnds ? block.ends : nil, values: block.values, range: rows,
                minBorn: 0, maxBorn: 0)
            return whole
        }
        var s = Summary()
        let sums = Kernel.sums(block.values, rows)
        s.count = Int64(rows.count)
        s.sum = sums.sum
        s.min = sums.min
        s.max = sums.max
        let i = rows.lowerBound
        let j = rows.upperBound - 1
        s.firstStart = block.starts[i]
        s.firstEnd = block.hasEnds ? block.ends[i] : s.firstStart
        s.firstValue = block.values[i]
        s.lastStart = block.starts[j]
        s.lastEnd = block.hasEnds ? block.ends[j] : s.lastStart
        s.lastValue = block.values[j]
        return s
    }

    /// Shares a sample that crosses an edge. `bucket` is the one in which it starts, -1 where it starts before the row.
    private mutating func share(start: Int64, end: Int64, value: Double, from bucket: Int) {
        let length = Double(UInt64(bitPattern: end &- start))
        var given = 0.0
        var at = bucket
        var from = start
        if bucket < 0 {
            given = value * (Double(UInt64(bitPattern: first &- start)) / length)
            from = first
            at = 0
        } else {
            // The whole sample was or will be added with its bucket.
            states[bucket].shared.add(-value)
            states[bucket].sharedDuration -= Int128(end) - Int128(start)
        }
        while at < states.count, from < end {
            let to = Swift.min(end, edges[at + 1])
            let part: Double
            if to == end {
                part = value - given
            } else {
                part = value * (Double(UInt64(bitPattern: to &- from)) / length)
                given += part
            }
            states[at].shared.add(part)
            states[at].sharedDuration += Int128(to) - Int128(from)
            states[at].isReached = true
            from = to
            at += 1
        }
    }
}
