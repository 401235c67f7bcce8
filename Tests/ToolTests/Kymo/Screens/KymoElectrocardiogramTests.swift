// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-12 kymo ecg")
struct KymoElectrocardiogramTests {
    private struct Row: Decodable {
        var id: String
        var start: String
        var classification: String
        var samplingFrequency: Double
        var count: Int
        var uuid: String
    }

    private struct Voltage: Decodable {
        var time: Double
        var millivolts: Double
    }

    private struct Shown: Decodable {
        struct Voltage: Decodable { var time: Double }
        var voltages: [Voltage]
    }

    @Test("the list, and the identities that draw")
    func list() throws {
        #expect(SampleStore.imported?.code == 0)
        let rows = try decodeOutput([Row].self, kymo("ecg", "--json"))
        #expect(rows.count == 1 && rows[0].id == "72994c" && rows[0].count == 15_360)
        #expect(rows[0].classification == "sinusRhythm" && rows[0].samplingFrequency == 512)
        let text = try kymo("ecg").output
        #expect(text.contains("2022-05-01 11:06    30 s  sinus rhythm      –   512 Hz  72994c  kymo ecg 72994c\n"))
        let drawn = try kymo("ecg", "72994c").output
        #expect(try kymo("ecg", rows[0].uuid).output == drawn && kymo("ecg", "72994C15").output == drawn)
    }

    @Test("a drawing has a dot for each voltage, a scale and the seconds")
    func drawing() throws {
        let text = try kymo("ecg", "7").output
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.first == "sinus rhythm, 2022-05-01 11:06, 30 s, 512 Hz, ECG")
        #expect(lines.last == "Recorded by the watch. This is no medical report.")
        #expect(lines.count == 2 + 6 * 6 && lines.allSatisfy { $0.count <= 100 && !$0.hasSuffix(" ") })
        #expect(lines[6].contains("└ 0 s ") && lines[6].hasSuffix("4 s") && lines[36].contains("└ 25 s "))
        let voltages = try decodeOutput([Voltage].self, kymo("ecg", "7", "--json"))
        let uuid = try decodeOutput([Row].self, kymo("ecg", "--json"))[0].uuid
        let shown = try decodeOutput([Shown].self, kymo("show", uuid, "--format", "json", "--parts", "20000"))
        #expect(voltages.count == 15_360 && voltages.map(\.time) == shown[0].voltages.map(\.time))
        let (least, greatest) = (
            voltages.map(\.millivolts).min() ?? 0, voltages.map(\.millivolts).max() ?? 0
        )
        #expect(lines[1].hasPrefix(" 1.11 mV ┤") && lines[5].hasPrefix("-0.20 mV ┤"))
        for voltage in voltages {
            let (block, second) = (Int(voltage.time) / 5, voltage.time - Double(Int(voltage.time) / 5 * 5))
            let x = Int(second / 5 * 176)
            let y = Int(((greatest - voltage.millivolts) / (greatest - least) * 19).rounded())
            let line = Array(lines[1 + block * 6 + y / 4].unicodeScalars.drop { $0 != "┤" }.dropFirst(2))
            let bits: [UInt32] = x % 2 == 0 ? [0x01, 0x02, 0x04, 0x40] : [0x08, 0x10, 0x20, 0x80]
            let cell = x / 2 < line.count ? line[x / 2].value : 0x20
            guard cell >= 0x2800, (cell - 0x2800) & bits[y % 4] != 0 else {
                Issue.record("no dot for \(voltage)")
                return
            }
        }
    }

    @Test("unknown identities and stores without electrocardiograms have messages")
    func refused() throws {
        for wrong in ["abc", "zz", "-"] {
            #expect(try kymo("ecg", "--", wrong).code == 64, "\(wrong)")
        }
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        _ = try Tool.kymo.run(["add", "bodyMass", "70", "kg", "--store", store])
        let none = try Tool.kymo.run(["ecg", "--store", store])
        #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("no electrocardiogram"))
        #expect(try Tool.kymo.run(["ecg", "--json", "--store", store]).output == "[]\n")
    }
}
