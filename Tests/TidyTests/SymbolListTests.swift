// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `Tools/list-symbols` writes the list from the compiler's index. These tests need no build: they compare the list
/// with the names in the sources and in the tests.
@Suite("Tidy: the list of HealthKit's symbols")
struct SymbolListTests {
    private struct Row: Hashable {
        let name: String
        let kind: String
        let state: String
        let test: String

        /// The name without the labels of arguments: `HKUnit.init`.
        var base: String { String(name.prefix { $0 != "(" }) }
        var type: String { String(name.prefix { $0 != "." }) }
    }

    private static let list = "Docs/Guide/HealthKitSymbols.tsv"
    private static let page = "Docs/Guide/HealthKitCoverage.md"
    private static let advice = "build the tests and run Tools/list-symbols"
    private let here = Scanned.here

    private func rows() throws -> [Row] {
        let text = try String(contentsOfFile: "\(here.repository.root)/\(Self.list)", encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        #expect(lines.first == ["name", "kind", "state", "test"])
        return try lines.dropFirst().map { cells in
            try #require(cells.count == 4, "\(cells)")
            return Row(name: cells[0], kind: cells[1], state: cells[2], test: cells[3])
        }
    }

    private var names: [(name: String, path: String)] {
        here.files(in: ["Sources/HealthModel", "Sources/KymographHealth"], ["swift"]).flatMap { file in
            PublicNames.of(here.tokens(file)).map { ($0, file.path) }
        }
    }

    @Test("the list has every public name of the sources, and no other name")
    func complete() throws {
        let rows = try rows()
        let listed = Set(rows.map(\.base))
        let names = names
        #expect(names.count > 2_000)
        let missing = names.filter { $0.name.hasPrefix("HK") && !listed.contains($0.name) }.map {
            Violation(path: $0.path, line: 1, message: "\($0.name) is not in \(Self.list); \(Self.advice)")
        }
        // Members of protocol extensions are listed for each type that conforms, so only the last word is compared.
        let words = Set(names.map { String($0.name.split(separator: ".").last ?? "") })
        let gone = rows.filter { row in
            row.kind != "operator" && !words.contains(String(row.base.split(separator: ".").last ?? ""))
        }.map { Violation(path: Self.list, line: 1, message: "\($0.name) is not public; \(Self.advice)") }
        expectNone(missing + gone)
    }

    @Test("the named test exists and contains the name")
    func tests() throws {
        let tests = Dictionary(uniqueKeysWithValues: here.files(in: ["Tests"], ["swift"]).map { ($0.path, $0) })
        var words: [String: Set<String>] = [:]
        var wrong: [Violation] = []
        for row in try rows() where row.test != "-" {
            guard let file = tests[row.test] else {
                wrong.append(Violation(path: Self.list, line: 1, message: "\(row.test) is gone; \(Self.advice)"))
                continue
            }
            let found = words[row.test] ?? Set(here.tokens(file).filter { $0.kind == .word }.map(\.text))
            words[row.test] = found
            // Generic suites call inherited members, and tests call initialisers by the type's name or as `.init`.
            let last = String(row.base.split(separator: ".").last ?? "")
            let isImplied = row.state == "inherited" || row.kind == "initialiser" || row.kind == "operator"
            if !isImplied, !found.contains(last) {
                wrong.append(
                    Violation(path: row.test, line: 1, message: "does not use \(row.name); \(Self.advice)"))
            }
        }
        expectNone(wrong)
    }

    @Test("the page has the counts of the list, and at most 1 in 50 of HealthKit's names has no test")
    func counts() throws {
        let rows = try rows()
        let page = try here.repository.file(Self.page)
        let table = try #require(Markdown(page).tables.first { $0.first?.first == "symbols" })
        let states = ["HealthKit", "inherited", "added"]
        #expect(table.count == 2 + states.count)
        for (cells, state) in zip(table.dropFirst(2), states) {
            let all = rows.filter { $0.state == state }
            let tested = all.filter { $0.test != "-" }
            #expect(cells[1] == "\(all.count)" && cells[2] == "\(tested.count)", "\(state); \(Self.advice)")
        }
        let own = rows.filter { $0.state == "HealthKit" }
        #expect(own.filter { $0.test == "-" }.count * 50 <= own.count)
    }

    @Test("public names are found in classes, enumerations, protocols and extensions")
    func scanner() {
        let text = """
            public enum A: Int { case one = 1, two(x: Int), three
                public var n: Int { switch self { case .one: 1 default: 2 } }
                enum Hidden { case no }
                public struct B { public init?(x: Int) {} ; public static let c = 1 } }
            public protocol P { associatedtype E; func f(_ x: Int) ; var v: Int { get } }
            extension A.B { public class func g() {} ; func hidden() {} ; public private(set) var w: Int { 1 } }
            public final class C { @x public override func h() {} }
            struct Internal { public func seen() {} }
            public let k = "public func no"
            """
        let names = PublicNames.of(Scanned.here.tokens(TextFile("Sources/X/A.swift", text)))
        #expect(
            names == [
                "A", "A.one", "A.two", "A.three", "A.n", "A.B", "A.B.init", "A.B.c", "P", "P.E", "P.f", "P.v", "A.B.g",
                "A.B.w", "C", "C.h", "Internal.seen", "k",
            ])
    }
}
