// SPDX-License-Identifier: Apache-2.0

import KymographHealth
import Testing

@Suite("S-40 the enumerations of stores and sessions have HealthKit's numbers")
struct StoreNumbersTests {
    private func check<Value: RawRepresentable & Equatable>(
        _ numbers: KeyValuePairs<Value, Int>, sourceLocation: SourceLocation = #_sourceLocation
    ) where Value.RawValue == Int {
        for (value, number) in numbers {
            #expect(value.rawValue == number && Value(rawValue: number) == value, sourceLocation: sourceLocation)
        }
    }

    @Test("each case")
    func numbers() {
        let status: KeyValuePairs<HKAuthorizationStatus, Int> = [
            .notDetermined: 0, .sharingDenied: 1, .sharingAuthorized: 2,
        ]
        check(status)
        let request: KeyValuePairs<HKAuthorizationRequestStatus, Int> = [
            .unknown: 0, .shouldRequest: 1, .unnecessary: 2,
        ]
        check(request)
        let frequency: KeyValuePairs<HKUpdateFrequency, Int> = [.immediate: 1, .hourly: 2, .daily: 3, .weekly: 4]
        check(frequency)
        let session: KeyValuePairs<HKWorkoutSessionState, Int> = [
            .notStarted: 1, .running: 2, .ended: 3, .paused: 4, .prepared: 5, .stopped: 6,
        ]
        check(session)
        let kind: KeyValuePairs<HKWorkoutSessionType, Int> = [.primary: 0, .mirrored: 1]
        check(kind)
        let option: KeyValuePairs<HKWorkoutEffortRelationshipQueryOptions, Int> = [.default: 0, .mostRelevant: 1]
        check(option)
    }
}
