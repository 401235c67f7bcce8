// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-168 S-171 what a client sees of medications agrees with a naive model")
struct MedicationAccessTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)

    /// The state of the list and of the decisions, as sets.
    private struct Model {
        var listed: [HKHealthConceptIdentifier: HKUserAnnotatedMedication] = [:]
        var chosen: Set<UUID> = []
        var doses: [UUID: HKMedicationDoseEvent] = [:]

        func isChosen(_ concept: HKHealthConceptIdentifier) -> Bool { chosen.contains(concept.uuid) }
        var seen: Set<HKUserAnnotatedMedication> { Set(listed.values.filter { isChosen($0.medication.identifier) }) }
        var seenDoses: Set<UUID> {
            Set(doses.filter { isChosen($0.value.medicationConceptIdentifier) }.map(\.key))
        }
    }

    @Test("random saves, deletions, doses and decisions", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let door = try PrivateDoor()
        let list = HealthMedicationStore(healthStore: door.owner)
        let concepts = (0..<4).map { HKMedicationConcept(displayText: "M\($0)") }
        var model = Model()
        for step in 0..<60 {
            let concept = concepts[random.below(4)]
            let known = model.listed[concept.identifier]
            switch random.below(6) {
            case 0, 1:
                let one = HKUserAnnotatedMedication(
                    medication: concept, nickname: "n\(step)", isArchived: random.below(2) == 0)
                try await list.save(one)
                model.listed[concept.identifier] = one
            case 2:
                if let known {
                    try await list.delete(known)
                    model.listed[concept.identifier] = nil
                }
            case 3, 4:
                if let known {
                    let dose = try await list.log(
                        HealthMedicationDose(date: Self.date + Double(step)), of: known)
                    model.doses[dose.uuid] = dose
                } else if let (uuid, dose) = model.doses.first {
                    try await door.owner.delete(dose)
                    model.doses[uuid] = nil
                }
            default:
                let isAllowed = random.below(2) == 0
                var change = AuthorizationChange(client: PrivateDoor.name, origin: "test")
                change.objectType = HKObjectType.userAnnotatedMedicationType()
                change.objects = [concept.identifier.uuid: isAllowed]
                try door.owner.store().decide(change)
                if isAllowed {
                    model.chosen.insert(concept.identifier.uuid)
                } else {
                    model.chosen.remove(concept.identifier.uuid)
                }
            }
            let seen = try await HKUserAnnotatedMedicationQueryDescriptor().result(for: door.client)
            #expect(Set(seen) == model.seen && seen.count == model.seen.count, "seed \(seed), step \(step)")
            let archived = HKQuery.predicateForUserAnnotatedMedications(isArchived: true)
            let some = try await HKUserAnnotatedMedicationQueryDescriptor(predicate: archived).result(for: door.client)
            #expect(Set(some) == model.seen.filter(\.isArchived), "seed \(seed), step \(step)")
            let doses = try await HKSampleQueryDescriptor(predicates: [.medicationDoseEvent()])
                .result(for: door.client)
            #expect(Set(doses.map(\.uuid)) == model.seenDoses, "seed \(seed), step \(step)")
            let page = try await HKAnchoredObjectQueryDescriptor(predicates: [.medicationDoseEvent()], anchor: nil)
                .result(for: door.client)
            #expect(Set(page.addedSamples.map(\.uuid)) == model.seenDoses, "seed \(seed), step \(step)")
        }
        #expect(try door.owner.store().verify().isSound)
    }

    @Test("the terminal escapes the hidden characters of a document's title")
    func terminal() async throws {
        let lines = Lines()
        let provider = TerminalAuthorization(write: { lines.add($0) }, read: { "n" })
        let request = HealthAuthorizationRequest(
            client: HKSource(name: "a\u{1B}[2J", bundleIdentifier: "b"), purpose: HealthPurpose(), share: [], read: [],
            objects: [
                .init(uuid: UUID(), type: HKDocumentType(.CDA), date: Self.date, title: "document \u{1B}[31m\u{202E}x")
            ])
        let decision = try await provider.decide(request)
        #expect(decision.objects.values.allSatisfy { !$0 } && decision.objects.count == 1)
        #expect(lines.all.count == 2)
        #expect(lines.all.allSatisfy { !$0.unicodeScalars.contains("\u{1B}") && !$0.contains("\u{202E}") })
    }
}

/// The lines that a provider wrote, one at a time.
private final class Lines: @unchecked Sendable {
    private(set) var all: [String] = []
    func add(_ line: String) { all.append(line) }
}
