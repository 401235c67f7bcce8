// SPDX-License-Identifier: Apache-2.0
// BenchSupport: data sets, clocks, plain recomputation and reports for the benchmarks.

/// One series of a data set in memory: ascending times in nanoseconds since 1970-01-01 UTC, and values.
package struct BenchSeries: Sendable {
    /// The name, such as `hr_0`.
    package let name: String
    /// Ascending.
    package let times: [Int64]
    package let values: [Double]

    package init(name: String, times: [Int64], values: [Double]) {
        self.name = name
        self.times = times
        self.values = values
    }
}

/// A named group of series.
package struct BenchSet: Sendable {
    package let name: String
    package let series: [BenchSeries]
    /// The first instant of the set's span.
    package let origin: Int64
    /// The number of whole days that the set spans, at least 1.
    package let days: Int

    package var samples: Int { series.reduce(0) { $0 + $1.times.count } }
}

/// The reason why a benchmark cannot run or a result is wrong.
package struct BenchError: Error, CustomStringConvertible {
    package let description: String
    /// Whether the command line asks for something that does not exist, such as an unknown set.
    package let isUsage: Bool

    package init(_ description: String, isUsage: Bool = false) {
        self.description = description
        self.isUsage = isUsage
    }
}

extension BenchSet {
    /// The default sets of a run.
    package static let names = ["hr", "ecg", "dist", "energy"]
}
