// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import HealthViews

/// Listable types whose samples have no value of their own.
enum ListedType: String, CaseIterable {
    case electrocardiogram, heartbeatSeries, workout, workoutRoute
    case audiogram, visionPrescription, stateOfMind
    case gad7 = "GAD7"
    case phq9 = "PHQ9"
    case allergyRecord, clinicalNoteRecord, conditionRecord, coverageRecord, immunizationRecord, labResultRecord
    case medicationRecord, procedureRecord, vitalSignRecord
    case medicationDoseEvent, verifiableClinicalRecord
    case cda = "CDA"

    /// Whether a line of the samples' content describes them.
    var hasSummary: Bool {
        switch self {
        case .electrocardiogram, .heartbeatSeries, .workout, .workoutRoute: false
        default: true
        }
    }

    var sampleType: HKSampleType {
        switch self {
        case .audiogram: HKObjectType.audiogramSampleType()
        case .visionPrescription: HKObjectType.visionPrescriptionType()
        case .stateOfMind: HKObjectType.stateOfMindType()
        case .gad7: HKScoredAssessmentType(.GAD7)
        case .phq9: HKScoredAssessmentType(.PHQ9)
        case .allergyRecord: HKClinicalType(.allergyRecord)
        case .clinicalNoteRecord: HKClinicalType(.clinicalNoteRecord)
        case .conditionRecord: HKClinicalType(.conditionRecord)
        case .coverageRecord: HKClinicalType(.coverageRecord)
        case .immunizationRecord: HKClinicalType(.immunizationRecord)
        case .labResultRecord: HKClinicalType(.labResultRecord)
        case .medicationRecord: HKClinicalType(.medicationRecord)
        case .procedureRecord: HKClinicalType(.procedureRecord)
        case .vitalSignRecord: HKClinicalType(.vitalSignRecord)
        case .medicationDoseEvent: HKObjectType.medicationDoseEventType()
        case .verifiableClinicalRecord: VerifiableRecordType.only
        case .cda: HKDocumentType(.CDA)
        case .electrocardiogram: HKObjectType.electrocardiogramType()
        case .heartbeatSeries: HKSeriesType.heartbeat()
        case .workout: HKObjectType.workoutType()
        case .workoutRoute: HKSeriesType.workoutRoute()
        }
    }

    var identifier: String { sampleType.identifier }

    /// Returns the type with this identifier, short name or alias, ignoring case; nil if there is none.
    static func find(_ name: String) -> ListedType? {
        func plain(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
        let wanted = plain(TypeAlias.expanded(name))
        return allCases.first { plain($0.rawValue) == wanted || plain($0.identifier) == wanted }
    }

    /// Returns the names of the sources that recorded samples of the type.
    func sources(_ store: HealthStore) throws -> [String] {
        try overview(store)?.sources ?? []
    }

    /// Returns a number of samples of the type in words.
    func count(_ count: Int) -> String {
        switch self {
        case .electrocardiogram: NumberText.count(count, "electrocardiogram")
        case .heartbeatSeries: NumberText.count(count, "heartbeat series", "heartbeat series")
        case .workout: NumberText.count(count, "workout")
        case .workoutRoute: NumberText.count(count, "route")
        case .audiogram: NumberText.count(count, "audiogram")
        case .visionPrescription: NumberText.count(count, "prescription")
        case .stateOfMind: NumberText.count(count, "state of mind", "states of mind")
        case .gad7, .phq9: NumberText.count(count, "questionnaire")
        case .medicationDoseEvent: NumberText.count(count, "dose")
        case .verifiableClinicalRecord: NumberText.count(count, "verifiable record")
        case .cda: NumberText.count(count, "document")
        default: NumberText.count(count, "clinical record")
        }
    }

    /// Returns the sample whose identity begins with some digits. Throws if there is none, or several.
    static func find(identity: String, in types: [ListedType], _ store: HealthStore) throws -> UUID {
        var found: [SampleIdentity] = []
        for type in types {
            try store.list(type.sampleType) { one in
                found.append(SampleIdentity(one.sample.uuid))
                return true
            }
        }
        let identities = ShortIdentities(found)
        let places = identities.matching(identity)
        guard let place = places.first else {
            let what = types.count == 1 ? types[0].rawValue : "object"
            throw Failure.usage("no \(what) has an identity that begins with \"\(identity)\"")
        }
        guard places.count == 1 else {
            throw Failure.ambiguous(identity, places.map { identities.short(found[$0]) })
        }
        return found[place].uuid
    }

    /// The stored samples of one type, summarised.
    struct Overview {
        let type: ListedType
        var count = 0
        var first = Int64.max
        var last = Int64.min
        var sources: [String] = []
    }

    /// Returns an overview of each type with samples.
    static func overviews(_ store: HealthStore) throws -> [Overview] {
        try allCases.compactMap { try $0.overview(store) }
    }

    /// Returns an overview of the type; nil without samples.
    func overview(_ store: HealthStore) throws -> Overview? {
        var found = Overview(type: self)
        try store.list(sampleType) { one in
            found.count += 1
            found.first = min(found.first, one.start)
            found.last = max(found.last, one.end)
            let source = one.sample.sourceRevision.source.name
            if !found.sources.contains(source) { found.sources.append(source) }
            return true
        }
        return found.count > 0 ? found : nil
    }
}
