// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import HealthViews

@Suite("T-3 T-12 short identities")
struct ShortIdentityTests {
    @Test("identities that count up have short forms, alone and with the whole identity")
    func counted() throws {
        let first = SampleIdentity(try #require(UUID(uuidString: "1FE4547C-E9BA-8449-8000-000000000001")))
        let counted = (0..<2_000).map { SampleIdentity(high: first.high, low: first.low + Int64($0)) }
        let identities = ShortIdentities(counted)
        #expect(identities.digits <= 9)
        for (place, one) in counted.enumerated() {
            #expect(identities.matching(identities.short(one)) == [place])
            #expect(identities.matching(one.uuid.uuidString) == [place])
        }
        #expect(identities.matching("1fe4547c").count == 2_000)
        // A short form depends on nothing else.
        let alone = ShortIdentities([counted[7]])
        #expect(identities.short(counted[7]).hasPrefix(alone.short(counted[7])))
    }

    @Test("other identities are short by their beginning")
    func other() throws {
        let one = SampleIdentity(try #require(UUID(uuidString: "72994C15-A1C8-869A-AFA8-9F67678D8C14")))
        #expect(ShortIdentities([one]).short(one) == "72994c" && one.hexadecimal.count == 32)
        #expect(ShortIdentities([one]).matching("72994C15-a") == [0] && ShortIdentities([]).matching("7").isEmpty)
    }
}
