// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A linear prediction of each number from the four numbers before it, in integer arithmetic modulo 2^64.
///
/// Numbers before the first one count as 0. The prediction is the sum of the products, plus half, shifted right.
struct Predictor: Sendable, Equatable {
    /// The factors of the last number, of the one before it, and so on, times 2^shift.
    let factors: SIMD4<Int64>
    let shift: UInt8

    /// Valid shifts.
    static let shifts: ClosedRange<UInt8> = 1...30

    /// Predicts 0 for each number.
    static let zero = Predictor(factors: .zero, shift: 1)

    init(factors: SIMD4<Int64>, shift: UInt8) {
        self.factors = factors
        self.shift = shift
    }

    /// Replaces the first `n` numbers by their differences from the predictions.
    func removePredictions(from v: inout [Int64], _ n: Int) {
        // Factors of zero predict 0.
        if factors == .zero { return }
        let (half, shift) = (Int64(1) << Int64(shift - 1), Int64(shift))
        let (f, g, h, i) = (factors[0], factors[1], factors[2], factors[3])
        var (a, b, c, d) = (Int64(0), Int64(0), Int64(0), Int64(0))
        for place in 0..<n {
            let number = v[place]
            v[place] = number &- (f &* a &+ g &* b &+ h &* c &+ i &* d &+ half) >> shift
            (a, b, c, d) = (number, a, b, c)
        }
    }

    /// Replaces the first `n` differences by the numbers.
    func addPredictions(to v: inout [Int64], _ n: Int) {
        let (half, shift) = (Int64(1) << Int64(shift - 1), Int64(shift))
        let (f, g, h, i) = (factors[0], factors[1], factors[2], factors[3])
        var (a, b, c, d) = (Int64(0), Int64(0), Int64(0), Int64(0))
        for place in 0..<n {
            let number = v[place] &+ (f &* a &+ g &* b &+ h &* c &+ i &* d &+ half) >> shift
            v[place] = number
            (a, b, c, d) = (number, a, b, c)
        }
    }

    /// Reads the shift and the four factors.
    init(_ reader: inout ByteReader) throws(ByteError) {
        let start = reader.offset
        shift = try reader.u8()
        guard Self.shifts ~= shift else { throw ByteError(offset: start, what: "unknown shift \(shift)") }
        var factors = SIMD4<Int64>()
        for place in 0..<4 { factors[place] = try reader.zigzag() }
        self.factors = factors
    }
}
