// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Tidy: every public function has a row of hostile arguments")
struct HostileArgumentsPageTests {
    private let here = Scanned.here
    /// The rooms of the library products.
    private static let path = "Docs/Internals/HostileArguments.md"
    private static let rooms = [
        "Cipher", "Kymograph", "KymographMetrics", "HealthModel", "CoreLocation", "UniformTypeIdentifiers",
        "KymographHealth",
        "AppleHealthExport", "WorkoutFiles", "HealthViews", "HealthSync",
    ]

    private struct Row {
        let function: String
        let tests: [String]
    }

    private func rows() throws -> [Row] {
        let page = Markdown(try here.repository.file(Self.path))
        return page.tables.filter { $0.first?.first == "function" }.flatMap { table in
            table.dropFirst(2).map { cells in
                Row(
                    function: cells[0].filter { $0 != "`" },
                    tests: (cells.last ?? "").split(separator: ",").map { String($0.filter { $0 != "`" && $0 != " " }) }
                )
            }
        }
    }

    private var functions: [PublicFunction] {
        here.files(in: Self.rooms.map { "Sources/" + $0 }, ["swift"]).flatMap {
            PublicFunctions.of($0.path, here.tokens($0))
        }
    }

    @Test("every public function has a row, and every row has a public function")
    func complete() throws {
        let functions = functions
        let rows = try rows()
        let named = Set(rows.map(\.function))
        #expect(functions.count > 300 && named.count == rows.count)
        let missing = functions.filter { !named.contains($0.name) }.map {
            Violation(path: $0.path, line: $0.line, message: "\($0.name) has no row in \(Self.path)")
        }
        let known = Set(functions.map(\.name))
        let gone = named.filter { !known.contains($0) }.map {
            Violation(path: Self.path, line: 1, message: "\($0) is not a public function")
        }
        expectNone(missing + gone)
    }

    @Test("each row names an existing suite that calls the function")
    func proofs() throws {
        let tests = here.files(in: ["Tests"], ["swift"])
        var words: [String: Set<String>] = [:]
        for file in tests {
            let name = String(file.path.split(separator: "/").last?.dropLast(6) ?? "")
            words[name] = Set(here.tokens(file).filter { $0.kind == .word }.map(\.text))
        }
        for row in try rows() {
            let parts = row.function.split(separator: "(")[0].split(separator: ".").map(String.init)
            // An initialiser is called by its type's name, a subscript by no name.
            let called = parts.last == "init" ? parts[parts.count - 2] : parts.last ?? ""
            #expect(!row.tests.isEmpty, "\(row.function)")
            for test in row.tests {
                let known = words[test]
                #expect(known != nil, "\(row.function) names \(test), which does not exist")
                #expect(
                    called == "subscript" || known?.contains(called) == true, "\(test) does not call \(row.function)")
            }
        }
    }

    @Test("functions are found by type and labels, and functions without arguments are not")
    func finder() {
        let text = """
            public struct A<T: Equatable> {
                public init() {}
                public init(x: Int, _ y: [String: (Int, Int)] = [:]) {}
                func hidden(a: Int) {}
                public enum B: Int {
                    public static func make(of z: (Int, Int) -> Void, again: A<Int>) -> B { .c }
                }
                public var v: Int { get { 1 } }
                public static func == (a: A, b: A) -> Bool { true }
                public func hash(into hasher: inout Hasher) {}
            }
            extension A.B { public subscript(at place: Int) -> Int { 0 } }
            """
        let file = TextFile("x.swift", text)
        #expect(
            PublicFunctions.of("x.swift", Scanner(file).tokens).map(\.name) == [
                "A.init(x:_:)", "A.B.make(of:again:)", "A.B.subscript(at:)",
            ])
    }
}
