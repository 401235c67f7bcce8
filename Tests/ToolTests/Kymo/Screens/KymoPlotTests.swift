// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-12 kymo plot")
struct KymoPlotTests {
    private struct Slice: Decodable {
        var count: Int
        var min: Double?
        var max: Double?
    }

    /// Returns the lines of dots between the value axis and their ends.
    private static func dots(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.contains("┤") }.map { line in
            String(line.drop { $0 != "┤" }.dropFirst(2))
        }
    }

    @Test("a discrete type: title, labels of both axes, extremes with their times")
    func levels() throws {
        let text = try kymo("plot", "heartRate", "--from", "2022-05-10", "--to", "2022-05-10").output
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 11 && lines[0] == "heartRate (count/min), 10 May 2022, times in Europe/Zurich")
        #expect(lines[1].hasPrefix("119 ┤ ") && lines[8].hasPrefix(" 47 ┤ ") && lines[2].hasPrefix("    ┤ "))
        #expect(lines[9].hasPrefix("    └ 00:00  ") && lines[9].contains("06:00") && lines[9].hasSuffix("18:00"))
        #expect(lines[10] == "average 81.2, least 47 at 02:08, greatest 119 at 09:50")
        #expect(lines.allSatisfy { $0.count <= 100 && !$0.hasSuffix(" ") })
        #expect(!text.contains("\u{1B}"))
        let month = try kymo("plot", "heartRate").output
        #expect(month.contains("1 May 2022 to 13 May 2022") || month.contains("30 April 2022 to 13 May 2022"))
        #expect(month.contains("greatest 119 on 10 May at 09:50"))
    }

    @Test("each column of dots spans the least and greatest sample of its slice")
    func columns() throws {
        let range = ["--from", "2022-05-09", "--to", "2022-05-11", "--tz", "Europe/Zurich"]
        let store = ["--store", SampleStore.path]
        let environment = ["COLUMNS": "72"]
        let text = try Tool.kymo.run(["plot", "heartRate"] + range + store, environment: environment).output
        let slices = try decodeOutput(
            [Slice].self,
            Tool.kymo.run(["query", "heartRate", "--points", "120", "--envelope", "--json"] + range + store))
        let found = Self.dots(text)
        let (least, greatest) = (slices.compactMap(\.min).min() ?? 0, slices.compactMap(\.max).max() ?? 0)
        #expect(found.count == 8 && slices.count == 120)
        for (x, slice) in slices.enumerated() {
            guard let low = slice.min, let high = slice.max else { continue }
            for value in [low, high] {
                let y = Int(((greatest - value) / (greatest - least) * 31).rounded())
                let line = Array(found[y / 4].unicodeScalars)
                let bits: [UInt32] = x % 2 == 0 ? [0x01, 0x02, 0x04, 0x40] : [0x08, 0x10, 0x20, 0x80]
                let cell = x / 2 < line.count ? line[x / 2].value : 0x20
                #expect(cell >= 0x2800 && (cell - 0x2800) & bits[y % 4] != 0, "slice \(x), value \(value)")
            }
        }
    }

    @Test("a cumulative type: bars from zero by day or hour, with --by, source and unit")
    func sums() throws {
        let text = try kymo("plot", "stepCount").output
        #expect(text.hasPrefix("stepCount (count) by day, 1 May 2022 to 13 May 2022, times in Europe/Zurich\n"))
        #expect(text.contains("\n15,133 ┤ ") && text.contains("\n     0 ┤ ⣿"))
        #expect(text.hasSuffix("\naverage 12,726 a day, least 10,262 on 11 May, greatest 15,133 on 1 May\n"))
        #expect(Self.dots(text).last?.split { $0 == "⡇" || $0 == "⣿" || $0 == "⢸" }.isEmpty ?? false)
        let hours = try kymo("plot", "stepCount", "--from", "2022-05-10", "--to", "2022-05-10").output
        #expect(hours.contains("by hour, 10 May 2022,") && hours.contains(" an hour, least "))
        let weeks = try kymo("plot", "stepCount", "--from", "2022", "--to", "2022", "--by", "week").output
        #expect(weeks.contains("a week, ") && weeks.contains("in the week of 2 May"))
        let miles = try kymo("plot", "distanceWalkingRunning", "--unit", "mi", "--source", "Alex's iPhone").output
        #expect(miles.hasPrefix("distanceWalkingRunning (mi) by day"))
        let year = try kymo("plot", "stepCount", "--from", "2020").output
        // Only the days with data are drawn.
        #expect(year.contains(" by day, 1 May 2022 to 13 May 2022"), "\(year)")
    }

    @Test("one value, no value, categories and wrong options")
    func limits() throws {
        let one = try kymo(
            "plot", "heartRate", "--from", "2022-05-10T06:00+02:00", "--to", "2022-05-10T06:20+02:00")
        #expect(one.output.contains("64 ┤") && one.output.hasSuffix("least 64 at 06:10, greatest 64 at 06:10\n"))
        let none = try kymo("plot", "heartRate", "--from", "1999", "--to", "1999")
        #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("no samples of heartRate"))
        #expect(try kymo("plot", "dietaryZinc").errors.contains("no samples of dietaryZinc"))
        let sleep = try kymo("plot", "sleepAnalysis")
        #expect(sleep.code == 64 && sleep.errors.contains("kymo sleep"))
        #expect(try kymo("plot", "heartRate", "--by", "day").code == 64)
        #expect(try kymo("plot", "heartRate", "--unit", "kg").code == 64)
        // The narrowest picture has 20 characters.
        #expect(try kymo("plot", "heartRate", environment: ["COLUMNS": "5"]).code == 0)
        let share = try kymo("plot", "oxygenSaturation").output
        #expect(share.hasPrefix("oxygenSaturation (%)") && share.contains("greatest 100 "))
    }
}
