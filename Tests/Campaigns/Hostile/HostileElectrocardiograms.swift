// SPDX-License-Identifier: Apache-2.0

import TestSupport

extension HostileCase {
    /// Valid and invalid files of electrocardiograms. Invalid ones are stored as documents and reported.
    static func electrocardiogramCases(_ random: inout SeededGenerator) -> [HostileCase] {
        let archive = SoundArchive(&random)
        let millivolts = (0..<20 + random.below(2_000)).map { _ in random.below(4_000) - 2_000 }
        let voltages = millivolts.map { "\($0)" }
        let place = random.below(voltages.count)
        var cases = [readable(archive, "sound", text(heads, voltages), millivolts)]
        let spaced = ["\u{FEFF}Name,"] + heads.dropFirst().flatMap { ["", $0 + " \r"] }
        cases.append(
            readable(
                archive, "a byte order mark, blank lines, CRLF", text(spaced, voltages.flatMap { ["", $0 + "\r"] }),
                millivolts))
        cases.append(
            readable(
                archive, "a name of 1 MB",
                text(["Name," + String(repeating: "n", count: 1 << 20)] + heads.dropFirst(), voltages), millivolts))
        for (name, line) in [
            ("a word", "twelve"), ("no number", "nan"), ("infinity", "inf"), ("beyond all numbers", "1e999"),
            ("hexadecimal", "0x10"), ("two signs", "--1"), ("two points", "1.2.3"), ("NUL", "1\u{0}2"),
            ("digits without end", String(repeating: "9", count: 70_000)), ("quotes", "\"\""),
        ] {
            var changed = voltages
            changed[place] = line
            cases.append(unreadable(archive, "a voltage that is \(name)", text(heads, changed)))
        }
        for (name, dropped) in [("date", 2), ("symptoms", 4), ("version", 5), ("frequency", 7), ("unit", 9)] {
            var left = heads
            left.remove(at: dropped)
            cases.append(unreadable(archive, "no \(name)", text(left, voltages)))
        }
        for rate in [
            "0 hertz", "-1 hertz", "nan hertz", "1e300 hertz", "1e-300 hertz", "0.512 kHz", "512", "hertz 512", "",
        ] {
            var changed = heads
            changed[7] = "Sample Rate,\(rate)"
            cases.append(unreadable(archive, "a frequency of '\(rate)'", text(changed, voltages)))
        }
        for date in ["1400-01-01 00:00:00 +0000", "9999-12-31 23:59:59 +0000", "2024-13-45 99:99:99 +0000"] {
            var changed = heads
            changed[2] = "Recorded Date,\(date)"
            cases.append(unreadable(archive, "recorded \(date)", text(changed, voltages)))
        }
        cases.append(unreadable(archive, "nothing", []))
        cases.append(unreadable(archive, "headings alone", text(heads, [])))
        cases.append(unreadable(archive, "headings without end", text((0..<5_000).map { "a\($0),b" }, voltages)))
        let lots = (0...1_000_000).map { _ in "\(random.below(4_000))" }
        cases.append(unreadable(archive, "a million voltages and one", text(heads, lots)))
        cases.append(unreadable(archive, "noise", random.bytes(3_000)))
        return cases
    }

    private static let group = "electrocardiogram"

    private static let heads = [
        "Name,Ann Example", "Date of Birth,\"Feb 3, 1980\"", "Recorded Date,2023-11-15 11:06:40 +0100",
        "Classification,Sinus Rhythm", "Symptoms,", "Software Version,1.90", "Device,\"Watch6,2\"",
        "Sample Rate,512 hertz", "Lead,Lead I", "Unit,mV",
    ]

    private static func text(_ heads: [String], _ voltages: [String]) -> [UInt8] {
        Array((heads + [""] + voltages).joined(separator: "\n").utf8) + [0x0A]
    }

    private static func readable(
        _ archive: SoundArchive, _ name: String, _ bytes: [UInt8], _ millivolts: [Int]
    ) -> HostileCase {
        let line = HostileContent.electrocardiogram(
            start: 1_700_042_800_000_000_000, count: millivolts.count, sum: Double(millivolts.reduce(0, +)))
        return made(archive, name, bytes, [line: 1], [])
    }

    private static func unreadable(_ archive: SoundArchive, _ name: String, _ bytes: [UInt8]) -> HostileCase {
        let reported = Planted(reason: "unreadableElectrocardiogram", place: 0..<bytes.count + 1)
        return made(archive, name, bytes, [:], [reported])
    }

    private static func made(
        _ archive: SoundArchive, _ name: String, _ bytes: [UInt8], _ good: [String: Int], _ reported: [Planted]
    ) -> HostileCase {
        let path = "/electrocardiograms/ecg_2023-11-15.csv"
        let file = ForgedFile(SoundArchive.folder + path.dropFirst(), bytes)
        let document = HostileContent.document(path, bytes)
        return HostileCase(
            group, name, file: "export.zip", bytes: ZipForge(archive.xml, archive.route, file).build(),
            HostileExpectation(
                outcome: .kept, good: archive.all.merging([document: 1]) { $1 }.merging(good) { $1 }, planted: reported,
                isExact: true, complete: true))
    }
}
