// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KymographHealth

@Suite("S-2 S-66 S-72 S-171 each operation shows a client what the person decided")
struct DeniedTableTests {
    /// A cell of the table.
    private struct Cell: CustomStringConvertible, Sendable {
        let row: DeniedRow
        let state: DeniedState
        var description: String { "\(row.name), \(state.rawValue)" }
    }

    private let all = DeniedRow.reading + DeniedRow.changing

    @Test("a cell of each operation and each state", arguments: DeniedState.allCases)
    func cells(state: DeniedState) async throws {
        let place = try #require(DeniedState.allCases.firstIndex(of: state))
        var scene = try await DeniedScene(state)
        for (number, row) in all.enumerated() where row.cells[place] != "-" {
            // The next operation must not see the changes of one.
            if number > DeniedRow.reading.count { scene = try await DeniedScene(state) }
            var found: String
            do {
                found = try await row.run(scene)
            } catch let error as HKError {
                found = DeniedScene.cell(error)
            }
            #expect(found == row.cells[place], "\(Cell(row: row, state: state))")
        }
    }

    @Test("each row has a cell for each state, and operations have different names")
    func complete() {
        #expect(all.allSatisfy { $0.cells.count == DeniedState.allCases.count })
        #expect(Set(all.map(\.name)).count == all.count)
    }

    /// Returns the cells of the table below a heading of the page, by row.
    private func page(below heading: String) throws -> [[String]] {
        var folder = URL(fileURLWithPath: #filePath)
        var page = ""
        while page.isEmpty, folder.path != "/" {
            folder.deleteLastPathComponent()
            let file = folder.appendingPathComponent("Docs/Guide/Privacy.md")
            page = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        }
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading })
        return lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("the table of the page about privacy is the table of this test")
    func page() throws {
        let found = try page(below: "## What a denied read shows")
        let head = ["operation"] + DeniedState.allCases.map(\.rawValue)
        #expect(found.first == head)
        #expect(Array(found.dropFirst(2)) == all.map { [$0.name] + $0.cells })
    }
}
