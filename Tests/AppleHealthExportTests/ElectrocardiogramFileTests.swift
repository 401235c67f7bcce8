// SPDX-License-Identifier: Apache-2.0

import AppleHealthExport
import Foundation
import KymographHealth
import TestSupport
import Testing

@Suite("T-1 electrocardiograms of an export")
struct ElectrocardiogramFileTests {
    private static let english = """
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
        """

    private static let german = """
        Name,"Example, Ann"\r
        Geburtsdatum,"03.02.1980"\r
        Aufzeichnungsdatum,2024-01-02 11:06:40 +0100\r
        Klassifizierung,Vorhofflimmern\r
        Symptome,"Herzrasen, Schwindel"\r
        Softwareversion,2.0\r
        Gerät,"Watch7,1"\r
        Abtastrate,"512,844 Hertz"\r
        \r
        Ableitung,Ableitung I\r
        Einheit,\u{3BC}V\r
        \r
        -265,868\r
        "3,092"\r
        0,5\r
        """

    /// Imports an archive of these files into a new store.
    private func bench(_ files: [(String, String)]) throws -> (ImportBench, ImportOutcome) {
        let bench = try ImportBench()
        return (bench, try importing(files, into: bench))
    }

    private func importing(_ files: [(String, String)], into bench: ImportBench) throws -> ImportOutcome {
        let xml = ZipBuilder.Entry("apple_health_export/export.xml", exportText(stepText))
        let entries = files.map { ZipBuilder.Entry("apple_health_export/" + $0.0, $0.1) }
        let path = bench.directory.file("export.zip")
        try Data(ZipBuilder().build([xml] + entries)).write(to: URL(fileURLWithPath: path))
        return try bench.importFile(path)
    }

    private func all(_ bench: ImportBench) async throws -> [HKElectrocardiogram] {
        let health = HKHealthStore(directory: bench.store.path)
        defer { health.close() }
        return try await HKSampleQueryDescriptor(predicates: [.electrocardiogram()]).result(for: health)
    }

    private func voltages(_ bench: ImportBench, _ one: HKElectrocardiogram) async throws -> [Double?] {
        let health = HKHealthStore(directory: bench.store.path)
        defer { health.close() }
        var found: [Double?] = []
        for try await one in HKElectrocardiogramQueryDescriptor(one).results(for: health) {
            found.append(one.quantity(for: .appleWatchSimilarToLeadI)?.doubleValue(for: .voltUnit(with: .micro)))
        }
        return found
    }

    @Test("a file in any language becomes a sample and stays a document, and a second import adds nothing")
    func languages() async throws {
        let files = [
            ("electrocardiograms/ecg_2024-01-01.csv", Self.english),
            ("electrocardiograms/ecg_2024-01-02.csv", "\u{FEFF}" + Self.german),
        ]
        let (bench, outcome) = try bench(files)
        #expect(outcome.electrocardiogramsAdded == 2 && outcome.documentsAdded == 2 && outcome.issues.isEmpty)
        let again = try importing(files, into: bench)
        #expect(again.electrocardiogramsAdded == 0 && again.electrocardiogramsUnchanged == 2 && !again.committed)
        let bytes = try #require(try bench.store.documentBytes(bench.store.documents()[0].id))
        #expect(String(decoding: bytes, as: UTF8.self) == Self.english)
        #expect(try bench.store.verify().isSound)
        bench.store.close()
        let found = try await all(bench)
        #expect(found.map(\.classification) == [.sinusRhythm, .atrialFibrillation])
        #expect(found.map(\.symptomsStatus) == [.notSet, .present])
        #expect(found.map { $0.samplingFrequency?.doubleValue(for: .hertz()) } == [512.844, 512.844])
        #expect(found.map { $0.device?.hardwareVersion } == ["Watch6,2", "Watch7,1"])
        #expect(found.map(\.sourceRevision.version) == ["1.90", "2.0"])
        #expect(found[0].startDate == Date(timeIntervalSince1970: 1_704_103_600))
        for one in found { #expect(try await voltages(bench, one) == [-265.868, 3.092, 0.5]) }
    }

    @Test("a recording is imported once, also in another language or with unknown words")
    func otherWords() async throws {
        func file(_ classification: String, _ symptoms: String, voltage: String = "0.5") -> (String, String) {
            let text = Self.english.replacingOccurrences(of: "Sinus Rhythm", with: classification)
                .replacingOccurrences(of: "Symptoms,", with: "Symptoms,\(symptoms)")
                .replacingOccurrences(of: "\n0.5", with: "\n\(voltage)")
            return ("electrocardiograms/ecg_2024-01-01.csv", text)
        }
        let (bench, first) = try bench([file("Ritmo de unha lingua allea", "ningún")])
        #expect(first.electrocardiogramsAdded == 1)
        for words in [("Sinus Rhythm", ""), ("Sinusrhythmus", "Keine"), ("Atrial Fibrillation", "Dizziness"), ("", "")]
        {
            let again = try importing([file(words.0, words.1)], into: bench)
            #expect(again.electrocardiogramsAdded == 0 && again.electrocardiogramsUnchanged == 1, "\(words)")
        }
        // The voltages are compared: a different voltage makes another electrocardiogram.
        #expect(try importing([file("Sinus Rhythm", "", voltage: "0.25")], into: bench).electrocardiogramsAdded == 1)
        #expect(try bench.store.verify().isSound)
        bench.store.close()
        // The words of the first import are kept.
        #expect(
            try await all(bench).map(\.classification).sorted { $0.rawValue < $1.rawValue } == [
                .sinusRhythm, .unrecognized,
            ])
    }

