// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels
import TimeIndex

/// One pass over the runs of some series that fills adjoining buckets. Summaries answer for every block and every
/// subtree inside one bucket.
struct BucketSweep {
    /// Results of a bucket that only some options need.
    struct Extra {
        var summary = Summary()
        /// The run that added samples last. With samples of several runs, `summary.integral` has no meaning.
        var run = -1
        /// Whether several runs added samples.
        var isMixed = false
    }

    /// The correction to the sum and the duration of a bucket from samples that cross an edge or are partly hidden.
    struct Share {
        var sum = DoubleDouble.zero
        var duration: Int128 = 0
        /// Whether a sample that starts in another bucket or before the first one reaches into the bucket.
        var isReached = false
    }

    /// `edges.count - 1` buckets, half-open.
    let edges: [Int64]
    let options: AggregateOptions
    /// Whether the value of a sample that crosses an edge is divided among the buckets (cumulative series).
    var isShared = false
    var rows: [BucketRow]
    /// One for each bucket, or empty if no option needs them.
    var extras: [Extra]
    /// One for each bucket, or empty while no sample was divided.
    var shares: [Share] = []
    /// The current bucket. It never decreases during a run.
    var cursor = 0
    /// The number of the current run.
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

    /// Returns the results of some of the buckets.
    func part(_ range: Range<Int>) -> BucketSweep {
        var part = BucketSweep(edges: Array(edges[range.lowerBound...range.upperBound]), options: options)
        part.isShared = isShared
        part.rows = Array(rows[range])
        if !extras.isEmpty { part.extras = Array(extras[range]) }
        if !shares.isEmpty { part.shares = Array(shares[range]) }
        return part
    }

    /// The approximate size in memory, in bytes.
    var bytes: Int {
        8 * edges.count + MemoryLayout<BucketRow>.stride * rows.count + MemoryLayout<Extra>.stride * extras.count
            + MemoryLayout<Share>.stride * shares.count
    }

    /// The first instant after the current bucket.
    var upper: Int64 { edges[cursor + 1] }

    /// Starts the next run.
    mutating func begin() {
        run += 1
        cursor = 0
    }

    /// Moves the cursor to the bucket that holds `instant`. O(log buckets); O(1) for the next bucket.
    /// - Requires: `instant` is inside the range of the buckets.
    @inline(__always)
    mutating func seek(_ instant: Int64) {
        if instant >= edges[cursor + 1] { seekFurther(instant) }
    }

    private mutating func seekFurther(_ instant: Int64) {
        if cursor + 2 < edges.count, instant < edges[cursor + 2] {
            cursor += 1
            return
        }
        // Search for the last edge that is not after the instant.
        var low = cursor + 1
        var high = edges.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if edges[middle] <= instant { low = middle } else { high = middle }
        }
        cursor = low
    }

    /// The treatment of a run, a page or a block.
    enum Visit {
        /// No sample matters.
        case skip
        /// The summary was added.
        case whole
        /// The summary does not suffice.
        case descend
        /// Neither this nor any later entry has a sample in the range.
        case stop
    }

    /// Adds a run, a page or a block by its summary if the summary suffices. Returns how to continue with it.
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

    /// Adds samples that lie wholly in a bucket to `extras`.
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

    /// Divides the value of a sample that crosses an edge among the buckets.
    ///
    /// A bucket gets the value times the fraction of the sample's length inside the bucket, with a precision of about
    /// 100 bits. Shares do not depend on where the buckets begin, and all shares of a sample add up to its value.
    /// Covered time adds nothing.
    /// - Parameter bucket: the bucket in which the sample starts, which holds the whole value; -1 if the sample starts
    ///   before the first bucket.
    mutating func share(start: Int64, end: Int64, value: Double, from bucket: Int, under cover: SourceCoverage? = nil) {
        if shares.isEmpty { shares = [Share](repeating: Share(), count: rows.count) }
        let length = Double(UInt64(bitPattern: end &- start))
        var at = bucket
        var from = start
        if bucket < 0 {
            from = first
            at = 0
        } else {
            // The bucket of the start has counted or will count the whole sample.
            shares[bucket].sum.add(-value)
            shares[bucket].duration -= Int128(end) - Int128(start)
        }
        while at < rows.count, from < end {
            let to = Swift.min(end, edges[at + 1])
            let time = UInt64(bitPattern: to &- from) &- (cover?.time(from, to) ?? 0)
            if time > 0 {
                let part = DoubleDouble.product(value, Double(time)).divided(by: length)
                // The product of a huge value can overflow although its share is finite.
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
    /// Adds the samples of another run, whose times may overlap these. The integral is lost.
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
