// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A questionnaire with a score. Programs use the subclasses.
public class HKScoredAssessment: HKSample, @unchecked Sendable {
    /// The sum of the answers.
    public let score: Int

    init(header: ObjectHeader, _ type: HKScoredAssessmentTypeIdentifier, date: Date, score: Int) {
        self.score = score
        super.init(header: header, type: HKScoredAssessmentType(type), start: date, end: date)
    }

    /// Decodes a questionnaire that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKScoredAssessment.self) else { return nil }
        score = known.score
        super.init(coder: coder)
    }

    /// The raw values of the answers.
    package var rawAnswers: [Int] { [] }

    /// The answers as fields: 1 each answer.
    package override var fields: HealthFields? {
        var fields = HealthFields()
        for answer in rawAnswers { fields.put(1, answer) }
        return fields
    }

    /// Returns the questionnaire of a type, a header, a date and fields.
    static func stored(
        _ type: HKSampleType, _ header: ObjectHeader, _ fields: HealthFields, at date: Date
    ) throws(HealthFields.Fault) -> HKScoredAssessment {
        switch HKScoredAssessmentTypeIdentifier(rawValue: type.identifier) {
        case .GAD7:
            HKGAD7Assessment(header: header, date: date, answers: try fields.all(1, of: HKGAD7Assessment.Answer.self))
        case .PHQ9:
            HKPHQ9Assessment(header: header, date: date, answers: try fields.all(1, of: HKPHQ9Assessment.Answer.self))
        default: throw HealthFields.Fault(reason: "\(type.identifier) is an unknown questionnaire", isNewer: true)
        }
    }
}

/// The answers to the questionnaire GAD-7 about anxiety: how often seven problems bothered the person in two weeks.
public final class HKGAD7Assessment: HKScoredAssessment, @unchecked Sendable {
    /// An answer. Raw values are HealthKit's, and what the answer adds to the score.
    public enum Answer: Int, Hashable, Sendable, CaseIterable {
        /// Not at all.
        case notAtAll = 0
        /// On several days.
        case severalDays = 1
        /// On more than half of the days.
        case moreThanHalfTheDays = 2
        /// Nearly every day.
        case nearlyEveryDay = 3
    }

    /// The risk that a score means. Raw values are HealthKit's.
    public enum Risk: Int, Hashable, Sendable, CaseIterable {
        /// Scores from 0 to 4.
        case noneToMinimal = 1
        /// Scores from 5 to 9.
        case mild = 2
        /// Scores from 10 to 14.
        case moderate = 3
        /// Scores from 15 to 21.
        case severe = 4
    }

    /// The answers to the seven questions.
    public let answers: [Answer]

    package init(header: ObjectHeader, date: Date, answers: [Answer]) {
        self.answers = answers
        super.init(header: header, .GAD7, date: date, score: answers.reduce(0) { $0 + $1.rawValue })
    }

    /// Decodes a questionnaire that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKGAD7Assessment.self) else { return nil }
        answers = known.answers
        super.init(coder: coder)
    }

    /// Creates a questionnaire. Never fails; `save` refuses another number of answers than 7.
    public convenience init(date: Date, answers: [Answer], metadata: [String: Any]? = [:]) {
        self.init(header: ObjectHeader(device: nil, metadata: metadata), date: date, answers: answers)
    }

    /// The risk that the score means.
    public var risk: Risk { score < 5 ? .noneToMinimal : score < 10 ? .mild : score < 15 ? .moderate : .severe }

    package override var rawAnswers: [Int] { answers.map(\.rawValue) }
}

/// The answers to the questionnaire PHQ-9 about depression: how often nine problems bothered the person in two weeks.
public final class HKPHQ9Assessment: HKScoredAssessment, @unchecked Sendable {
    /// An answer. Raw values are HealthKit's.
    public enum Answer: Int, Hashable, Sendable, CaseIterable {
        /// Not at all; adds 0 to the score.
        case notAtAll = 0
        /// On several days; adds 1.
        case severalDays = 1
        /// On more than half of the days; adds 2.
        case moreThanHalfTheDays = 2
        /// Nearly every day; adds 3.
        case nearlyEveryDay = 3
        /// No answer; for the ninth question only. Adds 0.
        case preferNotToAnswer = 4
    }

    /// The risk that a score means. Raw values are HealthKit's.
    public enum Risk: Int, Hashable, Sendable, CaseIterable {
        /// Scores from 0 to 4.
        case noneToMinimal = 1
        /// Scores from 5 to 9.
        case mild = 2
        /// Scores from 10 to 14.
        case moderate = 3
        /// Scores from 15 to 19.
        case moderatelySevere = 4
        /// Scores from 20 to 27.
        case severe = 5
    }

    /// The answers to the nine questions.
    public let answers: [Answer]

    package init(header: ObjectHeader, date: Date, answers: [Answer]) {
        self.answers = answers
        let score = answers.reduce(0) { $0 + ($1 == .preferNotToAnswer ? 0 : $1.rawValue) }
        super.init(header: header, .PHQ9, date: date, score: score)
    }

    /// Decodes a questionnaire that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKPHQ9Assessment.self) else { return nil }
        answers = known.answers
        super.init(coder: coder)
    }

    /// Creates a questionnaire. Never fails; `save` refuses another number of answers than 9, and a missing answer to
    /// any question but the ninth.
    public convenience init(date: Date, answers: [Answer], metadata: [String: Any]? = [:]) {
        self.init(header: ObjectHeader(device: nil, metadata: metadata), date: date, answers: answers)
    }

    /// The risk that the score means.
    public var risk: Risk {
        score < 5
            ? .noneToMinimal
            : score < 10 ? .mild : score < 15 ? .moderate : score < 20 ? .moderatelySevere : .severe
    }

    package override var rawAnswers: [Int] { answers.map(\.rawValue) }
}
