// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Kymograph

@testable import AppleHealthExport
@testable import KymographHealth

/// Electrocardiograms as stored, and as written by an export.
enum ElectrocardiogramTargets {
    static let all = [
        Target(
            name: "voltages", maximumLength: 2048, variants: 31,
            asserts: "a stored electrocardiogram has at most eight voltages a byte, or is refused; all round-trip",
            seeds: { _ in voltageSeeds }, run: each(voltages)),
        Target(
            name: "electrocardiogram", maximumLength: 1024, variants: 31,
            asserts: "a file reads the same with all line endings, or has a fault at a line; a new file round-trips",
            seeds: { _ in fileSeeds.map { Array($0.utf8) } }, run: each(file)),
    ]

    // MARK: Stored voltages

    /// The meaning of the rest of the input, selected by a number at its front.
    private static let (stored, decimals): (UInt8, UInt8) = (0, 1)

    private static func voltages(_ bytes: [UInt8]) {
        var input = Input(bytes)
        switch input.byte() % 3 {
        case stored: decode(input.rest)
        case decimals: comeBack(wholes(&input))
        default:
            comeBack((0..<input.rest.count / 8).map { _ in Double(bitPattern: input.number(8)) })
        }
    }

    /// Reads whole numbers of one to five bytes, scaled by decimals, perhaps with negative zeros among them.
    private static func wholes(_ input: inout Input) -> [Double] {
        let scale = Steps.power(input.upTo(22))
        let size = 1 + input.upTo(4)
        var values: [Double] = []
        while !input.isEmpty {
            let number = Int64(bitPattern: input.number(size) << UInt64(64 - 8 * size)) >> Int64(64 - 8 * size)
            // The least number represents a negative zero.
            values.append(number == -1 << Int64(8 * size - 1) ? -0.0 : Double(number) / scale)
        }
        return values
    }

    private static func decode(_ plain: [UInt8]) {
        // Compressed objects have their own target, `object`.
        let body = ObjectCompressor.plain(plain)
        let head = try? ElectrocardiogramRecord.head(body)
        guard let read = try? ElectrocardiogramRecord(body) else { return }
        require(head == read.head, "the head alone is \(String(describing: head)), not \(read.head)")
        let count = read.leads.reduce(0) { $0 + $1.values.count }
        require(count <= 8 * plain.count, "\(count) voltages of \(plain.count) bytes")
        require(read.head.duration >= 0, "the duration is \(read.head.duration) nanoseconds")
        same(read)
        let measurements = VoltageMeasurements(read)
        if measurements.count > 0 { _ = (measurements[0], measurements[measurements.count - 1]) }
    }

    private static func comeBack(_ values: [Double]) {
        let half = values.count / 2
        same(
            ElectrocardiogramRecord(
                .init(
                    count: half, frequency: 512, classification: .sinusRhythm, symptoms: .none, averageHeartRate: 61.5),
                [
                    .init(number: 1, unit: "mcV", values: Array(values.prefix(half))),
                    .init(number: 7, unit: "V", values: Array(values.suffix(half))),
                ]))
    }

    /// Writes an electrocardiogram and reads it again.
    private static func same(_ record: ElectrocardiogramRecord) {
        guard let again = try? ElectrocardiogramRecord(record.body) else {
            finding("a written record cannot be read: \(record)")
        }
        require(again.head == record.head, "\(again.head) is not \(record.head)")
        require(again.leads.count == record.leads.count, "\(again.leads.count) leads, not \(record.leads.count)")
        for (a, b) in zip(again.leads, record.leads) {
            require(a.number == b.number && a.unit == b.unit, "\((a.number, a.unit)) is not \((b.number, b.unit))")
            require(a.values.map(\.bitPattern) == b.values.map(\.bitPattern), "\(a.values) are not \(b.values)")
        }
    }

