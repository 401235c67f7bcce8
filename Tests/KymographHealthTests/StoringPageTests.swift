// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KymographHealth

@Suite("The page about storing agrees with the code")
struct StoringPageTests {
    /// Returns the cells of the table below a heading, by row.
    private func rows(below heading: String) throws -> [[String]] {
        var folder = URL(fileURLWithPath: #filePath)
        var page = ""
        while page.isEmpty, folder.path != "/" {
            folder.deleteLastPathComponent()
            page =
                (try? String(contentsOf: folder.appendingPathComponent("Docs/Guide/Import.md"), encoding: .utf8)) ?? ""
        }
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading })
        return lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2).map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("the page lists every part of a metadata set")
    func metadata() throws {
        let numbers = try rows(below: "## Metadata sets").compactMap { Int($0[0].prefix { $0.isNumber }) }
        #expect(
            numbers == [
                Int(MetadataPart.entry), Int(MetadataPart.valueText), Int(MetadataPart.noValue),
                Int(MetadataPart.beats),
                Int(MetadataPart.beatTexts), Int(MetadataPart.attribute), Int(MetadataPart.child),
                Int(MetadataPart.typed), Int(MetadataPart.noSource),
                MetadataPart.firstKey,
            ])
    }

    @Test("the page lists every coding of a stored object")
    func objects() throws {
        let numbers = try rows(below: "## Objects and documents").compactMap { UInt8($0[0]) }
        #expect(numbers == [StoredCoding.plain, StoredCoding.deflate, StoredCoding.deflateAfterFirst])
        #expect(ImportedElementKind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
    }
}
