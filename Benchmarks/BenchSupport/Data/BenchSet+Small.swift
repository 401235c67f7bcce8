// SPDX-License-Identifier: Apache-2.0

extension BenchSet {
    private static let origin: Int64 = 1_767_225_600_000_000_000

    /// Returns small generated sets of the same shapes, for tests and for counting instructions: seconds of work.
    ///
    /// - Invariant: the sets never change.
    package static func small() -> [BenchSet] {
        [
            BenchSet(name: "hr", series: (0..<2).map(pulse), origin: origin, days: 3),
            BenchSet(name: "ecg", series: [wave()], origin: origin, days: 1),
            BenchSet(name: "dist", series: [distance()], origin: origin, days: 3),
            BenchSet(name: "energy", series: [energy()], origin: origin, days: 3),
        ]
    }

    /// Returns the small sets of these names, or all.
    package static func small(_ wanted: [String]?) throws -> [BenchSet] {
        let all = small()
        return try wanted?.map { name in
            guard let found = all.first(where: { $0.name == name }) else {
                throw BenchError("no small set \"\(name)\"; available: \(names.joined(separator: ", "))")
            }
            return found
        } ?? all
    }

    /// Returns whole beats per minute about once a second, with gaps; times in milliseconds.
    private static func pulse(_ subject: Int) -> BenchSeries {
        var random = BenchRandom(seed: UInt64(1 + subject))
        var times = [Int64]()
        var values = [Double]()
        var level = 65.0
        for i in 0..<3 * 86_400 where i % 86_400 > 15_000 && random.below(300) > 0 {
            level = min(190, max(40, level + Double(random.below(5)) - 2))
            times.append(origin + Int64(i) * 1_000_000_000 + Int64(random.below(80)) * 1_000_000)
            values.append(level)
        }
        return BenchSeries(name: "hr_\(subject)", times: times, values: values)
    }

    /// Returns 512 values per second for two minutes; times in whole microseconds, as from a 512 Hz clock.
    private static func wave() -> BenchSeries {
        var values = [Double]()
        var times = [Int64]()
        for i in 0..<512 * 120 {
            values.append(Double(i % 512) + Double(i * i % 1_999) / 1_000)
            let microseconds: Int64 = Int64(i) * 15_625 / 8
            times.append(origin + microseconds * 1_000)
        }
        return BenchSeries(name: "ecg_0", times: times, values: values)
    }

    /// Returns metres with all digits of a double, in bouts; times in microseconds.
    private static func distance() -> BenchSeries {
        var random = BenchRandom(seed: 11)
        var times = [Int64]()
        var values = [Double]()
        for i in 0..<3 * 5_000 {
            let (bout, step) = (i / 500, i % 500)
            let seconds: Int64 = Int64(bout) * 8_640 + Int64(step) * 2
            times.append(origin + seconds * 1_000_000_000 + Int64(random.below(900_000)) * 1_000)
            values.append(1.5 + random.fraction() * 2.5)
        }
        return BenchSeries(name: "dist_0", times: times, values: values)
    }

    /// Returns kilocalories with three decimals about once a minute; times in milliseconds.
    private static func energy() -> BenchSeries {
        var random = BenchRandom(seed: 12)
        var times = [Int64]()
        var values = [Double]()
        for i in 0..<3 * 1_440 {
            times.append(origin + Int64(i) * 60_000_000_000 + Int64(random.below(4_000)) * 1_000_000)
            values.append(Double(900 + random.below(6_000)) / 1_000)
        }
        return BenchSeries(name: "energy_0", times: times, values: values)
    }
}
