// SPDX-License-Identifier: Apache-2.0

import CFuzz

/// An input of libFuzzer, followed by variants derived from its bytes.
///
/// The work of libFuzzer around an input, such as scanning the counters of all edges, takes longer than the decoding of
/// a column. libFuzzer sees only the input; its variants are checked as strictly at a fraction of the cost. A variant
/// that reaches a new edge is added to the corpus, which libFuzzer rescans every second.
final class Trials {
    private let input: [UInt8]
    private let target: Target
    private let variants: Int
    private var number = 0
    private var random: TrialRandom
    /// Random bits for the choices of a target; 0 for the input itself, for which it tries everything.
    private(set) var choice: UInt64 = 0

    private let isCounted: Bool

    init(_ input: [UInt8], of target: Target, variants: Int, isCounted: Bool = true) {
        self.isCounted = isCounted
        self.input = input
        self.target = target
        self.variants = variants
        random = TrialRandom(input)
    }

    /// True if the last result of `next` is the input itself.
    var isInput: Bool { number == 1 }

    /// Returns the next bytes to check, or nil after the last. They have their own allocation, so that a read past
    /// their end is detected.
    func next() -> [UInt8]? {
        defer { number += 1 }
        if number == 0 {
            if isCounted { unsafe fuzz_count(input, input.count) }
            return input
        }
        guard number <= variants, !input.isEmpty else { return nil }
        if number == 1 { fuzz_hide() }
        choice = random.next()
        let variant = Variant.make(input, &random, maximumLength: target.maximumLength)
        if isCounted { unsafe fuzz_count(variant, variant.count) }
        return variant
    }

    /// Checks an input and its variants. Passes variants that reach new edges to `keep`.
    static func run(_ input: [UInt8], of target: Target, variants: Int, keep: ([UInt8]) -> Void) {
        target.run(Trials(input, of: target, variants: variants))
        guard fuzz_show() > 0 else { return }
        // Runs each variant separately to find which variant reached the edge.
        let again = Trials(input, of: target, variants: variants, isCounted: false)
        _ = again.next()
        while let variant = again.next() {
            target.run(Trials(variant, of: target, variants: 0, isCounted: false))
            if fuzz_reached() != 0 { keep(variant) }
        }
        _ = fuzz_show()
    }
}

/// A generator seeded with a hash of an input.
struct TrialRandom {
    private var state: UInt64

    init(_ bytes: [UInt8]) {
        state = 0xCBF2_9CE4_8422_2325
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Makes variants of an input by a few small changes.
enum Variant {
    static func make(_ input: [UInt8], _ random: inout TrialRandom, maximumLength: Int) -> [UInt8] {
        var variant = resized(input, &random, maximumLength)
        // Two changes on average.
        for _ in 0...min(random.next().trailingZeroBitCount, 5) { change(&variant, &random) }
        return variant
    }

    /// Returns a copy; in every fourth case a part of it is removed or repeated.
    private static func resized(_ input: [UInt8], _ random: inout TrialRandom, _ maximumLength: Int) -> [UInt8] {
        let way = random.next()
        let place = Int(way >> 32) % input.count
        var length = min(1 + Int(way >> 8 & 31), input.count - place)
        // The range that is removed, or that precedes the repetition.
        var (cut, doubled) = (0, 0)
        switch way & 15 {
        case 0, 1: cut = min(length, input.count - 1)
        case 2:
            length = input.count - place
            cut = min(length, input.count - 1)
        case 3 where input.count + length <= maximumLength: doubled = length
        default: break
        }
        let start = cut > 0 ? min(place, input.count - cut) : place
        let count = input.count - cut + doubled
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { out, initialized in
            unsafe input.withUnsafeBufferPointer { bytes in
                guard let from = bytes.baseAddress, let to = out.baseAddress else { return }
                let head = start + doubled
                unsafe to.initialize(from: from, count: head)
                unsafe (to + head).initialize(from: from + start + cut, count: count - head)
            }
            initialized = count
        }
    }

    private static func change(_ bytes: inout [UInt8], _ random: inout TrialRandom) {
        let way = random.next()
        // Every second change is at the front, where the most significant numbers are.
        let place = Int(way >> 40) % (way & 1 == 0 ? bytes.count : min(bytes.count, 32))
        let size = min(Int(0x8422_1111 >> ((way >> 1 & 7) * 4) & 15), bytes.count - place)
        let noise = random.next()
        switch way >> 4 & 7 {
        case 0, 1: bytes[place] ^= 1 << (noise & 7)
        case 2: bytes[place] &+= UInt8(truncatingIfNeeded: noise % 17) &- 8
        case 3: put(noise, size, over: &bytes, at: place)
        case 4: put(0, size, over: &bytes, at: place)
        case 5: put(.max, size, over: &bytes, at: place)
        case 6:
            // The least and the greatest signed number of the size.
            let top = UInt64(1) << UInt64(8 * size - 1)
            put(noise & 1 == 0 ? top : top - 1, size, over: &bytes, at: place)
        default:
            let other = Int(noise >> 1) % (bytes.count - size + 1)
            for index in 0..<size { bytes.swapAt(place + index, other + index) }
        }
    }

    /// Writes a little-endian number.
    private static func put(_ number: UInt64, _ size: Int, over bytes: inout [UInt8], at place: Int) {
        for index in 0..<size { bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
    }
}
