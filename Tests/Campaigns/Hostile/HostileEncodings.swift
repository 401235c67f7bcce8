// SPDX-License-Identifier: Apache-2.0

import TestSupport

extension HostileCase {
    /// Texts that are not UTF-8, or not text.
    static func encodingCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "encoding"
        var export = HostileExport(first: random.below(16))
        export.records(5 + random.below(5))
        let text = String(decoding: export.finished, as: UTF8.self)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var cases: [HostileCase] = []
        for isBig in [true, false] {
            let name = isBig ? "highest" : "lowest"
            let short = text.utf16.flatMap { isBig ? littleEndian($0.byteSwapped) : littleEndian($0) }
            let long = text.unicodeScalars.flatMap {
                isBig ? littleEndian($0.value.byteSwapped) : littleEndian($0.value)
            }
            let shortMark: [UInt8] = isBig ? [0xFE, 0xFF] : [0xFF, 0xFE]
            let longMark: [UInt8] = isBig ? [0, 0, 0xFE, 0xFF] : [0xFF, 0xFE, 0, 0]
            cases += [
                refused(group, "UTF-16, the \(name) byte first, with a byte order mark", shortMark + short, "UTF-16"),
                refused(group, "UTF-16, the \(name) byte first", short, "NUL"),
                refused(group, "UTF-32, the \(name) byte first, with a byte order mark", longMark + long),
                refused(group, "UTF-32, the \(name) byte first", long, "NUL"),
            ]
        }
        cases.append(
            HostileCase(
                group, "UTF-8 with a byte order mark", bytes: mark + export.finished,
                HostileExpectation(outcome: .kept, good: export.good, isExact: true, complete: true)))
        var twice = HostileExport(prolog: "\u{FEFF}\u{FEFF}" + HostileExport.prolog)
        twice.records(4)
        twice.expect("strayText", 0..<16)
        cases.append(.xml(group, "two byte order marks", twice))
        var middle = HostileExport()
        middle.records(2)
        middle.bad("\u{FEFF}", "strayText")
        middle.records(2)
        cases.append(.xml(group, "a byte order mark in the middle", middle))
        cases += byteCases(&random)
        return cases
    }

    /// Bytes that are invalid in text, between records and inside them.
    private static func byteCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let group = "encoding"
        var cases: [HostileCase] = []
        let broken: [(String, [UInt8])] = [
            ("a lone continuation", [0x80]), ("a cut character", [0xE2, 0x82]), ("an overlong slash", [0xC0, 0xAF]),
            ("an overlong NUL", [0xE0, 0x80, 0x80]), ("half a pair", [0xED, 0xA0, 0x80]),
            ("past the last character", [0xF4, 0x90, 0x80, 0x80]), ("FF", [0xFF]), ("five bytes", [0xF8, 0x88, 0x80]),
        ]
        for (name, bytes) in broken {
            var export = HostileExport(first: random.below(16))
            export.records(3)
            // Each of the bytes becomes a question mark, and nothing else changes.
            let record = GoodRecord(30 + random.below(60))
            let source = Array("S".utf8) + bytes + Array("e".utf8)
            let parts = GoodRecord.xml("value=\"1\"", record).split(separator: record.source)
            let place = export.count
            let marks = String(repeating: "?", count: bytes.count)
            export.raw(
                Array(parts[0].utf8) + source + Array(parts[1].utf8) + [0x0A],
                good: [record.changed(source: "S\(marks)e", value: 1)])
            export.expect("illFormedUTF8", place..<export.count)
            export.records(3)
            cases.append(.xml(group, "\(name) in a name", export, exact: false))
        }
        for control in [1, 7, 8, 0x0B, 0x0C, 0x1B, 0x1F] as [UInt8] {
            var export = HostileExport()
            export.records(2)
            let record = GoodRecord(40)
            let parts = GoodRecord.xml("value=\"1\"", record).split(separator: record.source)
            let place = export.count
            export.raw(
                Array(parts[0].utf8) + [0x53, control, 0x53] + Array(parts[1].utf8) + [0x0A],
                good: [record.changed(source: "S S", value: 1)])
            export.expect("illegalCharacter", place..<export.count)
            export.records(2)
            cases.append(.xml(group, "a character \(control) in a name", export))
        }
        var zeros = HostileExport()
        zeros.records(3)
        let place = zeros.count
        zeros.raw([UInt8](repeating: 0, count: 5_000))
        for at in 0..<100 { zeros.expect("illegalCharacter", place + at..<place + at + 1) }
        zeros.records(3)
        cases.append(.xml(group, "5,000 NULs between records", zeros))
        cases.append(
            refused(group, "a NUL before the root", [0] + HostileExport().finished, "NUL"))
        var endless = HostileExport()
        endless.records(1)
        endless.raw([0x3C] + [UInt8](repeating: 0x80, count: 2_000_000))
        endless.records(1)
        cases.append(.xml(group, "a tag of 2,000,000 invalid bytes", endless, exact: false, complete: nil))
        return cases
    }
}

extension GoodRecord {
    /// Returns the line of the same record with other texts.
    func changed(
        type: String? = nil, source: String? = nil, unit: String?? = nil, start: Int64? = nil, end: Int64? = nil,
        value: Double, original: String? = nil, more: String = ""
    ) -> String {
        HostileContent.sample(
            type: type ?? self.type, source: source ?? self.source, unit: unit ?? self.unit,
            start: start ?? self.start * 1_000_000_000, end: end ?? (self.start + length) * 1_000_000_000,
            value: value, original: original, more: more)
    }
}
