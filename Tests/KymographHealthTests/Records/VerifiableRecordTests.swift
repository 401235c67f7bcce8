// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// Verifiable records for tests of stores.
enum StoredCards {
    static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)

    static func card(
        _ item: String, at seconds: Double = 0,
        _ types: [HKVerifiableClinicalRecordCredentialType] = [.covid19, .immunization],
        _ source: HKVerifiableClinicalRecordSourceType = .smartHealthCard
    ) -> HealthVerifiableRecord {
        var card = HealthVerifiableRecord(
            recordTypes: types, sourceType: source,
            subject: HKVerifiableClinicalRecordSubject(
                fullName: "Ada Lovelace", dateOfBirthComponents: DateComponents(year: 1991, month: 3, day: 14)),
            relevantDate: date + seconds, dataRepresentation: Data("header.payload.signature".utf8))
        card.itemNames = [item]
        card.issuerIdentifier = "https://a.example"
        card.expirationDate = date + 86_400
        return card
    }

    static func run(
        _ health: HKHealthStore, _ types: [HKVerifiableClinicalRecordCredentialType] = [],
        _ sources: [HKVerifiableClinicalRecordSourceType] = [.smartHealthCard, .euDigitalCOVIDCertificate],
        predicate: NSPredicate? = nil
    ) async throws -> [String] {
        try await HKVerifiableClinicalRecordQueryDescriptor(
            recordTypes: types, sourceTypes: sources, predicate: predicate
        ).result(for: health).flatMap(\.itemNames)
    }
}

@Suite("S-39 S-40 verifiable records in a store, and their query")
struct VerifiableRecordTests {
    @Test("records are saved, found by type, format and date, kept by a restart, and deleted")
    func roundTrip() async throws {
        let door = try TestDoor()
        let maker = HealthRecordStore(healthStore: door.health)
        let flu = try await maker.save(StoredCards.card("Flu"))
        try await maker.save(StoredCards.card("Test", at: 60, [.laboratory, .covid19]))
        try await maker.save(StoredCards.card("Pass", at: 120, [.covid19], .euDigitalCOVIDCertificate))
        door.health.close()
        let again = HKHealthStore(path: door.directory.file("store"))
        defer { again.close() }
        #expect(try await StoredCards.run(again) == ["Flu", "Test", "Pass"])
        #expect(try await StoredCards.run(again, [.covid19, .immunization]) == ["Flu"])
        #expect(try await StoredCards.run(again, [.covid19], [.smartHealthCard]) == ["Flu", "Test"])
        #expect(try await StoredCards.run(again, [.recovery]).isEmpty)
        #expect(try await StoredCards.run(again, [], []).isEmpty)
        let minute = HKQuery.predicateForVerifiableClinicalRecords(
            withRelevantDateWithin: DateInterval(start: StoredCards.date + 60, duration: 60))
        #expect(try await StoredCards.run(again, predicate: minute) == ["Test", "Pass"])
        let found = try await HKVerifiableClinicalRecordQueryDescriptor(
            recordTypes: [.immunization], sourceTypes: [.smartHealthCard]
        ).result(for: again)
        #expect(found == [flu] && found[0].content == flu.content && found[0].issuedDate == flu.relevantDate)
        #expect(found[0].dataRepresentation == Data("header.payload.signature".utf8))
        try await again.delete(flu)
        #expect(try await StoredCards.run(again) == ["Test", "Pass"])
        try again.store().compact()
        #expect(try again.store().verify().isSound)
    }

    @Test("a query object reports the records, or the error of its predicate")
    func query() async throws {
        let door = try TestDoor()
        try await HealthRecordStore(healthStore: door.health).save(StoredCards.card("Flu"))
        func run(_ types: [String], _ predicate: NSPredicate?) async -> (Int?, Bool) {
            await withCheckedContinuation { done in
                let query = HKVerifiableClinicalRecordQuery(recordTypes: types, predicate: predicate) {
                    _, records, error in
                    done.resume(returning: (records?.count, error != nil))
                }
                #expect(query.sourceTypes == [.smartHealthCard] && query.recordTypes == types)
                door.health.execute(query)
            }
        }
        #expect(await run([HKVerifiableClinicalRecordCredentialType.immunization.rawValue], nil) == (1, false))
        #expect(await run(["", String(repeating: "a", count: 1_000_000)], nil) == (0, false))
        #expect(await run([], NSPredicate { _, _ in true }) == (nil, true))
        let other = HKVerifiableClinicalRecordQuery(
            recordTypes: [], sourceTypes: [.euDigitalCOVIDCertificate], predicate: nil
        ) { _, _, _ in }
        #expect(other.sourceTypes == [.euDigitalCOVIDCertificate] && other.objectType == nil)
        var descriptor = HKVerifiableClinicalRecordQueryDescriptor(recordTypes: [], sourceTypes: [.smartHealthCard])
        descriptor.predicate = NSPredicate(value: false)
        #expect(try await descriptor.result(for: door.health).isEmpty && descriptor.predicate != nil)
    }

    @Test("impossible records are refused, and nothing is stored")
    func hostile() async throws {
        let door = try TestDoor()
        let maker = HealthRecordStore(healthStore: door.health)
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        var untimed = StoredCards.card("a")
        untimed.issuedDate = never
        var endless = StoredCards.card("a")
        endless.expirationDate = .distantFuture
        var long = StoredCards.card("a")
        long.itemNames = [String(repeating: "a", count: HealthSaveRules.maximumTextBytes + 1)]
        for wrong in [untimed, endless, long, StoredCards.card("a", at: 0, []), StoredCards.card("a", at: .infinity)] {
            #expect(await code { try await maker.save(wrong) } == .errorInvalidArgument)
        }
        var large = StoredCards.card("a")
        large.dataRepresentation = Data(count: HealthRecordStore.maximumResourceBytes + 1)
        #expect(await code { try await maker.save(large) } == .errorDataSizeExceeded)
        #expect(try await StoredCards.run(door.health).isEmpty)
    }
}
