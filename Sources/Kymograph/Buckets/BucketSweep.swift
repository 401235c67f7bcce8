// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// One pass over the runs of some series that fills a row of buckets, from summaries wherever a block or a whole
/// subtree lies inside one bucket.
struct BucketSweep {
    /// What a bucket collects only where a query asks for more than the usual.
    struct Extra {
        var summary = Summary()
        /// The run that added last; several runs mean that `summary.integral` says nothing.
        var run = -1
        var isMixed = false
    }

    /// What sharing adds to (or takes from) the sum and the duration of a bucket.
    struct Share {
        var sum = DoubleDouble.zero
        var duration: Int128 = 0
        /// Whether a sample that starts elsewhere reaches into the bucket.
        var isReached = false
    }

    /// `edges.count - 1` buckets, half-open.
    let edges: [Int64]
    let options: AggregateOptions
    /// Whether samples that cross an edge are shared.
    var isShared = false
    var rows: [BucketRow]
    /// For each bucket, or empty where no query option needs it.
    var extras: [Extra]
    /// For each bucket, or empty while nothing was shared.
    var shares: [Share] = []
    /// The bucket in hand; it never goes back during a run.
    var cursor = 0
    /// The run in hand.
    private var run = -1
    /// The outermost edges.
    let first: Int64
    let last: Int64

    init(edges: [Int64], options: AggregateOptions) {
        self.edges = edges
        self.options = options
        rows = [BucketRow](repeating: BucketRow(), count: edges.count - 1)
        extras = options.isEmpty ? [] : [Extra](repeating: Extra(), count: edges.count - 1)
        first = edges[0]
        last = edges[edges.count - 1]
    }

    /// What was found of some of the buckets.
    func part(_ range: Range<Int>) -> BucketSweep {
        var part = BucketSweep(edges: Array(edges[range.lowerBound...range.upperBound]), options: options)
        part.isShared = isShared
        part.rows = Array(rows[range])
        if !extras.isEmpty { part.extras = Array(extras[range]) }
        if !shares.isEmpty { part.shares = Array(shares[range]) }
        return part
    }

    /// Bytes in memory, about.
    var bytes: Int {
        8 * edges.count + MemoryLayout<BucketRow>.stride * rows.count + MemoryLayout<Extra>.stride * extras.count
            + MemoryLayout<Share>.stride * shares.count
    }

    /// The first instant after the bucket in hand.
    var upper: Int64 { edges[cursor + 1] }

    /// Begins with the next run.
    mutating func begin() {
        run += 1
        cursor = 0
    }

    /// Moves the cursor to the bucket that holds `instant`, which is inside the row. O(log buckets), O(1) for the next.
    @inline(__always)
    mutating func seek(_ instant: Int64) {
        if instant >= edges[cursor + 1] { seekFurther(instant) }
    }

    private mutating func seekFurther(_ instant: Int64) {
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

    /// Takes a whole run if its summary suffices; otherwise says what to do with it.
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
        rows[cursor].merge(BucketRow(s))
        if !extras.isEmpty { addExtra(copy s, to: cursor) }
        return .whole
    }

    /// Adds samples that lie wholly in a bucket to what only some queries need.
    mutating func addExtra(_ s: Summary, to bucket: Int) {
        let isAlone = extras[bucket].run == run && !extras[bucket].isMixed
        if extras[bucket].summary.count == 0 || isAlone {
            extras[bucket].run = run
            extras[bucket].summary.append(s)
        } else {
            extras[bucket].isMixed = true
            extras[bucket].summary.merge(s)
        }
    }

    /// Shares a sample that crosses an edge. `bucket` is the one in which it starts, and which has it whole, or -1
    /// where it starts before the row.
    ///
    /// A bucket gets the value times the part of the length that lies in it, to some 100 bits: no share depends on
    /// where the row begins, and all shares of a sample add up to its value. Time that is covered gives nothing.
    mutating func share(start: Int64, end: Int64, value: Double, from bucket: Int, under cover: SourceCoverage? = nil) {
        if shares.isEmpty { shares = [Share](repeating: Share(), count: rows.count) }
        let length = Double(UInt64(bitPattern: end &- start))
        var at = bucket
        var from = start
        if bucket < 0 {
            from = first
            at = 0
        } else {
            // The whole sample was or will be added with its bucket.
            shares[bucket].sum.add(-value)
            shares[bucket].duration -= Int128(end) - Int128(start)
        }
        while at < rows.count, from < end {
            let to = Swift.min(end, edges[at + 1])
            let time = UInt64(bitPattern: to &- from) &- (cover?.time(from, to) ?? 0)
            if time > 0 {
                let part = DoubleDouble.product(value, Double(time)).divided(by: length)
                // The product of a huge value overflows where its share does not.
                shares[at].sum.add(
                    part.hi.isFinite ? part : DoubleDouble(hi: value * (Double(time) / length), lo: 0))
                shares[at].duration += Int128(time)
                shares[at].isReached = true
            }
            from = to
            at += 1
        }
    }
}

extension Summary {
    /// Adds the samples of another run, whose times lie anywhere. The integral is lost.
    fileprivate mutating func merge(_ other: Summary) {
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
