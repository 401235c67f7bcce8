// SPDX-License-Identifier: Apache-2.0

import Foundation

// Prescriptions, audiograms, states of mind and questionnaires.
extension HealthSaveRules {
    /// Checks the content of a sample that a store keeps as fields.
    static func checkFields(_ sample: HKSample) throws(Violation) {
        switch sample {
        case let sample as HKVisionPrescription: try checkPrescription(sample)
        case let sample as HKAudiogramSample: try checkAudiogram(sample)
        case let sample as HKStateOfMind: try checkStateOfMind(sample)
        case let sample as HKScoredAssessment: try checkAssessment(sample)
        case let sample as HKCDADocumentSample: try checkDocument(sample)
        default: return
        }
    }

    private static func checkPrescription(_ prescription: HKVisionPrescription) throws(Violation) {
        for (eye, lens) in prescription.lenses {
            let property = "\(eye)Eye"
            for value in lens.values {
                try checkAmount(value.quantity, in: value.unit, "\(property).\(value.name)")
            }
            if let prism = (lens as? HKGlassesLensSpecification)?.prism { try checkPrism(prism, "\(property).prism") }
        }
        if let contacts = prescription as? HKContactsPrescription {
            try checkText(contacts.brand.utf8.count, "the brand", property: "brand")
        }
    }

    private static func checkPrism(_ prism: HKVisionPrism, _ property: String) throws(Violation) {
        try checkAmount(prism.amount, in: .prismDiopter(), property + ".amount", from: 0)
        try checkAmount(prism.angle, in: .degreeAngle(), property + ".angle")
        for (amount, base, bases, name) in [
            (prism.verticalAmount, prism.verticalBase, [HKPrismBase.up, .down], "vertical"),
            (prism.horizontalAmount, prism.horizontalBase, [.in, .out], "horizontal"),
        ] {
            try checkAmount(amount, in: .prismDiopter(), "\(property).\(name)Amount", from: 0)
            guard bases.contains(base) || base == .none && amount.value == 0 else {
                throw Violation(
                    "the base of \(amount) is \(base)", "give \(bases[0]) or \(bases[1])",
                    property: "\(property).\(name)Base")
            }
        }
    }

    /// Throws for a quantity that does not convert to a unit, is not finite, or is below a limit.
    static func checkAmount(
        _ quantity: HKQuantity?, in unit: HKUnit, _ property: String, from least: Double = -.infinity
    ) throws(Violation) {
        guard let quantity else { return }
        guard quantity.is(compatibleWith: unit) else {
            throw Violation(
                "\(quantity) does not convert to \(unit)", "give a unit such as \(unit)", property: property)
        }
        guard quantity.value.isFinite, quantity.value >= least else {
            throw Violation(
                "the amount is \(NumberText.shortest(quantity.value))",
                least == 0 ? "give a number of at least 0" : "give a finite number", property: property)
        }
    }

    private static func checkAudiogram(_ audiogram: HKAudiogramSample) throws(Violation) {
        let points = audiogram.sensitivityPoints
        guard (1...30).contains(points.count) else {
            throw Violation(
                "the audiogram has \(points.count) points", "give 1 to 30 points", property: "sensitivityPoints")
        }
        let frequencies = points.map { $0.frequency.doubleValue(for: .hertz()) }
        guard zip(frequencies, frequencies.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw Violation(
                "the frequencies are not ascending", "sort the points, with one point for each frequency",
                property: "sensitivityPoints")
        }
    }

    private static func checkStateOfMind(_ state: HKStateOfMind) throws(Violation) {
        guard (-1...1).contains(state.valence) else {
            throw Violation(
                "the valence is \(NumberText.shortest(state.valence))", "give a number from -1 to 1",
                property: "valence")
        }
    }

    /// A sample of an archive, or of a query without documents, may lack its document.
    private static func checkDocument(_ sample: HKCDADocumentSample) throws(Violation) {
        guard let content = sample.content, let data = content.data else {
            throw Violation("the sample has no document", "create it with its XML", property: "document")
        }
        let names = try? CDAReader.names(data)
        guard names == content.names else {
            throw Violation(
                "the document is not the CDA document of the sample", "create it again", property: "document")
        }
    }

    private static func checkAssessment(_ assessment: HKScoredAssessment) throws(Violation) {
        let answers = assessment.rawAnswers
        let questions = assessment is HKPHQ9Assessment ? 9 : 7
        guard answers.count == questions else {
            throw Violation(
                "the questionnaire has \(questions) questions and \(answers.count) answers",
                "give \(questions) answers", property: "answers")
        }
        if let place = answers.dropLast().firstIndex(of: HKPHQ9Assessment.Answer.preferNotToAnswer.rawValue) {
            throw Violation(
                "question \(place + 1) has no answer", "leave out only the answer to question 9", property: "answers")
        }
    }
}
