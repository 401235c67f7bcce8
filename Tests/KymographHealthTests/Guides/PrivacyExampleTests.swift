// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KymographHealth

/// The examples of `Docs/Guide/Privacy.md`. The lines between the marks are those of the page.
@Suite("S-66 S-75 S-76 the examples of the page about privacy")
struct PrivacyExampleTests {
    @Test("a request for three types, and the status of one")
    func request() async throws {
        let directory = try TemporaryDirectory()
        let health = HKHealthStore(directory: directory.file("store"), client: "com.example.run", authorization: .allow)
        defer { health.close() }
        try health.store().owner.setAuthorizationMode(.enforced)
        // example privacy begins
        HealthPurpose.set(read: "Draws your week.", share: "Saves your runs.")
        let types: Set = [HKQuantityType(.heartRate), HKQuantityType(.stepCount)]
        try await health.requestAuthorization(toShare: [HKWorkoutType.workoutType()], read: types)
        switch health.authorizationStatus(for: HKObjectType.workoutType()) {
        case .sharingAuthorized: print("runs are saved")
        case .sharingDenied, .notDetermined: print("runs are not saved")
        }
        // example privacy ends
        #expect(health.authorizationStatus(for: HKObjectType.workoutType()) == .sharingAuthorized)
    }
}
