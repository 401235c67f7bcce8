// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Encodes integers as constant, linear, packed, delta or delta of delta; the last three over a common unit, in patched
/// mini-blocks or in windows. Delta of delta may be predicted, too.
struct SequenceEncoder {
    /// The form of a sequence and its parameters.
    struct Plan: Sendable, Equatable {
        var form: UInt8
        var unit: UInt64 = 1
        /// For windows: the binary logarithm of the group size; 0 selects the cheapest.
        var group: UInt8 = 0
        /// For predictions: whether there are factors; otherwise each number is predicted to be 0.
        var hasFactors = false
        /// Whether widths are whole bytes, without exceptions: longer, but LZ4 finds more repetitions.
        var wholeBytes = false

        /// Compares the arithmetic of two plans; the group size affects only the length.
        static func == (a: Plan, b: Plan) -> Bool {
            a.form == b.form && a.unit == b.unit && a.wholeBytes == b.wholeBytes
        }

        /// The plan with the same differences in whole bytes; nil for a form without a stream.
        var inWholeBytes: Plan? {
            let kind = Encoding.base(form)
            return kind >= Encoding.packed ? Plan(form: kind, unit: unit, wholeBytes: true) : nil
        }
    }

    /// The input; the caller sets the first elements.
    var values: [Int64] = []
    private var deltas: [Int64] = []
    private var quotients: [Int64] = []
    private var work: [Int64] = []
    private var trial: [UInt8] = []
    private var predictors = PredictorSearch()
    /// Space for the parts of an adaptive stream. It is empty until the first use, because most encoders never need it.
    private var adaptive: [UInt8] = []
    /// Whether predictions are tried: they are smaller, and take more time to decode.
    var predicts = false

    /// Minimum number of values for windows, whose header costs too much for fewer.
    static let leastWindows = 128
    /// Minimum number of values for a prediction, whose factors and probabilities cost some bytes.
    static let leastPredicted = 256

    mutating func reserve(_ count: Int) {
        let room = count + Encoding.spare
        if values.count >= room { return }
        values = [Int64](repeating: 0, count: room)
        deltas = values
        quotients = values
        work = values
    }

    // MARK: Searching

    /// Returns every form that can hold the first `n` values with its exact size (including the form byte), the
    /// cheapest first.
    ///
    /// - Parameter windows: whether to try windows even for few values.
    mutating func search(_ n: Int, windows: Bool = false) -> [(plan: Plan, cost: Int)] {
        ColumnKernels.delta(values, n, into: &deltas)
        if ColumnKernels.countNonzero(deltas, n) == 0 {
            return [(Plan(form: Encoding.constant), 1 + length(n > 0 ? values[0] : 0))]
        }
        if isLinear(n) { return [(Plan(form: Encoding.linear), 1 + length(values[0]) + length(deltas[1]))] }
        let unit = ColumnKernels.gcd(deltas, n, scratch: &quotients)
        divide(n, unit: unit)
        var found: [(plan: Plan, cost: Int)] = []
        for form in [Encoding.delta, Encoding.packed, Encoding.deltaOfDelta] {
            let plan = Plan(form: form, unit: unit)
            let fields = arranged(n, plan)
            found.append((plan, fields + ColumnKernels.streamCost(work, n, wholeBytes: false)))
        }
        let worth = windows || n >= Self.leastWindows
        // Windows may save a third, so forms that are more than a third too long are not tried.
        let near = found.map(\.cost).min().map { $0 * 4 / 3 } ?? 0
        for (plan, cost) in found where windows || worth && cost <= near {
            var other = Plan(form: Encoding.windows(plan.form), unit: unit)
            let fields = arranged(n, other)
            let bytes = windowsCost(n, group: &other.group)
            found.append((other, fields + bytes))
        }
        if windows || predicts && n >= Self.leastPredicted { found.append(predicted(n, unit)) }
        return found.sorted { ($0.cost, $0.plan.form) < ($1.cost, $1.plan.form) }
    }

    /// Returns the predicted form with its size, with or without factors.
    private mutating func predicted(_ n: Int, _ unit: UInt64) -> (plan: Plan, cost: Int) {
        var plan = Plan(form: Encoding.predicted, unit: unit)
        let fields = arranged(n, plan) + 1
        let plain = fields + 4 + adaptiveCost(n)
        guard let predictor = predictors.find(work, n) else { return (plan, plain) }
        predictor.removePredictions(from: &work, n)
        let cost = (0..<4).reduce(fields) { $0 + length(predictor.factors[$1]) } + adaptiveCost(n)
        plan.hasFactors = cost < plain
        return (plan, min(cost, plain))
    }

