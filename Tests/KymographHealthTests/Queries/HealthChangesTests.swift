// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("changes of a type: deletion of the last sample of a source or a unit")
struct HealthChangesTests {
    private let type = HealthTypes.type(for: bodyMass.identifier)

    /// Returns the identities and sources of the deletions since an anchor, and the number of added samples.
    private func changes(
        _ request: SampleRequest, since anchor: ChangeAnchor, _ store: HealthStore
    ) throws -> (deleted: [UUID], sources: Set<String>, samples: Int) {
        var deletions = [HealthDeletion]()
        var samples = 0
        let end = try store.changes(
            request, since: anchor, onDeletions: { all throws(HealthStoreError) in deletions += all },
            { all throws(HealthStoreError) in
                samples += all.count
                return true
            })
        #expect(end.isComplete)
        return (deletions.flatMap { $0.uuids ?? [] }, Set(deletions.map(\.source)), samples)
    }

    @Test("the deletion of a source's last sample is reported, except to requests for other sources")
    func source() async throws {
        let door = try TestDoor()
        let other = door.other("com.example.scale")
        let gone = mass(1)
        try await door.health.save(gone)
        try await other.save(mass(2, at: 1))
        var store = try door.health.store()
        let own = door.health.revision.source.name
        let anchor = store.engine.currentAnchor()
        try await door.health.delete(gone)
        try await other.save(mass(3, at: 2))
        for _ in 0..<2 {
            let all = try changes(SampleRequest(type), since: anchor, store)
            #expect(all.deleted == [gone.uuid] && all.sources == [own] && all.samples == 1)
            let mine = try changes(SampleRequest(type, sources: [own]), since: anchor, store)
            #expect(mine.deleted == [gone.uuid] && mine.samples == 0)
            let others = try changes(SampleRequest(type, sources: ["com.example.scale"]), since: anchor, store)
            #expect(others.deleted.isEmpty && others.samples == 1)
            door.health.close()
            store = try door.health.store()
        }
    }

    @Test("the deletion of a unit's last sample is reported to requests in any compatible unit")
    func unit() async throws {
        let door = try TestDoor()
        let gone = HKQuantitySample(
            type: bodyMass, quantity: HKQuantity(unit: .pound(), doubleValue: 150), start: at(0), end: at(0))
        try await door.health.save([gone, mass(70, at: 1)])
        let store = try door.health.store()
        let anchor = store.engine.currentAnchor()
        try await door.health.delete(gone)
        let request = SampleRequest(type, unit: .gramUnit(with: .kilo))
        #expect(try changes(request, since: anchor, store).deleted == [gone.uuid])
        #expect(try changes(SampleRequest(type), since: anchor, store).deleted == [gone.uuid])
    }

    @Test("the deletion of a type's last sample is reported")
    func everything() async throws {
        let door = try TestDoor()
        let gone = mass(1)
        try await door.health.save(gone)
        let store = try door.health.store()
        let anchor = store.engine.currentAnchor()
        try await door.health.delete(gone)
        #expect(try changes(SampleRequest(type), since: anchor, store).deleted == [gone.uuid])
        #expect(try changes(SampleRequest(type), since: store.engine.currentAnchor(), store).deleted.isEmpty)
    }
}
