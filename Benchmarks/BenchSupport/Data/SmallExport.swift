// SPDX-License-Identifier: Apache-2.0

/// An Apple Health export with a few hundred records.
///
/// - Invariant: the export never changes.
enum SmallExport {
    static let records = 600

    /// The document: heart rates, steps and energy from a watch and a phone, some with metadata.
    static let text: String = {
        var random = BenchRandom(seed: 5)
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<HealthData locale=\"en_GB\">\n"
        text += " <ExportDate value=\"2026-02-01 00:00:00 +0000\"/>\n"
        let device =
            "&lt;&lt;HKDevice: 0x2816f4a00&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, "
            + "hardware:Watch6,2, software:10.1&gt;"
        for i in 0..<records {
            let (day, hour, minute) = (1 + i / 40, i / 60 % 24, i % 60)
            func date(_ second: Int) -> String {
                func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
                return "2026-01-\(two(day)) \(two(hour)):\(two(minute)):\(two(second)) +0000"
            }
            let (type, unit, value): (String, String, String) =
                switch i % 3 {
                case 0: ("HeartRate", "count/min", "\(55 + random.below(60))")
                case 1: ("StepCount", "count", "\(1 + random.below(90))")
                default: ("ActiveEnergyBurned", "kcal", "\(Double(random.below(9_000)) / 1_000)")
                }
            text += " <Record type=\"HKQuantityTypeIdentifier\(type)\" sourceName=\"Watch\" sourceVersion=\"10.1\" "
            text += "device=\"\(device)\" unit=\"\(unit)\" creationDate=\"\(date(50))\" startDate=\"\(date(5))\" "
            text += "endDate=\"\(date(i % 3 == 0 ? 5 : 45))\" value=\"\(value)\""
            if i % 6 == 0 {
                text += ">\n  <MetadataEntry key=\"HKMetadataKeyHeartRateMotionContext\" value=\"\(i % 12 / 6)\"/>\n"
                text += " </Record>\n"
            } else {
                text += "/>\n"
            }
        }
        return text + "</HealthData>\n"
    }()
}
