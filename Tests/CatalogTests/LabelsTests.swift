// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Catalog

@Suite("Labels have one text form")
struct LabelsTests {
    @Test(
        "Labels are read from the text that they are written as",
        arguments: ["{}", #"{"":""}"#, #"{"a":"b","c":"\u0009\"\\"}"#, #"{"é":"ü"}"#])
    func canonical(text: String) throws {
        let labels = try #require(Labels.decode(text))
        #expect(Labels.encode(labels).utf8.elementsEqual(text.utf8))
    }

    @Test(
        "Labels in another order, with other escapes, blanks, a sign, repeats or trailing bytes are refused",
        arguments: [
            #"{"b":"1","a":"2"}"#, #"{"a":"\u0041"}"#, #"{"a":"\u000A"}"#, #"{"a": "b"}"#, #"{"a":"\u+041"}"#,
            #"{"a":"1","a":"1"}"#, #"{"a":"b"} "#, #"{"a":"b",}"#, #"{"a"}"#, "", "{", "[]",
        ])
    func others(text: String) {
        #expect(Labels.decode(text) == nil)
    }
}
