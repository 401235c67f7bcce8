// SPDX-License-Identifier: Apache-2.0

/// The probabilities of an adaptive stream: how long the next number is, judged by the numbers before it.
///
/// The length of a number is the number of bits of its magnitude. It is coded as a walk from the expected length, one
/// binary choice for each step. Each choice has a probability that follows the choices so far. All arithmetic is in
/// integers, so that encoder and decoder agree on every machine.
struct AdaptiveModel {
    /// The probability of a choice, of 2^16, and how often the choice was made, up to `mostSeen`.
    struct Choice {
        var probability: UInt32 = 1 << 15
        var seen = 0
    }

    /// The choices of the walks: `width` for each of `walks` contexts.
    private(set) var steps = [Choice](repeating: Choice(), count: walks * width)
    /// The two highest bits below the leading bit, by length: three choices each.
    private(set) var bits = [Choice](repeating: Choice(), count: (mostLength + 1) * 4)
    /// Averages of the logarithms of the magnitudes, over few and over many numbers, in units of 2^-8.
    private var fast: Int
    private var slow: Int

    private static let walks = 14
    private static let width = 64
    private static let mostLength = 64
    /// The greatest distance from the expected length with a choice of its own.
    private static let reach = 25
    private static let mostSeen = 48
    /// 2^16 / (seen + 1.6), rounded down.
    private static let rates = (0...mostSeen).map { (10 << 16) / (10 * $0 + 16) }
    /// log2(m + 0.7) in units of 2^-8.
    private static let smallLogarithms = [-132, 196, 367, 483, 571, 643, 702, 754]

    /// - Parameter start: the expected logarithm of the first magnitudes, in quarters.
    init(start: UInt8) {
        fast = Int(start) << 6
        slow = fast
    }

    /// Returns the start for a column: the mean logarithm of its first magnitudes.
    static func start(_ v: [Int64], _ n: Int) -> UInt8 {
        let count = min(n, 32)
        if count == 0 { return 0 }
        var sum = 0
        for place in 0..<count { sum += logarithm(v[place].magnitude) }
        return UInt8(clamping: (sum / count + 32) >> 6)
    }

    /// The expected length, and the index of the first choice of its walk.
    var expectation: (length: Int, walk: Int) {
        let halves = max(0, ((fast * 154 + slow * 102) >> 8) * 2 + 128) >> 8
        let walk = halves < 6 ? 8 + halves : halves & 1
        return (halves >> 1, walk * Self.width)
    }

    /// Returns the index of the choice whether a number is longer than the expected length plus `distance`.
    static func up(_ walk: Int, _ distance: Int) -> Int { walk + 32 + min(distance, reach) }

    /// Returns the index of the choice whether a number is shorter than the expected length minus `distance`.
    static func down(_ walk: Int, _ distance: Int) -> Int { walk + 31 - min(distance, reach) }

    @inline(__always)
    func step(_ index: Int) -> UInt32 { steps[index].probability }

    @inline(__always)
    func bit(_ index: Int) -> UInt32 { bits[index].probability }

    @inline(__always)
    mutating func learnStep(_ index: Int, _ isTrue: Bool) { Self.learn(&steps[index], isTrue) }

    @inline(__always)
    mutating func learnBit(_ index: Int, _ isTrue: Bool) { Self.learn(&bits[index], isTrue) }

    @inline(__always)
    private static func learn(_ choice: inout Choice, _ isTrue: Bool) {
        let old = Int(choice.probability)
        let moved = old + (((isTrue ? 1 << 16 : 0) - old) * rates[choice.seen]) >> 16
        choice.probability = UInt32(min(max(moved, 64), (1 << 16) - 64))
        if choice.seen < mostSeen { choice.seen += 1 }
    }

    /// Takes the magnitude of a number into account.
    @inline(__always)
    mutating func learn(_ magnitude: UInt64) {
        let logarithm = Self.logarithm(magnitude)
        fast += ((logarithm - fast) * 43) >> 8
        slow += ((logarithm - slow) * 13) >> 9
    }

    private static func logarithm(_ magnitude: UInt64) -> Int {
        if magnitude < 8 { return smallLogarithms[Int(magnitude)] }
        let zeros = magnitude.leadingZeroBitCount
        return (63 - zeros) << 8 + Int((magnitude << UInt64(zeros)) >> 55 & 255)
    }
}
