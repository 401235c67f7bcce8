// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// What the words of an electrocardiogram's file mean, in the languages of which they are known.
enum ElectrocardiogramWords {
    /// Words that a classification contains, the more exact ones first.
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

    /// What hertz are called, in lower case.
    private static let hertz = ["hertz", "hz", "herts", "herc", "герц", "гц", "赫", "ヘルツ", "헤르츠", "χερτζ"]

    /// Whether a word means a multiple or a part of hertz: `kHz`, `Megahertz`. Any word that is not known does not.
    static func isMultipleOfHertz(_ word: String) -> Bool {
        let word = word.lowercased()
        return hertz.contains { word.contains($0) && !word.hasPrefix($0) }
    }

    /// What a classification's text means: nothing was said where there is none, and a text of another language is not
    /// recognized.
    static func classification(_ text: String) -> HKElectrocardiogram.Classification {
        if text.isEmpty { return .notSet }
        let text = text.lowercased()
        return classifications.first { $0.words.contains { text.contains($0) } }?.meaning ?? .unrecognized
    }

    /// What the text of the symptoms means. An export has one that is empty where there were none; that may also mean
    /// that nothing was entered.
    static func symptoms(_ text: String) -> HKElectrocardiogram.SymptomsStatus {
        if text.isEmpty { return .notSet }
        return none.contains(text.lowercased()) ? .none : .present
    }
}
