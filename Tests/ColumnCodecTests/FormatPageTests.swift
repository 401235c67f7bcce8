// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Kernels
import Testing

@testable import ColumnCodec

@Suite("Docs/Format/Columns.md agrees with the code")
struct FormatPageTests {
    let page: FormatPage

    init() throws {
        page = try FormatPage("Docs/Format/Columns.md")
    }

    @Test("The tables of encodings, limits and divisors agree with the code")
    func numbers() throws {
        let integers = try page.table("Encodings of integers")
        #expect(integers.count == RoundTripTests.integerEncodings.count)
        for (row, number) in zip(integers, RoundTripTests.integerEncodings) {
            #expect(row[0] == "\(number)" && row[1] == Encoding.name(number))
        }
        let reals = try page.table("Encodings of reals")
        #expect(reals.count == RoundTripTests.realEncodings.count)
        for row in reals { #expect(Encoding.name(try #require(UInt8(row[0]))) == row[1]) }
        #expect(reals.map { UInt8($0[0]) } == RoundTripTests.realEncodings.sorted())
        #expect(
            try page.table("Limits").map { $0[1] } == [
                "\(Encoding.maximumCount)", "\(Encoding.miniBlock)", "\(Encoding.maximumDictionary)",
                "\(Encoding.maximumExponent)", "\(Encoding.maximumPayload(10) - 160)", "\(Encoding.lz4Flag)",
            ])
        let divisors = try page.table("Encodings of reals", 1)
        #expect(divisors.map { Int($0[0]) } == Array(1..<Encoding.divisors.count))
        #expect(divisors.map { Double($0[1]) } == Encoding.divisors.dropFirst().map { $0 })
        for (exponent, power) in Encoding.powersOfTen.enumerated() { #expect(power == Double("1e\(exponent)")) }
        #expect(Encoding.powersOfTen.count == Encoding.maximumExponent + 1)
    }

    @Test("The examples encode and decode as shown")
    func examples() throws {
        let rows = try page.table("Examples")
        var seen: Set<String> = []
        for row in rows {
            let bytes = row[3].split(separator: " ").map { UInt8($0, radix: 16)! }
            let words = row[2].split(separator: " ").map(String.init)
            var w = ByteWriter()
            var decoder = ColumnDecoder()
            if row[1] == "integers" {
                let values = words.map { Int64($0)! }
                var encoder = IntegerColumnEncoder()
                encoder.forced = bytes[0]
                let choice = encoder.encode(values, values.indices, into: &w)
                #expect(choice.name == row[0])
                var out = [Int64](repeating: 0, count: values.count + Encoding.spare)
                #expect(
                    try decoder.integers(bytes, at: 0, end: bytes.count, count: values.count, into: &out) == bytes.count
                )
                #expect(out.prefix(values.count).elementsEqual(values))
            } else {
                let values = words.map { Double($0)! }
                var encoder = RealColumnEncoder()
                encoder.forced = bytes[0]
                let choice = encoder.encode(values, values.indices, into: &w)
                #expect(choice.name == row[0])
                var out = [Double](repeating: 0, count: values.count + Encoding.spare)
                #expect(
                    try decoder.reals(bytes, at: 0, end: bytes.count, count: values.count, into: &out) == bytes.count)
                #expect(out.prefix(values.count).elementsEqual(values) { $0.bitPattern == $1.bitPattern })
            }
            #expect(w.bytes == bytes, "\(row)")
            seen.insert("\(row[0]) \(row[1])")
        }
        let encodings = RoundTripTests.integerEncodings.count + RoundTripTests.realEncodings.count
        #expect(seen.count == encodings, "an encoding has no example")
    }

    @Test("The example of a column in LZ4 decodes as shown")
    func compressed() throws {
        var out = [Int64](repeating: 0, count: 3 + Encoding.spare)
        var decoder = ColumnDecoder()
        #expect(try decoder.integers([1, 1, 2, 1, 0x10, 0x0e], at: 0, end: 6, count: 3, into: &out) == 6)
        #expect(out.prefix(3) == [7, 7, 7])
        #expect(throws: ByteError(offset: 4, what: "LZ4 block is damaged")) {
            try decoder.integers([1, 1, 2, 2, 0x10, 0x0e], at: 0, end: 6, count: 3, into: &out)
        }
    }

    @Test("The fixed layout of a summary equals the table")
    func summaryLayout() throws {
        var s = Summary()
        s.count = 1
        s.sum = DoubleDouble(hi: 2, lo: 3)
        s.sumOfSquares = DoubleDouble(hi: 4, lo: 5)
        (s.min, s.max) = (6, 7)
        (s.firstStart, s.firstEnd, s.firstValue) = (8, 9, 10)
        (s.lastStart, s.lastEnd, s.lastValue) = (11, 12, 13)
        (s.maxEnd, s.maxEndExceptLast) = (14, 15)
        s.integral = DoubleDouble(hi: 16, lo: 17)
        s.durationSum = Int128(-19) << 64 | 18
        (s.minBorn, s.maxBorn) = (20, 21)
        var w = ByteWriter()
        SummaryCodec.encode(s, into: &w)
        #expect(w.count == SummaryCodec.length)
        let rows = try page.table("Summaries")
        var next = 0
        for (index, row) in rows.enumerated() {
            let offset = try #require(Int(row[0]))
            #expect(offset == next)
            next = offset + Int(row[1])!
            // The fields have numbers in the order of the table; durationSum has two numbers.
            let number = index + (index > 17 ? 2 : 1)
            var r = ByteReader(w.bytes, at: offset)
            let isReal = row[2].contains(".") || ["min", "max", "firstValue", "lastValue"].contains(row[2])
            #expect(isReal ? try r.double() == Double(number) : try r.i64() == Int64(number), "\(row[2])")
        }
        #expect(next == SummaryCodec.length)
        var r = ByteReader(w.bytes)
        #expect(try SummaryCodec.decode(&r) == s)
        #expect(try page.table("Summaries", 1).count == 21)
    }
}

/// The tables of a page, by the heading before them.
struct FormatPage {
    private var tables: [String: [[[String]]]] = [:]

    init(_ name: String, file: String = #filePath) throws {
        var root = URL(fileURLWithPath: file)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let text = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
        var heading = ""
        var rows: [[String]] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) + [""] {
            if line.hasPrefix("|") {
                let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                rows.append(cells.map { $0.trimmingCharacters(in: .whitespaces) })
                continue
            }
            if rows.count > 2 { tables[heading, default: []].append(Array(rows.dropFirst(2))) }
            rows = []
            if line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
        }
    }

    /// Returns the rows of a table, without its header.
    func table(_ heading: String, _ number: Int = 0) throws -> [[String]] {
        let found = try #require(tables[heading], "no table under \(heading)")
        try #require(number < found.count)
        return found[number]
    }
}
