// SPDX-License-Identifier: Apache-2.0

import Kymograph

extension QueryBenchmark {
    /// Returns a query without checks and time measurement, for counting instructions: the same as the timed query,
    /// with fewer random ranges.
    func question(_ name: String) throws -> () throws -> Void {
        let (snapshot, ids, span) = (snapshot, ids, span)
        func buckets(_ width: Int64, _ which: [SeriesID]) -> () throws -> Void {
            let cut = Buckets.fixed(nanoseconds: width, anchor: set.origin)
            return { blackHole(try snapshot.buckets(of: which, cut, over: span).count) }
        }
        switch name {
        case "Q1": return { blackHole(try snapshot.aggregate(of: ids[0], over: span).count) }
        case "Q2": return buckets(Self.day, [ids[0]])
        case "Q3", "Q10": return buckets(Self.hour, [ids[0]])
        case "Q4": return buckets(Self.minute, [ids[0]])
        case "Q5":
            let ranges = Self.ranges(span, count: 20, seed: 42)
            return { for range in ranges { blackHole(try snapshot.aggregate(of: ids[0], over: range).count) } }
        case "Q6":
            var starts = [Int64]()
            var values = [Double]()
            return {
                starts.removeAll(keepingCapacity: true)
                values.removeAll(keepingCapacity: true)
                try snapshot.read(ids[0], starts: &starts, values: &values)
            }
        case "Q7": return { for _ in 0..<100 { blackHole(try snapshot.mostRecent(of: ids[0])) } }
        case "Q8":
            let minutes = (0..<20).map { i in
                let at = set.series[0].times[i * 10_007 % set.series[0].times.count] + 1_234
                return TimeRange(at, at + Self.minute)
            }
            return { for range in minutes { blackHole(try count(ids[0], range)) } }
        case "Q9": return buckets(Self.day, ids)
        case "scan": return { blackHole(try count(ids[0], .all)) }
        default:
            guard let body = shape(name) else { throw BenchError("no query \(name)") }
            return body
        }
    }
}