    /// Returns the exact size of `work` as an adaptive stream.
    private mutating func adaptiveCost(_ n: Int) -> Int {
        let room = ColumnKernels.adaptiveBound(n)
        if trial.count < room { trial = [UInt8](repeating: 0, count: room) }
        reserveAdaptive(n)
        return ColumnKernels.encodeAdaptive(work, n, into: &trial, at: 0, scratch: &adaptive)
    }

    private mutating func reserveAdaptive(_ n: Int) {
        let room = ColumnKernels.adaptiveBound(n)
        if adaptive.count < room { adaptive = [UInt8](repeating: 0, count: room) }
    }

    /// Sets `work` to the content of the stream; returns the size of the form byte and the fields before the stream.
    private mutating func arranged(_ n: Int, _ plan: Plan) -> Int {
        let (base, slope) = arrange(n, plan)
        let fields = 1 + length(base) + Varint.length(plan.unit)
        return Encoding.base(plan.form) == Encoding.deltaOfDelta ? fields + length(slope) : fields
    }

    /// Returns the exact size of `work` in windows and sets the cheapest group.
    private mutating func windowsCost(_ n: Int, group: inout UInt8) -> Int {
        let room = ColumnKernels.windowsBound(n)
        if trial.count < room { trial = [UInt8](repeating: 0, count: room) }
        return ColumnKernels.encodeWindows(work, n, group: &group, into: &trial, at: 0)
    }

    private func length(_ value: Int64) -> Int { Varint.length(Zigzag.encode(value)) }

    private func isLinear(_ n: Int) -> Bool {
        guard n >= 2 else { return false }
        let step = deltas[1]
        for index in 2..<max(n, 2) where deltas[index] != step { return false }
        return true
    }

    // MARK: Writing

    /// Writes the body without the form byte; returns false, without writing, if the plan does not fit the values.
    mutating func write(_ plan: Plan, _ n: Int, into stage: inout Stage) -> Bool {
        ColumnKernels.delta(values, n, into: &deltas)
        switch plan.form {
        case Encoding.constant:
            guard ColumnKernels.countNonzero(deltas, n) == 0 else { return false }
            stage.put(zigzag: n > 0 ? values[0] : 0)
            return true
        case Encoding.linear:
            guard isLinear(n) else { return false }
            stage.put(zigzag: values[0])
            stage.put(zigzag: deltas[1])
            return true
        default:
            guard divide(n, unit: plan.unit) else { return false }
            let (base, slope) = arrange(n, plan, last: true)
            let kind = Encoding.base(plan.form)
            stage.put(zigzag: base)
            if kind == Encoding.deltaOfDelta { stage.put(zigzag: slope) }
            stage.put(varint: plan.unit)
            if plan.form == Encoding.predicted {
                let predictor = (plan.hasFactors ? predictors.find(work, n) : nil) ?? .zero
                stage.put(predictor.shift)
                for place in 0..<4 { stage.put(zigzag: predictor.factors[place]) }
                predictor.removePredictions(from: &work, n)
                reserveAdaptive(n)
                stage.put(adaptive: work, n, scratch: &adaptive)
            } else if kind == plan.form {
                stage.put(stream: work, n, wholeBytes: plan.wholeBytes)
            } else {
                stage.put(windows: work, n, group: plan.group)
            }
            return true
        }
    }

    /// Sets `quotients` to the deltas divided by the unit; returns false if a delta is not a multiple.
    @discardableResult
    private mutating func divide(_ n: Int, unit: UInt64) -> Bool {
        if unit != 1 { return ColumnKernels.divideExactly(deltas, n, unit: unit, into: &quotients) }
        swap(&deltas, &quotients)
        return true
    }

    /// Sets `work` to the content of the stream. The first numbers, which the base makes redundant, repeat their
    /// successors, so that they add no width.
    ///
    /// - Requires: `quotients[0] == 0`.
    /// - Parameter last: whether this is the last use of `quotients`, so that it may be overwritten.
    private mutating func arrange(_ n: Int, _ plan: Plan, last: Bool = false) -> (base: Int64, slope: Int64) {
        let unit = Int64(bitPattern: plan.unit)
        let first = n > 0 ? values[0] : 0
        switch Encoding.base(plan.form) {
        case Encoding.delta:
            if last { swap(&quotients, &work) } else { ColumnKernels.load(quotients, 0..<n, into: &work) }
            guard n > 1 else { return (first, 0) }
            work[0] = work[1]
            return (first &- unit &* work[1], 0)
        case Encoding.deltaOfDelta:
            ColumnKernels.delta(quotients, n, into: &work)
            guard n > 1 else { return (first, 0) }
            let second = n > 2 ? work[2] : 0
            work[0] = second
            work[1] = second
            let slope = quotients[1] &- second &- second
            return (first &- unit &* (slope &+ second), slope)
        default:
            ColumnKernels.load(quotients, 0..<n, into: &work)
            ColumnKernels.accumulate(&work, n, unit: 1, base: 0)
            return (first, 0)
        }
    }
}
