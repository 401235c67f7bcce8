// SPDX-License-Identifier: Apache-2.0

/// One thing that the engine does, small and always the same, so that its instructions can be counted. What it needs
/// is made outside of the counted region.
package struct CountedOperation: Sendable {
    package let name: String
    /// How often it is done in a run; a count is divided by this.
    package let repetitions: Int
    /// What one repetition is.
    package let what: String
    /// Makes what the operation needs in a directory.
    let make: @Sendable (_ work: String) throws -> Body

    /// An operation that is ready.
    struct Body {
        /// Before each repetition; not counted.
        var prepare: () throws -> Void = {}
        /// What is counted.
        let run: () throws -> Void
        /// After the last repetition.
        var finish: () -> Void = {}
    }

    init(
        _ name: String, _ repetitions: Int, _ what: String, _ make: @escaping @Sendable (_ work: String) throws -> Body
    ) {
        self.name = name
        self.repetitions = repetitions
        self.what = what
        self.make = make
    }

    /// All of them, in the order of the reports.
    package static let all = loads + queries + merges + commits + kernels

    /// Does it once uncounted, so that what is made at first use is there, then as often as `repetitions` says, each
    /// inside of the region that is counted. The seconds of each.
    package func run(work: String) throws -> Stopwatch {
        let body = try make(work)
        defer { body.finish() }
        try body.prepare()
        try body.run()
        var watch = Stopwatch()
        for _ in 0..<repetitions {
            try body.prepare()
            try watch.measure { try countedRegion(body.run) }
        }
        return watch
    }
}

/// The region whose instructions `Tools/check-budgets` counts: the counter is on while a call of this symbol lasts. So
/// it must keep its name, and must be neither inlined nor specialised.
@_silgen_name("kymo_bench_counted")
@inline(never)
@_optimize(none)
package func countedRegion(_ body: () throws -> Void) rethrows { try body() }
