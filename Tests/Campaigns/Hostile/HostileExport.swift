// SPDX-License-Identifier: Apache-2.0

/// The XML of an export under construction, with its good content and its faults.
struct HostileExport: Sendable {
    private(set) var bytes: [UInt8]
    /// The lines of content that a store must have after the import.
    private(set) var good: [String: Int] = [:]
    private(set) var planted: [Planted] = []
    private var next: Int

    static let prolog = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 14 -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)>
        <!ATTLIST HealthData locale CDATA #REQUIRED>
        ]>

        """
    static let root = "<HealthData locale=\"en_CH\">\n"
    static let header = """
         <ExportDate value="2024-01-10 22:32:54 +0100"/>
         <Me HKCharacteristicTypeIdentifierBloodType="HKBloodTypeAPositive"/>

        """

    /// - Parameter first: the number of the first record: equal numbers give equal records.
    init(prolog: String = Self.prolog, root: String = Self.root, header: String = Self.header, first: Int = 0) {
        bytes = Array((prolog + root + header).utf8)
        next = first
    }

    /// The number of bytes so far.
    var count: Int { bytes.count }

    /// The complete document.
    var finished: [UInt8] { bytes + Array("</HealthData>\n".utf8) }

    /// Adds good records.
    mutating func records(_ count: Int) {
        for _ in 0..<count {
            add(GoodRecord(next))
            next += 1
        }
    }

    mutating func add(_ record: GoodRecord) {
        bytes += Array((record.xml + "\n").utf8)
        good[record.line, default: 0] += 1
    }

    /// Adds text that the importer ignores, or whose good lines the caller passes.
    mutating func raw(_ text: String, good lines: [String] = []) { raw(Array(text.utf8), good: lines) }

    mutating func raw(_ more: [UInt8], good lines: [String] = []) {
        bytes += more
        for line in lines { good[line, default: 0] += 1 }
    }

    /// Adds an object that is stored byte for byte.
    mutating func object(_ kind: String, start: Int64?, _ xml: String) {
        bytes += Array((xml + "\n").utf8)
        good[HostileContent.object(kind, start, Array(xml.utf8)), default: 0] += 1
    }

    /// Adds a fault.
    mutating func bad(_ text: String, _ reasons: String...) { plant(Array((text + "\n").utf8), reasons) }

    mutating func bad(_ more: [UInt8], _ reasons: String...) { plant(more + [0x0A], reasons) }

    private mutating func plant(_ more: [UInt8], _ reasons: [String]) {
        // An issue may point at the element or at the text after it.
        let place = bytes.count..<bytes.count + more.count + 1
        bytes += more
        for reason in reasons { planted.append(Planted(reason: reason, place: place)) }
    }

    /// Expects an issue in a range.
    mutating func expect(_ reason: String, _ place: Range<Int>) {
        planted.append(Planted(reason: reason, place: place))
    }

    /// Returns an export with a fault between good records.
    static func around(_ text: String, _ reasons: String..., first: Int) -> HostileExport {
        var export = HostileExport(first: first)
        export.records(3)
        export.plant(Array((text + "\n").utf8), reasons)
        export.records(3)
        return export
    }
}

/// A record that every importer must read.
struct GoodRecord: Sendable {
    var type: String
    var source = "Watch"
    var unit: String?
    /// Seconds since 1970.
    var start: Int64
    var length: Int64 = 0
    var value: Int

    /// Creates the record of a number.
    init(_ number: Int) {
        start = 1_700_000_000 + 60 * Int64(number)
        value = 50 + number * 7 % 90
        switch number % 4 {
        case 0, 1: (type, unit) = ("HKQuantityTypeIdentifierHeartRate", "count/min")
        case 2: (type, unit, length) = ("HKQuantityTypeIdentifierStepCount", "count", 30)
        default: (type, unit, source) = ("HKQuantityTypeIdentifierBodyMass", "kg", "Scale")
        }
    }

    var xml: String { Self.xml("value=\"\(value)\"", self) }

    /// Returns a record with other text in place of the value, and other children.
    static func xml(_ attributes: String, _ record: GoodRecord, children: String = "") -> String {
        let dates =
            "startDate=\"\(dateText(record.start))\" endDate=\"\(dateText(record.start + record.length))\""
        let unit = record.unit.map { " unit=\"\($0)\"" } ?? ""
        let tag = "<Record type=\"\(record.type)\" sourceName=\"\(record.source)\"\(unit) \(dates) \(attributes)"
        return children.isEmpty ? tag + "/>" : tag + ">" + children + "</Record>"
    }

    var line: String {
        HostileContent.sample(
            type: type, source: source, unit: unit, start: start * 1_000_000_000,
            end: (start + length) * 1_000_000_000, value: Double(value))
    }

    /// Returns seconds since 1970 in the format of an export, by counting days in eras of 400 years.
    static func dateText(_ seconds: Int64) -> String {
        var days = seconds / 86_400
        let clock = seconds - days * 86_400
        var year: Int64 = 1970
        func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        while days >= (isLeap(year) ? 366 : 365) {
            days -= isLeap(year) ? 366 : 365
            year += 1
        }
        var month: Int64 = 1
        let lengths: [Int64] = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        while days >= lengths[Int(month) - 1] {
            days -= lengths[Int(month) - 1]
            month += 1
        }
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(days + 1)) "
            + "\(two(clock / 3_600)):\(two(clock / 60 % 60)):\(two(clock % 60)) +0000"
    }
}

/// The content of a store, as lines that can be counted.
enum HostileContent {
    /// - Parameter sum: the sum of the voltages, in millivolts.
    static func electrocardiogram(start: Int64, count: Int, sum: Double) -> String {
        "electrocardiogram|\(start)|\(count)|\(sum)"
    }

    static func sample(
        type: String, source: String, unit: String?, start: Int64, end: Int64, value: Double, original: String? = nil,
        more: String = ""
    ) -> String {
        let texts = [type, source, unit ?? "-", original ?? "-", more].map { short(Array($0.utf8)) }
        return "sample|" + texts.joined(separator: "|") + "|\(start)|\(end)|\(value)"
    }

    static func object(_ kind: String, _ start: Int64?, _ xml: [UInt8]) -> String {
        "object|\(kind)|\(start.map { "\($0)" } ?? "-")|\(short(xml))"
    }

    static func document(_ path: String, _ bytes: [UInt8]) -> String {
        "document|\(short(Array(path.utf8)))|\(short(bytes))"
    }

    /// Returns a text of bounded length that differs for different bytes.
    static func short(_ bytes: [UInt8]) -> String {
        if bytes.count <= 64 { return String(decoding: bytes, as: UTF8.self) }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(decoding: bytes[..<24], as: UTF8.self) + "...\(bytes.count) bytes \(String(hash, radix: 16))"
    }
}
