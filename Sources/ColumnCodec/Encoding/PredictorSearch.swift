// SPDX-License-Identifier: Apache-2.0

/// The search for the factors that predict the numbers of a column best.
///
/// The search uses doubles. Its operations and their order are fixed, so that the factors are the same on every
/// machine.
struct PredictorSearch {
    /// Four zeros, then the numbers.
    private var numbers: [Double] = []
    private var errors: [Double] = []
    /// The number of numbers of the last search; -1 before the first one.
    private var count = -1
    /// The result of the last search.
    private var last: Predictor?

    /// The shift of the factors that the encoder writes.
    private static let shift: UInt8 = 10
    /// Rounds of the search. Each round gives large errors of the round before less weight, so that jumps do not
    /// spoil the prediction of the other numbers.
    private static let rounds = 5
    private static let greatestFactor = 1e6

    /// Returns a predictor of the first `n` numbers; nil if there is no unique one. The result of the last search is
    /// kept: a column is searched, and then written with the same numbers.
    mutating func find(_ v: [Int64], _ n: Int) -> Predictor? {
        if errors.count < n {
            numbers = [Double](repeating: 0, count: n + ColumnKernels.predictionLead)
            errors = [Double](repeating: 0, count: n)
            count = -1
        }
        var isSame = n == count
        for place in 0..<n {
            let number = Double(v[place])
            isSame = isSame && numbers[place + ColumnKernels.predictionLead] == number
            numbers[place + ColumnKernels.predictionLead] = number
        }
        if isSame { return last }
        count = n
        last = search(n)
        return last
    }

    private mutating func search(_ n: Int) -> Predictor? {
        var factors: SIMD4<Double>?
        var scale = 0.0
        for round in 1...Self.rounds {
            let sums = ColumnKernels.predictionSums(numbers, errors, n, scale: scale)
            guard let found = Self.eliminated(sums.rows, sums.targets) else { break }
            factors = found
            if round == Self.rounds { break }
            // The error whose weight is half the greatest weight.
            scale = ColumnKernels.predictionErrors(numbers, n, found, into: &errors) / Double(max(n, 1)) / 2
            if scale == 0 { break }
        }
        guard let factors else { return nil }
        let scaled = (factors * Double(1 << Int(Self.shift))).rounded(.toNearestOrEven)
        var result = SIMD4<Int64>()
        for place in 0..<4 {
            guard scaled[place].magnitude <= Self.greatestFactor else { return nil }
            result[place] = Int64(scaled[place])
        }
        return result == .zero ? nil : Predictor(factors: result, shift: Self.shift)
    }

    /// Solves a symmetric system by elimination.
    private static func eliminated(_ matrix: [SIMD4<Double>], _ targets: SIMD4<Double>) -> SIMD4<Double>? {
        var (rows, right) = (matrix, targets)
        let least = (rows[0][0] + rows[1][1] + rows[2][2] + rows[3][3]) * 1e-12
        for pivot in 0..<4 {
            guard rows[pivot][pivot] > least else { return nil }
            for row in pivot + 1..<4 {
                let factor = rows[row][pivot] / rows[pivot][pivot]
                rows[row] -= factor * rows[pivot]
                right[row] -= factor * right[pivot]
            }
        }
        var result = SIMD4<Double>()
        for row in (0..<4).reversed() {
            var value = right[row]
            for column in row + 1..<4 { value -= rows[row][column] * result[column] }
            result[row] = value / rows[row][row]
            guard result[row].isFinite else { return nil }
        }
        return result
    }
}