    private static var voltageSeeds: [[UInt8]] {
        func record(_ leads: [[Double]], rate: Double? = nil) -> [UInt8] {
            let record = ElectrocardiogramRecord(
                .init(
                    count: leads[0].count, frequency: 512.844, classification: .atrialFibrillation, symptoms: .present,
                    averageHeartRate: rate),
                leads.enumerated().map { .init(number: Int64($0), unit: "mcV", values: $1) })
            let plain = (try? ObjectExpander.decode(record.body)) ?? []
            return [stored] + plain
        }
        let wave = (0..<300).map { (place: Int) -> Double in
            let height = place % 50 == 0 ? 90 : 1
            return Double(place * 37 % 101 * height - 40) / 1_000
        }
        let steps = (0..<130).map { (place: Int) -> Double in Double(place * place * 5 % 1_021) / 200 }
        return [
            record([wave]), record([steps, steps.reversed()], rate: 61.5), record([[0, -0.0, 1, -0.0]]), record([[]]),
            record([(0..<40).map { Double($0) * 4.88e-6 }]), record([[0, 9_007_199_254_740_992, -1, 1e15]]),
            [decimals, 3, 0, 1, 0] + (0..<200).map { UInt8(truncatingIfNeeded: $0 * 7) },
            [decimals, 0, 0, 0, 0, 1, 0x80, 0x80, 2, 0, 0xFF],
            [2]
                + [0.1, -0.0, .nan, .infinity, 1e300, 4.88e-6].flatMap { (value: Double) in
                    (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(8 * $0)) }
                },
        ]
    }

    // MARK: Files of an export

    private static func file(_ bytes: [UInt8]) {
        let plain = read(bytes)
        // The same with other line endings, and after a byte order mark.
        let windows = read(bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] })
        require(windows == plain, "\(windows) with CRLF line endings, not \(plain)")
        if !bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            let marked = read([0xEF, 0xBB, 0xBF] + bytes)
            require(marked == plain, "\(marked) after a byte order mark, not \(plain)")
        }
        guard let found = try? ElectrocardiogramFile(bytes).content else { return }
        require(
            !found.voltages.isEmpty && found.voltages.count <= bytes.count && found.voltages.allSatisfy(\.isFinite),
            "voltages \(found.voltages)")
        require(found.frequency > 0 && found.frequency <= 1e6, "\(found.frequency) hertz")
        require(found.start >= TimeLimits.earliest && found.start < TimeLimits.latest, "from \(found.start)")
        require(found.end != nil, "no end for \(found.voltages.count) voltages at \(found.frequency) hertz")
        guard let again = try? ElectrocardiogramFile(written(found)).content else {
            finding("the written file cannot be read: \(found)")
        }
        require(again.identity == found.identity, "\(again) differs from \(found)")
    }

    /// Returns a file's content as text, or its fault without the offset, which depends on the line endings.
    private static func read(_ bytes: [UInt8]) -> String {
        do throws(ElectrocardiogramFile.Fault) {
            return try "\(ElectrocardiogramFile(bytes).content)"
        } catch {
            let lines = 1 + bytes.count { $0 == 0x0A }
            require((1...lines).contains(error.line), "line \(error.line) of \(lines)")
            require((0...bytes.count).contains(error.offset), "byte \(error.offset) of \(bytes.count)")
            return "line \(error.line): \(error.what)"
        }
    }

    /// Returns a file with the same recording, with keys in no language.
    private static func written(_ one: LoadedElectrocardiogram) -> [UInt8] {
        let seconds = AppleDate(nanoseconds: one.start, offset: 0).text.prefix(19)
        let fraction = String(1_000_000_000 + (one.start % 1_000_000_000 + 1_000_000_000) % 1_000_000_000).dropFirst()
        let unit = [HKUnit.voltUnit(with: .micro): "uV", .voltUnit(with: .milli): "mV"][one.unit] ?? "V"
        var lines = [
            ",\(seconds).\(fraction) +0000", ",a", ",b", ",c", ",d", ",\(DecimalText.text(one.frequency)) e",
            ",\(unit)",
        ]
        lines += one.voltages.map { DecimalText.text($0) }
        return Array(lines.joined(separator: "\n").utf8)
    }

    private static let fileSeeds = [
        """
        Name,Ann Example
        Date of Birth,"Feb 3, 1980"
        Recorded Date,2024-01-01 11:06:40 +0100
        Classification,Sinus Rhythm
        Symptoms,
        Software Version,1.90
        Device,"Watch6,2"
        Sample Rate,512.844 hertz


        Lead,Lead I
        Unit,µV

        -265.868
        3.092

        0.5
        """,
        """
        Aufzeichnungsdatum,2024-01-02T11:06:40.25Z\r
        Klassifizierung,Vorhofflimmern\r
        Symptome,"Herzrasen, Schwindel"\r
        Softwareversion,2.0\r
        Gerät,"Watch7,1"\r
        Abtastrate,"512,844 Hertz"\r
        Einheit,\u{3BC}V\r
        -265,868\r
        "3,092"\r
        \u{2212}0,5\r

        """,
        ",1970-01-01 00:00:00 +0000\n,Inconclusive\n,None\n,\n,\n,1 x\n,mV\n1e-3\n+2\n-0\n",
        ",1970-01-01 00:00:00 +0000\n,\n,3\n,1 x\n,\n,1 kHz\n,1e-300 Hz\n,V\n1",
        ",1677-01-01 00:00:00 +0000\n,\n,\n,\n,\n,1 x\n,V\n1", ",2024-01-01 00:00:00 +0000\n,\n,V\n1", "a,b\n1,2\n",
    ]
}
