// SPDX-License-Identifier: Apache-2.0
// ColumnCodec: one column of a block, values to bytes and back.

/// The numbers that format version 1 stores on disk. `Docs/Format/Columns.md` has the same tables; a test compares
/// them.
package enum Encoding {
    // Integers. The first five and the windows are also the forms of sequences nested in other encodings.
    package static let constant: UInt8 = 1
    package static let linear: UInt8 = 2
    package static let packed: UInt8 = 3
    package static let delta: UInt8 = 4
    package static let deltaOfDelta: UInt8 = 5
    package static let runLength: UInt8 = 6
    package static let dictionary: UInt8 = 7
    package static let clock: UInt8 = 8
    package static let packedWindows: UInt8 = 9
    package static let deltaWindows: UInt8 = 10
    package static let deltaOfDeltaWindows: UInt8 = 11
    package static let predicted: UInt8 = 12

    // Reals. Decimal to ordered are also the scalar encodings nested in dictionary and run length.
    package static let realConstant: UInt8 = 17
    package static let decimal: UInt8 = 18
    package static let ratio: UInt8 = 19
    package static let float32: UInt8 = 20
    package static let ordered: UInt8 = 21
    package static let realDictionary: UInt8 = 22
    package static let realRunLength: UInt8 = 23
    package static let xor: UInt8 = 24
    package static let shuffled: UInt8 = 25
    package static let raw: UInt8 = 26
    package static let scaled: UInt8 = 27

    /// Flag bit 0: the payload is an LZ4 block.
    package static let lz4Flag: UInt8 = 1

    /// Maximum number of values in a column.
    package static let maximumCount = 6144
    /// Number of values in a mini-block.
    package static let miniBlock = 128
    /// Valid binary logarithms of the number of values in a group of windows.
    package static let groups: ClosedRange<UInt8> = 5...11
    /// Maximum number of entries in a dictionary.
    package static let maximumDictionary = 256
    /// Maximum decimal exponent.
    package static let maximumExponent = 15
    /// Bytes that must follow an encoded column in memory, and elements that must follow the decoded values.
    package static let spare = 64

    /// 10^0 ... 10^15, all exact as doubles.
    package static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    /// The divisors of `ratio` by number, from 1: factors of common unit conversions.
    package static let divisors: [Double] = [
        .nan,  // 0 is never valid
        60, 600, 6000, 3600, 86400, 1440, 3, 7, 24, 3.6, 4.184, 1.609344, 0.45359237, 65536, 16_777_216,
    ]

    /// Returns the name of an encoding, or "unknown".
    package static func name(_ encoding: UInt8) -> String {
        switch encoding {
        case constant, realConstant: "constant"
        case linear: "linear"
        case packed: "packed"
        case delta: "delta"
        case deltaOfDelta: "delta of delta"
        case runLength, realRunLength: "run length"
        case dictionary, realDictionary: "dictionary"
        case clock: "clock"
        case packedWindows: "packed windows"
        case deltaWindows: "delta windows"
        case deltaOfDeltaWindows: "delta of delta windows"
        case predicted: "predicted"
        case decimal: "decimal"
        case ratio: "ratio"
        case float32: "float32"
        case ordered: "ordered"
        case xor: "xor"
        case shuffled: "shuffled"
        case raw: "raw"
        case scaled: "scaled"
        default: "unknown"
        }
    }

    /// Returns the cost of an encoding when alternatives are compared. Encodings with a lookup for each value
    /// (dictionaries, runs, planes) must save a twentieth against encodings that compute values from their bits.
    package static func weight(_ encoding: UInt8, _ bytes: Int) -> Int {
        switch encoding {
        case runLength, dictionary, realDictionary, realRunLength, xor, shuffled: bytes + bytes / 20
        default: bytes
        }
    }

    /// Whether a number is a valid form of a sequence.
    package static func isForm(_ number: UInt8) -> Bool {
        constant...deltaOfDelta ~= number || packedWindows...predicted ~= number
    }

    /// Returns the form with mini-blocks for a form with windows, for predictions delta of delta; any other form
    /// unchanged.
    package static func base(_ form: UInt8) -> UInt8 {
        if form == predicted { return deltaOfDelta }
        return packedWindows...deltaOfDeltaWindows ~= form ? form - (packedWindows - packed) : form
    }

    /// Returns the form with windows for the same differences; a form without such a counterpart unchanged.
    package static func windows(_ form: UInt8) -> UInt8 {
        packed...deltaOfDelta ~= form ? form + (packedWindows - packed) : form
    }

    /// Returns the maximum payload of a column of `count` values; a longer one is refused before memory is allocated
    /// for it.
    package static func maximumPayload(_ count: Int) -> Int { 16 * count + 4096 }
}
