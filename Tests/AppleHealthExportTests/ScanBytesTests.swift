// SPDX-License-Identifier: Apache-2.0

import Kernels
import TestSupport
import Testing

@testable import AppleHealthExport

@Suite("Byte searches of the scanner, compared with plain loops")
struct ScanBytesTests {
    @Test("find, quote, lines, unusual and equal agree with plain loops")
    func loops() {
        var random = SeededGenerator(seed: 51)
        let interesting: [UInt8] = [
            0x22, 0x26, 0x27, 0x3C, 0x3E, 0x0A, 0x0D, 0x09, 0x00, 0x1F, 0x20, 0x7F, 0x80, 0xFF, 0x21, 0x23, 0x0B, 0x8A,
            0xA2,
        ]
        for _ in 0..<3_000 {
            let count = random.below(70)
            let dense = random.chance(0.5)
            let bytes = (0..<count + 8).map { _ in dense || random.chance(0.05) ? random.pick(interesting) : UInt8(0x61)
            }
            let start = random.below(count + 1)
            let part = bytes[start..<count]
            for byte in [0x22, 0x3C, 0x0A, 0x80] as [UInt8] {
                #expect(ScanBytes.find(byte, in: bytes.span, start, count) == part.firstIndex(of: byte) ?? count)
            }
            for quote in [0x22, 0x27] as [UInt8] {
                let found = ScanBytes.findQuote(ScanBytes.repeated(quote), in: bytes.span, start, count)
                let expected = part.firstIndex(of: quote) ?? count
                #expect(found.at == expected)
                #expect(
                    found.special == bytes[start..<expected].contains { $0 == 0x26 || $0 == 0x3C },
                    "seed \(random.seed): \(part)")
            }
            #expect(ScanBytes.lines(bytes.span, start, count) == part.count { $0 == 0x0A })
            let irregular = Self.irregular(bytes, start, count)
            #expect(ScanBytes.findIrregular(bytes.span, start, count) == irregular, "seed \(random.seed): \(part)")
            var other = bytes
            let same = ScanBytes.equal(bytes.span, start, other.span, start, count - start)
            #expect(same)
            if start < count {
                other[start + random.below(count - start)] ^= 1
                let changed = ScanBytes.equal(bytes.span, start, other.span, start, count - start)
                #expect(!changed)
                #expect(ScanBytes.hash(bytes.span, start..<count) != ScanBytes.hash(other.span, start..<count))
            }
        }
    }

    /// Returns the first control character, or the first byte that does not begin a whole character.
    private static func irregular(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
        var at = start
        while at < end {
            if bytes[at] < 0x80 {
                if bytes[at] < 0x20, ![0x09, 0x0A, 0x0D].contains(bytes[at]) { return at }
                at += 1
            } else if case .whole(let length) = UTF8Check.sequence(bytes.span, at, end) {
                at += length
            } else {
                return at
            }
        }
        return end
    }

    @Test("searches of text give the results of plain loops on every level", arguments: [0, 1, 2, 3])
    func levels(level: Int) {
        Levels.hold()
        defer {
            Kernel.force(level: -1)
            Levels.release()
        }
        Kernel.force(level: level)
        var random = SeededGenerator(seed: 53)
        let parts = ["é", "’", "😀", "x", "x", "xyz", "\n", "\t", "\"", "&", "<"].map { Array($0.utf8) }
        for _ in 0..<3_000 {
            var bytes: [UInt8] = []
            let isDense = random.chance(0.5)
            while bytes.count < random.below(300) { bytes += isDense ? random.pick(parts) : Array("abcdefgh".utf8) }
            if random.chance(0.5), !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            let count = bytes.count - (bytes.isEmpty ? 0 : random.below(min(3, bytes.count)))
            let start = random.below(count + 1)
            let part = bytes[start..<count]
            #expect(ScanBytes.findIrregular(bytes.span, start, count) == Self.irregular(bytes, start, count))
            #expect(ScanBytes.lines(bytes.span, start, count) == part.count { $0 == 0x0A })
            let found = ScanBytes.findQuote(ScanBytes.repeated(0x22), in: bytes.span, start, count)
            let expected = part.firstIndex(of: 0x22) ?? count
            #expect(found.at == expected)
            #expect(found.special == bytes[start..<expected].contains { $0 == 0x26 || $0 == 0x3C })
        }
    }

    @Test("arrays of numbers are restored from their bytes")
    func numbers() {
        let numbers: [Int64] = [0, -1, .min, .max, 258]
        #expect(Kernel.numbers(Kernel.bytes(of: numbers)) == numbers)
        #expect(Kernel.numbers(Kernel.bytes(of: [Int32]())) == [Int32]())
        let reals = [0.5, -0.0, .infinity]
        let restored: [Double] = Kernel.numbers(Kernel.bytes(of: reals))
        #expect(restored.map(\.bitPattern) == reals.map(\.bitPattern))
    }

    @Test("many lines are counted")
    func manyLines() {
        let bytes = [UInt8](repeating: 0x0A, count: 100_003)
        for start in [0, 1, 7, 50_000] {
            #expect(ScanBytes.lines(bytes.span, start, bytes.count) == bytes.count - start)
        }
    }

    @Test("UTF-8 validation agrees with the standard library")
    func utf8() {
        var random = SeededGenerator(seed: 52)
        let interesting: [UInt8] = [
            0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF3, 0xF4,
            0xF5, 0xFF, 0x41,
        ]
        for _ in 0..<20_000 {
            let bytes = (0...random.below(4)).map { _ in random.pick(interesting) }
            guard bytes[0] >= 0x80 else { continue }
            let length = (1...4).first {
                $0 <= bytes.count && String(validating: bytes.prefix($0), as: UTF8.self) != nil
            }
            switch UTF8Check.sequence(bytes.span, 0, bytes.count) {
            case .whole(let found): #expect(found == length, "\(bytes)")
            case .none: #expect(length == nil, "\(bytes)")
            case .cut:
                #expect(length == nil, "\(bytes)")
                // Some continuation completes the sequence.
                let tails: [[UInt8]] = [
                    [0x80], [0x90], [0xA0], [0x80, 0x80], [0x90, 0x80], [0xA0, 0x80], [0x80, 0x80, 0x80],
                    [0x90, 0x80, 0x80],
                ]
                #expect(
                    tails.contains { String(validating: bytes + $0, as: UTF8.self)?.unicodeScalars.count == 1 },
                    "\(bytes)")
            }
        }
    }

    @Test("character references are resolved")
    func references() {
        let cases: [(String, String)] = [
            ("", ""), ("plain", "plain"), ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"), ("&#65;&#x42;&#x1F3C3;", "AB🏃"),
            ("&amp;lt;", "&lt;"),
            ("a&b", "a&b"), ("&", "&"), ("&;", "&;"), ("&lt", "&lt"), ("&LT;", "&LT;"), ("&#;", "&#;"),
            ("&#x;", "&#x;"), ("&#12a;", "&#12a;"),
            ("&#0;", " "), ("&#xFFFFFFFF;", " "), ("&#123456789;", "&#123456789;"), ("&#9;&#10;&#13;", "\t\n\r"),
            ("&&lt;", "&<"), ("&#X41;", "&#X41;"),
            ("é&#233;é", "ééé"),
        ]
        for (text, expected) in cases {
            let bytes = Array(text.utf8) + Array(repeating: 0, count: 8)
            #expect(References.text(bytes.span, 0..<text.utf8.count) == expected, "\(text)")
            var buffer = bytes
            var found = References.Found()
            var checked = References.Found()
            References.check(buffer.span, 0..<text.utf8.count, &checked)
            let range = References.resolve(&buffer, 0..<text.utf8.count, &found)
            #expect(String(decoding: buffer[range], as: UTF8.self) == expected)
            #expect(found == checked)
        }
    }
}
