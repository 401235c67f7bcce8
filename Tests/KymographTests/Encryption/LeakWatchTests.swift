// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("The search for plain text that campaigns with encrypted stores use")
struct LeakWatchTests {
    @Test("a text is found at each place of the bytes, and nowhere else")
    func texts() {
        let text = Array("CREATE TABLE".utf8)
        for before in 0..<70 {
            let bytes = [UInt8](repeating: 0x43, count: before) + text + [UInt8](repeating: 0, count: 70 - before)
            #expect(LeakWatch.firstText(in: bytes) == "CREATE TABLE")
            var changed = bytes
            changed[before + before % text.count] ^= 1
            #expect(LeakWatch.firstText(in: changed) == nil)
        }
        #expect(LeakWatch.firstText(in: Array("a canary pulse".utf8)) == "canary ")
        #expect(LeakWatch.firstText(in: Array(text.dropLast())) == nil && LeakWatch.firstText(in: []) == nil)
    }
}
