// SPDX-License-Identifier: Apache-2.0

import HealthModel
import KymographHealth

/// An electrocardiogram in the file form of an export: heading lines in the language of the phone, then voltages.
///
/// Headings are identified by their order and by the value after the comma, not by their names:
/// `Docs/Guide/HealthData.md` has the rules.
struct ElectrocardiogramFile {
    /// The reason and the place of a file that is not an electrocardiogram.
    struct Fault: Error, Equatable {
        /// The line, from 1.
        let line: Int
        /// The offset in the file, from 0.
        let offset: Int
        let what: String
    }

    private(set) var content: LoadedElectrocardiogram

    private static let units: [String: HKUnit] = [
        // The micro sign, the Greek letter mu, and the letter u.
        "\u{B5}V": .voltUnit(with: .micro), "\u{3BC}V": .voltUnit(with: .micro), "uV": .voltUnit(with: .micro),
        "mV": .voltUnit(with: .milli), "V": .volt(),
    ]

    /// The maximum number of heading lines.
    private static let mostHeadings = 64

    /// The minimum number of lines between the date and the sampling frequency.
    private static let ratePlace = 4

    /// Parses a file.
    ///
    /// - Throws: the missing or invalid item, and its place.
    /// - Complexity: O(bytes).
    init(_ bytes: [UInt8]) throws(Fault) {
        var lines = TextLines(bytes)
        let head = try Self.head(&lines)
        var voltages: [Double] = []
        while let line = lines.next() {
            if line.text.isEmpty { continue }
            guard let value = Self.number(line.text) else { throw line.fault("'\(line.shown)' is not a voltage") }
            guard voltages.count < HealthElectrocardiogramBuilder.maximumCount else {
                throw line.fault("too many voltages")
            }
            voltages.append(value)
        }
        if voltages.isEmpty { throw lines.end("there are no voltages") }
        content = head
        content.voltages = voltages
        if content.end == nil { throw lines.end("the recording ends after the year 2261") }
    }

    /// Parses the headings, up to the unit.
    private static func head(_ lines: inout TextLines) throws(Fault) -> LoadedElectrocardiogram {
        var head = LoadedElectrocardiogram(
            start: 0, frequency: 0, classification: .notSet, symptoms: .notSet, unit: .volt(), voltages: [])
        /// The number of lines after the date; nil before the date.
        var place: Int?
        var count = 0
        while count < mostHeadings, let line = lines.next() {
            if line.text.isEmpty { continue }
            count += 1
            guard let comma = line.text.firstIndex(of: 0x2C) else { continue }
            let bytes = unquoted(line.text[(comma + 1)...])
            let text = String(decoding: bytes, as: UTF8.self)
            if let known = place {
                place = known + 1
                if let unit = units[text] {
                    guard head.frequency > 0 else { throw line.fault("no sampling frequency before the unit") }
                    head.unit = unit
                    return head
                }
                if known < ratePlace {
                    try take(text, place: known, line, into: &head)
                } else if let rate = try rate(bytes, line) {
                    guard head.frequency == 0 else { throw line.fault("a second number that may be the frequency") }
                    head.frequency = rate
                }
            } else if let date = AppleDate(Array(bytes)) {
                guard date.nanoseconds >= TimeLimits.earliest, date.nanoseconds < TimeLimits.latest else {
                    throw line.fault("a date outside of the years 1678 to 2261")
                }
                (head.start, place) = (date.nanoseconds, 0)
            }
        }
        throw lines.end(place == nil ? "no date before the voltages" : "no unit before the voltages")
    }

    /// Stores the value of a line that is identified by its position after the date.
    private static func take(
        _ text: String, place: Int, _ line: TextLines.Line, into head: inout LoadedElectrocardiogram
    ) throws(Fault) {
        switch place {
        case 0: head.classification = ElectrocardiogramWords.classification(text)
        case 1:
            // A number here means that a line is missing, so the following lines are misplaced.
            if let first = text.utf8.first, first &- 0x30 < 10 {
                throw line.fault("a number instead of the symptoms")
            }
            head.symptoms = ElectrocardiogramWords.symptoms(text)
        case 2: head.version = text.isEmpty ? nil : text
        case 3: head.hardware = text.isEmpty ? nil : text
        default: break
        }
    }

    /// Returns the frequency of a number and a word; nil for any other text.
    private static func rate(_ bytes: ArraySlice<UInt8>, _ line: TextLines.Line) throws(Fault) -> Double? {
        guard let space = bytes.firstIndex(of: 0x20), space + 1 < bytes.endIndex,
            let rate = number(bytes[..<space]), rate > 0, rate <= 1e6
        else { return nil }
        if ElectrocardiogramWords.isMultipleOfHertz(String(decoding: bytes[(space + 1)...], as: UTF8.self)) {
            throw line.fault("the sampling frequency is not in hertz")
        }
        return rate
    }

    /// Parses a number with a point or a comma.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Double? {
        var text = Array(unquoted(bytes))
        // The minus sign U+2212.
        if text.starts(with: [0xE2, 0x88, 0x92]) { text.replaceSubrange(..<3, with: [0x2D]) }
        if let comma = text.firstIndex(of: 0x2C), !text.contains(0x2E) { text[comma] = 0x2E }
        return DecimalText.parse(text)
    }

    /// Returns a value without surrounding quotes and spaces.
    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x22 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x22 { bytes.removeLast() }
        return bytes
    }

    /// Returns whether a document should be an electrocardiogram, by its path.
    static func isMeant(_ path: String) -> Bool {
        let path = path.lowercased()
        let name = path.split(separator: "/").last ?? ""
        return path.contains("/electrocardiograms/") || name.hasPrefix("ecg")
    }
}

/// The lines of a text, without line ends.
private struct TextLines {
    struct Line {
        let text: ArraySlice<UInt8>
        let number: Int

        /// The line for a message: shortened, and without control characters.
        var shown: String {
            String(decoding: text.prefix(40).map { $0 < 0x20 ? 0x3F : $0 }, as: UTF8.self)
        }

        func fault(_ what: String) -> ElectrocardiogramFile.Fault {
            ElectrocardiogramFile.Fault(line: number, offset: text.startIndex, what: what)
        }
    }

    private let bytes: [UInt8]
    private var at: Int
    private var number = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func next() -> Line? {
        guard at < bytes.count else { return nil }
        let end = bytes[at...].firstIndex(of: 0x0A) ?? bytes.count
        var text = bytes[at..<end]
        while let last = text.last, last == 0x0D || last == 0x20 { text.removeLast() }
        number += 1
        at = end + 1
        return Line(text: text, number: number)
    }

    /// Returns a fault at the current place.
    func end(_ what: String) -> ElectrocardiogramFile.Fault {
        ElectrocardiogramFile.Fault(line: max(1, number), offset: min(at, bytes.count), what: what)
    }
}
