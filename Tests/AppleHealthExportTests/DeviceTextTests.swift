// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AppleHealthExport
@testable import KymographHealth

@Suite("Device descriptions of an export")
struct DeviceTextTests {
    static let watch = """
        <<HKDevice: 0x282e3a260>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch7,2, \
        software:11.6.1, creation date:2025-08-14 23:49:07 +0000>
        """

    @Test("only the heap address is removed")
    func address() {
        #expect(DeviceText.stripped(Self.watch) == Self.watch.replacing("0x282e3a260", with: ""))
        for text in [
            "", "Dummy device", "<<HKDevice: >, name:A>", "<<HKDevice: 0x>, name:A>", "<<HKDevice: 0x12",
            "<<HKDevice: 0x12 >", "0x282e3a260", "name:0x282e3a260",
        ] {
            #expect(DeviceText.stripped(text) == text)
        }
    }

    @Test("fields are parsed, including commas and colons in their values")
    func fields() throws {
        for text in [Self.watch, DeviceText.stripped(Self.watch)] {
            let device = try #require(DeviceDescription(text))
            #expect(device["name"] == "Apple Watch")
            #expect(device["manufacturer"] == "Apple Inc.")
            #expect(device["hardware"] == "Watch7,2")
            #expect(device["software"] == "11.6.1")
            #expect(device["creation date"] == "2025-08-14 23:49:07 +0000")
            #expect(device["firmware"] == nil)
        }
        let odd = try #require(DeviceDescription("<<HKDevice: 0x1>, name:A, B: C>, D, model:>"))
        #expect(odd["name"] == "A, B: C>, D")
        #expect(odd["model"] == "")
    }

    @Test(
        "a text of another form is nil",
        arguments: ["", "Dummy device", "<<HKDevice: 0x1>", "<<HKDevice: 0x1>, color:red>", "<<HKDevice: 0x1>, name:A"])
    func others(_ text: String) {
        if text == "<<HKDevice: 0x1>" {
            return #expect(DeviceDescription(text) == nil || DeviceDescription(text)?.fields.isEmpty == true)
        }
        #expect(DeviceDescription(text) == nil)
    }
}
