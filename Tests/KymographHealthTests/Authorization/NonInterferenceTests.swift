// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthModel
@testable import KymographHealth

@Suite("S-2 S-72 S-73 S-171 S-172 results do not depend on objects that a client may not read")
struct NonInterferenceTests {
    @Test("two stores that differ only in hidden objects give the same results and errors")
    func twins() async throws {
        let (rate, step) = (HKQuantityType(.heartRate), HKQuantityType(.stepCount))
        let doors = [try PrivateDoor(), try PrivateDoor()]
        var answers = [String]()
        for (number, door) in doors.enumerated() {
            try door.decide(read: [rate, step], false)
            try door.decide(share: [rate])
            if number == 1 {
                try await door.other.save((0..<50).map { beats(Double(40 + $0), at: Double($0)) })
                try await door.other.save(steps(500, at: 3))
            }
            try await door.client.save([beats(61, at: 5), beats(62, at: 6)])
            if number == 1 { try await door.other.save(steps(700, at: 30)) }
            var text = "\(try await door.values(rate)) \(try await door.values(step))"
            for type in [rate, step] {
                do {
                    let options: HKStatisticsOptions = type == step ? .cumulativeSum : [.discreteAverage, .discreteMin]
                    let found = try await HKStatisticsQueryDescriptor(
                        predicate: .quantitySample(type: type), options: options
                    ).result(for: door.client)
                    text += " \(String(describing: found?.averageQuantity())) \(found?.sources ?? [])"
                    text += " \(found?.startDate ?? .distantPast) \(found?.endDate ?? .distantPast)"
                } catch { text += " \(error)" }
            }
            do { try await door.client.save(steps(1, at: 0)) } catch { text += " \(error)" }
            answers.append(text)
        }
        #expect(answers[0] == answers[1])
    }
}
