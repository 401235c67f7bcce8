// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernels

@testable import ColumnCodec

enum ColumnTargets {
    static let integerEncodings: ClosedRange<UInt8> = 1...12
    static let realEncodings: ClosedRange<UInt8> = 17...27

    static var all: [Target] {
        let asserts = "every level decodes what the naive decoder does, or both refuse; nothing is written past the end"
        let whole = [false, true].map { reals in
            Target(
                name: reals ? "reals" : "integers", maximumLength: 2048, variants: 31, asserts: asserts,
                seeds: { _ in ColumnSeeds.columns(reals: reals) }, run: decode(nil, reals: reals))
        }
        let parts = (Array(integerEncodings) + Array(realEncodings)).map { encoding in
            let reals = realEncodings.contains(encoding)
            let parent = reals ? "reals" : "integers"
            let name = Encoding.name(encoding).replacing(" ", with: "-")
            return Target(
                name: "\(parent)-\(name)", maximumLength: 2048, variants: 31, asserts: asserts, partOf: parent,
                seeds: { _ in [] }, run: decode(encoding, reals: reals))
        }
        return whole + roundTrips + parts
    }

    private static func decode(_ encoding: UInt8?, reals: Bool) -> @Sendable (Trials) -> Void {
        { trials in
            var checker = ColumnChecker()
            while let bytes = trials.next() {
                // A column with spare bytes after it is mostly decoded in place; without them it is copied first.
                let spare = trials.isInput || trials.choice & 3 == 0 ? 0 : Encoding.spare
                let column = ColumnInput(bytes, encoding: encoding, reals: reals, spare: spare)
                checker.check(column, reals: reals, isInput: trials.isInput, choice: trials.choice)
            }
        }
    }

    // MARK: Round trips

    private static var roundTrips: [Target] {
        let asserts = "encoded values are decoded to the same bits, for every encoding and level"
        return [
            Target(
                name: "integers-round-trip", maximumLength: 4096, variants: 31, asserts: asserts,
                seeds: { _ in ColumnSeeds.values(reals: false) },
                run: { trials in
                    while let bytes = trials.next() {
                        var input = Input(bytes)
                        var encoder = IntegerColumnEncoder()
                        (encoder.forced, encoder.lz4) = way(&input, above: 0, count: 12)
                        check(Shapes.integers(&input), encoder, trials, NaiveValues.integers) {
                            _ = $0.encode($1, $1.indices, into: &$2)
                        }
                    }
                }),
            Target(
                name: "reals-round-trip", maximumLength: 4096, variants: 31, asserts: asserts,
                seeds: { _ in ColumnSeeds.values(reals: true) },
                run: { trials in
                    while let bytes = trials.next() {
                        var input = Input(bytes)
                        var encoder = RealColumnEncoder()
                        (encoder.forced, encoder.lz4) = way(&input, above: 16, count: 11)
                        check(Shapes.reals(&input), encoder, trials, { .reals($0.map(\.bitPattern)) }) {
                            _ = $0.encode($1, $1.indices, into: &$2)
                        }
                    }
                }),
        ]
    }

    /// Reads two bytes that choose the encoding and the LZ4 mode.
    private static func way(
        _ input: inout Input, above base: UInt8, count: UInt8
    ) -> (forced: UInt8?, lz4: LZ4Mode) {
        let way = input.byte() % (count + 1)
        return (way == 0 ? nil : base + way, [.automatic, .always, .never][Int(input.byte() % 3)])
    }

    /// Encodes columns in sequence, to the same bytes on every level, and decodes them. A variant uses one level,
    /// seldom two.
    private static func check<Encoder, Value>(
        _ columns: [[Value]], _ encoder: Encoder, _ trials: Trials, _ bits: ([Value]) -> NaiveValues,
        _ encode: (inout Encoder, [Value], inout ByteWriter) -> Void
    ) {
        let levels = Kernel.highestLevel + 1
        var chosen = Array(0..<levels)
        if !trials.isInput {
            let first = Int(trials.choice & 0xFF) % levels
            chosen = trials.choice >> 8 & 3 == 0 ? [first, (first + 1) % levels] : [first]
        }
        var (encoder, checker) = (encoder, ColumnChecker())
        defer { Kernel.force(level: -1) }
        for (number, all) in columns.enumerated() {
            // Most variants have few values, often fewer than a window, because the time of an encoding grows with
            // their number.
            let isShort = !trials.isInput && trials.choice >> 10 & 15 != 0
            let most: UInt64 = trials.choice >> 40 & 3 == 0 ? 0xFF : 0x3F
            let values = isShort ? Array(all.prefix(1 + Int(trials.choice >> 48 & most))) : all
            var column: [UInt8] = []
            let before = encoder
            for level in chosen {
                Kernel.force(level: level)
                encoder = before
                var writer = ByteWriter()
                encode(&encoder, values, &writer)
                require(column.isEmpty || writer.bytes == column, "level \(level) encodes differently: \(values)")
                column = writer.bytes
            }
            let expected = bits(values)
            let reals = if case .reals = expected { true } else { false }
            // For a variant the naive decoder is skipped: the expected values are the input.
            let known = ColumnInput(column, expected)
            if trials.isInput {
                let outcome = ColumnInput.naive(column, end: column.count, count: values.count, reals: reals)
                guard case .success(let naive)? = outcome else {
                    finding("encoded values cannot be decoded: \(values)")
                }
                require(naive.values == expected && naive.end == column.count, "decoded to other values: \(values)")
            }
            checker.check(
                known, reals: reals, isInput: trials.isInput, choice: trials.choice >> UInt64(16 + 8 * number))
        }
    }
}
