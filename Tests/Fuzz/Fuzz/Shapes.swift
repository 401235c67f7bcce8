// SPDX-License-Identifier: Apache-2.0

import ColumnCodec

/// Columns of values from an input: a few bytes stand for many values of shapes that encoders search for.
enum Shapes {
    /// Returns one to three columns, as one encoder would encode them in sequence.
    static func integers(_ input: inout Input) -> [[Int64]] {
        var columns: [[Int64]] = []
        repeat { columns.append(column(&input)) } while !input.isEmpty && columns.count < 3
        return columns
    }

    static func reals(_ input: inout Input) -> [[Double]] {
        var columns: [[Double]] = []
        repeat {
            let shape = input.byte()
            let scale = input.byte()
            let numbers = column(&input)
            columns.append(numbers.map { real($0, shape, scale) })
        } while !input.isEmpty && columns.count < 3
        return columns
    }

    private static func column(_ input: inout Input) -> [Int64] {
        let most = 1 + input.upTo(Encoding.maximumCount - 1)
        var values: [Int64] = []
        while values.count < most, !input.isEmpty { part(&input, &values, most) }
        return values.isEmpty ? [0] : values
    }

    /// Appends a part: single values, a ramp, repeats, or noise of some width around the last value.
    private static func part(_ input: inout Input, _ values: inout [Int64], _ most: Int) {
        let kind = input.byte()
        let last = values.last ?? 0
        let count = min(most - values.count, kind & 8 == 0 ? 1 + Int(kind >> 4) : input.upTo(most))
        let size = [1, 2, 4, 8][Int(kind & 3)]
        func signed() -> Int64 {
            Int64(bitPattern: input.number(size) << UInt64(64 - 8 * size)) >> Int64(64 - 8 * size)
        }
        switch kind >> 2 & 1 {
        case 0:
            // Each value, or its difference to the previous one, separately.
            for _ in 0..<count where !input.isEmpty {
                values.append(kind & 8 == 0 ? signed() : (values.last ?? 0) &+ signed())
            }
        default:
            let step = signed()
            let width = UInt64(input.byte() % 64)
            var state = input.number(2) | 1
            var value = last
            for _ in 0..<count {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                value &+= step
                values.append(value &+ Int64(bitPattern: width == 0 ? 0 : state >> (64 - width)))
            }
        }
    }

    private static func real(_ number: Int64, _ shape: UInt8, _ scale: UInt8) -> Double {
        switch shape % 8 {
        case 0: Double(bitPattern: UInt64(bitPattern: number))
        case 1: Double(number)
        case 2: Double(number) / Encoding.powersOfTen[Int(scale) % Encoding.powersOfTen.count]
        case 3: Double(number) / Encoding.divisors[1 + Int(scale) % (Encoding.divisors.count - 1)]
        case 4: Double(Float(bitPattern: UInt32(truncatingIfNeeded: number)))
        case 5: Double(number) / Double(Int(scale) + 3) + Double(scale) / 8
        case 6: Double(number % 1000) * 0.1 - Double(scale)
        default: number % 5 == 0 ? -0.0 : Double(number % 100) / 100
        }
    }
}
