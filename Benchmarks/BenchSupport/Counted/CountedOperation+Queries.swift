// SPDX-License-Identifier: Apache-2.0

import Kymograph

extension CountedOperation {
    /// The queries of the benchmarks on the small sets, two of them after late data, and reads of each kind of data.
    static let queries: [CountedOperation] =
        QueryBenchmark.names.map { name in
            CountedOperation(name, name == "Q4" || name == "Q6" || name == "scan" ? 2 : 5, "the query \(name)") {
                work in
                let set = try BenchSet.small([name == "Q10" ? "ecg" : "hr"])[0]
                return try asking(name, set, try loaded(set, work))
            }
        }
        + ["Q2", "Q4"].map { name in
            CountedOperation("\(name)-late", 2, "the query \(name), one sample in a hundred late") { work in
                let set = try BenchSet.small(["hr"])[0]
                return try asking(name, set, try IngestBenchmark(work: work, runs: 1).late(set).store)
            }
        }
        + ["ecg", "dist", "energy"].map { name in
            CountedOperation("read-\(name)", 2, "all samples of the small set \(name) into arrays") { work in
                let set = try BenchSet.small([name])[0]
                return try asking("Q6", set, try loaded(set, work))
            }
        }

    /// Daily totals of two sources over 200 days, added up and merged.
    static let merges: [CountedOperation] = MergeBenchmark.names.filter { !$0.hasSuffix("never") }.map { name in
        CountedOperation("merge-\(name)", 2, "daily totals of two sources, \(name)") { work in
            let (ask, finish) = try MergeBenchmark(work: work, runs: 1, days: 200).question(name)
            return Body(run: ask, finish: finish)
        }
    }

    /// Returns the path of a closed store that contains the set.
    private static func loaded(_ set: BenchSet, _ work: String) throws -> String {
        try IngestBenchmark(work: work, runs: 1).bulk(set).store
    }

    /// Returns a query of the store with one thread.
    private static func asking(_ name: String, _ set: BenchSet, _ path: String) throws -> Body {
        let benchmark = try QueryBenchmark(store: path, set: set, settings: QueryBenchmark.Settings(runs: 1))
        return Body(run: try benchmark.question(name), finish: benchmark.close)
    }
}
