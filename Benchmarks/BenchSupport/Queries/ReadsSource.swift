// SPDX-License-Identifier: Apache-2.0

import Kymograph

/// One series of `GrowthData` with the ways to read it.
struct ReadsSource {
    let snapshot: Snapshot
    let id: SeriesID

    /// Arrays for the samples of a read.
    struct Columns {
        var starts: [Int64] = []
        var values: [Double] = []
    }

    /// The sums of a scan.
    struct Sums: Equatable {
        var count = 0
        var starts: Int64 = 0
        var values = 0.0
    }

    /// Returns the time range of samples; there is one sample per second.
    static func range(_ samples: Range<Int>) -> TimeRange {
        TimeRange(GrowthData.time(samples.lowerBound), GrowthData.time(samples.upperBound))
    }

    func sums(_ range: TimeRange) throws -> Sums {
        var sums = Sums()
        try snapshot.scan(id, over: range) { batch in
            batch.withColumns { starts, _, values in
                for i in 0..<starts.count {
                    sums.starts &+= starts[i]
                    sums.values += values[i]
                }
                sums.count += starts.count
            }
            return true
        }
        return sums
    }

    /// Scans without processing the samples. Returns their number and the start of the last sample.
    func count(_ range: TimeRange, limit: Int = .max) throws -> (count: Int, last: Int64) {
        var found = (count: 0, last: Int64.min)
        try snapshot.scan(id, over: range, limit: limit) { batch in
            found.count += batch.count
            found.last = batch[batch.count - 1].start
            return true
        }
        return found
    }

    /// Reads into arrays after removing their contents; the arrays keep their memory.
    func read(_ range: TimeRange, _ columns: inout Columns) throws {
        columns.starts.removeAll(keepingCapacity: true)
        columns.values.removeAll(keepingCapacity: true)
        try snapshot.read(id, over: range, starts: &columns.starts, values: &columns.values)
    }

    /// Compares a read and a scan with the stored samples. Returns a checksum of the samples.
    func check(_ size: Int) throws -> AnswerHash {
        let range = Self.range(0..<size)
        var found = Columns()
        try read(range, &found)
        var wanted = Columns()
        GrowthData().fill(0..<size, &wanted.starts, &wanted.values)
        guard found.starts == wanted.starts, found.values == wanted.values else {
            throw BenchError("reads: the samples read differ from the samples written")
        }
        // The values are integers, so their sum is exact in any order.
        let sums = Sums(count: size, starts: wanted.starts.reduce(0, &+), values: wanted.values.reduce(0, +))
        guard try self.sums(range) == sums else {
            throw BenchError("reads: the sums of a scan differ from the samples written")
        }
        var hash = AnswerHash()
        for i in stride(from: 0, to: size, by: 997) {
            hash.add(found.starts[i])
            hash.add(found.values[i])
        }
        return hash
    }
}
