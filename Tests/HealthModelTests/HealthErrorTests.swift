// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthModel
import Testing

@Suite("X-5 HKError as programs create it")
struct HealthErrorTests {
    @Test("an error takes a code, and a dictionary")
    func creation() {
        let plain = HKError(.errorHealthDataUnavailable)
        #expect(plain.code == .errorHealthDataUnavailable && plain.errorCode == 1 && plain.reason.isEmpty == false)
        let error = HKError(
            .errorNoData,
            userInfo: [
                NSLocalizedDescriptionKey: "no heart rate", "n": 3, NSLocalizedRecoverySuggestionErrorKey: "wear",
            ])
        #expect(error.reason == "no heart rate" && error.advice == "wear" && error.userInfo["n"] as? Int == 3)
        #expect(error.localizedDescription == "no heart rate")
        #expect((error as NSError).domain == HKErrorDomain && (error as NSError).code == 11)
        #expect(error == HKError(.errorNoData, userInfo: error.userInfo) || error.userInfo.count > 3)
        #expect(HKError(.errorNoData, userInfo: ["n": 1]) != HKError(.errorNoData, userInfo: ["n": 2]))
        #expect(Set([HKError(.errorNoData, userInfo: ["n": 1]), HKError(.errorNoData, userInfo: ["n": 1])]).count == 1)
        #expect(HKError(.errorNoData, reason: "r").userInfo[NSLocalizedFailureReasonErrorKey] as? String == "r")
    }

    @Test("noError is the code 0")
    func noError() {
        #expect(HKError.Code.noError.rawValue == 0 && HKError.noError == .unknownError)
    }
}
