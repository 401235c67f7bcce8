// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// The meanings of words in an electrocardiogram's file, in the known languages.
enum ElectrocardiogramWords {
    /// Words in a classification, more specific words first.
    private static let classifications: [(words: [String], meaning: HKElectrocardiogram.Classification)] = [
        (["sinus", "sinusal", "窦性", "洞調律"], .sinusRhythm),
        (
            [
                "fibrillation", "vorhofflimmern", "fibrilación", "fibrillazione", "fibrilação", "boezemfibrilleren",
                "房颤", "心房細動",
            ],
            .atrialFibrillation
        ),
        (["low heart rate", "niedrige herzfrequenz", "fréquence cardiaque basse"], .inconclusiveLowHeartRate),
        (["high heart rate", "hohe herzfrequenz", "fréquence cardiaque élevée"], .inconclusiveHighHeartRate),
        (["poor recording", "poor reading", "schlechte aufzeichnung"], .inconclusivePoorReading),
        (
            ["inconclusive", "nicht eindeutig", "non concluant", "no concluyente", "non conclusivo", "inconcludente"],
            .inconclusiveOther
        ),
    ]

    private static let none: Set<String> = [
        "none", "keine", "aucun", "aucune", "aucun symptôme", "ninguno", "nessuno", "nenhum", "geen", "无", "なし",
    ]

    /// The names of hertz, in lower case.
    private static let hertz = ["hertz", "hz", "herts", "herc", "герц", "гц", "赫", "ヘルツ", "헤르츠", "χερτζ"]

    /// Returns whether a word is a multiple or fraction of hertz: `kHz`, `Megahertz`. Unknown words are not.
    static func isMultipleOfHertz(_ word: String) -> Bool {
        let word = word.lowercased()
        return hertz.contains { word.contains($0) && !word.hasPrefix($0) }
    }

    /// Returns the meaning of a classification's text: `notSet` for an empty text, `unrecognized` for a text in an
    /// unknown language.
    static func classification(_ text: String) -> HKElectrocardiogram.Classification {
        if text.isEmpty { return .notSet }
        let text = text.lowercased()
        return classifications.first { $0.words.contains { text.contains($0) } }?.meaning ?? .unrecognized
    }

    /// Returns the meaning of the symptoms' text. An export has an empty text if there were no symptoms, but also if
    /// none were entered.
    static func symptoms(_ text: String) -> HKElectrocardiogram.SymptomsStatus {
        if text.isEmpty { return .notSet }
        return none.contains(text.lowercased()) ? .none : .present
    }
}