    @Test("an invalid electrocardiogram gives an issue with file and line, and stays a document")
    func wrong() async throws {
        func changed(_ old: String, _ new: String) -> String {
            Self.english.replacingOccurrences(of: old, with: new)
        }
        let cases: [(String, Int, String)] = [
            (changed("3.092", "3.0x2"), 15, "'3.0x2' is not a voltage"), (changed("3.092", "nan"), 15, "'nan' is not"),
            (changed("2024-01-01 11:06:40 +0100", "yesterday"), 17, "no date"),
            (changed("512.844 hertz", "fast"), 12, "no sampling frequency"),
            (changed("512.844 hertz", "0 hertz"), 12, "no sampling frequency"),
            (changed("µV", "furlong"), 17, "no unit"), (changed("\n\n-265.868\n3.092\n\n0.5", "\n"), 12, "no voltages"),
            (changed("2024", "1678"), 3, "outside"), ("", 1, "no date"), ("\u{0}\u{1},\u{FFFD}", 1, "no date"),
            (changed("Symptoms,\n", ""), 5, "symptoms"), (changed("Symptoms,\n", "Symptoms,3\n"), 5, "symptoms"),
            (changed("Software Version,1.90\n", ""), 11, "no sampling frequency"),
            (changed("Unit", "Average,62 beats\nUnit"), 12, "second number"),
            (changed("512.844 hertz", "1e-300 hertz"), 17, "2261"),
        ]
        for (text, line, what) in cases {
            let (bench, outcome) = try bench([("electrocardiograms/ecg_x.csv", text)])
            #expect(outcome.electrocardiogramsAdded == 0 && outcome.documentsAdded == 1 && outcome.skipped == 1)
            let issue = try #require(outcome.issues.first)
            #expect(issue.reason == .unreadableElectrocardiogram && issue.line == line, "\(issue)")
            #expect(issue.what.contains("ecg_x.csv") && issue.what.contains(what), "\(issue)")
            #expect(try bench.store.documents().count == 1)
            bench.store.close()
            #expect(try await all(bench).isEmpty)
        }
        // A table outside the electrocardiograms folder is not parsed.
        let (_, outcome) = try bench([("tables/other.csv", "a,b\n1,2\n")])
        #expect(outcome.issues.isEmpty && outcome.documentsAdded == 1)
    }

    @Test("only the number with the unit hertz is the frequency, not a version with words")
    func versions() async throws {
        let (bench, outcome) = try bench([
            ("electrocardiograms/ecg_1.csv", Self.english.replacingOccurrences(of: "1.90", with: "1.90 beta")),
            ("electrocardiograms/ecg_2.csv", Self.german.replacingOccurrences(of: "Watch7,1", with: "7 Watch")),
        ])
        #expect(outcome.electrocardiogramsAdded == 2 && outcome.issues.isEmpty)
        bench.store.close()
        let found = try await all(bench)
        #expect(found.map { $0.samplingFrequency?.doubleValue(for: .hertz()) } == [512.844, 512.844])
        #expect(found.map(\.sourceRevision.version) == ["1.90 beta", "2.0"])
        #expect(found.map { $0.device?.hardwareVersion } == ["Watch6,2", "7 Watch"])
        #expect(found.map(\.symptomsStatus) == [.notSet, .present])
    }

