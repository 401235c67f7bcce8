// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Kymograph

@Suite("Errors without what they tell about the data (E-16)")
struct RedactedErrorTests {
    @Test(
        "the redacted error keeps kind, place and number, and no text, time or identity",
        arguments: StoreError.Kind.allCases)
    func redacted(kind: StoreError.Kind) {
        let whole = StoreError(kind, "stepCount of Anna, 71.5, at 2026-11-24", path: "/store/catalog", offset: 4_096)
            .concerning(7, TimeRange(1_000, 2_000)).naming(SampleIdentity(high: 1, low: 2))
        let redacted = whole.redacted
        #expect(redacted.kind == kind && redacted.path == whole.path && redacted.offset == whole.offset)
        #expect(redacted.series == whole.series && redacted.range == nil && redacted.identity == nil)
        for word in ["stepCount", "Anna", "71.5", "2026", "1970"] { #expect(!redacted.description.contains(word)) }
        #expect(!redacted.message.isEmpty)
        #expect(redacted.redacted == redacted)
    }

    @Test("each kind has a message of its own")
    func messages() {
        let all = StoreError.Kind.allCases.map { StoreError($0, "").redacted.message }
        #expect(Set(all).count == all.count)
    }
}
