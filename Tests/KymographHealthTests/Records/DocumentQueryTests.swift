// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

/// Documents for tests of stores.
enum StoredDocuments {
    static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)

    static func text(_ title: String, patient: String = "Ada") -> String {
        """
        <ClinicalDocument xmlns="urn:hl7-org:v3"><typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>
        <id root="1"/><code code="1"/><title>\(title)</title><effectiveTime value="2024"/>
        <confidentialityCode code="N"/>
        <recordTarget><patientRole><patient><name><given>\(patient)</given><family>B</family></name></patient>
        </patientRole></recordTarget><author><assignedAuthor/></author><custodian><assignedCustodian>
        <representedCustodianOrganization><name>Clinic</name></representedCustodianOrganization></assignedCustodian>
        </custodian><component/></ClinicalDocument>
        """
    }

    static func sample(_ title: String, at seconds: Double = 0, patient: String = "Ada") throws -> HKCDADocumentSample {
        let start = date + seconds
        return try HKCDADocumentSample(
            data: Data(text(title, patient: patient).utf8), start: start, end: start + 60, metadata: ["note": "n"])
    }

    /// Runs a query, and returns its documents, the number of calls, and its error.
    static func run(
        _ health: HKHealthStore, _ predicate: NSPredicate? = nil, limit: Int = HKObjectQueryNoLimit,
        order: [NSSortDescriptor]? = nil, data: Bool = true
    ) async -> (documents: [HKCDADocumentSample], calls: Int, code: HKError.Code?) {
        await withCheckedContinuation { done in
            let found = Mutex<(samples: [HKCDADocumentSample], calls: Int)>(([], 0))
            health.execute(
                HKDocumentQuery(
                    documentType: HKDocumentType(.CDA), predicate: predicate, limit: limit, sortDescriptors: order,
                    includeDocumentData: data
                ) { _, samples, isLast, error in
                    let all = found.withLock { found in
                        found.samples += (samples ?? []).compactMap { $0 as? HKCDADocumentSample }
                        found.calls += 1
                        return found
                    }
                    if isLast { done.resume(returning: (all.samples, all.calls, (error as? HKError)?.code)) }
                })
        }
    }
}

@Suite("S-39 S-40 S-45 CDA documents in a store, and the query of documents")
struct DocumentQueryTests {
    private func sampled(_ health: HKHealthStore, _ predicate: NSPredicate? = nil) async throws -> [HKCDADocumentSample]
    {
        let type = HKSamplePredicate.sample(type: HKDocumentType(.CDA), predicate: predicate)
        return try await HKSampleQueryDescriptor(predicates: [type]).result(for: health)
            .compactMap { $0 as? HKCDADocumentSample }
    }

    @Test("a document is nil in sample and anchored queries, and complete in a document query, also after a restart")
    func roundTrip() async throws {
        let door = try TestDoor()
        let saved = try StoredDocuments.sample("One")
        try await door.health.save(saved)
        door.health.close()
        let again = HKHealthStore(path: door.directory.file("store"))
        defer { again.close() }
        let sampled = try await sampled(again)
        #expect(sampled == [saved] && sampled[0].document == nil && sampled[0].metadata?["note"] as? String == "n")
        let type = HKSamplePredicate.sample(type: HKDocumentType(.CDA))
        let page = try await HKAnchoredObjectQueryDescriptor(predicates: [type], anchor: nil).result(for: again)
        #expect((page.addedSamples.first as? HKCDADocumentSample)?.document == nil && page.addedSamples == [saved])
        let found = await StoredDocuments.run(again)
        #expect(found.documents == [saved] && found.documents[0].content == saved.content && found.calls == 1)
        #expect(found.documents[0].document?.title == "One" && found.documents[0].document?.patientName == "Ada B")
        let light = await StoredDocuments.run(again, data: false)
        #expect(light.documents[0].document?.documentData == nil && light.documents[0].document?.title == "One")
        #expect(await code { try await again.save(sampled[0]) } == .errorInvalidArgument)
        try await again.delete(sampled[0])
        #expect(await StoredDocuments.run(again).documents.isEmpty)
        try again.store().compact()
        #expect(try again.store().verify().isSound)
    }

    @Test("documents are selected by title and names, ordered, limited, and delivered in several calls")
    func selection() async throws {
        let door = try TestDoor()
        let all = try (0..<40).map { number in
            try StoredDocuments.sample("T\(number % 4)", at: Double(number), patient: number % 2 == 0 ? "Ada" : "Eve")
        }
        try await door.health.save(all)
        let everything = await StoredDocuments.run(door.health)
        #expect(everything.documents == all && everything.calls == 3)
        let byTitle = NSPredicate(format: "%K == %@", HKPredicateKeyPathCDATitle, "T1")
        #expect(await StoredDocuments.run(door.health, byTitle).documents == all.filter { $0.document?.title == "T1" })
        #expect(try await sampled(door.health, byTitle).count == 10)
        let both = NSPredicate(
            format: "%K CONTAINS %@ AND %K BEGINSWITH 'T' AND custodian_name == 'Clinic' AND author_name == ''",
            HKPredicateKeyPathCDAPatientName, "Eve", HKPredicateKeyPathCDATitle)
        let order = [NSSortDescriptor(key: HKSampleSortIdentifierStartDate, ascending: false)]
        let last = await StoredDocuments.run(door.health, both, limit: 3, order: order)
        #expect(last.documents == [all[39], all[37], all[35]] && last.calls == 1)
        #expect(await StoredDocuments.run(door.health, NSPredicate(value: false)).calls == 1)
        let count = try await door.health.deleteObjects(of: HKDocumentType(.CDA), predicate: byTitle)
        #expect(count == 10)
        #expect(await StoredDocuments.run(door.health).documents.count == 30)
    }

    @Test("a query with an unknown type, key or predicate is empty or reports an error")
    func hostile() async throws {
        let door = try TestDoor()
        try await door.health.save(try StoredDocuments.sample("One"))
        for limit in [Int.min, -1, 0, .max] {
            #expect(await StoredDocuments.run(door.health, limit: limit).documents.count == 1)
        }
        let byDuration = [NSSortDescriptor(key: HKWorkoutSortIdentifierDuration, ascending: true)]
        #expect(await StoredDocuments.run(door.health, order: byDuration).code == .errorInvalidArgument)
        let block = NSPredicate { _, _ in true }
        #expect(await StoredDocuments.run(door.health, block).code == .errorInvalidArgument)
        let unknown = HKDocumentType(HKDocumentTypeIdentifier(rawValue: "HKDocumentTypeIdentifierNew"))
        let isEmpty = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
            let query = HKDocumentQuery(
                documentType: unknown, predicate: nil, limit: 5, sortDescriptors: [], includeDocumentData: true
            ) { query, samples, isLast, error in
                done.resume(returning: samples?.isEmpty ?? false && isLast && error == nil && query.limit == 5)
            }
            #expect(query.includeDocumentData && query.sortDescriptors == nil && query.objectType == unknown)
            door.health.execute(query)
        }
        #expect(isEmpty)
    }
}