    @Test("a frequency in a unit other than hertz is refused, in any language")
    func multiples() throws {
        for unit in ["kHz", "MHz", "mHz", "Kilohertz", "kilohercio", "килогерц", "кГц", "千赫兹", "キロヘルツ", "킬로헤르츠"] {
            let text = Self.english.replacingOccurrences(of: "512.844 hertz", with: "0.512 \(unit)")
            let (_, outcome) = try bench([("electrocardiograms/ecg_x.csv", text)])
            let issue = try #require(outcome.issues.first, "\(unit)")
            #expect(outcome.electrocardiogramsAdded == 0 && issue.reason == .unreadableElectrocardiogram)
            #expect(issue.line == 8 && issue.what.contains("not in hertz"), "\(issue)")
        }
        for unit in ["Hz", "hertz", "Hertz", "hercios", "герц", "Гц", "赫兹", "赫茲", "ヘルツ", "헤르츠", "χερτζ"] {
            let text = Self.english.replacingOccurrences(of: "512.844 hertz", with: "512.844 \(unit)")
            let (_, outcome) = try bench([("electrocardiograms/ecg_x.csv", text)])
            #expect(outcome.electrocardiogramsAdded == 1 && outcome.issues.isEmpty, "\(unit)")
        }
    }

    @Test("random bytes are read or refused", arguments: 1...4)
    func hostile(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let good = Array(Self.german.utf8)
        let files = (0..<150).map { place -> (String, String) in
            var bytes = good
            for _ in 0...dice.below(6) { bytes[dice.below(bytes.count)] = UInt8(dice.below(128)) }
            if dice.chance(0.3) { bytes.removeLast(dice.below(bytes.count)) }
            return ("electrocardiograms/\(place).csv", String(decoding: bytes, as: UTF8.self))
        }
        let (bench, outcome) = try bench(files)
        #expect(outcome.documentsAdded == files.count)
        let reported = outcome.electrocardiogramsAdded + outcome.electrocardiogramsUnchanged + outcome.skipped
        #expect(reported == files.count && outcome.electrocardiogramsAdded > 0)
        #expect(try bench.store.verify().isSound)
    }

    @Test("a store that has only the documents gets the electrocardiograms with the next import")
    func later() async throws {
        let (bench, _) = try bench([("electrocardiograms/ecg.csv", Self.english)])
        let type = HKObjectType.electrocardiogramType()
        bench.store.close()
        let health = HKHealthStore(directory: bench.directory.file("store"))
        let one = try #require(
            try await HKSampleQueryDescriptor(predicates: [.electrocardiogram()]).result(for: health).first)
        health.close()
        #expect(one.sampleType == type)
        let other = try ImportBench()
        _ = try other.store.load { loader in
            _ = try loader.add(document: "/electrocardiograms/ecg.csv", Array(Self.english.utf8))
        }
        let outcome = try importing([("electrocardiograms/ecg.csv", Self.english)], into: other)
        #expect(outcome.documentsUnchanged == 1 && outcome.electrocardiogramsAdded == 1)
    }

    @Test("the electrocardiogram of the sample export has all its voltages")
    func sample() async throws {
        let bench = try ImportBench()
        let outcome = try bench.importFile(repositoryFile("Docs/Samples/sample-export.zip"))
        #expect(outcome.electrocardiogramsAdded == 1)
        let document = try #require(try bench.store.documents().first { $0.path.contains("/electrocardiograms/") })
        let text = String(decoding: try bench.store.documentBytes(document.id) ?? [], as: UTF8.self)
        let numbers = text.split(separator: "\n").compactMap { Double($0) }
        bench.store.close()
        let one = try #require(try await all(bench).first)
        #expect(one.numberOfVoltageMeasurements == numbers.count && numbers.count == 15_360)
        #expect(try await voltages(bench, one) == numbers)
    }
}
