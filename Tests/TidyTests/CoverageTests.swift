// SPDX-License-Identifier: Apache-2.0

import Testing

/// The page of HealthKit's API lists what the package implements. Each listed name must be used in the code of a test,
/// which cannot compile without it. Members are looked up without their type.
@Suite("Tidy: the page of HealthKit's API")
struct CoverageTests {
    private static let path = "Docs/Guide/HealthKitCoverage.md"
    private let here = Scanned.here

    @Test("a test uses each name that the page calls implemented or partly implemented")
    func named() throws {
        let file = try here.repository.file(Self.path)
        let tests = here.files(in: ["Tests"], ["swift"]).filter { !$0.path.hasPrefix("Tests/TidyTests/") }
        // Only words of code count, not comments and strings.
        let words = Set(tests.flatMap { here.tokens($0) }.filter { $0.kind == .word }.map(\.text))
        var names = 0
        var missing: [Violation] = []
        for cells in Markdown(file).tables.joined() where cells.count > 2 && ["yes", "partial"].contains(cells[1]) {
            for name in Self.names(cells[0]) {
                names += 1
                let isUsed = name.isBeginning ? words.contains { $0.hasPrefix(name.text) } : words.contains(name.text)
                if isUsed { continue }
                missing.append(
                    Violation(
                        path: Self.path, line: 1, message: "\(name.text) is \(cells[1]), but no test uses it"))
            }
        }
        #expect(names > 100)
        expectNone(missing)
    }

    @Test("each row has one of the four states")
    func states() throws {
        let known: Set<String> = ["yes", "partial", "no", "never"]
        for table in Markdown(try here.repository.file(Self.path)).tables where table.first?.first != "symbols" {
            for cells in table.dropFirst(2) { #expect(cells.count > 2 && known.contains(cells[1]), "\(cells)") }
        }
    }

    /// Returns the names in the code spans of a cell. A name that ends with an ellipsis is a prefix.
    private static func names(_ cell: String) -> [(text: String, isBeginning: Bool)] {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().filter { $0.offset % 2 == 1 }.flatMap { _, span in
            let isBeginning = span.contains("…")
            return words(span.split(separator: "…").first.map(String.init) ?? "").map { ($0, isBeginning) }
        }
    }

    private static func words(_ text: String) -> [String] {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            .filter { $0.first?.isNumber == false }
    }
}
