// SPDX-License-Identifier: Apache-2.0

/// A small, fixed operation of the engine whose instructions are counted. Its requirements are prepared outside the
/// counted region.
package struct CountedOperation: Sendable {
    package let name: String
    /// The number of repetitions in a run; the count is divided by it.
    package let repetitions: Int
    /// The description of one repetition.
    package let what: String
    /// Prepares the operation in a directory.
    let make: @Sendable (_ work: String) throws -> Body

    /// A prepared operation.
    struct Body {
        /// Runs before each repetition; not counted.
        var prepare: () throws -> Void = {}
        /// The counted operation.
        let run: () throws -> Void
        /// Runs after the last repetition.
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

    /// All operations in the order of the reports.
    package static let all = loads + queries + merges + commits + access + kernels

    /// Runs the operation once uncounted, to initialise lazily created state, then `repetitions` times in the counted
    /// region. Returns the time of each repetition.
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

/// Runs the region whose instructions `Tools/check-budgets` counts: counting is on during a call of this symbol.
///
/// - Invariant: the symbol keeps its name and is neither inlined nor specialised.
@_silgen_name("kymo_bench_counted")
@inline(never)
@_optimize(none)
package func countedRegion(_ body: () throws -> Void) rethrows { try body() }
