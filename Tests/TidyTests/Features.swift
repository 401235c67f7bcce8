// SPDX-License-Identifier: Apache-2.0

/// The feature rows of `Docs/Features.md` and their states.
struct Features {
    /// The state of each row: `done`, `partial` or `missing`.
    private(set) var states: [String: String] = [:]
    private(set) var violations: [Violation] = []

    static let path = "Docs/Features.md"
    static let known: Set<String> = ["done", "partial", "missing"]

    /// Reads every table whose first column is `row` and that has a column `state`. A cell of the first column may
    /// contain several rows and ranges: `S-1, S-6 to S-10`.
    init(_ file: TextFile) {
        for table in Markdown(file).tables {
            guard let head = table.first, head.first == "row", let column = head.firstIndex(of: "state") else {
                continue
            }
            for cells in table.dropFirst(2) where cells.count > column {
                let state = cells[column]
                if !Features.known.contains(state) {
                    violations.append(
                        Violation(
                            path: file.path, line: 1, message: "row \(cells[0]): state '\(state)' is unknown")
                    )
                }
                for row in Features.rows(of: cells[0]) {
                    if states.updateValue(state, forKey: row) != nil {
                        violations.append(Violation(path: file.path, line: 1, message: "row \(row) stands twice"))
                    }
                }
            }
        }
    }

    /// Returns the rows of a cell such as `S-1, S-6 to S-8`.
    static func rows(of cell: String) -> [String] {
        cell.split(separator: ",").flatMap { part -> [String] in
            let names = rowNames(in: String(part))
            guard names.count == 2, part.contains(" to "), let letter = names[0].first else { return names }
            let bounds = names.compactMap { Int($0.dropFirst(2)) }
            guard bounds.count == 2, bounds[0] <= bounds[1] else { return names }
            return (bounds[0]...bounds[1]).map { "\(letter)-\($0)" }
        }
    }

    /// Returns every name like `E-9` in a text.
    static func rowNames(in text: String) -> [String] {
        var names: [String] = []
        let words = text.split { !($0.isLetter || $0.isNumber || $0 == "-") }
        for word in words {
            guard let letter = word.first, "ETBXS".contains(letter), word.dropFirst().first == "-" else { continue }
            let digits = word.dropFirst(2)
            if !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) { names.append(String(word)) }
        }
        return names
    }

    /// Returns the rows in the names of a file's `@Suite` and `@Test`, with their lines.
    static func named(in file: TextFile, _ tokens: [Token]) -> [(row: String, line: Int)] {
        var found: [(String, Int)] = []
        for i in tokens.indices.dropLast(3) where ["Suite", "Test"].contains(tokens[i].text) && i > 0 {
            guard tokens[i - 1].text == "@", tokens[i + 1].text == "(", tokens[i + 2].kind == .string else { continue }
            let name = String(decoding: file.bytes[tokens[i + 2].range], as: UTF8.self)
            found += rowNames(in: name).map { ($0, tokens[i].line) }
        }
        return found
    }

    /// Finds tests that name an unknown row, and rows with the state done that no test names.
    func check(tests: [(row: String, path: String, line: Int)]) -> [Violation] {
        var found = violations
        for test in tests where states[test.row] == nil {
            found.append(
                Violation(path: test.path, line: test.line, message: "no row \(test.row) in \(Features.path)"))
        }
        let named = Set(tests.map(\.row))
        for (row, state) in states where state == "done" && !named.contains(row) {
            found.append(
                Violation(path: Features.path, line: 1, message: "row \(row) has the state done, but no test names it"))
        }
        return found.sorted()
    }
}
