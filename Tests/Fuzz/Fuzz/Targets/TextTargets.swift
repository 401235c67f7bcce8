// SPDX-License-Identifier: Apache-2.0

import CivilTime

@testable import AppleHealthExport
@testable import Catalog
@testable import HealthModel
@testable import KymographHealth

/// Texts from exports, from the catalog and from the command line.
enum TextTargets {
    static let all = [
        target(
            "decimal", 256, "a number is the nearest double of its digits; its canonical text reads as the same number",
            [
                "72", "-0", "+1.50", "9007199254740993", "1e308", "4.9406564584124654e-324", "0.1e-5",
                "123456789012345678901",
            ], decimal),
        target(
            "apple-date", 64, "a date and its text are the same instant",
            [
                "2023-05-13 10:36:12 +0200", "1969-12-31T23:59:59.999999999-18:00", "2262-04-11 23:47:16Z",
            ], appleDate),
        target(
            "civil-time", 96, "an instant's text reads as the instant; a period begins at the instant of its text",
            [
                "2024-01-31T12:00:00.123456789+02:00", "2024", "2024-02-29 24:00", "1677-09-21T00:12:43.2Z",
                "2024-03-31T02:30",
            ], civil),
        target(
            "zone", 64, "a zone's name gives the same zone; offsets are less than a day",
            [
                "Europe/Zurich", "UTC", "+05:45", "GMT-3", "America/../UTC", "/etc/localtime",
            ], zone),
        target(
            "unit", 128, "a unit's canonical text is the same unit",
            [
                "count/min", "mg/dL", "kcal/(kg*hr)", "mmol<180.15588>/L", "m^2*s^-2", "%", "ms^3", "()", "km/hr·ft",
            ], unit),
        target(
            "labels", 256, "the text of labels that are read equals the text that is written",
            [
                "{}", "{\"a\":\"b\"}", "{\"a\":\"\\u0009\\\"\",\"b\":\"\\\\\"}", "{\"\":\"\"}",
            ], labels),
        target(
            "device", 256, "a device's text without its address has no address and the same fields",
            [
                "<<HKDevice: 0x282e3a260>, name:Apple Watch, manufacturer:Apple, model:Watch4,2>",
                "&lt;&lt;HKDevice: 0x1&gt;",
            ], device),
        target(
            "references", 256, "resolved references never lengthen the text, and counting them gives the same number",
            [
                "a&lt;b&#183;&#xB7;&amp;", "&#0;&#x110000;&nbsp;&", "&#x1F600;&quot;<",
            ], references),
    ]

    private static func target(
        _ name: String, _ length: Int, _ asserts: String, _ seeds: [String],
        _ run: @escaping @Sendable ([UInt8]) -> Void
    ) -> Target {
        Target(
            name: name, maximumLength: length, variants: 31, asserts: asserts,
            seeds: { _ in seeds.map { Array($0.utf8) } },
            run: each(run))
    }

    // MARK: Numbers and dates

    private static func decimal(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let value = DecimalText.parse(bytes) else {
            let isPlain = bytes.allSatisfy { $0 &- 0x30 < 10 }
            require(!isPlain || bytes.isEmpty || bytes.count > 300, "digits that are not read as a number: \(text)")
            return
        }
        require(
            value.bitPattern == Double(text)?.bitPattern, "\(text) is \(value), not \(String(describing: Double(text)))"
        )
        let canonical = DecimalText.text(value)
        require(
            DecimalText.parse(Array(canonical.utf8))?.bitPattern == value.bitPattern, "\(canonical) is not \(value)")
        require(DecimalText.isCanonical(bytes, value) == (text == canonical), "\(text) or \(canonical)")
    }

    private static func appleDate(_ bytes: [UInt8]) {
        guard let date = AppleDate(bytes) else { return }
        let text = date.text
        guard let again = AppleDate(Array(text.utf8)) else { finding("a date is written as \(text)") }
        let lost = date.nanoseconds &- again.nanoseconds
        require((0..<1_000_000_000).contains(lost) && again.offset == date.offset, "\(text) is \(lost) ns off")
    }

    private static let zones = ["UTC", "Europe/Zurich", "Australia/Lord_Howe", "-03:30"].compactMap {
        CivilZone(identifier: $0)
    }

    private static func civil(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for zone in zones {
            guard let instant = try? Civil.parse(text, zone: zone) else { continue }
            for style in [Civil.TimeStyle.iso8601, .spaced] {
                let written = Civil.format(instant, zone: zone, style: style)
                let again = try? Civil.parse(written, zone: zone)
                // Offsets with seconds, from before standard time, are written but not parsed.
                let isOld = zone.offset(at: instant / 1_000_000_000) % 60 != 0
                require(isOld || again == instant, "\(text) is \(instant), \(written) is \(String(describing: again))")
            }
            if let period = try? Civil.parsePeriod(text, zone: zone) {
                require(period.lowerBound == instant, "\(text) begins at \(period.lowerBound), not \(instant)")
            }
        }
    }

    private static func zone(_ bytes: [UInt8]) {
        let name = String(decoding: bytes, as: UTF8.self)
        guard let zone = CivilZone(identifier: name) else { return }
        require(CivilZone(identifier: zone.identifier) == zone, "\(name) does not round-trip")
        for second in [Int64.min / 1_000_000_000, -1, 0, 1_700_000_000, Int64.max / 1_000_000_000] {
            require(abs(zone.offset(at: second)) < 86_400, "\(name) at \(second)")
        }
    }

    // MARK: Names

    private static func unit(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let unit = try? HKUnit(parsing: text) else { return }
        let canonical = unit.unitString
        guard let again = try? HKUnit(parsing: canonical) else {
            finding("\(text) is written as \(canonical), which is not a unit")
        }
        require(again == unit && again.unitString == canonical, "\(text), \(canonical), \(again.unitString)")
        require(unit.isCompatible(with: again), "\(text) cannot be converted to itself")
    }

    private static func labels(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let labels = Labels.decode(text) else { return }
        let again = Labels.encode(labels)
        require(again.utf8.elementsEqual(text.utf8), "\(text) is written as \(again)")
    }

    private static func device(_ bytes: [UInt8]) {
        let stripped = DeviceText.stripped(bytes)
        require(DeviceText.address(in: stripped.span) == nil, "an address is left")
        let text = String(decoding: bytes, as: UTF8.self)
        let (whole, part) = (DeviceDescription(text), DeviceDescription(DeviceText.stripped(text)))
        require(whole == part, "other fields without the address: \(text)")
        _ = DeviceText.escapedTail(of: bytes.span, 0..<bytes.count)
    }

    private static func references(_ bytes: [UInt8]) {
        var buffer = bytes + [UInt8](repeating: 0, count: ExportScanner.slack)
        var (counted, found) = (References.Found(), References.Found())
        References.check(buffer.span, 0..<bytes.count, &counted)
        let text = References.text(buffer.span, 0..<bytes.count)
        let range = References.resolve(&buffer, 0..<bytes.count, &found)
        require(range.lowerBound == 0 && range.count <= bytes.count, "\(range) of \(bytes.count)")
        require(counted == found, "\(counted) counted, \(found) found")
        require(text == String(decoding: buffer[range], as: UTF8.self), "two texts for the same bytes")
    }
}
