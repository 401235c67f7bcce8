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

    /// Returns the rows that a text names, such as `S-1, S-6 to S-8`.
    static func rows(of text: String) -> [String] {
        var rows: [String] = []
        var isRange = false
        for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "-") }) {
            defer { isRange = word == "to" }
            guard let row = row(word) else { continue }
            if isRange, let first = rows.last.flatMap({ Self.row(Substring($0)) }), first.letter == row.letter,
                first.number < row.number
            {
                rows += (first.number + 1...row.number).map { "\(row.letter)-\($0)" }
            } else {
                rows.append("\(row.letter)-\(row.number)")
            }
        }
        return rows
    }

    /// Returns the parts of a name like `E-9`; nil for another word.
    private static func row(_ word: Substring) -> (letter: Character, number: Int)? {
        guard let letter = word.first, "ETBXS".contains(letter), word.dropFirst().first == "-" else { return nil }
        let digits = word.dropFirst(2)
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(digits).map { (letter, $0) }
    }

    /// Returns the rows in the names of a file's `@Suite` and `@Test`, with their lines.
    static func named(in file: TextFile, _ tokens: [Token]) -> [(row: String, line: Int)] {
        var found: [(String, Int)] = []
        for i in tokens.indices.dropLast(3) where ["Suite", "Test"].contains(tokens[i].text) && i > 0 {
            guard tokens[i - 1].text == "@", tokens[i + 1].text == "(", tokens[i + 2].kind == .string else { continue }
            let name = String(decoding: file.bytes[tokens[i + 2].range], as: UTF8.self)
            found += rows(of: name).map { ($0, tokens[i].line) }
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
