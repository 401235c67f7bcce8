// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-40 S-113 an object is saved once, also a series of one quantity")
struct SavedOnceTests {
    @Test("only an error with an unknown outcome is marked as such")
    func unknownOutcome() {
        let unknown = HKError(HealthStoreError(StoreError(.outcomeUnknown, "a sync failed")))
        #expect(unknown.isOutcomeUnknown && unknown.code == .errorDatabaseInaccessible && unknown.advice != nil)
        for kind in [StoreError.Kind.diskFull, .locked, .writerFailed, .closed, .inputOutput] {
            let error = HKError(HealthStoreError(StoreError(kind, "no")))
            #expect(!error.isOutcomeUnknown)
            #expect(error.isBusy == (kind == .locked))
        }
    }

    @Test("saving a stored series of one quantity again is refused", arguments: [1, 4])
    func seriesOfOne(series: Int) async throws {
        let door = try TestDoor()
        var made = [UUID]()
        for number in 0..<series {
            made.append(try await door.series([60 + Double(number)], from: Double(number) * 10).uuid)
        }
        for others in [0, 1, 20] {
            let found = try door.all(heartRate)
            #expect(found.map(\.uuid) == made)
            let last = try #require(found.last as? HKQuantitySample)
            #expect(last.count == 1)
            let masses = (0..<others).map { mass(70, at: Double($0)) }
            let refusal = await code { try await door.health.save(masses + [last]) }
            #expect(refusal == .errorInvalidArgument)
            // A save is all or none.
            #expect(try door.all(bodyMass).isEmpty)
            #expect(try door.all(heartRate).map(\.uuid) == made)
            #expect(try door.statistics()?.count == series)
            #expect(try door.health.store().verify().isSound)
            door.health.close()
        }
    }

    @Test("samples are saved beside series, and a deleted series can be saved again as a sample")
    func others() async throws {
        let door = try TestDoor()
        let made = try await door.series([60], from: 0)
        let kept = try await door.series([61], from: 10)
        let found = try #require(try door.all(heartRate).first)
        #expect(found.uuid == made.uuid)
        try await door.health.save([mass(70), mass(71, at: 1), mass(72, at: 2)])
        #expect(try door.all(bodyMass).count == 3)
        try await door.health.delete(found)
        try await door.health.save(found)
        #expect(try door.all(heartRate).map(\.uuid) == [made.uuid, kept.uuid])
        let refusal = await code { try await door.health.save(found) }
        #expect(refusal == .errorInvalidArgument)
        #expect(try door.health.store().verify().isSound)
    }
}
