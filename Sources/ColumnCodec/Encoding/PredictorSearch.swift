// SPDX-License-Identifier: Apache-2.0

/// The search for the factors that predict the numbers of a column best.
///
/// The search uses doubles. Its operations and their order are fixed, so that the factors are the same on every
/// machine.
struct PredictorSearch {
    private var numbers: [Double] = []
    private var errors: [Double] = []

    /// The shift of the factors that the encoder writes.
    private static let shift: UInt8 = 10
    /// Rounds of the search. Each round gives large errors of the round before less weight, so that jumps do not
    /// spoil the prediction of the other numbers.
    private static let rounds = 5
    private static let greatestFactor = 1e6

    /// Returns a predictor of the first `n` numbers; nil if there is no unique one.
    mutating func find(_ v: [Int64], _ n: Int) -> Predictor? {
        if numbers.count < n {
            numbers = [Double](repeating: 0, count: n)
            errors = numbers
        }
        for place in 0..<n { numbers[place] = Double(v[place]) }
        var factors: SIMD4<Double>?
        var scale = 0.0
        for round in 0..<Self.rounds {
            guard let found = solve(n, scale: round == 0 ? nil : scale) else { break }
            factors = found
            scale = measure(found, n) / 2
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

    /// Sets the errors of a prediction; returns the mean of their magnitudes.
    private mutating func measure(_ factors: SIMD4<Double>, _ n: Int) -> Double {
        var last = SIMD4<Double>()
        var sum = 0.0
        for place in 0..<n {
            let number = numbers[place]
            let products = factors * last
            let error = (number - ((products[0] + products[1]) + (products[2] + products[3]))).magnitude
            errors[place] = error
            sum += error
            last = SIMD4(number, last[0], last[1], last[2])
        }
        return sum / Double(max(n, 1))
    }

    /// Solves the weighted normal equations; nil if they have no unique solution.
    ///
    /// - Parameter scale: the error whose weight is half the greatest weight; nil for equal weights.
    private func solve(_ n: Int, scale: Double?) -> SIMD4<Double>? {
        // Row r is the sum of the products of the number r + 1 places before with all four, and with the number.
        var (first, second, third, fourth) = (
            SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero, SIMD4<Double>.zero
        )
        var (targets, last) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
        for place in 0..<n {
            let number = numbers[place]
            var weighted = last
            if let scale { weighted *= scale / (errors[place] + scale) }
            first += weighted[0] * last
            second += weighted[1] * last
            third += weighted[2] * last
            fourth += weighted[3] * last
            targets += weighted * number
            last = SIMD4(number, last[0], last[1], last[2])
        }
        return Self.eliminated([first, second, third, fourth], targets)
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
